//! The images of the newest window that the version in use is most and least sure of.

use driftline_core::data::{Inputs, Shape};
use driftline_models::Classifier;
use driftline_runs::RunFolder;

use crate::chart::Figure;
use crate::chart::images::{self, Image};
use crate::numbers::per_cent;

/// So many of each, at most so wide.
const EACH: usize = 6;
const WIDEST: usize = 28;

/// Nothing where the inputs are no images, or the run has not kept the last window.
pub fn thumbnails(run: &RunFolder, id: &str) -> driftline_core::Result<Option<Figure>> {
    let Some(window) = run
        .resume_state()?
        .and_then(|resume_state| resume_state.previous)
    else {
        return Ok(None);
    };
    let Shape::Image { .. } = window.inputs.shape() else {
        return Ok(None);
    };
    let (labels, probabilities) = run.model(None)?.version.assess(&window.inputs)?;
    let most = |row: &[f32]| row.iter().copied().fold(0.0, f32::max);
    let sure: Vec<f32> = probabilities.iter().map(most).collect();
    let mut order: Vec<usize> = (0..window.len()).collect();
    order.sort_by(|&a, &b| sure[b].total_cmp(&sure[a]).then(a.cmp(&b)));
    let each = EACH.min(order.len() / 2);
    let ends = order[..each].iter().chain(&order[order.len() - each..]);
    let classes = &run.manifest().classes;
    let shown = ends.map(|&row| {
        let class = &classes[labels.as_slice()[row] as usize];
        let label = format!("{class} {} %", per_cent(f64::from(sure[row])));
        small(&window.inputs, row, label)
    });
    let shown: Vec<Image> = shown.collect();
    let caption = "Above: the images of the newest window that the version in use is most sure of. Below: those that it is \
                   least sure of. Under each image: the predicted class and its confidence.";
    let title = "Most and least confident";
    let chart = || images::chart(&shown, each);
    Ok((each > 0).then(|| Figure::draw(id, "confidence-images", title, caption, "", chart())))
}

/// In grey, and small enough for a page.
fn small(inputs: &Inputs, row: usize, label: String) -> Image {
    let Shape::Image {
        height,
        width,
        channels,
    } = inputs.shape()
    else {
        return Image {
            width: 1,
            values: vec![],
            label,
        };
    };
    let pixels = inputs.row(row);
    let step = width.max(height).div_ceil(WIDEST).max(1);
    let (across, down) = (width.div_ceil(step), height.div_ceil(step));
    let mut values = vec![];
    for y in 0..down {
        for x in 0..across {
            let rows = y * step..((y + 1) * step).min(height);
            let mut sum = 0.0;
            let mut n = 0.0f32;
            for at in rows {
                for column in x * step..((x + 1) * step).min(width) {
                    let from = (at * width + column) * channels;
                    sum += pixels[from..from + channels].iter().sum::<f32>();
                    n += channels as f32;
                }
            }
            values.push(sum / n.max(1.0));
        }
    }
    Image {
        width: across,
        values,
        label,
    }
}
