//! Bytes of a file that may be packed, cut off or damaged: what the readers share.

use std::io::{Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use driftline_core::Error;
use driftline_core::error::DataFault;

/// Up to `n` bytes. Memory grows with what is really there, whatever a header has claimed.
pub(crate) fn up_to(reader: &mut (impl Read + ?Sized), n: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = vec![];
    reader.take(n).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file holds, which is unpacked if its first bytes are those of gzip.
pub(crate) fn unpacked<'a>(
    mut file: impl Read + Send + 'a,
) -> std::io::Result<Box<dyn Read + Send + 'a>> {
    let start = up_to(&mut file, 2)?;
    let gzip = start == [0x1f, 0x8b];
    let whole = Cursor::new(start).chain(file);
    Ok(if gzip {
        Box::new(MultiGzDecoder::new(whole))
    } else {
        Box::new(whole)
    })
}

/// A fault that only the writer of the file can mend.
pub(crate) fn torn(path: &Path, message: impl Into<String>) -> DataFault {
    DataFault::new(path, message).help("the file is damaged or cut off: copy or write it again")
}

/// Decompression reports its faults as I/O errors; those are faults of the file.
pub(crate) fn broken(path: &Path, error: std::io::Error) -> Error {
    use std::io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    match error.kind() {
        InvalidData | InvalidInput | UnexpectedEof | Other => {
            torn(path, format!("cannot be unpacked ({error})")).into()
        }
        _ => Error::io(path)(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn gzip_is_told_by_its_first_bytes_and_may_have_several_parts() {
        let packed = |text: &str| {
            let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        };
        let read = |bytes: &[u8]| -> std::io::Result<String> {
            let mut text = String::new();
            unpacked(bytes)?.read_to_string(&mut text)?;
            Ok(text)
        };
        assert_eq!(read(&packed("a,b\n")).unwrap(), "a,b\n");
        assert_eq!(read(&[packed("a,"), packed("b")].concat()).unwrap(), "a,b");
        for plain in ["", "a", "a,b\n"] {
            assert_eq!(read(plain.as_bytes()).unwrap(), plain);
        }
        let whole = packed("a,b,c");
        let error = read(&whole[..whole.len() - 4]).unwrap_err();
        let said = broken(Path::new("t.csv"), error);
        assert!(said.to_string().starts_with("t.csv: cannot be unpacked ("));
        assert!(said.help().is_some());
    }

    #[test]
    fn no_more_is_read_than_there_is() {
        let mut reader = &b"abcdef"[..];
        assert_eq!(up_to(&mut reader, 2).unwrap(), b"ab");
        assert_eq!(up_to(&mut reader, u64::MAX).unwrap(), b"cdef");
        assert_eq!(up_to(&mut reader, 1).unwrap(), b"");
    }
}
