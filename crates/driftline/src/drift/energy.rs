//! The energy distance of two samples, E = 2·mean‖a − b‖ − mean‖a − a′‖ − mean‖b − b′‖, divided by √columns: zero on average
//! where both come from one distribution (it is unbiased: pairs of a row with itself are left out), and its noise floor,
//! the deviation of what halves of one sample give. At most 200 rows a side.

use super::points::RowPoints;
use crate::random::{Seed, permutation};

/// Rows a side that are compared.
const MOST: usize = 200;
/// How often a sample is halved for the noise floor.
const HALVINGS: usize = 3;

/// The energy distance; 0 where a side has fewer than two rows.
pub fn energy_distance(a: &RowPoints, b: &RowPoints, seed: Seed) -> f64 {
    let (a, b) = (
        a.sample(MOST, seed.named("left")),
        b.sample(MOST, seed.named("right")),
    );
    if a.len() < 2 || b.len() < 2 {
        return 0.0;
    }
    let between = 2.0 * across(&a, &b) / (a.len() * b.len()) as f64;
    (between - mean_within(&a) - mean_within(&b)) / (a.size() as f64).sqrt()
}

/// The noise of the distance between samples of `left` and `right` rows from the distribution of `points`.
pub fn noise_floor(points: &RowPoints, left: usize, right: usize, seed: Seed) -> f64 {
    let points = points.sample(2 * MOST, seed.named("floor"));
    let half = points.len() / 2;
    if half < 2 {
        return f64::INFINITY;
    }
    let mut squares = 0.0;
    for turn in 0..HALVINGS {
        let order = permutation(points.len(), seed.nth(turn));
        let parts = (
            points.pick(&order[..half]),
            points.pick(&order[half..2 * half]),
        );
        let distance = energy_distance(&parts.0, &parts.1, seed);
        squares += distance * distance;
    }
    let rows = |n: usize| 1.0 / n.clamp(2, MOST) as f64;
    let size = (rows(left) + rows(right)) / (2.0 * rows(half));
    (squares / HALVINGS as f64).sqrt() * size
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y));
    squares.sum::<f64>().sqrt()
}

fn across(a: &RowPoints, b: &RowPoints) -> f64 {
    let rows = a
        .iter()
        .map(|x| b.iter().map(|y| distance(x, y)).sum::<f64>());
    rows.sum()
}

fn mean_within(a: &RowPoints) -> f64 {
    let n = a.len();
    let rows = (0..n).map(|i| (0..i).map(|j| distance(a.row(i), a.row(j))).sum::<f64>());
    2.0 * rows.sum::<f64>() / (n * (n - 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: f64, n: usize) -> RowPoints {
        let order = permutation(n, Seed::new(n as u64));
        let values = order.iter().map(|&i| from + i as f64 / n as f64);
        RowPoints::new(values.collect(), 1)
    }

    #[test]
    fn two_rows_a_side_by_hand() {
        let a = RowPoints::new(vec![0.0, 1.0], 1);
        let b = RowPoints::new(vec![2.0, 4.0], 1);
        // 2·(2 + 4 + 1 + 3)/4 − 1 − 2
        assert_eq!(energy_distance(&a, &b, Seed::new(0)), 2.0);
    }

    #[test]
    fn one_distribution_is_within_the_floor_and_a_shift_is_not() {
        let (a, b, far) = (line(0.0, 200), line(0.0, 199), line(0.5, 200));
        let seed = Seed::new(1);
        let floor = noise_floor(&a, 200, 200, seed);
        assert!(energy_distance(&a, &b, seed).abs() < 3.0 * floor);
        assert!(energy_distance(&a, &far, seed) > 10.0 * floor);
    }
}
