//! Digits as folders of PNG files.

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use driftline_core::Error;
use driftline_core::data::{Inputs, Shape};
use driftline_core::files::write_with;
use driftline_core::random::Seed;
use driftline_lab::datasets::{Digits, RotatingDigits};

use crate::failure::{Failure, Result};

/// A tenth of the paper's images: enough to see the drift, few enough for a folder.
const FEWER_DIGITS: usize = 10;

/// Rotating digits: `source/7/0001.png` with a folder per class, and `stream/00001.png` with a CSV file of what they are.
pub fn images(digits: &Digits, folder: &Path) -> Result<()> {
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
    driftline_core::files::write_whole(&own.join("images.csv"), listing.as_bytes())?;
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
