//! Reading files: every format against other software, good and bad input, encodings, windows, and mutated copies.

#[path = "reading/arrays.rs"]
mod arrays;
#[path = "reading/cleaning.rs"]
mod cleaning;
#[path = "reading/csv.rs"]
mod csv;
#[path = "reading/encoding.rs"]
mod encoding;
#[path = "reading/first_pass.rs"]
mod first_pass;
#[path = "reading/image_reference.rs"]
mod image_reference;
#[path = "reading/images.rs"]
mod images;
#[path = "reading/make.rs"]
mod make;
#[path = "reading/mutations.rs"]
mod mutations;
#[path = "reading/other_software.rs"]
mod other_software;
#[path = "reading/parquet.rs"]
mod parquet;
#[path = "reading/windows.rs"]
mod windows;

use std::path::{Path, PathBuf};

use driftline_core::{Error, Result};
use driftline_io::{Batches, Column, ReadOptions, Time, open};

/// A folder that is removed at the end of a test.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// All rows as text, missing values as `-`, and the names of the columns.
fn table(path: &Path, options: &ReadOptions) -> Result<(Vec<String>, Vec<Vec<String>>)> {
    let mut frames = open(path, options)?;
    let names = frames.fields().iter().map(|field| field.name.clone());
    Ok((names.collect(), rows(&mut *frames)?))
}

fn rows(frames: &mut dyn Batches) -> Result<Vec<Vec<String>>> {
    let mut all = vec![];
    while let Some(frame) = frames.next_frame()? {
        assert_eq!(frame.first_row, all.len() as u64 + 1);
        assert_eq!(frame.columns.len(), frames.fields().len());
        for row in 0..frame.rows {
            all.push(
                frame
                    .columns
                    .iter()
                    .map(|column| cell(column, row, frame.rows))
                    .collect(),
            );
        }
    }
    Ok(all)
}

fn cell(column: &Column, row: usize, rows: usize) -> String {
    let missing = || "-".to_string();
    match column {
        Column::Numbers(numbers) if numbers.get(row).is_nan() => missing(),
        Column::Numbers(numbers) => numbers.get(row).to_string(),
        Column::Text(texts) => texts.get(row).map_or_else(missing, String::from),
        Column::Times(times) => times[row].map_or_else(missing, |t| Time::Moment(t).to_string()),
        Column::Images(pixels) => {
            let size = pixels.len() / rows;
            let own = pixels[row * size..(row + 1) * size].iter();
            own.map(|pixel| format!("{:.0}", pixel * 255.0))
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

/// The message and the help of an error, without the folder.
fn said(folder: &Folder, error: &Error) -> String {
    let message = match error.help() {
        Some(help) => {
            let help = help.words(|setting| format!("--{}", setting.name()));
            format!("{error}\nhelp: {help}")
        }
        None => error.to_string(),
    };
    message.replace(&format!("{}/", folder.0.path().display()), "")
}

/// What is wrong with a file of these bytes.
fn fault(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let folder = Folder::new();
    let path = folder.write(name, bytes);
    match table(&path, &ReadOptions::default()) {
        Ok(rows) => panic!("{name} was read: {rows:?}"),
        Err(error) => said(&folder, &error),
    }
}
