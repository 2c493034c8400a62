//! How many clouds a class and which spreads: whatever is right about most rows of one half of the source after it was
//! fitted on the other half and has followed. What the mixture then thinks of its own accuracy, beside its accuracy, says
//! whether it may be believed on the stream.

use serde::{Deserialize, Serialize};

use super::follow::FollowFrom;
use super::{ClassMixture, Spread};
use crate::points::RowPoints;
use driftline_core::random::{Seed, permutation};

/// Rows of the source that are looked at.
const MOST: usize = 1000;
/// A richer mixture must be right about so many more.
const BETTER: f64 = 0.005;
/// Whole covariances up to so many columns.
const OWN: usize = 12;
const SHARED: usize = 60;

/// How good a mixture is on rows of the source that it was not fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    pub per_class: usize,
    pub spread: Spread,
    pub accuracy: f64,
    /// What the mixture itself expects.
    pub expected: f64,
}

/// The best mixture for these rows, fitted on all of them; `None` where halves are too small to tell.
pub fn choose(
    points: &RowPoints,
    labels: &[u32],
    n_classes: usize,
    seed: Seed,
) -> Option<(ClassMixture, Calibration)> {
    let mut order = permutation(points.len(), seed.named("halves"));
    order.truncate(MOST);
    let half = order.len() / 2;
    if half < 2 * n_classes {
        return None;
    }
    let halves = [
        (&order[..half], &order[half..]),
        (&order[half..], &order[..half]),
    ];
    let spreads: &[Spread] = match points.size() {
        0..=OWN => &[Spread::Axes, Spread::Shared, Spread::Own],
        size if size <= SHARED => &[Spread::Axes, Spread::Shared],
        _ => &[Spread::Axes],
    };
    let mut best: Option<Calibration> = None;
    for &spread in spreads {
        for per_class in [1, 2, 4] {
            if per_class > 1 && half < 8 * n_classes * per_class {
                continue;
            }
            let (mut right, mut expected) = (0.0, 0.0);
            for (own, other) in halves {
                let pick = |rows: &[usize]| {
                    let labels: Vec<u32> = rows.iter().map(|&row| labels[row]).collect();
                    (points.pick(rows), labels)
                };
                let ((own, own_labels), (other, answers)) = (pick(own), pick(other));
                let mut mixture =
                    ClassMixture::fit(&own, &own_labels, n_classes, per_class, spread, seed);
                let followed = mixture.follow(&other, FollowFrom::Moved);
                let posteriors = followed.classes.chunks_exact(n_classes);
                for (row, &answer) in posteriors.zip(&answers) {
                    let top = row.iter().copied().fold(0.0, f64::max);
                    right += f64::from(u8::from(row[answer as usize] >= top));
                    expected += top;
                }
            }
            let n = order.len() as f64;
            let own = Calibration {
                per_class,
                spread,
                accuracy: right / n,
                expected: expected / n,
            };
            if best.is_none_or(|best| own.accuracy > best.accuracy + BETTER) {
                best = Some(own);
            }
        }
    }
    let best = best?;
    let mixture = ClassMixture::fit(points, labels, n_classes, best.per_class, best.spread, seed);
    Some((mixture, best))
}
