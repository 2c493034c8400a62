//! Small dense matrices in double precision, row by row in one slice: the little linear algebra that alignments need.
//! Sums run in a fixed order, so that the same numbers give the same bits everywhere.

mod cholesky;
mod eigen;

pub use cholesky::{cholesky, solve};
pub use eigen::Eigen;

/// A·B for square matrices of side `n`.
pub fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut result = vec![0.0; n * n];
    for (row, out) in a.chunks_exact(n).zip(result.chunks_exact_mut(n)) {
        for (&left, line) in row.iter().zip(b.chunks_exact(n)) {
            for (sum, right) in out.iter_mut().zip(line) {
                *sum += left * right;
            }
        }
    }
    result
}

/// Mean and covariance (dividing by n) of some rows of `size` numbers each; there must be a row.
pub fn covariance<'a>(
    rows: impl Iterator<Item = &'a [f32]> + Clone,
    size: usize,
) -> (Vec<f64>, Vec<f64>) {
    let (mut n, mut mean) = (0.0, vec![0.0; size]);
    for row in rows.clone() {
        n += 1.0;
        mean.iter_mut()
            .zip(row)
            .for_each(|(sum, &x)| *sum += f64::from(x));
    }
    mean.iter_mut().for_each(|sum| *sum /= n);
    let mut sums = vec![0.0; size * size];
    let mut centred = vec![0.0; size];
    for row in rows {
        for ((c, &x), mean) in centred.iter_mut().zip(row).zip(&mean) {
            *c = f64::from(x) - mean;
        }
        for (i, line) in sums.chunks_exact_mut(size).enumerate() {
            let left = centred[i];
            for (sum, right) in line[i..].iter_mut().zip(&centred[i..]) {
                *sum += left * right;
            }
        }
    }
    for i in 0..size {
        for j in i..size {
            sums[i * size + j] /= n;
            sums[j * size + i] = sums[i * size + j];
        }
    }
    (mean, sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the rows (0, 0), (2, 2), (4, −2) have mean (2, 0), variances 8/3 and 8/3, covariance −4/3.
    #[test]
    fn a_covariance_by_hand() {
        let rows: [&[f32]; 3] = [&[0.0, 0.0], &[2.0, 2.0], &[4.0, -2.0]];
        let (mean, covariance) = covariance(rows.iter().copied(), 2);
        assert_eq!(mean, [2.0, 0.0]);
        let right = [8.0 / 3.0, -4.0 / 3.0, -4.0 / 3.0, 8.0 / 3.0];
        for (found, right) in covariance.iter().zip(right) {
            assert!((found - right).abs() < 1e-12, "{covariance:?}");
        }
    }

    #[test]
    fn a_product_by_hand() {
        let product = product(&[1.0, 2.0, 3.0, 4.0], &[0.0, 1.0, 1.0, 0.0], 2);
        assert_eq!(product, [2.0, 1.0, 4.0, 3.0]);
    }
}
