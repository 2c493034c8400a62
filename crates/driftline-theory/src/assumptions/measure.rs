//! Distances between windows of examples, and what of them cannot be sampling noise.

use driftline_core::Result;
use driftline_core::data::{Inputs, Labels};
use driftline_core::random::{Seed, permutation};
use driftline_drift::transport::{Cloud, WInfinity, w_infinity};

/// E‖X‖².
pub fn second_moment(inputs: &Inputs) -> f64 {
    let square = |row: &[f32]| {
        row.iter()
            .map(|&v| f64::from(v) * f64::from(v))
            .sum::<f64>()
    };
    inputs.iter().map(square).sum::<f64>() / inputs.len().max(1) as f64
}

pub fn between(before: &Inputs, after: &Inputs, seed: Seed) -> Result<WInfinity> {
    w_infinity(
        &Cloud::from_inputs(before)?,
        &Cloud::from_inputs(after)?,
        seed,
    )
}

/// W∞ between two random halves of one window, within classes where the labels are known. Finite samples of one
/// distribution are apart already, in high dimension by about the distance of two points: shifts should be read against
/// this. Without labels, halves that differ in their class counts by chance are as far apart as the classes are.
pub fn floor(inputs: &Inputs, labels: Option<&Labels>, seed: Seed) -> Result<WInfinity> {
    let order = permutation(inputs.len(), seed);
    let (left, right) = order.split_at(order.len() / 2);
    if left.is_empty() {
        return between(inputs, inputs, seed);
    }
    let (before, after) = (inputs.pick(left), inputs.pick(right));
    if let Some(labels) = labels {
        let halves = (&before, &labels.pick(left), &after, &labels.pick(right));
        if let Some(within) = rho(halves, seed)? {
            return Ok(within);
        }
    }
    between(&before, &after, seed)
}

/// Where P(Y) stays, no mass can be moved from P to Q without some of it going as far as the means are apart, so ρ ≥ ‖E X −
/// E X'‖. (Where class shares change, the means move although nothing else does.) The means are estimated: their squared distance is corrected for its expectation under no shift, and three standard
/// errors are taken off, counted as if the features were uncorrelated: where they go together, so do their errors, and
/// now and then chance alone is taken for a shift.
pub fn certain_shift(before: &Inputs, after: &Inputs) -> f64 {
    let ((mean, spread), (other, other_spread)) = (moments(before), moments(after));
    let squares = mean.iter().zip(&other).map(|(a, b)| (a - b) * (a - b));
    let spreads = spread.iter().zip(&other_spread).map(|(a, b)| a + b);
    let noise: f64 = spreads.clone().sum();
    let variance: f64 = spreads.clone().map(|v| v * v).sum();
    let unbiased = (squares.sum::<f64>() - noise).max(0.0);
    // Var of the squared distance: 2·tr(V²) + 4·δᵀVδ with V taken for diagonal, the latter at most 4·‖δ‖²·max V.
    let largest = spreads.fold(0.0, f64::max);
    let error = (2.0 * variance + 4.0 * unbiased * largest).sqrt();
    (unbiased - 3.0 * error).max(0.0).sqrt()
}

/// How far the mean of one window lies outside the other along the line between the means: ρ of the windows is at least
/// this whatever happened to P(Y), because every input was within ρ of some input of its class.
pub fn beyond(before: &Inputs, after: &Inputs) -> f64 {
    let ((mean, _), (other, _)) = (moments(before), moments(after));
    let direction: Vec<f64> = other.iter().zip(&mean).map(|(a, b)| a - b).collect();
    let length = direction.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length == 0.0 {
        return 0.0;
    }
    let along = |row: &mut dyn Iterator<Item = f64>| -> f64 {
        row.zip(&direction).map(|(x, d)| x * d).sum::<f64>() / length
    };
    let places = |inputs: &Inputs| -> Vec<f64> {
        let rows = inputs.iter();
        rows.map(|row| along(&mut row.iter().map(|&v| f64::from(v))))
            .collect()
    };
    let farthest = places(before).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let nearest = places(after).into_iter().fold(f64::INFINITY, f64::min);
    let (from, to) = (
        along(&mut mean.iter().copied()),
        along(&mut other.iter().copied()),
    );
    (to - farthest).max(nearest - from).max(0.0)
}

/// The mean, and the variance of that mean, per coordinate.
fn moments(inputs: &Inputs) -> (Vec<f64>, Vec<f64>) {
    let n = inputs.len().max(1) as f64;
    let size = inputs.shape().size();
    let mut mean = vec![0.0; size];
    for row in inputs.iter() {
        mean.iter_mut()
            .zip(row)
            .for_each(|(m, &v)| *m += f64::from(v) / n);
    }
    let mut spread = vec![0.0; size];
    for row in inputs.iter() {
        for ((s, m), &v) in spread.iter_mut().zip(&mean).zip(row) {
            *s += (f64::from(v) - m) * (f64::from(v) - m) / (n * (n - 1.0).max(1.0));
        }
    }
    (mean, spread)
}

/// ρ: the largest W∞ within a class. `None` where a class is missing on one side.
pub fn rho(
    (before, labels, after, later): (&Inputs, &Labels, &Inputs, &Labels),
    seed: Seed,
) -> Result<Option<WInfinity>> {
    let members = |labels: &Labels, class: u32| -> Vec<usize> {
        let at = labels.as_slice().iter().enumerate();
        at.filter(|(_, c)| **c == class).map(|(i, _)| i).collect()
    };
    let mut worst: Option<WInfinity> = None;
    for class in 0..labels.n_classes() as u32 {
        let (left, right) = (members(labels, class), members(later, class));
        match (left.is_empty(), right.is_empty()) {
            (true, true) => continue,
            (false, false) => {}
            _ => return Ok(None),
        }
        let found = between(
            &before.pick(&left),
            &after.pick(&right),
            seed.nth(class as usize),
        )?;
        worst = Some(match worst {
            None => found,
            Some(so_far) => WInfinity {
                lower: so_far.lower.max(found.lower),
                value: so_far.value.max(found.value),
                upper: so_far.upper.max(found.upper),
                exact: so_far.exact && found.exact,
                compared: so_far.compared.max(found.compared),
            },
        });
    }
    Ok(worst)
}

/// The largest change of a class's share.
pub fn label_shift(before: &Labels, after: &Labels) -> f64 {
    let shares = |labels: &Labels| -> Vec<f64> {
        let n = labels.len().max(1) as f64;
        labels
            .counts()
            .iter()
            .map(|&count| count as f64 / n)
            .collect()
    };
    let pairs = shares(before).into_iter().zip(shares(after));
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}
