//! The loss and its derivatives: logistic for two classes (one score), softmax for more (one score for each class).

use driftline_core::kernels::side_by_side;
use driftline_core::math::{exp, ln_single};
use rayon::prelude::*;

use super::fixed::{Format, Row};

/// Scores of some rows, one list for each tree of a round: two classes share one.
pub(super) type Scores = Vec<Vec<f32>>;

/// Rows that one thread takes at a time. Sums over them are added in order, so that threads change no bit.
const BLOCK: usize = 1 << 12;

/// How many scores a row has.
pub(super) fn outputs(n_classes: usize) -> usize {
    if n_classes == 2 { 1 } else { n_classes }
}

/// The score that fits all rows best without looking at them: log-odds, or logarithms of the shares.
pub(super) fn start(target: Target<'_>, n_classes: usize) -> Vec<f32> {
    let mut totals = vec![0.0_f64; n_classes];
    for (row, &label) in target.labels.iter().enumerate() {
        totals[label as usize] += f64::from(target.weight(row));
    }
    // A class without rows counts as half of one, so that its probability is small but not 0.
    let ln: Vec<f64> = totals
        .iter()
        .map(|&total| driftline_core::math::ln(total.max(0.5)))
        .collect();
    let all = driftline_core::math::ln(totals.iter().sum());
    if n_classes == 2 {
        vec![(ln[1] - ln[0]) as f32]
    } else {
        ln.iter().map(|ln| (ln - all) as f32).collect()
    }
}

/// What the classes of a row have in common: p = exp(score − top) · share.
#[derive(Clone, Debug, Default)]
pub(super) struct Common {
    top: Vec<f32>,
    share: Vec<f32>,
}

impl Common {
    /// Fills both for scores of several classes; one score needs neither.
    pub(super) fn fill(&mut self, scores: &Scores) {
        if scores.len() == 1 {
            return;
        }
        let n = scores[0].len();
        self.top.resize(n, 0.0);
        self.share.resize(n, 0.0);
        let blocks = self
            .top
            .par_chunks_mut(BLOCK)
            .zip(self.share.par_chunks_mut(BLOCK));
        blocks.enumerate().for_each(|(block, (top, share))| {
            let n = top.len();
            let parts = scores
                .iter()
                .map(move |scores| &scores[block * BLOCK..][..n]);
            side_by_side(
                #[inline(always)]
                || common(parts, top, share),
            );
        });
    }
}

#[inline(always)]
fn common<'a>(scores: impl Iterator<Item = &'a [f32]> + Clone, top: &mut [f32], share: &mut [f32]) {
    top.fill(f32::NEG_INFINITY);
    for scores in scores.clone() {
        for (top, &score) in top.iter_mut().zip(scores) {
            *top = if score > *top { score } else { *top };
        }
    }
    share.fill(0.0);
    for scores in scores {
        for ((sum, &top), &score) in share.iter_mut().zip(&*top).zip(scores) {
            *sum += exp(score - top);
        }
    }
    share.iter_mut().for_each(|share| *share = 1.0 / *share);
}

/// Examples to learn from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    pub(super) labels: &'a [u32],
    /// None where all rows count alike.
    pub(super) weights: Option<&'a [f32]>,
}

impl<'a> Target<'a> {
    #[inline(always)]
    pub(super) fn weight(self, row: usize) -> f32 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    pub(super) fn part(self, rows: std::ops::Range<usize>) -> Self {
        Self {
            labels: &self.labels[rows.clone()],
            weights: self.weights.map(|weights| &weights[rows]),
        }
    }
}

/// The derivatives of score `output` for every row, as whole numbers.
pub(super) fn derivatives(
    scores: &[f32],
    common: &Common,
    output: usize,
    target: Target<'_>,
    format: Format,
    rows: &mut Vec<Row>,
) {
    rows.resize(scores.len(), Row::default());
    let single = common.top.is_empty();
    // With one score it is that of class 1, and the other class has score 0.
    let class = if single { 1 } else { output as u32 };
    rows.par_chunks_mut(BLOCK)
        .enumerate()
        .for_each(|(block, rows)| {
            let span = block * BLOCK..block * BLOCK + rows.len();
            let mut p = [0.0; BLOCK];
            let p = &mut p[..rows.len()];
            side_by_side(
                #[inline(always)]
                || {
                    if single {
                        logistic(&scores[span.clone()], p);
                    } else {
                        let (top, share) = (&common.top[span.clone()], &common.share[span.clone()]);
                        for (((p, score), top), share) in
                            p.iter_mut().zip(&scores[span.clone()]).zip(top).zip(share)
                        {
                            *p = exp(score - top) * share;
                        }
                    }
                },
            );
            let [gradients, hessians] = format.factors();
            let part = target.part(span.clone());
            for (at, ((row, (number, &p)), &label)) in rows
                .iter_mut()
                .zip(span.zip(&*p))
                .zip(part.labels)
                .enumerate()
            {
                let weight = part.weight(at);
                let goal = if label == class { 1.0 } else { 0.0 };
                *row = Row {
                    row: number as u32,
                    gradient: ((p - goal) * weight * gradients) as i32,
                    hessian: (p * (1.0 - p) * weight * hessians) as u32,
                };
            }
        });
}

#[inline(always)]
fn logistic(scores: &[f32], p: &mut [f32]) {
    for (p, &score) in p.iter_mut().zip(scores) {
        *p = 1.0 / (1.0 + exp(-score));
    }
}

/// The mean log-loss, −ln p of the right class, weighted.
pub(super) fn log_loss(scores: &Scores, target: Target<'_>) -> f64 {
    let n = target.labels.len();
    let blocks: Vec<usize> = (0..n).step_by(BLOCK).collect();
    let of_block = |&from: &usize| {
        let (mut losses, mut total) = (0.0_f64, 0.0_f64);
        for row in from..n.min(from + BLOCK) {
            let weight = f64::from(target.weight(row));
            losses += weight * f64::from(loss(scores, row, target.labels[row]));
            total += weight;
        }
        (losses, total)
    };
    let parts: Vec<(f64, f64)> = blocks.par_iter().map(of_block).collect();
    let add = |a: (f64, f64), b: &(f64, f64)| (a.0 + b.0, a.1 + b.1);
    let (losses, total) = parts.iter().fold((0.0, 0.0), add);
    losses / total.max(f64::MIN_POSITIVE)
}

/// −ln p of the right class.
fn loss(scores: &Scores, row: usize, label: u32) -> f32 {
    if let [scores] = &scores[..] {
        let score = if label == 1 {
            -scores[row]
        } else {
            scores[row]
        };
        // ln(1 + eˢ) without overflow.
        return score.max(0.0) + ln_single(1.0 + exp(-score.abs()));
    }
    let top = scores
        .iter()
        .map(|scores| scores[row])
        .fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = scores.iter().map(|scores| exp(scores[row] - top)).sum();
    top + ln_single(sum) - scores[label as usize][row]
}

/// The probabilities of one row's scores, as written to `out`: one for each class.
#[inline(always)]
pub(super) fn probabilities(scores: &[f32], out: &mut [f32]) {
    if let [score] = scores {
        let p = 1.0 / (1.0 + exp(-score));
        out[0] = 1.0 - p;
        out[1] = p;
        return;
    }
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (p, &score) in out.iter_mut().zip(scores) {
        *p = exp(score - top);
        sum += *p;
    }
    let share = 1.0 / sum;
    out.iter_mut().for_each(|p| *p *= share);
}
