//! What the labelled source says before the stream begins, worked out once and remembered: how right and how sure the model
//! is on rows that it has not seen, what every candidate costs where nothing drifts, and how noisy distances are.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::calibration::Calibration;
use super::config::GuardConfig;
use super::rehearsal::{self, Rehearsal, Rehearsed};
use super::space::{Columns, scores};
use driftline_adapt::{Candidate, Context};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Probabilities};
use driftline_core::random::Seed;
use driftline_drift::mixture::{self, choose};
use driftline_drift::{ClassMixture, RowPoints, class_distance, noise_floor};
use driftline_models::Classifier;

/// Rows a side of a distance whose noise is measured.
const DISTANCE_ROWS: usize = 200;
/// A class counts as having at least this share, so that nothing is divided by 0.
const LEAST_SHARE: f64 = 1e-3;

/// Numbers that are remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SourceProfile {
    /// Accuracy on rows that were not learned from.
    pub held_out: f64,
    pub calibration: Calibration,
    /// What candidates gain over the source model on the source itself, by name.
    pub rehearsed: BTreeMap<String, Rehearsed>,
    /// How much more likely each scenario made later rows of the source than "same" did, as a logarithm per row.
    #[serde(default)]
    pub history: BTreeMap<String, f64>,
    /// The mixture of the classes, where there is one.
    pub clouds: Option<mixture::Calibration>,
    /// How far a class is from its nearest.
    pub class_distance: f64,
    /// The noise of distances between inputs, and between scores.
    pub noise: f64,
    pub score_noise: f64,
}

impl SourceProfile {
    /// The accuracy below which there is an alarm.
    pub fn lowest(&self, config: &GuardConfig) -> f64 {
        (self.held_out - config.alarm_drop.get()).max(0.0)
    }
}

/// All that is drawn here is drawn once for every window.
pub(super) fn seed() -> Seed {
    Seed::new(0).named("guarded")
}

/// The source as scenarios need it.
#[derive(Debug)]
pub(super) struct Source {
    pub profile: SourceProfile,
    /// `None` for images.
    pub columns: Option<Columns>,
    pub sample: LabeledDomain,
    /// Columns of numbers, where there are any.
    pub points: Option<RowPoints>,
    /// All that distances are measured by.
    pub whole: RowPoints,
    /// Held-out probabilities of the sample, calibrated: rows × classes.
    pub held_out: Vec<f64>,
    pub scores: RowPoints,
    /// The shares of the classes.
    pub prior: Vec<f64>,
    pub clouds: Option<ClassMixture>,
}

impl Source {
    /// Trains on halves of the source sample and rehearses every candidate: done once.
    pub fn gather(
        ctx: &Context<'_>,
        sample: &LabeledDomain,
        candidates: &[&Candidate],
        (window, rows): (usize, usize),
    ) -> Result<Self> {
        let labels = sample.labels().as_slice();
        let Rehearsal {
            held_out,
            gains: rehearsed,
            history,
            forward,
        } = rehearsal::rehearse(ctx, sample, candidates, window)?;
        let right = held_out.argmax();
        let right = right.as_slice().iter().zip(labels).filter(|(a, b)| a == b);
        let profile = SourceProfile {
            held_out: right.count() as f64 / labels.len() as f64,
            // By later rows where there are enough: a source that drifts by itself shows there how sure a model may be.
            calibration: match &forward {
                Some((said, classes)) => Calibration::of(said, classes),
                None => Calibration::of(&held_out, labels),
            },
            rehearsed,
            history,
            ..SourceProfile::default()
        };
        let kept = evenly(sample.len(), rows);
        let calibrated = profile.calibration.apply(&held_out.pick(&kept));
        let mut source = Self::of(profile, sample, rows, calibrated, None);
        let n_classes = source.prior.len();
        let labels = source.sample.labels().as_slice();
        let chosen = source
            .points
            .as_ref()
            .and_then(|points| choose(points, labels, n_classes, seed().named("clouds")));
        if let Some((clouds, calibration)) = chosen {
            source.clouds = Some(clouds);
            source.profile.clouds = Some(calibration);
        }
        let floor = |points| noise_floor(points, DISTANCE_ROWS, DISTANCE_ROWS, seed());
        source.profile.noise = floor(&source.whole);
        source.profile.score_noise = floor(&source.scores);
        source.profile.class_distance = class_distance(&source.whole, labels, n_classes, seed());
        Ok(source)
    }

    /// The same from what is remembered.
    pub fn of(
        profile: SourceProfile,
        sample: &LabeledDomain,
        rows: usize,
        held_out: Vec<f64>,
        clouds: Option<ClassMixture>,
    ) -> Self {
        let sample = sample.pick(&evenly(sample.len(), rows));
        let columns = Columns::of(&sample);
        let points = points(columns.as_ref(), sample.inputs());
        let n_classes = sample.labels().n_classes();
        let n = sample.len() as f64;
        let counts = sample.labels().counts().into_iter();
        Self {
            whole: whole(columns.as_ref(), points.as_ref(), sample.inputs()),
            scores: scores(&held_out, n_classes),
            prior: counts
                .map(|count| (count as f64 / n).max(LEAST_SHARE))
                .collect(),
            profile,
            columns,
            sample,
            points,
            held_out,
            clouds,
        }
    }

    /// What `model` says, calibrated: rows × classes.
    pub fn said(&self, model: &dyn Classifier, inputs: &Inputs) -> Result<Vec<f64>> {
        let said: Probabilities = model.probabilities(inputs)?;
        Ok(self.profile.calibration.apply(&said))
    }

    pub fn points_of(&self, inputs: &Inputs) -> Option<RowPoints> {
        points(self.columns.as_ref(), inputs)
    }

    pub fn whole_of(&self, points: Option<&RowPoints>, inputs: &Inputs) -> RowPoints {
        whole(self.columns.as_ref(), points, inputs)
    }
}

/// The rows of a sample of `n` that scenarios use, evenly spaced.
pub(super) fn evenly(n: usize, most: usize) -> Vec<usize> {
    let kept = n.min(most);
    (0..kept).map(|at| at * n / kept).collect()
}

fn points(columns: Option<&Columns>, inputs: &Inputs) -> Option<RowPoints> {
    let columns = columns.filter(|columns| columns.numbers() > 0)?;
    Some(columns.points(inputs))
}

fn whole(columns: Option<&Columns>, points: Option<&RowPoints>, inputs: &Inputs) -> RowPoints {
    match columns {
        Some(columns) => columns.whole(points, inputs),
        None => RowPoints::of(inputs),
    }
}
