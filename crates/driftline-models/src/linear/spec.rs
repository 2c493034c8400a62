//! The linear softmax model as an experiment file says it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CrossValidation, FullBatch, LinearLearner, Penalty, Solver};
use crate::kinds::{written, wrong};
use crate::training::Training;
use crate::{AnyLearner, Learner};
use driftline_core::Result;
use driftline_core::data::NonNegative;

/// Exactly one of `l2` and `cross-validate`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct LinearSpec {
    /// λ in λ·ΣW²; 0 for none.
    #[serde(default)]
    pub l2: Option<NonNegative>,
    /// Choose λ on the source.
    #[serde(default)]
    pub cross_validate: Option<CrossValidation>,
    /// Solve to a tolerance instead of training for `epochs`.
    #[serde(default)]
    pub full_batch: Option<FullBatch>,
}

impl LinearSpec {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        let spec: Self = written(LinearLearner::KIND, settings)?;
        training.refuse_for_networks_only("the linear model")?;
        let penalty = match (spec.l2, spec.cross_validate) {
            (Some(l2), None) if l2.get() == 0.0 => Penalty::None,
            (Some(l2), None) => Penalty::L2(l2),
            (None, Some(search)) => Penalty::CrossValidated(search),
            _ => {
                return Err(wrong(
                    LinearLearner::KIND,
                    "exactly one of `l2` (0 for none) and `cross-validate` must be given",
                ));
            }
        };
        let solver = spec
            .full_batch
            .map_or(Solver::MiniBatch(*training), Solver::FullBatch);
        Ok(LinearLearner::new(solver, penalty).into())
    }
}
