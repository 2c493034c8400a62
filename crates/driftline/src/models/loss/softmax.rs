//! Cross-entropy of the softmax: L(s, t) = −Σ_c t_c log p_c with p = softmax(s), ∂L/∂s = p − t.

use crate::math;

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

/// The loss of one example. Probabilities are kept above 1e-30, so that a certain mistake costs a finite amount.
pub fn cross_entropy(probabilities: &[f32], target: &[f32]) -> f64 {
    let term = |(&p, &t): (&f32, &f32)| match t {
        0.0 => 0.0,
        t => -f64::from(t) * math::ln(f64::from(p).max(1e-30)),
    };
    probabilities.iter().zip(target).map(term).sum()
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
}
