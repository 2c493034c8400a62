//! Cross-entropy of the softmax: L(s, t) = −Σ_c t_c log p_c with p = softmax(s), ∂L/∂s = p − t.

use driftline_core::math;

/// Turns a row of scores into probabilities, in place.
#[inline]
pub fn softmax(scores: &mut [f32]) {
    let top = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = math::exp(*score - top);
        sum += *score;
    }
    let scale = 1.0 / sum;
    for score in scores.iter_mut() {
        *score *= scale;
    }
}

/// Turns probabilities into the gradient with respect to the scores, scaled by the example's share of the mean.
#[inline]
pub fn score_gradient(probabilities: &mut [f32], target: &[f32], share: f32) {
    for (p, t) in probabilities.iter_mut().zip(target) {
        *p = (*p - t) * share;
    }
}

/// Turns probabilities into the gradient of their entropy H = −Σ p·log p with respect to the scores, −p·(log p + H),
/// scaled by the example's share of the mean; returns H.
pub fn entropy_gradient(probabilities: &mut [f32], share: f32) -> f64 {
    let log = |p: f32| math::ln(f64::from(p).max(1e-30));
    let entropy: f64 = probabilities.iter().map(|&p| -f64::from(p) * log(p)).sum();
    for p in probabilities {
        *p = (-f64::from(*p) * (log(*p) + entropy)) as f32 * share;
    }
    entropy
}

/// The loss of one example. Probabilities are kept above 1e-30, so that a certain mistake costs a finite amount.
pub fn cross_entropy(probabilities: &[f32], target: &[f32]) -> f64 {
    let term = |(&p, &t): (&f32, &f32)| match t {
        0.0 => 0.0,
        t => -f64::from(t) * math::ln(f64::from(p).max(1e-30)),
    };
    probabilities.iter().zip(target).map(term).sum()
}

/// Turns the scores of many examples, `scores[class][example]`, into probabilities, in place; returns log Σ exp.
///
/// The same formula as [`softmax`], laid out so that examples lie side by side and loops over them become vector code.
#[inline(always)]
pub fn softmax_columns<const N: usize>(scores: &mut [[f32; N]]) -> [f32; N] {
    let mut top = [f32::NEG_INFINITY; N];
    for column in scores.iter() {
        for i in 0..N {
            top[i] = top[i].max(column[i]);
        }
    }
    let mut sum = [0.0_f32; N];
    for column in scores.iter_mut() {
        for i in 0..N {
            column[i] = math::exp(column[i] - top[i]);
            sum[i] += column[i];
        }
    }
    let (mut scale, mut log_sum) = ([0.0_f32; N], [0.0_f32; N]);
    for i in 0..N {
        scale[i] = 1.0 / sum[i];
        log_sum[i] = top[i] + math::ln_single(sum[i]);
    }
    for column in scores.iter_mut() {
        for i in 0..N {
            column[i] *= scale[i];
        }
    }
    log_sum
}

/// Turns the scores of many examples into the gradients with respect to them, scaled by each example's share of the
/// mean; returns the losses, log Σ exp − t·s, which stay finite for a certain mistake.
#[inline(always)]
pub fn gradient_columns<const N: usize>(
    scores: &mut [[f32; N]],
    targets: &[[f32; N]],
    shares: &[f32; N],
) -> [f32; N] {
    let mut wanted = [0.0_f32; N];
    for (column, target) in scores.iter().zip(targets) {
        for i in 0..N {
            wanted[i] += target[i] * column[i];
        }
    }
    let mut losses = softmax_columns(scores);
    for (column, target) in scores.iter_mut().zip(targets) {
        for i in 0..N {
            column[i] = (column[i] - target[i]) * shares[i];
        }
    }
    for i in 0..N {
        losses[i] -= wanted[i];
    }
    losses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_is_stable_and_sums_to_one() {
        let mut row = [1000.0, 1000.0, -1000.0];
        softmax(&mut row);
        assert_eq!(row, [0.5, 0.5, 0.0]);
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let scores = [0.3_f32, -1.2, 0.7];
        let target = [0.2_f32, 0.5, 0.3];
        let loss = |scores: [f32; 3]| {
            let mut p = scores;
            softmax(&mut p);
            cross_entropy(&p, &target)
        };
        let mut gradient = scores;
        softmax(&mut gradient);
        score_gradient(&mut gradient, &target, 1.0);
        for c in 0..3 {
            let (mut above, mut below) = (scores, scores);
            above[c] += 1e-2;
            below[c] -= 1e-2;
            let slope = (loss(above) - loss(below)) / 2e-2;
            assert!(
                (slope - f64::from(gradient[c])).abs() < 1e-4,
                "{slope} {}",
                gradient[c]
            );
        }
    }

    /// Both layouts compute the same.
    #[test]
    fn columns_agree_with_rows() {
        let (k, n) = (3, 5);
        let score = |c: usize, i: usize| (7 * c + 3 * i) as f32 * 0.37 % 4.0 - 2.0;
        let target = |c: usize, i: usize| {
            if i == 0 {
                [0.2, 0.5, 0.3][c]
            } else {
                f32::from(c == i % k)
            }
        };
        let mut columns: Vec<[f32; 5]> = (0..k)
            .map(|c| std::array::from_fn(|i| score(c, i)))
            .collect();
        let targets: Vec<[f32; 5]> = (0..k)
            .map(|c| std::array::from_fn(|i| target(c, i)))
            .collect();
        let losses = gradient_columns(&mut columns, &targets, &[1.0, 0.5, 0.25, 2.0, 0.0]);
        for i in 0..n {
            let mut row: Vec<f32> = (0..k).map(|c| score(c, i)).collect();
            let wanted: Vec<f32> = (0..k).map(|c| target(c, i)).collect();
            softmax(&mut row);
            assert!((f64::from(losses[i]) - cross_entropy(&row, &wanted)).abs() < 1e-6);
            score_gradient(&mut row, &wanted, [1.0, 0.5, 0.25, 2.0, 0.0][i]);
            let column: Vec<f32> = columns.iter().map(|column| column[i]).collect();
            assert_eq!(row, column);
        }
    }

    #[test]
    fn a_certain_mistake_costs_a_finite_amount() {
        let mut scores = [[1000.0_f32], [0.0]];
        let losses = gradient_columns(&mut scores, &[[0.0], [1.0]], &[1.0]);
        assert_eq!(losses, [1000.0]);
        assert_eq!(scores, [[1.0], [-1.0]]);
    }
}
