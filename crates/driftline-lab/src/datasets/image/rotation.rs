//! Rotation by cubic B-spline interpolation, in agreement with `scipy.ndimage.rotate(image, angle, reshape=False)`:
//! about the centre, counter-clockwise for positive angles, zeros outside, no clipping (values may leave [0, 1]).
//!
//! A [`Spline`] holds the coefficients c with Σ c_k B₃(x − k) = pixels (mirror boundary), found by a causal and an
//! anticausal pass with the pole z = √3 − 2 along each axis; a rotated pixel is a 4×4 sum over them.

use rayon::prelude::*;

use super::GreyImages;
use driftline_core::{Error, Result};

/// √3 − 2, the pole of the cubic spline's inverse filter; (1 − z)(1 − 1/z) = 6 is its gain.
const POLE: f64 = -0.267_949_192_431_122_7;
const GAIN: f64 = 6.0;
/// Mirrored coefficients kept around the image, so that the 4×4 sum needs no case distinction at the border.
const BEFORE: usize = 1;
const AFTER: usize = 2;

/// The spline through one image's pixels. It can be reused: [`Spline::fit`] overwrites it without allocating.
#[derive(Clone, Debug)]
pub struct Spline {
    height: usize,
    width: usize,
    /// (1 + height + 2)×(1 + width + 2), with the mirrored border.
    coefficients: Vec<f64>,
    /// height×width, for the passes.
    plane: Vec<f64>,
    /// Where the passes begin, down the columns and along the rows.
    starts: [Vec<f64>; 2],
}

impl Spline {
    /// An empty spline for images of this size, which must not be 0.
    pub fn new(height: usize, width: usize) -> Self {
        Self {
            height,
            width,
            coefficients: vec![0.0; (BEFORE + height + AFTER) * (BEFORE + width + AFTER)],
            plane: vec![0.0; height * width],
            starts: [start_weights(height), start_weights(width)],
        }
    }

    /// Makes this the spline through `pixels`, row after row; panics if they are not height×width.
    pub fn fit(&mut self, pixels: impl ExactSizeIterator<Item = f64>) {
        let (height, width) = (self.height, self.width);
        assert_eq!(pixels.len(), height * width);
        for (value, pixel) in self.plane.iter_mut().zip(pixels) {
            *value = pixel;
        }
        filter_down(&mut self.plane, width, &self.starts[0]);
        // The other axis in the same way, on the transposed image: the passes then run over whole rows at once.
        let turned = &mut self.coefficients[..height * width];
        for (at, value) in turned.iter_mut().enumerate() {
            *value = self.plane[at % height * width + at / height];
        }
        filter_down(turned, height, &self.starts[1]);
        for (at, value) in self.plane.iter_mut().enumerate() {
            *value = turned[at % width * height + at / width];
        }
        let stride = BEFORE + width + AFTER;
        for (i, padded) in self.coefficients.chunks_exact_mut(stride).enumerate() {
            let row = mirror(i as isize - BEFORE as isize, height) * width;
            let row = &self.plane[row..row + width];
            padded[BEFORE..BEFORE + width].copy_from_slice(row);
            for j in (0..BEFORE).chain(BEFORE + width..stride) {
                padded[j] = row[mirror(j as isize - BEFORE as isize, width)];
            }
        }
    }

    /// Writes the image rotated by `angle` degrees; panics if `out` is not height×width.
    ///
    /// Output pixel (i, j) is the spline at y = cos·(i − cᵧ) + sin·(j − cₓ) + cᵧ, x = −sin·(i − cᵧ) + cos·(j − cₓ) + cₓ,
    /// summed in the order that scipy uses, so that a point on the very border falls on the same side.
    pub fn rotate_into(&self, angle: f64, out: &mut [f32]) {
        let (height, width) = (self.height, self.width);
        assert_eq!(out.len(), height * width);
        let (sin, cos) = sin_cos_degrees(angle);
        let (last_y, last_x) = ((height - 1) as f64, (width - 1) as f64);
        let (center_y, center_x) = (last_y / 2.0, last_x / 2.0);
        let shift_y = center_y - (cos * center_y + sin * center_x);
        let shift_x = center_x - (-sin * center_y + cos * center_x);
        let stride = BEFORE + width + AFTER;
        for (i, row) in out.chunks_exact_mut(width).enumerate() {
            for (j, pixel) in row.iter_mut().enumerate() {
                let y = i as f64 * cos + j as f64 * sin + shift_y;
                let x = i as f64 * -sin + j as f64 * cos + shift_x;
                if !(y >= 0.0 && y <= last_y && x >= 0.0 && x <= last_x) {
                    *pixel = 0.0;
                    continue;
                }
                let (top, left) = (y as usize, x as usize);
                let across = weights(x - left as f64);
                let mut sum = 0.0;
                for (k, down) in weights(y - top as f64).into_iter().enumerate() {
                    let start = (top + k) * stride + left;
                    let taps = &self.coefficients[start..start + 4];
                    sum += down
                        * (across[0] * taps[0]
                            + across[1] * taps[1]
                            + across[2] * taps[2]
                            + across[3] * taps[3]);
                }
                *pixel = sum as f32;
            }
        }
    }
}

/// One image of any finite values, rotated by `angle` degrees.
pub fn rotate(pixels: &[f32], height: usize, width: usize, angle: f64) -> Result<Vec<f32>> {
    if height == 0 || width == 0 || height.checked_mul(width) != Some(pixels.len()) {
        return Err(Error::mismatch(
            "the image",
            format!("{height}×{width} pixels, and at least one"),
            pixels.len(),
        ));
    }
    expect_finite(angle)?;
    let mut spline = Spline::new(height, width);
    spline.fit(pixels.iter().map(|&pixel| f64::from(pixel)));
    let mut out = vec![0.0; pixels.len()];
    spline.rotate_into(angle, &mut out);
    Ok(out)
}

/// For each `(image, angle)` that image, with values from 0 to 1, rotated by so many degrees; on all cores, with
/// the same bytes for any number of threads.
pub fn rotate_each(images: &GreyImages, turns: &[(usize, f64)]) -> Result<Vec<f32>> {
    for &(index, angle) in turns {
        expect_finite(angle)?;
        if index >= images.len() {
            return Err(Error::out_of_range(
                "the number of an image",
                index,
                format!("below {}", images.len()),
            ));
        }
    }
    let (height, width) = (images.height(), images.width());
    let mut out = vec![0.0; turns.len() * height * width];
    out.par_chunks_exact_mut(height * width)
        .zip(turns)
        .with_min_len(64)
        .for_each_init(
            || Spline::new(height, width),
            |spline, (out, &(index, angle))| {
                let pixels = images.get(index).iter();
                spline.fit(pixels.map(|&pixel| f64::from(pixel) / 255.0));
                spline.rotate_into(angle, out);
            },
        );
    Ok(out)
}

/// How the causal pass begins: c⁺₀ = (c₀ + z^{n−1} c_{n−1} + Σ_{k=1}^{n−2} (z^k + z^{2n−2−k}) c_k) / (1 − z^{2n−2}).
fn start_weights(n: usize) -> Vec<f64> {
    let powers: Vec<f64> = std::iter::successors(Some(1.0), |power| Some(power * POLE))
        .take(2 * n - 1)
        .collect();
    let scale = 1.0 / (1.0 - powers[2 * n - 2]);
    (0..n)
        .map(|k| match k {
            0 => scale,
            _ if k == n - 1 => scale * powers[k],
            _ => scale * (powers[k] + powers[2 * n - 2 - k]),
        })
        .collect()
}

/// The two recursive passes down the columns of a plane of `starts.len()` rows, all columns of a row together:
/// c⁺_k = c_k + z c⁺_{k−1}, then from c⁻_{n−1} = z/(z² − 1) (c⁺_{n−1} + z c⁺_{n−2}) upwards c⁻_k = z (c⁻_{k+1} − c⁺_k).
fn filter_down(plane: &mut [f64], width: usize, starts: &[f64]) {
    let height = starts.len();
    if height == 1 {
        return;
    }
    for value in plane.iter_mut() {
        *value *= GAIN;
    }
    let (first, rest) = plane.split_at_mut(width);
    for start in first.iter_mut() {
        *start *= starts[0];
    }
    for (row, weight) in rest.chunks_exact(width).zip(&starts[1..]) {
        for (start, value) in first.iter_mut().zip(row) {
            *start += weight * value;
        }
    }
    for k in 1..height {
        let (before, here) = plane.split_at_mut(k * width);
        for (value, previous) in here[..width].iter_mut().zip(&before[(k - 1) * width..]) {
            *value += POLE * previous;
        }
    }
    let (before, last) = plane.split_at_mut((height - 1) * width);
    for (value, previous) in last.iter_mut().zip(&before[(height - 2) * width..]) {
        *value = POLE / (POLE * POLE - 1.0) * (*value + POLE * previous);
    }
    for k in (0..height - 1).rev() {
        let (here, after) = plane.split_at_mut((k + 1) * width);
        for (value, next) in here[k * width..].iter_mut().zip(after) {
            *value = POLE * (*next - *value);
        }
    }
}

/// B₃ at the four knots around a point that lies `t` ∈ [0, 1] after the second.
fn weights(t: f64) -> [f64; 4] {
    let u = 1.0 - t;
    let near = |t: f64| 2.0 / 3.0 - t * t + t * t * t / 2.0;
    [u * u * u / 6.0, near(t), near(u), t * t * t / 6.0]
}

/// An index beyond the border, reflected about the first or last pixel.
fn mirror(index: isize, n: usize) -> usize {
    if n == 1 {
        return 0;
    }
    let period = 2 * (n as isize - 1);
    let index = index.rem_euclid(period);
    index.min(period - index) as usize
}

/// Sine and cosine of an angle in degrees, exact at multiples of 90°.
fn sin_cos_degrees(angle: f64) -> (f64, f64) {
    let angle = angle % 360.0;
    let quarter = (angle / 90.0).round();
    let (sin, cos) = libm::sincos((angle - quarter * 90.0).to_radians());
    match (quarter as i32).rem_euclid(4) {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

fn expect_finite(angle: f64) -> Result<()> {
    if angle.is_finite() {
        Ok(())
    } else {
        Err(Error::out_of_range("the angle", angle, "finite"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_small_reference_picture() {
        let mut picture = [0.0; 25];
        picture[7] = 1.0;
        picture[12] = 0.5;
        let turned = rotate(&picture, 5, 5, 30.0).unwrap();
        let expected = [
            [-0.004093, 0.463101, 0.622260, -0.091366, 0.0],
            [-0.039419, 0.115791, 0.5, 0.020270, 0.0],
        ];
        for (value, expected) in turned[5..15].iter().zip(expected.as_flattened()) {
            assert!((value - expected).abs() < 1e-6, "{value} {expected}");
        }
    }

    #[test]
    fn a_quarter_turn_is_exact() {
        let picture: Vec<f32> = (0..9).map(|v| v as f32).collect();
        let turned = rotate(&picture, 3, 3, 90.0).unwrap();
        // Counter-clockwise: the last column becomes the first row.
        for (value, expected) in turned
            .iter()
            .zip([2.0, 5.0, 8.0, 1.0, 4.0, 7.0, 0.0, 3.0, 6.0])
        {
            assert!((value - expected).abs() < 1e-6, "{turned:?}");
        }
    }

    #[test]
    fn faults_are_refused() {
        assert!(rotate(&[0.0; 4], 2, 3, 0.0).is_err());
        assert!(rotate(&[], 0, 0, 0.0).is_err());
        assert!(rotate(&[0.0; 4], 2, 2, f64::NAN).is_err());
        let images = GreyImages::new(1, 1, vec![7]).unwrap();
        assert!(rotate_each(&images, &[(1, 0.0)]).is_err());
        assert!(rotate_each(&images, &[(0, f64::INFINITY)]).is_err());
    }

    fn picture() -> impl Strategy<Value = (usize, usize, Vec<u8>)> {
        (1usize..9, 1usize..9).prop_flat_map(|(height, width)| {
            (
                Just(height),
                Just(width),
                prop::collection::vec(any::<u8>(), height * width),
            )
        })
    }

    proptest! {
        #[test]
        fn no_turn_changes_nothing((height, width, bytes) in picture()) {
            let pixels: Vec<f32> = bytes.iter().map(|&b| f32::from(b) / 255.0).collect();
            for (a, b) in rotate(&pixels, height, width, 0.0).unwrap().iter().zip(&pixels) {
                prop_assert!((a - b).abs() < 1e-6);
            }
        }

        #[test]
        fn rotation_is_linear((height, width, bytes) in picture(), angle in -400.0..400.0f64) {
            let pixels: Vec<f32> = bytes.iter().map(|&b| f32::from(b) / 256.0).collect();
            let double: Vec<f32> = pixels.iter().map(|p| 2.0 * p).collect();
            let once = rotate(&pixels, height, width, angle).unwrap();
            let twice = rotate(&double, height, width, angle).unwrap();
            for (a, b) in once.iter().zip(&twice) {
                prop_assert!((2.0 * a - b).abs() < 1e-6);
            }
        }

        #[test]
        fn many_at_once_are_the_same_as_one_by_one((height, width, bytes) in picture(), angle in 0.0..60.0f64) {
            let images = GreyImages::new(height, width, bytes.clone()).unwrap();
            let many = rotate_each(&images, &vec![(0, angle); 130]).unwrap();
            for one in many.chunks_exact(height * width) {
                prop_assert_eq!(one, &many[..height * width]);
            }
        }
    }
}
