//! A curriculum, an alignment, a labeler and a policy of your own, and the registry that knows them.

use std::num::NonZeroUsize;

use driftline_adapt::{
    Aligned, Alignment, Confidence, Context, Curriculum, Decision, Labeled, Labeler, Labeling,
    Policy, PolicyOutcome, Proposal, Stage, State, Version, Windows,
};
use driftline_core::Result;
use driftline_core::data::{Domain, Examples, Tail, Targets, Windowing};
use driftline_models::Classifier;
use driftline_runs::method::Registry;
use serde::{Deserialize, Serialize};

use super::model::NearestMean;

/// One line each.
pub fn registry() -> Registry {
    Registry::new()
        .with_model::<NearestMean>()
        .with_curriculum::<EverySecond>("every-second")
        .with_alignment::<OwnMoments>("own-moments")
        .with_labeler::<SureAsUsual>("sure-as-usual")
        .with_policy::<Careful>("careful")
}

/// Every second window, from the first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Size", into = "Size")]
pub struct EverySecond {
    windowing: Windowing,
    size: Size,
}

/// What files say of it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Size {
    window: NonZeroUsize,
}

impl From<Size> for EverySecond {
    fn from(size: Size) -> Self {
        Self {
            windowing: Windowing::Size(size.window, Tail::Drop),
            size,
        }
    }
}

impl From<EverySecond> for Size {
    fn from(own: EverySecond) -> Self {
        own.size
    }
}

impl Curriculum for EverySecond {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        match done < self.stages(stream.count()) {
            true => stream.window(2 * done).map(|w| Some(Stage::window(w))),
            false => Ok(None),
        }
    }

    fn windowing(&self) -> Option<&Windowing> {
        Some(&self.windowing)
    }

    fn stages(&self, windows: usize) -> usize {
        windows.div_ceil(2)
    }
}

/// The window's own mean becomes 0 and its own deviation 1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnMoments;

impl Alignment for OwnMoments {
    fn fit(&self, now: &Context<'_>) -> Result<Aligned> {
        let Some(window) = &now.stage.learn else {
            return Ok(Aligned::Identity);
        };
        let (rows, size) = (window.len() as f64, window.inputs.shape().size());
        let (mut shift, mut scale) = (vec![], vec![]);
        for at in 0..size {
            let column = || window.inputs.iter().map(|row| f64::from(row[at]));
            let mean = column().sum::<f64>() / rows;
            let variance = column().map(|x| (x - mean) * (x - mean)).sum::<f64>() / rows;
            shift.push(mean as f32);
            scale.push((1.0 / variance.sqrt().max(1e-3)) as f32);
        }
        Aligned::columns(shift, scale)
    }
}

/// The teacher's labels of rows that it is at least as sure of as it was on the average of the windows before, which it
/// remembers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SureAsUsual {
    /// So much less will do.
    slack: f32,
}

impl Labeler for SureAsUsual {
    fn label(&self, now: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let (labels, probabilities) = now.teacher.model.assess(&window.inputs)?;
        let sure: Vec<f32> = probabilities
            .iter()
            .map(|p| Confidence::TopProbability.of(p))
            .collect();
        let mean = sure.iter().sum::<f32>() / sure.len().max(1) as f32;
        let before = now.teacher.labeler.get("usual");
        let (usual, windows) = before.map_or((mean, 0.0), |(_, v)| (v[0], v[1]));
        let rows = (0..window.len()).filter(|&row| sure[row] >= usual - self.slack);
        let rows: Vec<usize> = rows.collect();
        let kept = labels.pick(&rows);
        let labeling = Labeling::kept(window.len(), &kept);
        let examples = match rows.is_empty() {
            true => None,
            false => {
                let inputs = window.inputs.pick(&rows);
                Some(Examples::new(inputs, Targets::Hard(kept))?)
            }
        };
        let mut state = State::default();
        let usual = (usual * windows + mean) / (windows + 1.0);
        state.set("usual", &[2], vec![usual, windows + 1.0])?;
        Ok(Labeled::new(examples, labeling).remembering(state))
    }
}

/// Holds every second window, and once takes an earlier version up again. It counts, which it must remember.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Careful {
    back_at: usize,
    back_to: usize,
}

impl Policy for Careful {
    fn decide(
        &self,
        _: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let count = state.get("count").map_or(0.0, |(_, v)| v[0]) as usize + 1;
        let decision = match (count, proposals[0].version.is_none()) {
            (at, _) if at == self.back_at => Decision::RollBack {
                to: self.back_to,
                why: "once is enough".into(),
            },
            (at, empty) if at % 2 == 0 || empty => Decision::Hold {
                why: format!("window {at} is not to be trusted"),
            },
            _ => Decision::Deploy(0),
        };
        let mut state = State::default();
        state.set("count", &[1], vec![count as f32])?;
        Ok(PolicyOutcome::new(decision, state))
    }
}
