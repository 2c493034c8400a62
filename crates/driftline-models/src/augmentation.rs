//! Augmentation: an image moved a little, as a drift would not care about. Output pixel p shows the image at
//! c + R(φ)·(p − c)/z − s with turn φ, zoom z and whole shift s, interpolated linearly; what lies outside repeats the border.
//! Then comes contrast, x ← m + k·(x − m) around the image's mean m, and a rectangle erased to that mean.

use std::num::NonZeroUsize;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use driftline_core::data::{Fraction, Positive, Shape};
use driftline_core::random::{Generator, Seed};
use driftline_core::{Error, Result};

/// How far images are moved, anew for every example and epoch; what is absent is left alone. Which of these keep the
/// label depends on the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Augmentation {
    /// At most this many pixels in each direction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<NonZeroUsize>,
    /// At most this many degrees either way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Positive>,
    /// Larger or smaller by at most this part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoom: Option<Fraction>,
    /// Half of the images are mirrored, left to right.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub flip: bool,
    /// More or less contrast by at most this part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contrast: Option<Fraction>,
    /// A rectangle with sides of at most this many pixels is replaced by the image's mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erase: Option<NonZeroUsize>,
}

/// Where output pixels look: x = x₀ + across·(column, row), and so for y.
struct Map {
    origin: [f32; 2],
    /// Change of the source (row, column) per output row, and per output column.
    down: [f32; 2],
    across: [f32; 2],
}

impl Augmentation {
    /// Refuses what is no image, and amounts that would leave nothing of one.
    pub fn check(&self, shape: Shape) -> Result<()> {
        let Shape::Image { height, width, .. } = shape else {
            return Err(Error::mismatch("`augment`", "images to move", shape));
        };
        let least = height.min(width);
        let longest = |what: &str, length: Option<NonZeroUsize>| match length {
            Some(length) if length.get() >= least => Err(Error::out_of_range(
                format!("`augment.{what}`"),
                length,
                format!("below the image's {least} pixels"),
            )),
            _ => Ok(()),
        };
        longest("shift", self.shift)?;
        longest("erase", self.erase)?;
        match self.zoom {
            Some(zoom) if zoom.get() == 1.0 => {
                Err(Error::out_of_range("`augment.zoom`", 1, "below 1"))
            }
            _ => Ok(()),
        }
    }

    /// Writes `image`, moved as `seed` decides, into `out`; both are row by row with channels last.
    #[inline(always)]
    pub fn apply(&self, image: &[f32], volume: [usize; 3], seed: Seed, out: &mut [f32]) {
        let mut generator = seed.generator();
        let [height, width, channels] = volume;
        let map = self.map([height, width], &mut generator);
        for row in 0..height {
            for column in 0..width {
                let at = (row * width + column) * channels;
                let (i, j) = (row as f32, column as f32);
                let place =
                    |axis: usize| map.origin[axis] + map.down[axis] * i + map.across[axis] * j;
                let [y, x] = [place(0), place(1)];
                look(image, volume, [y, x], &mut out[at..at + channels]);
            }
        }
        if self.contrast.is_none() && self.erase.is_none() {
            return;
        }
        let mean = (out.iter().map(|&v| f64::from(v)).sum::<f64>() / out.len() as f64) as f32;
        if let Some(contrast) = self.contrast {
            let factor = (1.0 + symmetric(contrast.get(), &mut generator)) as f32;
            for value in &mut *out {
                *value = mean + factor * (*value - mean);
            }
        }
        if let Some(longest) = self.erase {
            let mut side = |size: usize| {
                let length = generator.random_range(1..=longest.get() as u64) as usize;
                let first = generator.random_range(0..=(size - length.min(size)) as u64) as usize;
                first..first + length.min(size)
            };
            let (rows, columns) = (side(height), side(width));
            for row in rows {
                let start = (row * width + columns.start) * channels;
                out[start..start + columns.len() * channels].fill(mean);
            }
        }
    }

    /// Draws turn, zoom, flip and shift, always in this order.
    fn map(&self, [height, width]: [usize; 2], generator: &mut Generator) -> Map {
        let turn = self
            .turn
            .map_or(0.0, |most| symmetric(most.get(), generator));
        let zoom = self
            .zoom
            .map_or(0.0, |most| symmetric(most.get(), generator));
        let mirrored = self.flip && generator.random::<bool>();
        let mut whole = || match self.shift {
            Some(most) => {
                let most = most.get() as i64;
                generator.random_range(-most..=most) as f64
            }
            None => 0.0,
        };
        let shift = [whole(), whole()];
        let (sine, cosine) = (libm::sin(turn.to_radians()), libm::cos(turn.to_radians()));
        let scale = 1.0 / (1.0 + zoom);
        let side = if mirrored { -1.0 } else { 1.0 };
        let down = [cosine * scale, -sine * scale];
        let across = [sine * scale * side, cosine * scale * side];
        let centre = [(height - 1) as f64 / 2.0, (width - 1) as f64 / 2.0];
        let origin = |axis: usize| {
            centre[axis] - down[axis] * centre[0] - across[axis] * centre[1] - shift[axis]
        };
        Map {
            origin: [origin(0) as f32, origin(1) as f32],
            down: down.map(|v| v as f32),
            across: across.map(|v| v as f32),
        }
    }
}

fn symmetric(most: f64, generator: &mut Generator) -> f64 {
    most * (2.0 * generator.random::<f64>() - 1.0)
}

/// The image at (y, x), between four pixels, of which those outside are the nearest inside.
#[inline(always)]
fn look(image: &[f32], [height, width, channels]: [usize; 3], [y, x]: [f32; 2], out: &mut [f32]) {
    let clamp = |v: f32, size: usize| v.max(0.0).min((size - 1) as f32);
    let (y, x) = (clamp(y, height), clamp(x, width));
    let (top, left) = (y as usize, x as usize);
    let (bottom, right) = ((top + 1).min(height - 1), (left + 1).min(width - 1));
    let (v, u) = (y - top as f32, x - left as f32);
    let at = |row: usize, column: usize| (row * width + column) * channels;
    let corners = [
        at(top, left),
        at(top, right),
        at(bottom, left),
        at(bottom, right),
    ];
    for (c, out) in out.iter_mut().enumerate() {
        let [a, b, d, e] = corners.map(|corner| image[corner + c]);
        let upper = a + u * (b - a);
        let lower = d + u * (e - d);
        *out = upper + v * (lower - upper);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VOLUME: [usize; 3] = [5, 4, 2];
    const SHAPE: Shape = Shape::Image {
        height: 5,
        width: 4,
        channels: 2,
    };

    fn image() -> Vec<f32> {
        (0..40).map(|v| v as f32 * 0.25).collect()
    }

    fn moved(augmentation: Augmentation, seed: u64) -> Vec<f32> {
        let mut out = vec![f32::NAN; 40];
        augmentation.apply(&image(), VOLUME, Seed::new(seed), &mut out);
        out
    }

    #[test]
    fn nothing_set_changes_nothing() {
        assert_eq!(moved(Augmentation::default(), 3), image());
    }

    /// Every draw is one of the nine whole shifts, the border repeated; and all nine come up.
    #[test]
    fn a_shift_moves_whole_pixels() {
        let augmentation = Augmentation {
            shift: NonZeroUsize::new(1),
            ..Augmentation::default()
        };
        let image = image();
        let shifted = |dy: i64, dx: i64| -> Vec<f32> {
            let near = |at: usize, by: i64, size: usize| (at as i64 - by).clamp(0, size as i64 - 1);
            (0..40)
                .map(|at| {
                    let (row, column, c) = (at / 8, at / 2 % 4, at % 2);
                    let (row, column) = (near(row, dy, 5), near(column, dx, 4));
                    image[((row * 4 + column) * 2) as usize + c]
                })
                .collect()
        };
        let all: Vec<Vec<f32>> = (0..9).map(|k| shifted(k / 3 - 1, k % 3 - 1)).collect();
        let mut seen = [false; 9];
        for seed in 0..200 {
            let out = moved(augmentation, seed);
            seen[all.iter().position(|one| *one == out).unwrap()] = true;
        }
        assert_eq!(seen, [true; 9]);
    }

    #[test]
    fn half_of_the_images_are_mirrored() {
        let augmentation = Augmentation {
            flip: true,
            ..Augmentation::default()
        };
        let image = image();
        let mirrored: Vec<f32> = (0..40)
            .map(|at| image[at / 8 * 8 + (3 - at / 2 % 4) * 2 + at % 2])
            .collect();
        let n = (0..400)
            .filter(|&seed| {
                let out = moved(augmentation, seed);
                assert!(out == image || out == mirrored);
                out == mirrored
            })
            .count();
        assert!((150..250).contains(&n), "{n}");
    }

    /// A quarter turn of a square image, from the formula: output (i, j) shows (c + (j − c), c − (i − c)).
    #[test]
    fn a_turn_goes_about_the_centre() {
        let turn = 90.0_f64;
        let map = {
            let (sine, cosine) = (libm::sin(turn.to_radians()), libm::cos(turn.to_radians()));
            [cosine, sine, -sine, cosine]
        };
        let [a, b, c, d] = map;
        let image = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        let mut out = [0.0_f32; 9];
        for i in 0..3 {
            for j in 0..3 {
                let (y, x) = (i as f64 - 1.0, j as f64 - 1.0);
                let place = [(1.0 + a * y + b * x) as f32, (1.0 + c * y + d * x) as f32];
                look(&image, [3, 3, 1], place, &mut out[i * 3 + j..i * 3 + j + 1]);
            }
        }
        let rounded = out.map(|v| (v * 1e4).round() / 1e4);
        assert_eq!(rounded, [3.0, 6.0, 9.0, 2.0, 5.0, 8.0, 1.0, 4.0, 7.0]);
    }

    #[test]
    fn turns_and_zooms_stay_within_what_was_asked() {
        let augmentation = Augmentation {
            turn: Some(Positive::new(10.0).unwrap()),
            zoom: Some(Fraction::new(0.1).unwrap()),
            ..Augmentation::default()
        };
        let mut widest = (0.0_f32, 0.0_f32);
        for seed in 0..500 {
            let map = augmentation.map([9, 9], &mut Seed::new(seed).generator());
            let centre = |axis: usize| map.origin[axis] + 4.0 * (map.down[axis] + map.across[axis]);
            assert!((centre(0) - 4.0).abs() < 1e-5 && (centre(1) - 4.0).abs() < 1e-5);
            let length = (map.down[0].powi(2) + map.down[1].powi(2)).sqrt();
            let angle = (map.down[1] / map.down[0]).atan().to_degrees().abs();
            assert!(angle <= 10.001 && (1.0 / 1.101..1.0 / 0.899).contains(&length));
            widest = (widest.0.max(angle), widest.1.max((length - 1.0).abs()));
        }
        assert!(widest.0 > 9.0 && widest.1 > 0.09, "{widest:?}");
    }

    #[test]
    fn erasing_leaves_a_rectangle_of_the_mean() {
        let augmentation = Augmentation {
            erase: NonZeroUsize::new(3),
            ..Augmentation::default()
        };
        let image = image();
        let mean = image.iter().sum::<f32>() / 40.0;
        for seed in 0..100 {
            let out = moved(augmentation, seed);
            let erased = out.iter().filter(|&&v| v == mean).count();
            let kept = out.iter().zip(&image).filter(|(a, b)| a == b).count();
            assert_eq!(erased + kept, 40);
            assert!((2..=18).contains(&erased) && erased % 2 == 0, "{erased}");
        }
    }

    #[test]
    fn contrast_keeps_the_mean() {
        let augmentation = Augmentation {
            contrast: Some(Fraction::new(0.5).unwrap()),
            ..Augmentation::default()
        };
        let mean = |values: &[f32]| values.iter().sum::<f32>() / 40.0;
        for seed in 0..20 {
            let out = moved(augmentation, seed);
            assert!((mean(&out) - mean(&image())).abs() < 1e-5);
            let factor = (out[39] - mean(&out)) / (image()[39] - mean(&image()));
            assert!((0.5..=1.5).contains(&factor), "{factor}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let shift = |n| Augmentation {
            shift: NonZeroUsize::new(n),
            ..Augmentation::default()
        };
        assert!(shift(3).check(SHAPE).is_ok());
        let message = |shape, n| shift(n).check(shape).unwrap_err().to_string();
        assert!(message(SHAPE, 4).contains("below the image's 4 pixels"));
        assert!(message(Shape::Vector(4), 1).contains("images to move"));
    }
}
