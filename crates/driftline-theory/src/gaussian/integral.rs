//! log E[φ(|m + v·Z|)] for a standard normal Z, with its derivatives: the one-dimensional integral behind U(w, P).
//!
//! Far from the boundary the expectation is far below the smallest double (e^{−800} and less), so it is never formed: the
//! largest exponent is taken out before summing, and all results are logarithms or ratios.

use driftline_models::loss::margin::MarginLoss;

/// log U and its partial derivatives with respect to the mean m and the spread v of the score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogExpectation {
    pub value: f64,
    pub by_mean: f64,
    pub by_spread: f64,
}

/// Contributions below e^{−60} of the largest are left out.
const DEPTH: f64 = 60.0;
const PANELS: usize = 12;

/// The score is m + v·Z with v > 0.
///
/// With s = |score| the density is n(s; m, v) + n(s; −m, v) on s ≥ 0. The derivatives are E[φ'(|S|)·sign S] and
/// E[φ'(|S|)·sign S·Z] (the loss is Lipschitz, so they may be taken inside), whose terms do not cancel.
pub fn log_expectation(loss: MarginLoss, mean: f64, spread: f64) -> LogExpectation {
    let (m, v) = (mean.abs(), spread);
    let exponent = |s: f64| {
        let far = (s - m) / v;
        let mirror = libm::log1p(libm::exp(-2.0 * s * m / (v * v)));
        log_tail(loss, s) - 0.5 * far * far + mirror
    };
    let end = match loss {
        MarginLoss::Hinge | MarginLoss::Ramp => 1.0,
        MarginLoss::Logistic => m + 12.0 * v,
    };
    let (low, peak, high) = window(&exponent, end);
    let top = exponent(peak);
    let (mut value, mut by_mean, mut by_spread) = (0.0, 0.0, 0.0);
    // The peak may be a corner of the integrand's decay: panels end there.
    for (from, to) in [(low, peak), (peak, high)] {
        let width = (to - from) / PANELS as f64;
        for panel in 0..PANELS {
            let middle = from + (panel as f64 + 0.5) * width;
            for (node, weight) in NODES {
                for s in [middle - node * width / 2.0, middle + node * width / 2.0] {
                    let far = (s - m) / v;
                    // Densities on both sides, relative to e^top.
                    let tail = log_tail(loss, s);
                    let right = libm::exp(tail - 0.5 * far * far - top);
                    let ratio = libm::exp(-2.0 * s * m / (v * v));
                    let weight = weight * width / 2.0 * right;
                    value += weight * (1.0 + ratio) * over_tail(loss, loss.value(s), s);
                    let slope = weight * over_tail(loss, loss.slope(s), s);
                    by_mean += slope * (1.0 - ratio);
                    by_spread += slope * ((s - m) / v + (s + m) / v * ratio);
                }
            }
        }
    }
    let sign = if mean < 0.0 { -1.0 } else { 1.0 };
    let normal = libm::log(v * (2.0 * std::f64::consts::PI).sqrt());
    LogExpectation {
        value: top + libm::log(value) - normal,
        by_mean: sign * by_mean / value,
        by_spread: by_spread / value,
    }
}

/// The logarithm of the part of the loss that may be tiny: all of the logistic loss, nothing of the others (they end
/// at s = 1, and before that are no small number).
fn log_tail(loss: MarginLoss, s: f64) -> f64 {
    match loss {
        MarginLoss::Hinge | MarginLoss::Ramp => 0.0,
        MarginLoss::Logistic if s > 30.0 => -s,
        MarginLoss::Logistic => libm::log(loss.value(s)),
    }
}

/// A value or slope of the loss divided by its tail.
fn over_tail(loss: MarginLoss, value: f64, s: f64) -> f64 {
    match loss {
        MarginLoss::Hinge | MarginLoss::Ramp => value,
        // Both log(1 + e^{−s}) and its slope are ±e^{−s} there.
        MarginLoss::Logistic if s > 30.0 => value.signum(),
        MarginLoss::Logistic => value / loss.value(s),
    }
}

/// Where the exponent is largest on [0, end], and the stretch around it that matters. It has one maximum there.
fn window(exponent: &impl Fn(f64) -> f64, end: f64) -> (f64, f64, f64) {
    let (mut a, mut b) = (0.0, end);
    for _ in 0..64 {
        let (x, y) = (a + (b - a) * 0.382, a + (b - a) * 0.618);
        if exponent(x) < exponent(y) {
            a = x;
        } else {
            b = y;
        }
    }
    // A maximum at an end is approached but not reached by the search.
    let candidates = [(a + b) / 2.0, 0.0, end];
    let better = |x: &f64, y: &f64| exponent(*x).total_cmp(&exponent(*y));
    let peak = candidates.into_iter().max_by(better).unwrap_or(end);
    let floor = exponent(peak) - DEPTH;
    let edge = |outer: f64| {
        if exponent(outer) >= floor {
            return outer;
        }
        let (mut out, mut inside) = (outer, peak);
        for _ in 0..60 {
            let middle = (out + inside) / 2.0;
            if exponent(middle) < floor {
                out = middle;
            } else {
                inside = middle;
            }
        }
        out
    };
    (edge(0.0), peak, edge(end))
}

/// Gauss–Legendre nodes and weights on [−1, 1], 12 points: the positive half.
const NODES: [(f64, f64); 6] = [
    (0.125_233_408_511_468_9, 0.249_147_045_813_402_8),
    (0.367_831_498_998_180_2, 0.233_492_536_538_354_8),
    (0.587_317_954_286_617_4, 0.203_167_426_723_065_9),
    (0.769_902_674_194_304_7, 0.160_078_328_543_346_2),
    (0.904_117_256_370_474_9, 0.106_939_325_995_318_4),
    (0.981_560_634_246_719_3, 0.047_175_336_386_511_8),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Plain summation over z, good where nothing underflows.
    fn by_summation(loss: MarginLoss, m: f64, v: f64) -> f64 {
        let n = 400_000;
        let h = 24.0 / f64::from(n);
        let term = |k: i32| {
            let z = -12.0 + (f64::from(k) + 0.5) * h;
            let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
            h * density * loss.value((m + v * z).abs())
        };
        (0..n).map(term).sum::<f64>()
    }

    #[test]
    fn agrees_with_plain_summation() {
        for loss in MarginLoss::ALL {
            for (m, v) in [
                (0.0, 0.3),
                (0.5, 0.2),
                (-1.0, 1.0),
                (2.0, 0.5),
                (3.0, 2.0),
                (0.1, 5.0),
            ] {
                let right = by_summation(loss, m, v).ln();
                let found = log_expectation(loss, m, v).value;
                assert!(
                    (found - right).abs() < 1e-8,
                    "{loss:?} {m} {v}: {found} {right}"
                );
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences_also_where_the_value_underflows() {
        for loss in MarginLoss::ALL {
            for (m, v) in [
                (0.4, 0.3),
                (-1.0, 1.0),
                (3.0, 0.05),
                (60.0, 0.5),
                (9.0, 0.02),
                (0.2, 4.0),
                (2000.0, 3.0),
            ] {
                let at = |m, v| log_expectation(loss, m, v);
                let h = 1e-5 * v;
                let by_mean = (at(m + h, v).value - at(m - h, v).value) / (2.0 * h);
                let by_spread = (at(m, v + h).value - at(m, v - h).value) / (2.0 * h);
                let found = at(m, v);
                assert!(found.value.is_finite());
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-5 * (1.0 + a.abs());
                assert!(
                    close(found.by_mean, by_mean),
                    "{loss:?} {m} {v} {found:?} {by_mean}"
                );
                assert!(
                    close(found.by_spread, by_spread),
                    "{loss:?} {m} {v} {found:?} {by_spread}"
                );
            }
        }
    }
}
