//! The eigenvalues and eigenvectors of a symmetric matrix, A = VᵀΛV with the vectors as rows of V, by Jacobi's rotations:
//! each one makes an entry beside the diagonal 0, until none is left that counts. Functions of the matrix follow, f(A) =
//! Vᵀf(Λ)V.

/// Rounds over all pairs; about ten are enough for any matrix that has been seen.
const ROUNDS: usize = 64;
/// Entries beside the diagonal that are this small beside the whole matrix are 0.
const SMALL: f64 = 1e-15;

/// Eigenvalues in descending order, each with its vector of length 1.
#[derive(Clone, Debug)]
pub struct Eigen {
    pub values: Vec<f64>,
    /// One row for each value.
    pub vectors: Vec<f64>,
}

impl Eigen {
    /// Of a symmetric matrix of side `n`.
    pub fn of(matrix: &[f64], n: usize) -> Self {
        let mut a = matrix.to_vec();
        let mut v = vec![0.0; n * n];
        (0..n).for_each(|i| v[i * n + i] = 1.0);
        let whole = a.iter().map(|x| x * x).sum::<f64>().sqrt();
        for _ in 0..ROUNDS {
            let mut turned = false;
            for p in 0..n {
                for q in p + 1..n {
                    if a[p * n + q].abs() > SMALL * whole {
                        turn(&mut a, &mut v, n, p, q);
                        turned = true;
                    }
                }
            }
            if !turned {
                break;
            }
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| a[j * n + j].total_cmp(&a[i * n + i]));
        Self {
            values: order.iter().map(|&i| a[i * n + i]).collect(),
            vectors: order
                .iter()
                .flat_map(|&i| v[i * n..(i + 1) * n].to_vec())
                .collect(),
        }
    }

    /// f(A): the matrix with the same vectors and the values `f` makes of its own.
    pub fn map(&self, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let n = self.values.len();
        let mut result = vec![0.0; n * n];
        for (&value, vector) in self.values.iter().zip(self.vectors.chunks_exact(n)) {
            let value = f(value);
            for (line, &left) in result.chunks_exact_mut(n).zip(vector) {
                let left = value * left;
                for (sum, right) in line.iter_mut().zip(vector) {
                    *sum += left * right;
                }
            }
        }
        result
    }

    /// A^½; values below 0, which rounding makes, count as 0.
    pub fn root(&self) -> Vec<f64> {
        self.map(|value| value.max(0.0).sqrt())
    }

    /// A^−½ on the space where A is not 0 beside its largest value.
    pub fn inverse_root(&self) -> Vec<f64> {
        let least = self.values.first().map_or(0.0, |most| 1e-12 * most);
        self.map(|value| match value > least {
            true => 1.0 / value.sqrt(),
            false => 0.0,
        })
    }
}

/// Turns the plane of coordinates `p` < `q` so that a_pq becomes 0.
fn turn(a: &mut [f64], v: &mut [f64], n: usize, p: usize, q: usize) {
    let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
    // The smaller of the two angles: t = tan φ solves t² + 2θt − 1 = 0.
    let theta = (aqq - app) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (akp, akq) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = c * akp - s * akq;
        a[k * n + q] = s * akp + c * akq;
    }
    rotate(a, n, p, q, c, s);
    rotate(v, n, p, q, c, s);
    (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
}

/// Rows `p` and `q` turned by an angle.
fn rotate(a: &mut [f64], n: usize, p: usize, q: usize, c: f64, s: f64) {
    let (upper, lower) = a.split_at_mut(q * n);
    let rows = upper[p * n..(p + 1) * n].iter_mut().zip(&mut lower[..n]);
    for (x, y) in rows {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::product;
    use super::*;

    fn transposed(a: &[f64], n: usize) -> Vec<f64> {
        (0..n * n).map(|i| a[i % n * n + i / n]).collect()
    }

    fn assert_near(a: &[f64], b: &[f64], far: f64) {
        let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        let worst = worst.fold(0.0, f64::max);
        assert!(worst <= far, "{worst} > {far}");
    }

    /// By hand: (2 1; 1 2) has the values 3 and 1.
    #[test]
    fn two_by_two() {
        let eigen = Eigen::of(&[2.0, 1.0, 1.0, 2.0], 2);
        assert_near(&eigen.values, &[3.0, 1.0], 1e-14);
        let half = 0.5f64.sqrt();
        assert_near(
            &eigen.vectors[..2]
                .iter()
                .map(|x| x.abs())
                .collect::<Vec<_>>(),
            &[half, half],
            1e-14,
        );
        let root = eigen.root();
        assert_near(&product(&root, &root, 2), &[2.0, 1.0, 1.0, 2.0], 1e-13);
        // A matrix that is already diagonal, and one that is 0.
        assert_eq!(Eigen::of(&[1.0, 0.0, 0.0, 5.0], 2).values, [5.0, 1.0]);
        assert_eq!(Eigen::of(&[0.0; 4], 2).inverse_root(), [0.0; 4]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn vectors_are_orthonormal_and_give_the_matrix_back(
            n in 1usize..12, numbers in prop::collection::vec(-3.0..3.0, 144),
        ) {
            let b = &numbers[..n * n];
            let positive = product(b, &transposed(b, n), n);
            let symmetric: Vec<f64> =
                b.iter().zip(transposed(b, n)).map(|(a, b)| a + b).collect();
            for a in [positive.clone(), symmetric] {
                let eigen = Eigen::of(&a, n);
                let far = 1e-12 * (1.0 + a.iter().map(|x| x.abs()).fold(0.0, f64::max)) * n as f64;
                assert_near(&eigen.map(|x| x), &a, far);
                let unit = product(&eigen.vectors, &transposed(&eigen.vectors, n), n);
                let one: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i % (n + 1) == 0))).collect();
                assert_near(&unit, &one, 1e-12);
                prop_assert!(eigen.values.is_sorted_by(|a, b| a >= b));
            }
            let mut definite = positive;
            (0..n).for_each(|i| definite[i * n + i] += 1.0);
            let eigen = Eigen::of(&definite, n);
            let (root, inverse) = (eigen.root(), eigen.inverse_root());
            let far = 1e-11 * eigen.values[0];
            assert_near(&product(&root, &root, n), &definite, far);
            let one: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i % (n + 1) == 0))).collect();
            assert_near(&product(&root, &inverse, n), &one, 1e-10);
        }
    }
}
