//! Probabilities that mean what they say: the scores are stretched so that the held-out rows are as likely as possible.

use serde::{Deserialize, Serialize};

use super::loss::{Scores, Target, log_loss};

/// Scores become `scale` · score + `shift`. One `scale` for all classes keeps the order of the classes; `shift` is for
/// two classes only (Platt), and 0 for more (temperature).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    pub scale: f32,
    pub shift: f32,
}

impl Default for Calibration {
    fn default() -> Self {
        Self {
            scale: 1.0,
            shift: 0.0,
        }
    }
}

/// With fewer rows the scores stay as they are.
const FEWEST: usize = 200;

impl Calibration {
    #[inline(always)]
    pub(super) fn apply(self, score: f32) -> f32 {
        score * self.scale + self.shift
    }

    /// Fitted on the older half of the held-out rows and tried on the newer one; what helps there is fitted on all.
    pub(super) fn fit(scores: &Scores, target: Target<'_>) -> Self {
        let n = target.labels.len();
        if n < FEWEST {
            return Self::default();
        }
        let (older, newer) = (
            part(scores, target, 0..n / 2),
            part(scores, target, n / 2..n),
        );
        let candidates: &[bool] = if scores.len() == 1 {
            &[false, true]
        } else {
            &[false]
        };
        let mut best = (Self::default().loss(&newer.0, newer.1), None);
        for &with_shift in candidates {
            let loss = Self::minimize(&older.0, older.1, with_shift).loss(&newer.0, newer.1);
            if loss < best.0 {
                best = (loss, Some(with_shift));
            }
        }
        match best.1 {
            Some(with_shift) => Self::minimize(scores, target, with_shift),
            None => Self::default(),
        }
    }

    fn loss(self, scores: &Scores, target: Target<'_>) -> f64 {
        let apply = |scores: &Vec<f32>| scores.iter().map(|&score| self.apply(score)).collect();
        log_loss(&scores.iter().map(apply).collect(), target)
    }

    /// By golden sections over the logarithm of the scale and over the shift in turns: the loss is convex in each.
    fn minimize(scores: &Scores, target: Target<'_>, with_shift: bool) -> Self {
        let mut best = Self::default();
        for _ in 0..if with_shift { 4 } else { 1 } {
            let scaled = |exponent: f64| Self {
                scale: libm::exp2(exponent) as f32,
                ..best
            };
            best = scaled(golden(-4.0, 2.0, |at| scaled(at).loss(scores, target)));
            if with_shift {
                let shifted = |shift: f64| Self {
                    shift: shift as f32,
                    ..best
                };
                best = shifted(golden(-3.0, 3.0, |at| shifted(at).loss(scores, target)));
            }
        }
        best
    }
}

/// The rows in `span`.
fn part<'a>(
    scores: &Scores,
    target: Target<'a>,
    span: std::ops::Range<usize>,
) -> (Scores, Target<'a>) {
    let scores = scores
        .iter()
        .map(|scores| scores[span.clone()].to_vec())
        .collect();
    (scores, target.part(span))
}

/// Where a convex function of one number is smallest.
fn golden(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_895;
    let (mut a, mut b) = (high - SHARE * (high - low), low + SHARE * (high - low));
    let (mut at_a, mut at_b) = (f(a), f(b));
    for _ in 0..20 {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - SHARE * (high - low);
            at_a = f(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + SHARE * (high - low);
            at_b = f(b);
        }
    }
    (low + high) / 2.0
}
