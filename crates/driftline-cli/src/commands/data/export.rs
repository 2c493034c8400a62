//! `driftline data export`: a data set of the cache as files such as users have, cut into a labelled source and a stream.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use driftline_core::Error;
use driftline_core::files::write_with;
use driftline_lab::datasets::catalog::{self, TableCut};
use driftline_lab::datasets::{Cache, Digits};

use super::ExportArgs;
#[cfg(feature = "images")]
use super::images::images;
#[cfg(not(feature = "images"))]
use crate::commands::left_out::images;
use crate::failure::{Failure, Outcome, Result};
use crate::output;

pub fn run(cache: &Cache, args: &ExportArgs) -> Result {
    let ExportArgs {
        name,
        folder,
        force,
        source_rows,
    } = args;
    let occupied = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if occupied && !*force {
        return Err(Failure::with_help(
            format!("{} is not empty", folder.display()),
            "choose another folder, or write into it with --force",
        ));
    }
    // The folder is made once the data set is known to be there.
    let make = || fs::create_dir_all(folder).map_err(Error::io(folder));
    let shown = folder.display();
    let form = catalog::find(name)?.table;
    if source_rows.is_some() && form.is_none() {
        return Err(Failure::told(format!(
            "`{name}` is not one table, so --source-rows cannot cut it"
        )));
    }
    let command = if let Some(form) = form {
        let files = cache.files(name)?;
        let cut = match (source_rows, form.cut) {
            (Some(rows), TableCut::Rows(_)) => TableCut::Rows(rows.get()),
            (Some(_), TableCut::Part { column, .. }) => {
                return Err(Failure::told(format!(
                    "the column `{column}` says what the source of `{name}` is, so --source-rows cannot"
                )));
            }
            (None, cut) => cut,
        };
        make()?;
        let label = table(&files[0], folder, cut, form.label)?;
        let window = form.window;
        format!(
            "driftline adapt --source {shown}/source.csv --label {label} --stream {shown}/stream.csv --window {window} \
             --truth {label} --out {shown}/run"
        )
    } else if let Some(digits) = digits(cache, name)? {
        images(&digits, folder)?;
        format!(
            "driftline adapt --source {shown}/source --label label --stream {shown}/stream --truth label --out {shown}/run"
        )
    } else {
        return Err(Failure::with_help(
            format!("`{name}` cannot be exported"),
            format!("these can: {}", exportable()),
        ));
    };
    output::print(&format!("{command}\n"))?;
    Ok(Outcome::Done)
}

/// The data sets that are one table, the fourteen of the archive as one, and the digits.
fn exportable() -> String {
    let tables = catalog::all().iter().filter(|one| one.table.is_some());
    let mut names: Vec<&str> = tables.map(|dataset| dataset.name).collect();
    names.retain(|name| !name.starts_with("archive-"));
    names.extend(["archive-…", "mnist", "fashion-mnist"]);
    names.join(", ")
}

fn digits(cache: &Cache, name: &str) -> Result<Option<Digits>> {
    Ok(match name {
        "mnist" => Some(cache.mnist()?),
        "fashion-mnist" => Some(cache.fashion_mnist()?),
        _ => None,
    })
}

/// Cuts a CSV file in two, line by line; the name of the label column as the file has it.
fn table(path: &Path, folder: &Path, cut: TableCut, label: &str) -> Result<String> {
    let mut lines = BufReader::new(File::open(path).map_err(Error::io(path))?).lines();
    let mut line = || lines.next().transpose().map_err(Error::io(path));
    let rest = |text: &str| text.split_once(',').map_or("", |(_, rest)| rest).to_owned();
    let header = line()?.unwrap_or_default();
    let header = match cut {
        TableCut::Rows(_) => header,
        TableCut::Part { .. } => rest(&header),
    };
    let named = header.split(',').find(|name| *name == label);
    // The label stands last in every one of these files.
    let label = named
        .or(header.rsplit(',').next())
        .unwrap_or(label)
        .to_owned();
    let (source, stream) = (folder.join("source.csv"), folder.join("stream.csv"));
    write_with(&source, |source_file| {
        write_with(&stream, |stream_file| {
            let mut writers = [source_file, stream_file].map(BufWriter::new);
            let io = Error::io;
            for (writer, path) in writers.iter_mut().zip([&source, &stream]) {
                writeln!(writer, "{header}").map_err(io(path))?;
            }
            let mut row = 0;
            while let Some(text) = line()? {
                let (is_source, text) = match cut {
                    TableCut::Rows(rows) => (row < rows, text),
                    TableCut::Part { source, .. } => {
                        (text.split(',').next() == Some(source), rest(&text))
                    }
                };
                let place = usize::from(!is_source);
                writeln!(writers[place], "{text}").map_err(io([&source, &stream][place]))?;
                row += 1;
            }
            for (mut writer, path) in writers.into_iter().zip([&source, &stream]) {
                writer.flush().map_err(io(path))?;
            }
            Ok(())
        })
    })?;
    Ok(label)
}
