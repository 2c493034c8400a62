//! Small files of every kind, made in the tests.

use std::io::Write;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use parquet::basic::Compression as Packing;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An NPY array with this header dictionary and these value bytes.
pub fn npy(descr: &str, shape: &str, values: &[u8]) -> Vec<u8> {
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}").into_bytes();
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(b' ');
    }
    header.push(b'\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header);
    file.extend(values);
    file
}

pub fn f32s(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// A zip archive; `claimed` overrides the unpacked size that the directory announces.
pub fn zip(entries: &[(&str, &[u8])], deflate: bool, claimed: Option<u32>) -> Vec<u8> {
    let (mut file, mut directory) = (vec![], vec![]);
    for (name, bytes) in entries {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let packed = if deflate {
            let mut encoder = DeflateEncoder::new(vec![], Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        } else {
            bytes.to_vec()
        };
        let place = file.len() as u32;
        let mut common = vec![20, 0, 0, 0, if deflate { 8 } else { 0 }, 0, 0, 0, 0, 0];
        common.extend(crc.sum().to_le_bytes());
        common.extend((packed.len() as u32).to_le_bytes());
        common.extend(claimed.unwrap_or(bytes.len() as u32).to_le_bytes());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&common);
        file.extend(name.as_bytes());
        file.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(place.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let place = file.len() as u32;
    let count = (entries.len() as u16).to_le_bytes();
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend(count);
    file.extend(count);
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(place.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// A Parquet file of `rows` rows with columns `x` (double), `n` (whole numbers) and `label` (text), in row groups of
/// `group` rows.
pub fn parquet(rows: usize, group: usize, packing: Packing) -> Vec<u8> {
    let schema =
        "message table { REQUIRED DOUBLE x; REQUIRED INT64 n; OPTIONAL BYTE_ARRAY label (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let properties = WriterProperties::builder().set_compression(packing).build();
    let mut writer = SerializedFileWriter::new(vec![], schema, Arc::new(properties)).unwrap();
    for start in (0..rows).step_by(group) {
        let own: Vec<usize> = (start..rows.min(start + group)).collect();
        let mut out = writer.next_row_group().unwrap();
        let mut column = out.next_column().unwrap().unwrap();
        let x: Vec<f64> = own.iter().map(|&i| i as f64 * 0.1).collect();
        column
            .typed::<DoubleType>()
            .write_batch(&x, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = out.next_column().unwrap().unwrap();
        let n: Vec<i64> = own.iter().map(|&i| i as i64 % 5).collect();
        column
            .typed::<Int64Type>()
            .write_batch(&n, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = out.next_column().unwrap().unwrap();
        let labels: Vec<_> = own
            .iter()
            .map(|&i| if i % 2 == 0 { "even" } else { "odd" }.into())
            .collect();
        let levels = vec![1; own.len()];
        column
            .typed::<ByteArrayType>()
            .write_batch(&labels, Some(&levels), None)
            .unwrap();
        column.close().unwrap();
        out.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// A row with each kind of value, any of them missing.
pub type Optional = (Option<f64>, Option<i64>, Option<String>);

/// A Parquet file of optional columns.
pub fn optional_columns(cells: &[Optional], group: usize) -> Vec<u8> {
    let schema =
        "message table { OPTIONAL DOUBLE a; OPTIONAL INT64 b; OPTIONAL BYTE_ARRAY c (UTF8); }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(vec![], schema, Arc::default()).unwrap();
    for part in cells.chunks(group) {
        let mut out = writer.next_row_group().unwrap();
        macro_rules! column {
            ($type:ty, $value:expr) => {{
                let values: Vec<_> = part.iter().filter_map($value).collect();
                let levels: Vec<i16> = part
                    .iter()
                    .map(|row| i16::from($value(row).is_some()))
                    .collect();
                let mut column = out.next_column().unwrap().unwrap();
                column
                    .typed::<$type>()
                    .write_batch(&values, Some(&levels), None)
                    .unwrap();
                column.close().unwrap();
            }};
        }
        column!(DoubleType, |row: &Optional| row.0);
        column!(Int64Type, |row: &Optional| row.1);
        column!(ByteArrayType, |row: &Optional| row
            .2
            .as_deref()
            .map(ByteArray::from));
        out.close().unwrap();
    }
    writer.into_inner().unwrap()
}

/// An image whose pixels count up from `first`.
pub fn picture(height: u32, width: u32, first: u8, colour: bool, extension: &str) -> Vec<u8> {
    let format = image::ImageFormat::from_extension(extension).unwrap();
    let mut bytes = std::io::Cursor::new(vec![]);
    let value = |x: u32, y: u32| first.wrapping_add((y * width + x) as u8);
    if colour {
        let picture =
            image::RgbImage::from_fn(width, height, |x, y| image::Rgb([value(x, y), 0, 255]));
        picture.write_to(&mut bytes, format).unwrap();
    } else {
        let picture = image::GrayImage::from_fn(width, height, |x, y| image::Luma([value(x, y)]));
        picture.write_to(&mut bytes, format).unwrap();
    }
    bytes.into_inner()
}
