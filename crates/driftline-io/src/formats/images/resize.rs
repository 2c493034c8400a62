//! Resizing by a Lanczos filter of radius 3: rows first, then columns, in 32-bit numbers.

use std::f32::consts::PI;
use std::ops::Range;

use super::picture::{Picture, Pixels};

impl Picture {
    #[must_use]
    pub fn resized(self, height: u32, width: u32) -> Self {
        if (self.height, self.width) == (height, width) {
            return self;
        }
        let old = [self.height, self.width].map(|side| side as usize);
        let new = [height, width].map(|side| side as usize);
        let pixels = match self.pixels {
            Pixels::Grey(grey) => Pixels::Grey(resize(&grey, 1, old, new)),
            Pixels::Rgb(rgb) => {
                let samples = resize(rgb.as_flattened(), 3, old, new);
                Pixels::Rgb(samples.as_chunks().0.to_vec())
            }
        };
        Picture {
            width,
            height,
            pixels,
        }
    }
}

fn resize(
    samples: &[u8],
    channels: usize,
    [old_height, old_width]: [usize; 2],
    [height, width]: [usize; 2],
) -> Vec<u8> {
    let row = old_width * channels;
    let mut rows = vec![0f32; height * row]; // [height × old width × channels]
    for (target, out) in rows.chunks_exact_mut(row).enumerate() {
        let (from, weights) = contributions(target, old_height, height);
        for (source, weight) in from.zip(weights) {
            let line = &samples[source * row..][..row];
            for (sum, &sample) in out.iter_mut().zip(line) {
                *sum += f32::from(sample) * weight;
            }
        }
    }
    let mut out = vec![0; height * width * channels];
    for target in 0..width {
        let (from, weights) = contributions(target, old_width, width);
        for (line, out) in rows
            .chunks_exact(row)
            .zip(out.chunks_exact_mut(width * channels))
        {
            let out = &mut out[target * channels..][..channels];
            for (channel, out) in out.iter_mut().enumerate() {
                let mut sum = 0f32;
                for (source, weight) in from.clone().zip(&weights) {
                    sum += line[source * channels + channel] * weight;
                }
                *out = sum.clamp(0.0, 255.0).round() as u8;
            }
        }
    }
    out
}

/// The old pixels along one side that make the new pixel `target`, and their weights, which sum to one.
fn contributions(target: usize, old: usize, new: usize) -> (Range<usize>, Vec<f32>) {
    let ratio = old as f32 / new as f32;
    let stretch = ratio.max(1.0);
    let centre = (target as f32 + 0.5) * ratio;
    let reach = RADIUS * stretch;
    let first = ((centre - reach).floor() as i64).clamp(0, old as i64 - 1);
    let end = ((centre + reach).ceil() as i64).clamp(first + 1, old as i64);
    let range = first as usize..end as usize;
    // The filter takes the middle of a pixel as its place.
    let weight = |source: usize| lanczos((source as f32 - (centre - 0.5)) / stretch);
    let mut weights: Vec<f32> = range.clone().map(weight).collect();
    let sum = weights.iter().fold(0f32, |sum, weight| sum + weight);
    weights.iter_mut().for_each(|weight| *weight /= sum);
    (range, weights)
}

const RADIUS: f32 = 3.0;

fn lanczos(x: f32) -> f32 {
    match x.abs() < RADIUS {
        true => sinc(x) * sinc(x / RADIUS),
        false => 0.0,
    }
}

fn sinc(x: f32) -> f32 {
    let angle = x * PI;
    match x == 0.0 {
        true => 1.0,
        false => angle.sin() / angle,
    }
}
