//! `driftline data export`: a data set of the cache as files such as users have, cut into a labelled source and a stream.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use driftline::Error;
use driftline::data::{Inputs, Shape};
use driftline::datasets::catalog::{self, TableCut};
use driftline::datasets::{Cache, Digits, RotatingDigits};
use driftline::files::write_with;
use driftline::random::Seed;

use super::ExportArgs;
use crate::failure::{Failure, Outcome, Result};
use crate::output;

/// A tenth of the paper's images: enough to see the drift, few enough for a folder.
const FEWER_DIGITS: usize = 10;

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
             --answers {label} --out {shown}/run"
        )
    } else if let Some(digits) = digits(cache, name)? {
        make()?;
        images(&digits, folder)?;
        format!(
            "driftline adapt --source {shown}/source --label label --stream {shown}/stream --answers label --out {shown}/run"
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
    let tables = catalog::all()
        .iter()
        .filter(|dataset| dataset.table.is_some());
    let tables = tables.map(|dataset| dataset.name);
    let mut names: Vec<&str> = tables
        .filter(|name| !name.starts_with("archive-"))
        .collect();
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
    let label = match header.split(',').any(|name| name == label) {
        true => label.to_owned(),
        // The label stands last in every one of these files.
        false => header.rsplit(',').next().unwrap_or(label).to_owned(),
    };
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

/// Rotating digits: `source/7/0001.png` with a folder per class, and `stream/00001.png` with a CSV file of what they are.
fn images(digits: &Digits, folder: &Path) -> Result<()> {
    let drift = RotatingDigits::paper().scaled_down(FEWER_DIGITS);
    let benchmark = drift.benchmark(digits, Seed::new(0))?;
    let source = &benchmark.task.source;
    let mut counts = [0; Digits::CLASSES];
    for (index, &class) in source.labels().as_slice().iter().enumerate() {
        let own = folder.join(format!("source/{class}"));
        fs::create_dir_all(&own).map_err(Error::io(&own))?;
        counts[class as usize] += 1;
        let name = own.join(format!("{:05}.png", counts[class as usize]));
        image(source.inputs(), index, &name)?;
    }
    let stream = benchmark.task.intermediate.inputs();
    let own = folder.join("stream");
    fs::create_dir_all(&own).map_err(Error::io(&own))?;
    let answers = benchmark.answers.intermediate.as_ref();
    let mut listing = "file,label\n".to_owned();
    for index in 0..stream.len() {
        let name = format!("{:05}.png", index + 1);
        image(stream, index, &own.join(&name))?;
        let class = answers.map_or(0, |labels| labels.as_slice()[index]);
        listing += &format!("{name},{class}\n");
    }
    driftline::files::write_whole(&own.join("images.csv"), listing.as_bytes())?;
    Ok(())
}

/// One grey image as PNG.
fn image(inputs: &Inputs, index: usize, path: &PathBuf) -> Result<()> {
    let Shape::Image { height, width, .. } = inputs.shape() else {
        return Err(Failure::told("the data set holds no images"));
    };
    let pixels = inputs.row(index).iter();
    let pixels: Vec<u8> = pixels
        .map(|v| (v * 255.0).round().clamp(0.0, 255.0) as u8)
        .collect();
    write_with(path, |file| {
        let mut encoder = png::Encoder::new(BufWriter::new(file), width as u32, height as u32);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.set_depth(png::BitDepth::Eight);
        let written = encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&pixels));
        written.map_err(|error| Error::corrupt(path, format!("cannot be written: {error}")))
    })?;
    Ok(())
}
