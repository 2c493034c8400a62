//! α*-separation: whether some classifier of the class tells the classes of a window apart. α* itself is hard to compute;
//! it lies between the loss of a known classifier and what no classifier of the class can avoid.

use serde::{Deserialize, Serialize};

use super::AssumptionVerdict;
use crate::atoms::Atoms;
use driftline_models::linear::Sign;
use driftline_models::linear::points::Point;

/// Pairs times dimensions that are still compared: about a second.
const MOST_WORK: usize = 1_000_000_000;

/// What is known of α* on one window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// A ramp loss that no classifier of the class falls below.
    pub least: f64,
    /// That of giving every example the label of the larger class, which needs no separation at all.
    pub constant: f64,
}

impl Separation {
    pub fn of(window: &Atoms, radius: f64) -> Self {
        let positive = window.positive_share();
        Self {
            least: least_loss(window, radius),
            constant: positive.min(1.0 - positive).max(0.0),
        }
    }

    /// `best` is the loss of a known classifier. Classes that no classifier tells apart any better than a constant does are
    /// not separated; a window of one class is.
    fn verdict(&self, best: f64) -> AssumptionVerdict {
        let rounding = 1e-9;
        if best <= rounding || best < self.constant - rounding {
            AssumptionVerdict::Holds
        } else if self.least >= self.constant - rounding {
            AssumptionVerdict::Violated
        } else {
            AssumptionVerdict::NotRefuted
        }
    }
}

/// Of all windows: violated if it is in one, and holds only if it does in all.
pub fn verdict(windows: impl Iterator<Item = Option<(Separation, f64)>>) -> AssumptionVerdict {
    let one = |window: Option<(Separation, f64)>| match window {
        Some((separation, best)) => separation.verdict(best),
        None => AssumptionVerdict::NotRefuted,
    };
    let verdicts: Vec<AssumptionVerdict> = windows.map(one).collect();
    let worst = [AssumptionVerdict::Violated, AssumptionVerdict::NotRefuted];
    let found = worst.into_iter().find(|worst| verdicts.contains(worst));
    found.unwrap_or(AssumptionVerdict::Holds)
}

/// Scores of points d apart differ by at most R·d, so two examples of different classes lose at least min(1, 2 − R·d)
/// together. Any pairing gives a bound; here each positive example takes the nearest negative mass that is left.
fn least_loss(window: &Atoms, radius: f64) -> f64 {
    let of = |y: Sign| window.iter().filter(move |p| p.y == y);
    let mut negatives: Vec<(Point<'_>, f64)> = of(Sign::Minus).map(|p| (p, p.mass)).collect();
    if of(Sign::Plus).count() * negatives.len() * window.dimension() > MOST_WORK {
        return 0.0;
    }
    let mut loss = 0.0;
    for positive in of(Sign::Plus) {
        let lost = |p: &Point<'_>| (2.0 - radius * distance(p.x, positive.x)).clamp(0.0, 1.0);
        let mut near: Vec<(f64, usize)> = negatives
            .iter()
            .enumerate()
            .filter(|(_, (_, left))| *left > 0.0)
            .map(|(index, (p, _))| (lost(p), index))
            .filter(|(lost, _)| *lost > 0.0)
            .collect();
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut mass = positive.mass;
        for (lost, index) in near {
            let taken = mass.min(negatives[index].1);
            negatives[index].1 -= taken;
            mass -= taken;
            loss += lost * taken;
            if mass <= 0.0 {
                break;
            }
        }
    }
    loss
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::Minimizers;
    use driftline_core::random::Seed;
    use driftline_models::linear::NormBall;
    use rand::RngExt;

    /// On the line the least loss is known exactly; the pairing never claims more, and often comes near.
    #[test]
    fn the_unavoidable_loss_is_never_above_the_least_one() {
        let mut reached = 0;
        for trial in 0..300 {
            let mut generator = Seed::new(8).nth(trial).generator();
            let atoms: Vec<([f64; 1], Sign, f64)> = (0..6)
                .map(|_| {
                    let x: f64 = generator.random_range(-2.0..2.0);
                    let y = Sign::of(x + generator.random_range(-2.0..2.0));
                    ([x], y, generator.random_range(0.1..1.0))
                })
                .collect();
            let window = Atoms::from_list(&atoms).unwrap();
            let exact = Minimizers::new(window.points(), &NormBall::unit(), &[]).unwrap();
            let least = Separation::of(&window, 1.0).least;
            assert!(least <= exact.risk + 1e-9, "{least} {}", exact.risk);
            reached += usize::from(least > 0.9 * exact.risk);
        }
        assert!(reached > 100, "{reached}");
    }
}
