//! What the labelled source itself says before the stream begins: how accurate a model of one part is on the other, what
//! every candidate costs where nothing drifts and along the source in its own order, and whether the mixture of the
//! classes may be believed. Worked out once and remembered.

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::rehearsal::RehearsalModels;
use driftline_adapt::labeler::{Clusters, ClustersKnown};
use driftline_adapt::{Candidate, Context, State};
use driftline_core::Result;
use driftline_core::data::LabeledDomain;
use driftline_core::random::Seed;
use driftline_drift::mixture::{Calibration, choose};
use driftline_drift::{Standardizer, class_distance, draw};
use driftline_models::Learner;
use driftline_models::neighbours::NeighboursLearner;

/// A mixture is believed if it knows its own accuracy so well …
const CALIBRATED: f64 = 0.03;
/// … and is not worse than the model by more than this.
const BEHIND: f64 = 0.02;
/// Clusters that are right less often than this overlap: which is whose cannot be followed.
const SEPARATED: f64 = 0.9;
/// A candidate may cost so much without drift, and along the source in its order.
const COST: f64 = 0.012;
const COST_IN_ORDER: f64 = 0.015;
/// Rounds without drift, and blocks of the source in its order.
const ROUNDS: usize = 3;
const BLOCKS: usize = 4;
/// Accuracy on the later half of the source may differ by this from accuracy on rows drawn from all of it.
const EXCHANGEABLE: f64 = 0.05;

/// Everything that is known from the source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct SourceProfile {
    /// Accuracy on rows that were not learned from: drawn at random, and the later half.
    pub held_out: f64,
    pub later: f64,
    /// Gains of every candidate over standing still, without drift and in the order of the source.
    pub without_drift: Vec<f64>,
    pub in_order: Vec<f64>,
    pub mixture: Option<Calibration>,
    /// Where the model is nearest neighbours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClustersKnown>,
    /// The mean log-likelihood of a row of the source under the mixture.
    pub log_likelihood: f64,
    /// Rows that rehearsals are scored on.
    pub rows: usize,
    /// How far a class is from its nearest.
    #[serde(default)]
    pub class_distance: f64,
}

/// The source sample in two parts: what rehearsals begin from, and what is moved.
pub(super) fn parts(sample: &LabeledDomain) -> (LabeledDomain, LabeledDomain) {
    let n = sample.len();
    let classes = sample.labels().n_classes().max(1);
    let work = sample.inputs().shape().size().max(1) * classes;
    let most = (400_000 / work).clamp(100, 400);
    let moved = draw(n, (n * 2 / 5).min(most), seed().named("moved"));
    let known: Vec<usize> = (0..n)
        .filter(|row| moved.binary_search(row).is_err())
        .collect();
    let known = match known.len() > 2 * most {
        false => known,
        true => {
            let picked = draw(known.len(), 2 * most, seed().named("known"));
            picked.iter().map(|&at| known[at]).collect()
        }
    };
    (sample.pick(&known), sample.pick(&moved))
}

/// All that is drawn here is drawn once for every window.
pub(super) fn seed() -> Seed {
    Seed::new(0).named("guarded")
}

impl SourceProfile {
    pub fn gather(
        ctx: &Context<'_>,
        (sample, rows): (&LabeledDomain, &LabeledDomain),
        frame: &Standardizer,
        candidates: &[&Candidate],
        beginnings: &RehearsalModels,
        window: usize,
        state: &mut State,
    ) -> Result<Self> {
        let mut passing = State::default();
        let mut without_drift = vec![0.0; candidates.len() + 1];
        let mut held_out = 0.0;
        for round in 0..ROUNDS {
            let part = draw(
                rows.len(),
                (rows.len() / 2).max(window.min(rows.len())),
                seed().nth(round),
            );
            let part = rows.pick(&part);
            let done = beginnings.rehearse(ctx, candidates, "none", &part, &mut passing)?;
            held_out += done.scores[0].accuracy / ROUNDS as f64;
            add_gains(&mut without_drift, &done.scores, ROUNDS);
        }
        let half = sample.len() / 2;
        let early = sample.slice(0..half);
        let later = sample.slice(half..sample.len());
        let mut in_order = vec![0.0; candidates.len() + 1];
        let mut later_accuracy = held_out;
        if early.labels().only_class().is_none() && later.len() >= 4 {
            let mut own = State::default();
            let beginnings = RehearsalModels::new(early, candidates, &mut own, "order", seed())?;
            let blocks = (later.len() / window.max(1)).clamp(1, BLOCKS);
            later_accuracy = 0.0;
            for block in 0..blocks {
                let range = block * later.len() / blocks..(block + 1) * later.len() / blocks;
                let part = later.slice(range);
                let done = beginnings.rehearse(ctx, candidates, "order", &part, &mut own)?;
                later_accuracy += done.scores[0].accuracy / blocks as f64;
                add_gains(&mut in_order, &done.scores, blocks);
            }
        }
        let points = frame.points(sample.inputs());
        let labels = sample.labels();
        let chosen = choose(
            &points,
            labels.as_slice(),
            labels.n_classes(),
            seed().named("mixture"),
        );
        let mut log_likelihood = 0.0;
        let mut mixture = None;
        if let Some((own, calibration)) = chosen {
            log_likelihood = own.log_likelihood(&points);
            mixture = Some(calibration);
            let numbers = own.to_numbers();
            for name in ["mixture/stay", "mixture/moved"] {
                state.set(name, &[numbers.len()], numbers.clone())?;
            }
        }
        let neighbours = ctx.first.model.kind() == NeighboursLearner::KIND;
        let clusters =
            neighbours.then(|| Clusters::default().known(sample, seed().named("clusters")));
        Ok(Self {
            clusters,
            held_out,
            later: later_accuracy,
            without_drift,
            in_order,
            mixture,
            log_likelihood,
            rows: rows.len(),
            class_distance: class_distance(&points, labels.as_slice(), labels.n_classes(), seed()),
        })
    }

    /// Whether the mixture may be believed.
    pub fn believes_mixture(&self) -> bool {
        // A model that was scored on few rows may look better than it is.
        let noise = (self.held_out * (1.0 - self.held_out) / self.rows.max(1) as f64).sqrt();
        self.mixture.is_some_and(|own| {
            (own.expected - own.accuracy).abs() <= CALIBRATED
                && own.accuracy >= self.held_out - BEHIND - noise
        })
    }

    /// The clusters, if they may be believed: the classes are apart, and clusters know how right they are and are not behind
    /// the model, as far as so few rows can tell.
    pub fn believed_clusters(&self) -> Option<&ClustersKnown> {
        let noise = |share: f64, rows: usize| (share * (1.0 - share) / rows.max(1) as f64).sqrt();
        self.clusters.as_ref().filter(|own| {
            let off = (own.expected - own.accuracy).abs();
            let unsure = 2.0 * noise(own.accuracy, own.rows);
            off <= CALIBRATED + unsure
                && own.accuracy >= SEPARATED - unsure
                && own.accuracy >= self.held_out - BEHIND - 2.0 * noise(self.held_out, self.rows)
        })
    }

    /// Whether a candidate costs nothing where nothing is to be gained.
    pub fn harmless(&self, choice: Choice) -> bool {
        let row = 1.5 / self.rows.max(1) as f64;
        *choice.of(&self.without_drift) > -COST.max(row)
            && *choice.of(&self.in_order) > -COST_IN_ORDER.max(row)
    }

    /// Whether rows drawn from the source say how later ones will do.
    pub fn exchangeable(&self) -> bool {
        let noise = (self.held_out * (1.0 - self.held_out) / self.rows.max(1) as f64).sqrt();
        (self.held_out - self.later).abs() <= EXCHANGEABLE + 2.0 * noise
    }
}

fn add_gains(sums: &mut [f64], scores: &[super::score::Score], times: usize) {
    for (sum, score) in sums.iter_mut().zip(scores) {
        *sum += (score.accuracy - scores[0].accuracy) / times as f64;
    }
}
