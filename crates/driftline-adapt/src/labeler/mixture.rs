//! Labels from a mixture of the classes that follows the stream: fitted on the labelled source, moved with every window
//! (`drift::mixture`), each row gets the class that is most likely there. Rows that are unsure are kept: they are few where
//! the mixture may be used at all.

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler, Labeling};
use crate::{Context, State};
use driftline_core::data::{Domain, Examples, Labels, Targets};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_drift::mixture::{FollowFrom, choose};
use driftline_drift::{ClassMixture, Standardizer};

/// What it is remembered under.
const NAME: &str = "mixture";
/// A window that is less likely by this, or by a tenth of the columns, than the source is not learned from.
const UNEXPLAINED: f64 = 1.0;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MixtureLabels {}

impl Labeler for MixtureLabels {
    fn takes_long(&self) -> bool {
        true
    }

    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let sample = ctx
            .source_sample
            .or(ctx.source)
            .ok_or(Error::SourceMissing)?;
        let n_classes = sample.labels().n_classes();
        let nothing = |state: State| {
            let labeling = Labeling {
                held: true,
                ..Labeling::nothing(window.len(), n_classes)
            };
            Labeled::new(None, labeling).remembering(state)
        };
        let remembered = ctx.teacher.labeler.clone();
        let Some(frame) = Standardizer::of(sample.inputs()) else {
            return Ok(nothing(remembered));
        };
        let stored = remembered.get(NAME).and_then(|(_, own)| {
            let (likelihood, own) = own.split_first()?;
            Some((ClassMixture::from_numbers(own)?, f64::from(*likelihood)))
        });
        let (mut mixture, likelihood) = match stored {
            Some(stored) => stored,
            None => {
                let points = frame.points(sample.inputs());
                let seed = Seed::new(0).named("guarded").named("mixture");
                let chosen = choose(&points, sample.labels().as_slice(), n_classes, seed);
                let Some((mixture, _)) = chosen else {
                    return Ok(nothing(remembered));
                };
                let likelihood = mixture.log_likelihood(&points);
                (mixture.rounded(), likelihood)
            }
        };
        let points = frame.points(&window.inputs);
        let before = mixture.clone();
        let followed = mixture.follow(&points, FollowFrom::Moved);
        let least = UNEXPLAINED.max(0.1 * points.size() as f64);
        let unexplained = likelihood - followed.after > least;
        let mixture = if unexplained {
            before
        } else {
            mixture.rounded()
        };
        let mut numbers = vec![likelihood as f32];
        numbers.extend(mixture.to_numbers());
        let mut state = State::default();
        state.set(NAME, &[numbers.len()], numbers)?;
        if unexplained {
            return Ok(nothing(state));
        }
        let posteriors = mixture.class_posteriors(&points);
        let classes = posteriors.chunks_exact(n_classes).map(|row| {
            let top = row.iter().copied().fold(0.0, f64::max);
            row.iter().position(|&p| p == top).unwrap_or(0) as u32
        });
        let labels = Labels::new(classes.collect(), n_classes)?;
        if labels.only_class().is_some() {
            return Ok(nothing(state));
        }
        let labeling = Labeling::kept(window.len(), &labels);
        let examples = Examples::new(window.inputs.clone(), Targets::Hard(labels))?;
        Ok(Labeled::new(Some(examples), labeling).remembering(state))
    }
}
