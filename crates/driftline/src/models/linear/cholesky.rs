//! Solving A·x = b for a symmetric positive definite A: the one decomposition that Newton's method needs.

/// Overwrites `b` with the solution; `a` is row-major, its lower triangle is read and overwritten.
///
/// A pivot that rounding has made non-positive is lifted to a tiny multiple of the largest diagonal entry: the step is
/// then still a descent direction, and the line search of the caller decides how far to trust it.
pub fn solve(a: &mut [f64], b: &mut [f64]) {
    let n = b.len();
    let largest = (0..n).map(|i| a[i * n + i]).fold(0.0, f64::max);
    let floor = largest.max(f64::MIN_POSITIVE) * 1e-15;
    for j in 0..n {
        let (done, rest) = a.split_at_mut((j + 1) * n);
        let row_j = &mut done[j * n..];
        let pivot = row_j[j] - row_j[..j].iter().map(|v| v * v).sum::<f64>();
        row_j[j] = pivot.max(floor).sqrt();
        for row_i in rest.chunks_exact_mut(n) {
            let inner: f64 = row_i[..j].iter().zip(&row_j[..j]).map(|(p, q)| p * q).sum();
            row_i[j] = (row_i[j] - inner) / row_j[j];
        }
    }
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
    #[test]
    fn solves_a_small_system() {
        let mut a = [4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 1.0, 3.0, 6.0];
        let x = [1.0, -2.0, 0.5];
        let full = [[4.0, 2.0, 1.0], [2.0, 5.0, 3.0], [1.0, 3.0, 6.0]];
        let mut b = full.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum());
        super::solve(&mut a, &mut b);
        for (found, right) in b.iter().zip(x) {
            assert!((found - right).abs() < 1e-12);
        }
    }
}
