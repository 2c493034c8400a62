//! Which pseudo-labelled examples are sure enough to learn from.

use serde::{Deserialize, Serialize};

use driftline_core::data::{Fraction, Labels};

/// A rule that keeps the confident examples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Drops about this fraction, the least confident. Examples as confident as the quantile are all kept, so that
    /// ties keep more, as in the paper's code; 0 keeps everything.
    #[serde(rename = "drop")]
    DropFraction(Fraction),
    /// Keeps what is at least this confident.
    Threshold(Fraction),
    /// Drops this fraction within each predicted class, so that an unsure class is not dropped whole.
    ClassBalanced(Fraction),
}

impl Filter {
    /// The indices to keep, in their order.
    pub fn kept(self, confidences: &[f32], predicted: &Labels) -> Vec<usize> {
        let all = 0..confidences.len();
        match self {
            Filter::DropFraction(fraction) => above_quantile(all.collect(), confidences, fraction),
            Filter::Threshold(least) => all
                .filter(|&i| f64::from(confidences[i]) >= least.get())
                .collect(),
            Filter::ClassBalanced(fraction) => {
                let mut kept: Vec<usize> = (0..predicted.n_classes())
                    .flat_map(|class| {
                        let members = all
                            .clone()
                            .filter(|&i| predicted.as_slice()[i] as usize == class);
                        above_quantile(members.collect(), confidences, fraction)
                    })
                    .collect();
                kept.sort_unstable();
                kept
            }
        }
    }
}

fn above_quantile(members: Vec<usize>, confidences: &[f32], fraction: Fraction) -> Vec<usize> {
    let values = members.iter().map(|&i| f64::from(confidences[i])).collect();
    let Some(threshold) = quantile(values, fraction) else {
        return members;
    };
    members
        .into_iter()
        .filter(|&i| f64::from(confidences[i]) >= threshold)
        .collect()
}

/// The q-quantile with linear interpolation: position q·(n−1) among the sorted values. `None` if there are none.
pub fn quantile(mut values: Vec<f64>, q: Fraction) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let position = q.get() * (values.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    Some(values[below] + (values[above] - values[below]) * (position - below as f64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fraction(value: f64) -> Fraction {
        Fraction::new(value).unwrap()
    }

    fn labels(classes: &[u32]) -> Labels {
        Labels::new(classes.to_vec(), 3).unwrap()
    }

    /// The paper's sizes: 2000 → 1800, 500 → 450, 42000 → 37800, 14000 → 12600, 5000 → 4500.
    #[test]
    fn a_tenth_is_dropped_where_there_are_no_ties() {
        for (n, kept) in [
            (2000, 1800),
            (500, 450),
            (42_000, 37_800),
            (14_000, 12_600),
            (5000, 4500),
        ] {
            let confidences: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let filter = Filter::DropFraction(fraction(0.1));
            assert_eq!(filter.kept(&confidences, &labels(&vec![0; n])).len(), kept);
        }
    }

    #[test]
    fn ties_at_the_threshold_are_all_kept() {
        let confidences = [1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        let kept = Filter::DropFraction(fraction(0.5)).kept(&confidences, &labels(&[0; 10]));
        assert_eq!(kept, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn an_unsure_class_survives_balanced_filtering() {
        let confidences = [0.9, 0.95, 0.99, 0.98, 0.2, 0.1];
        let predicted = labels(&[0, 0, 0, 0, 2, 2]);
        let half = fraction(0.5);
        assert_eq!(
            Filter::DropFraction(half).kept(&confidences, &predicted),
            [1, 2, 3]
        );
        assert_eq!(
            Filter::ClassBalanced(half).kept(&confidences, &predicted),
            [2, 3, 4]
        );
    }

    #[test]
    fn a_threshold_may_leave_nothing() {
        let kept = Filter::Threshold(fraction(0.99)).kept(&[0.5, 0.6], &labels(&[0, 1]));
        assert!(kept.is_empty());
    }

    proptest! {
        #[test]
        fn what_is_kept_is_never_less_sure_than_what_is_dropped(
            confidences in prop::collection::vec(0.0f32..1.0, 1..200), q in 0.0..=1.0,
        ) {
            let predicted = labels(&vec![0; confidences.len()]);
            let kept = Filter::DropFraction(fraction(q)).kept(&confidences, &predicted);
            prop_assert!(!kept.is_empty(), "the most confident example always stays");
            let least = kept.iter().map(|&i| confidences[i]).fold(f32::MAX, f32::min);
            for (i, &c) in confidences.iter().enumerate() {
                prop_assert_eq!(kept.contains(&i), c >= least);
            }
            let at_least = ((1.0 - q) * (confidences.len() - 1) as f64).floor() as usize;
            prop_assert!(kept.len() >= at_least);
        }
    }
}
