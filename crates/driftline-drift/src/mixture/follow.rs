//! The mixture follows a window without labels: expectation maximisation from where it stood, held to it as if so many
//! rows had been seen there before (MAP). It starts either where it stood, or moved by the window's mean and deviation,
//! which follows a common shift of all classes that is larger than the gaps between them.

use super::fit::{LEAST, mirror, raise, scatter};
use super::{ClassMixture, Spread};
use crate::points::RowPoints;
use driftline_core::kernels::side_by_side;

/// Rounds of expectation maximisation.
const ROUNDS: usize = 15;
/// Rows that the last place of a mean, of a spread and of all shares together count for.
const HELD_MEAN: f64 = 5.0;
const HELD_SPREAD: f64 = 20.0;
const HELD_SHARES: f64 = 10.0;
/// A deviation below this, in the source's, counts as that.
const FLOOR: f64 = 0.05;

/// Where the rounds begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowFrom {
    /// Where the mixture stood.
    Stay,
    /// Moved and scaled as all rows together were, column by column.
    Moved,
}

/// What following a window came to: the mean log-likelihood of a row, and how likely each class is for each row (rows × classes).
#[derive(Clone, Debug, PartialEq)]
pub struct FollowedWindow {
    pub after: f64,
    pub classes: Vec<f64>,
}

impl ClassMixture {
    pub fn follow(&mut self, window: &RowPoints, start: FollowFrom) -> FollowedWindow {
        let (centre, deviations) = window.moments();
        if start == FollowFrom::Moved {
            self.rescale(&centre, &deviations);
        }
        let mut posterior = self.posterior(window);
        let anchor = self.clone();
        for _ in 0..ROUNDS {
            self.round(window, &posterior.clouds, &anchor);
            posterior = self.posterior(window);
        }
        (self.centre, self.deviations) = (centre, deviations);
        FollowedWindow {
            after: posterior.log_likelihood(),
            classes: self.of_classes(&posterior),
        }
    }

    fn rescale(&mut self, centre: &[f64], deviations: &[f64]) {
        let size = self.size;
        let ratios = deviations.iter().zip(&self.deviations);
        let ratios: Vec<f64> = ratios
            .map(|(now, then)| now.max(FLOOR) / then.max(FLOOR))
            .collect();
        for mean in self.means.chunks_exact_mut(size) {
            for at in 0..size {
                mean[at] = (mean[at] - self.centre[at]) * ratios[at] + centre[at];
            }
        }
        let width = self.width();
        for spread in self.spreads.chunks_exact_mut(width) {
            for (place, value) in spread.iter_mut().enumerate() {
                *value *= match self.spread {
                    Spread::Axes => ratios[place] * ratios[place],
                    Spread::Shared | Spread::Own => ratios[place / size] * ratios[place % size],
                };
            }
        }
    }

    /// `posterior` is what belongs to each row where the mixture is.
    fn round(&mut self, window: &RowPoints, posterior: &[f64], anchor: &ClassMixture) {
        let (size, clouds, width) = (self.size, self.clouds(), self.width());
        let whole = self.spread != Spread::Axes;
        let n = window.len() as f64;
        let mut counts = vec![0.0; clouds];
        let mut sums = vec![0.0; clouds * size];
        side_by_side(
            #[inline(always)]
            || {
                for (row, weights) in window.iter().zip(posterior.chunks_exact(clouds)) {
                    for (cloud, &weight) in weights.iter().enumerate() {
                        counts[cloud] += weight;
                        let own = &mut sums[cloud * size..(cloud + 1) * size];
                        for (sum, x) in own.iter_mut().zip(row) {
                            *sum += weight * x;
                        }
                    }
                }
            },
        );
        for (cloud, &count) in counts.iter().enumerate() {
            let held = HELD_SHARES * anchor.shares[cloud];
            self.shares[cloud] = (count + held) / (n + HELD_SHARES);
        }
        for (at, (mean, sum)) in self.means.iter_mut().zip(&sums).enumerate() {
            *mean = (sum + HELD_MEAN * anchor.means[at]) / (counts[at / size] + HELD_MEAN);
        }
        let mut scatters = vec![0.0; clouds * width];
        let mut off = vec![0.0; size];
        side_by_side(
            #[inline(always)]
            || {
                for (row, weights) in window.iter().zip(posterior.chunks_exact(clouds)) {
                    for (cloud, &weight) in weights.iter().enumerate() {
                        // What a cloud has next to no part in does not move it.
                        if weight > 1e-6 {
                            let own = &mut scatters[cloud * width..(cloud + 1) * width];
                            scatter(own, (row, self.mean(cloud)), weight, whole, &mut off);
                        }
                    }
                }
            },
        );
        if whole {
            let own = scatters.chunks_exact_mut(width);
            own.for_each(|own| mirror(own, size));
        }
        if self.spread == Spread::Shared {
            let all: Vec<f64> = (0..width)
                .map(|at| (0..clouds).map(|cloud| scatters[cloud * width + at]).sum())
                .collect();
            scatters = all.repeat(clouds);
            counts = vec![n; clouds];
        }
        for (at, (spread, scatter)) in self.spreads.iter_mut().zip(&scatters).enumerate() {
            *spread =
                (scatter + HELD_SPREAD * anchor.spreads[at]) / (counts[at / width] + HELD_SPREAD);
        }
        for own in self.spreads.chunks_exact_mut(width) {
            raise(own, size, whole, LEAST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::random::Seed;
    use rand::RngExt;

    /// Two clouds around ±2.5·(cos a, sin a), the second class with this share of the rows.
    fn turned(angle: f64, share: f64, n: usize, seed: Seed) -> (RowPoints, Vec<u32>) {
        let mut draw = seed.generator();
        let mut bell = || (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0;
        let mut values = Vec::new();
        let mut labels = Vec::new();
        for row in 0..n {
            let second = (row as f64 + 0.5) / (n as f64) < share;
            let sign = if second { 2.5 } else { -2.5 };
            values.extend([sign * angle.cos() + bell(), sign * angle.sin() + bell()]);
            labels.push(u32::from(second));
        }
        (RowPoints::new(values, 2), labels)
    }

    fn accuracy(mixture: &ClassMixture, points: &RowPoints, labels: &[u32]) -> f64 {
        let posterior = mixture.class_posteriors(points);
        let right = posterior.chunks_exact(2).zip(labels);
        let right = right.filter(|(p, label)| u32::from(p[1] > p[0]) == **label);
        right.count() as f64 / labels.len() as f64
    }

    #[test]
    fn it_follows_a_turn_by_half_a_circle_while_a_class_vanishes() {
        for (spread, start) in [
            (Spread::Axes, FollowFrom::Moved),
            (Spread::Own, FollowFrom::Stay),
        ] {
            let (source, labels) = turned(0.0, 0.5, 400, Seed::new(1));
            let mut mixture = ClassMixture::fit(&source, &labels, 2, 1, spread, Seed::new(2));
            for step in 1..=15 {
                let share = 0.5 - 0.03 * f64::from(step);
                let angle = f64::from(step) * std::f64::consts::PI / 15.0;
                let (window, answers) = turned(angle, share, 400, Seed::new(10 + step as u64));
                let before = mixture.log_likelihood(&window);
                assert!(mixture.follow(&window, start).after > before);
                let right = accuracy(&mixture, &window, &answers);
                assert!(right > 0.97, "{spread:?} {start:?} step {step}: {right}");
            }
        }
    }

    #[test]
    fn a_shift_past_the_other_class_needs_the_moved_start() {
        let (source, labels) = turned(0.0, 0.5, 400, Seed::new(1));
        let shifted: Vec<f64> = source
            .iter()
            .flat_map(|row| [row[0] + 6.0, row[1]])
            .collect();
        let shifted = RowPoints::new(shifted, 2);
        let reached = |start| {
            let mut mixture = ClassMixture::fit(&source, &labels, 2, 1, Spread::Axes, Seed::new(2));
            mixture.follow(&shifted, start);
            accuracy(&mixture, &shifted, &labels)
        };
        assert!(reached(FollowFrom::Moved) > 0.97);
        assert!(reached(FollowFrom::Stay) < 0.7);
    }
}
