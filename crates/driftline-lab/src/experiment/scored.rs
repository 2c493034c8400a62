//! A benchmark scored on other answers than those of its target: so that a search over settings can be scored without
//! a single label of the stream, and its winner on examples that no search can have seen.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, RawData};
use driftline_core::data::{AnswerKey, Benchmark};
use driftline_core::{Error, Result};

/// A data set and what its methods are scored on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Scored {
    pub on: ScoredOn,
    /// With `on-arrival`: the mean accuracy of this many equal parts of the stream, instead of that of all rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batches: Option<NonZeroUsize>,
    pub data: Box<Dataset>,
}

/// Answers to be scored with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScoredOn {
    /// Source examples that no model was trained on, and nothing else: labels of the stream and of the target are
    /// thrown away. For methods that go there and back.
    HeldOutSource,
    /// The images that the data set leaves unused, drifted like the target (turning digits only).
    UnusedTarget,
    /// Every row of the stream, each by the version that was deployed before its window came.
    OnArrival,
}

impl Scored {
    pub fn benchmark(&self, data_seed: u64, raw: &RawData) -> Result<Benchmark> {
        let Benchmark { task, answers } = self.data.benchmark(data_seed, raw)?;
        let answers = match self.on {
            ScoredOn::HeldOutSource => AnswerKey {
                intermediate: None,
                target: answers.held_out_source.clone(),
                ..answers
            },
            ScoredOn::OnArrival => answers,
            ScoredOn::UnusedTarget => AnswerKey {
                target: self
                    .data
                    .unused_target(data_seed, raw)?
                    .ok_or_else(|| no_unused(&self.data))?,
                ..answers
            },
        };
        Benchmark::new(task, answers)
    }

    /// Refuses what cannot be scored so.
    pub fn check(&self) -> Result<()> {
        let turning = matches!(
            *self.data,
            Dataset::RotatingMnist(_) | Dataset::RotatingFashionMnist(_)
        );
        if self.on == ScoredOn::UnusedTarget && !turning {
            return Err(no_unused(&self.data));
        }
        if self.batches.is_some() && self.on != ScoredOn::OnArrival {
            return Err(Error::mismatch(
                "`batches`",
                "`on = \"on-arrival\"` beside it",
                "another",
            ));
        }
        self.data.check()
    }
}

fn no_unused(data: &Dataset) -> Error {
    let name = data.files().unwrap_or("a data set that is drawn");
    Error::mismatch(
        "`unused-target`",
        "turning digits, which leave images unused",
        name,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::RotatingDigits;

    fn scored(on: ScoredOn) -> Scored {
        Scored {
            on,
            batches: None,
            data: Box::new(Dataset::RotatingMnist(
                RotatingDigits::paper().scaled_down(100),
            )),
        }
    }

    #[test]
    fn a_search_holds_no_label_of_the_stream_or_the_target() {
        let plain = scored(ScoredOn::HeldOutSource).data;
        let plain = plain.benchmark(0, &RawData::StandIns).unwrap();
        let search = scored(ScoredOn::HeldOutSource);
        let search = search.benchmark(0, &RawData::StandIns).unwrap();
        assert!(search.answers.intermediate.is_none());
        assert_eq!(search.answers.target, plain.answers.held_out_source);
        assert_ne!(search.answers.target, plain.answers.target);
        assert_eq!(
            search.task.intermediate.inputs(),
            plain.task.intermediate.inputs()
        );
    }

    #[test]
    fn unused_pictures_are_refused_where_there_are_none() {
        assert!(scored(ScoredOn::UnusedTarget).check().is_ok());
        let gaussian = crate::datasets::gaussian::MovingGaussians::paper();
        let drawn = Scored {
            on: ScoredOn::UnusedTarget,
            batches: None,
            data: Box::new(Dataset::Gaussian(gaussian)),
        };
        assert_eq!(
            drawn.check().unwrap_err().to_string(),
            "`unused-target` should have turning digits, which leave images unused, but has a data set that is drawn"
        );
    }
}
