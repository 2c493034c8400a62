//! Cholesky's decomposition A = L·Lᵀ of a symmetric positive definite matrix, and solving A·x = b by it.

/// Overwrites the lower triangle of `a`, which is row-major with side `n`, with L. A pivot below `least`, which rounding may
/// make, counts as that.
pub fn cholesky(a: &mut [f64], n: usize, least: f64) {
    for j in 0..n {
        let (done, rest) = a.split_at_mut((j + 1) * n);
        let row_j = &mut done[j * n..];
        let pivot = row_j[j] - row_j[..j].iter().map(|v| v * v).sum::<f64>();
        row_j[j] = pivot.max(least).sqrt();
        for row_i in rest.chunks_exact_mut(n) {
            let inner: f64 = row_i[..j].iter().zip(&row_j[..j]).map(|(p, q)| p * q).sum();
            row_i[j] = (row_i[j] - inner) / row_j[j];
        }
    }
}

/// Overwrites `b` with the solution; the lower triangle of `a` is read and overwritten.
///
/// A pivot that rounding has made non-positive is lifted to a tiny multiple of the largest diagonal entry: the step of a
/// Newton method is then still a descent direction, and the line search of the caller decides how far to trust it.
pub fn solve(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
    cholesky(a, n, largest.max(f64::MIN_POSITIVE) * 1e-15);
    for i in 0..n {
        let inner: f64 = (0..i).map(|k| a[i * n + k] * b[k]).sum();
        b[i] = (b[i] - inner) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let inner: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - inner) / a[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn solves_a_small_system() {
        let mut a = [4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 1.0, 3.0, 6.0];
        let x = [1.0, -2.0, 0.5];
        let full = [[4.0, 2.0, 1.0], [2.0, 5.0, 3.0], [1.0, 3.0, 6.0]];
        let mut b = full.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum());
        solve(&mut a, &mut b);
        for (found, right) in b.iter().zip(x) {
            assert!((found - right).abs() < 1e-12);
        }
    }

    #[test]
    fn a_root_times_its_transpose_is_the_matrix() {
        let matrix = [4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0];
        let mut lower = matrix;
        cholesky(&mut lower, 3, 1e-9);
        for i in 0..3 {
            for j in 0..3 {
                let both = 0..=i.min(j);
                let entry: f64 = both.map(|k| lower[i * 3 + k] * lower[j * 3 + k]).sum();
                assert!((entry - matrix[i * 3 + j]).abs() < 1e-12);
            }
        }
    }

    /// Row by row, as mixtures of Gaussians had it for themselves: the same bits, pivots below the least included.
    #[test]
    fn the_order_of_the_entries_does_not_change_a_bit() {
        fn by_rows(matrix: &[f64], size: usize, least: f64) -> Vec<f64> {
            let mut lower = vec![0.0; size * size];
            for i in 0..size {
                for j in 0..=i {
                    let known: f64 = (0..j)
                        .map(|k| lower[i * size + k] * lower[j * size + k])
                        .sum();
                    let rest = matrix[i * size + j] - known;
                    lower[i * size + j] = match i == j {
                        true => rest.max(least).sqrt(),
                        false => rest / lower[j * size + j],
                    };
                }
            }
            lower
        }
        let mut draw = crate::random::Seed::new(4).generator();
        for n in 1..12_usize {
            // Fewer columns than rows make a matrix without full rank.
            for columns in [n + 2, n.div_ceil(2)] {
                let half: Vec<f64> = (0..n * columns)
                    .map(|_| draw.random::<f64>() - 0.5)
                    .collect();
                let row = |i: usize| &half[i * columns..(i + 1) * columns];
                let entry = |at: usize| {
                    let pairs = row(at / n).iter().zip(row(at % n));
                    pairs.map(|(a, b)| a * b).sum::<f64>()
                };
                let matrix: Vec<f64> = (0..n * n).map(entry).collect();
                let mut found = matrix.clone();
                cholesky(&mut found, n, 1e-9);
                let right = by_rows(&matrix, n, 1e-9);
                for (at, (found, right)) in found.iter().zip(&right).enumerate() {
                    assert!(
                        at % n > at / n || found.to_bits() == right.to_bits(),
                        "{n} {at}"
                    );
                }
            }
        }
    }
}
