//! The identity of data that come from no file: a hash of what their frames hold, however the frames are cut.

use std::path::PathBuf;

use super::InputDigest;
use crate::{Batch, Batches, Column, Field, Kind};
use driftline_core::Result;

/// What the data of a reader are known by: their files where it hashes them, else what its frames hold. To be shown
/// every frame.
pub(in super::super) struct Identity {
    contents: Option<Contents>,
}

impl Identity {
    pub fn of(frames: &dyn Batches) -> Self {
        let contents = || Contents::new(frames.files(), frames.fields());
        Self {
            contents: (!frames.head().hashes_files).then(contents),
        }
    }

    pub fn see(&mut self, frame: &Batch) {
        if let Some(contents) = &mut self.contents {
            contents.add(frame);
        }
    }

    /// After the last frame.
    pub fn digests(&self, frames: &mut dyn Batches) -> Result<Vec<InputDigest>> {
        match &self.contents {
            Some(contents) => Ok(contents.digests()),
            None => frames.digests(),
        }
    }
}

/// Batches hashed so far, for each of the names that the reader gives for its files.
struct Contents {
    files: Vec<PathBuf>,
    fields: Vec<Field>,
    /// For every file a hash per column, so that rows may come in frames of any size.
    columns: Vec<Vec<blake3::Hasher>>,
    scratch: Vec<u8>,
}

impl Contents {
    fn new(files: &[PathBuf], fields: &[Field]) -> Self {
        let columns = vec![blake3::Hasher::new(); fields.len()];
        Self {
            columns: vec![columns; files.len()],
            files: files.to_vec(),
            fields: fields.to_vec(),
            scratch: vec![],
        }
    }

    fn add(&mut self, frame: &Batch) {
        let Some(hashers) = self.columns.get_mut(frame.file) else {
            return;
        };
        for (column, hasher) in frame.columns.iter().zip(hashers) {
            self.scratch.clear();
            write(column, &mut self.scratch);
            hasher.update(&self.scratch);
        }
    }

    /// One for each file, by names, kinds and values of its columns.
    fn digests(&self) -> Vec<InputDigest> {
        let digest = |(path, columns): (&PathBuf, &Vec<blake3::Hasher>)| {
            let mut all = blake3::Hasher::new();
            for (field, column) in self.fields.iter().zip(columns) {
                all.update(&(field.name.len() as u64).to_le_bytes());
                all.update(field.name.as_bytes());
                all.update(kind(field.kind).as_bytes());
                all.update(column.finalize().as_bytes());
            }
            let bytes = columns.iter().map(blake3::Hasher::count).sum();
            InputDigest::new(path, bytes, &all)
        };
        self.files.iter().zip(&self.columns).map(digest).collect()
    }
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Image(shape) => format!("pictures of {shape}\n"),
        other => format!("{}\n", other.name()),
    }
}

/// Numbers in double precision whatever they are held in; a missing value is told from every other.
fn write(column: &Column, to: &mut Vec<u8>) {
    match column {
        Column::Numbers(numbers) => {
            for value in numbers.iter() {
                let value = if value.is_nan() { f64::NAN } else { value };
                to.extend(value.to_bits().to_le_bytes());
            }
        }
        Column::Text(texts) => {
            for text in texts.iter() {
                let length = text.map_or(u64::MAX, |text| text.len() as u64);
                to.extend(length.to_le_bytes());
                to.extend(text.unwrap_or_default().as_bytes());
            }
        }
        Column::Times(times) => {
            for time in times {
                to.push(u8::from(time.is_some()));
                to.extend(time.unwrap_or(0).to_le_bytes());
            }
        }
        Column::Images(pixels) => {
            for pixel in pixels {
                to.extend(pixel.to_bits().to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Numbers, Texts};

    /// Rows of a number and a text, in frames of the given sizes.
    fn hash(names: [&str; 2], rows: &[(f64, Option<&str>)], size: usize) -> String {
        let fields = [
            Field::new(names[0], Kind::Number),
            Field::new(names[1], Kind::Text),
        ];
        let mut contents = Contents::new(&["memory".into()], &fields);
        for part in rows.chunks(size) {
            let numbers = part.iter().map(|row| row.0).collect();
            let texts: Texts = part.iter().map(|row| row.1).collect();
            contents.add(&Batch {
                file: 0,
                first_row: 1,
                scattered: None,
                columns: vec![
                    Column::Numbers(Numbers::Double(numbers)),
                    Column::Text(texts),
                ],
                rows: part.len(),
            });
        }
        contents.digests().remove(0).blake3
    }

    #[test]
    fn names_and_values_count_and_the_cut_into_frames_does_not() {
        let rows = [(1.0, Some("a")), (2.0, None), (3.0, Some("bc"))];
        let names = ["x", "y"];
        let whole = hash(names, &rows, 3);
        assert_eq!(hash(names, &rows, 1), whole);
        assert_eq!(hash(names, &rows, 2), whole);
        for other in [
            [(1.0, Some("a")), (2.0, Some("")), (3.0, Some("bc"))],
            [(1.0, Some("a")), (f64::NAN, None), (3.0, Some("bc"))],
            [(1.0, Some("ab")), (2.0, None), (3.0, Some("c"))],
        ] {
            assert_ne!(hash(names, &other, 3), whole, "{other:?}");
        }
        assert_ne!(hash(["x", "z"], &rows, 3), whole);
    }
}
