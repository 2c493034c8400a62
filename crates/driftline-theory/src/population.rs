//! Self-training with infinite data, ST(θ, P): the model labels the distribution, and a new one minimises the risk there.
//!
//! Minimisers are often not unique. In one dimension all of them are known, so statements about *the* result of
//! self-training can be checked for every result it may have.

use super::atoms::Atoms;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::linear::points::Points;
use driftline_models::linear::{BiasRule, MarginLearner, MarginModel, NormBall, Sign};
use driftline_models::loss::margin::MarginLoss;

/// One minimiser of the risk on the distribution labelled by `teacher`.
pub fn self_train(
    learner: &MarginLearner,
    teacher: &MarginModel,
    domain: &Atoms,
    seed: Seed,
) -> Result<MarginModel> {
    learner.minimize(domain.labeled_by(teacher).points(), Some(teacher), seed)
}

/// Losses this close are equal; masses sum to 1.
const TIE: f64 = 1e-11;
/// Scores this small are 0: vertices are computed, so they miss their lines by rounding.
const ZERO: f64 = 1e-9;

/// The smallest and the largest value that some quantity takes over all minimisers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    pub least: f64,
    pub most: f64,
}

impl Range {
    fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let empty = Self {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        values.into_iter().fold(empty, |range, value| Self {
            least: range.least.min(value),
            most: range.most.max(value),
        })
    }

    fn join(&mut self, other: Range) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

/// All minimisers of the ramp risk over Θ_R on one-dimensional points.
///
/// The risk, and every other ramp risk of the same inputs, is linear between the lines w·x + b ∈ {−1, 0, 1}; extremes
/// over the minimisers lie on crossings of these lines with each other and with |w| = R.
#[derive(Clone, Debug)]
pub struct Minimizers {
    /// The smallest risk.
    pub risk: f64,
    /// Crossings that are minimisers, among them some with every extreme value.
    vertices: Vec<MarginModel>,
    /// One minimiser with |w| = R for every way in which minimisers label the inputs and the `probes`.
    ///
    /// |w| = R is enough: scaling a minimiser up keeps its labels and cannot raise its risk.
    representatives: Vec<MarginModel>,
}

impl Minimizers {
    /// `probes` are further inputs whose labels by the minimisers are of interest.
    pub fn new(points: &Points, class: &NormBall, probes: &[f64]) -> Result<Self> {
        debug_assert_eq!((points.dimension(), class.bias), (1, BiasRule::Free));
        if points.is_empty() {
            return Err(Error::empty("the distribution"));
        }
        let mut inputs: Vec<f64> = points.iter().map(|p| p.x[0]).collect();
        inputs.extend_from_slice(probes);
        inputs.sort_by(f64::total_cmp);
        inputs.dedup();
        let risk = |model: &MarginModel| points.loss(MarginLoss::Ramp, model);
        let representatives = on_the_border(&inputs, class);
        let vertices = crossings(&inputs, class);
        let all = representatives.iter().chain(&vertices);
        let least = all.map(risk).fold(f64::INFINITY, f64::min);
        let optimal = |model: &MarginModel| risk(model) <= least + TIE;
        Ok(Self {
            risk: least,
            vertices: vertices.into_iter().filter(optimal).collect(),
            representatives: representatives.into_iter().filter(optimal).collect(),
        })
    }

    /// L_r(θ', P) over all minimisers θ'; the inputs of P must be among the points and probes.
    pub fn ramp_loss(&self, domain: &Atoms) -> Range {
        Range::of(self.extreme().map(|model| domain.ramp_loss(model)))
    }

    /// U_r(θ', P) over all minimisers.
    pub fn unlabeled_loss(&self, domain: &Atoms) -> Range {
        let loss = |model| domain.unlabeled_loss(MarginLoss::Ramp, model);
        Range::of(self.extreme().map(loss))
    }

    /// Err(θ', P) over all minimisers.
    pub fn error(&self, domain: &Atoms) -> Range {
        let labelings = self.labelings(domain).into_iter();
        Range::of(labelings.map(|labels| domain.disagreement(&labels)))
    }

    /// Minimisers among which are some with every extreme value.
    fn extreme(&self) -> impl Iterator<Item = &MarginModel> {
        self.vertices.iter().chain(&self.representatives)
    }

    /// Every way in which a minimiser can label the domain.
    pub fn labelings(&self, domain: &Atoms) -> Vec<Vec<Sign>> {
        let label = |model: &MarginModel| {
            let sign = |x: &[f64]| {
                let score = model.score(x);
                if score.abs() < ZERO {
                    Sign::Plus
                } else {
                    Sign::of(score)
                }
            };
            domain.iter().map(|p| sign(p.x)).collect::<Vec<Sign>>()
        };
        let mut labelings: Vec<Vec<Sign>> = self.representatives.iter().map(label).collect();
        labelings.sort();
        labelings.dedup();
        labelings
    }
}

/// Models with w = ±R: every bias at which a score reaches −1, 0 or 1, and one between any two such.
fn on_the_border(inputs: &[f64], class: &NormBall) -> Vec<MarginModel> {
    let mut models = Vec::new();
    for w in [class.r(), -class.r()] {
        let levels = |x: &f64| [-1.0, 0.0, 1.0].map(|level| level - w * x);
        let mut knots: Vec<f64> = inputs.iter().flat_map(levels).collect();
        knots.sort_by(f64::total_cmp);
        knots.dedup_by(|a, b| (*a - *b).abs() < ZERO);
        let (first, last) = (knots[0], knots[knots.len() - 1]);
        let between: Vec<f64> = knots.windows(2).map(|k| (k[0] + k[1]) / 2.0).collect();
        let biases = [first - 1.0, last + 1.0]
            .into_iter()
            .chain(knots)
            .chain(between);
        models.extend(biases.map(|b| MarginModel::new(vec![w], b)));
    }
    models
}

/// Crossings of the lines w·x + b = level with each other, within |w| ≤ R (those with |w| = R are on the border).
fn crossings(inputs: &[f64], class: &NormBall) -> Vec<MarginModel> {
    let mut models = Vec::new();
    for (k, &x) in inputs.iter().enumerate() {
        for &other in &inputs[..k] {
            for level in [-1.0, 0.0, 1.0] {
                for other_level in [-1.0, 0.0, 1.0] {
                    let w = (level - other_level) / (x - other);
                    if w.abs() <= class.r() {
                        models.push(MarginModel::new(vec![w], level - w * x));
                    }
                }
            }
        }
    }
    models
}

/// What gradual self-training with the ramp loss can do, step by step, whatever minimisers it picks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PopulationStage {
    /// L_r(θ_t, P_t).
    pub ramp_loss: Range,
    /// Err(θ_t, P_t).
    pub error: Range,
}

/// Follows ST(θ₀, (P₁, …, P_T)) along every choice of minimisers; `domains` are P₁ to P_T, in one dimension.
pub fn follow_all(
    class: &NormBall,
    start: &MarginModel,
    domains: &[Atoms],
) -> Result<Vec<PopulationStage>> {
    follow_samples(class, start, domains, domains)
}

/// The same with ST(θ₀, (S₁, …, S_T)): `samples` have the atoms of the domains, with the masses that were seen.
pub fn follow_samples(
    class: &NormBall,
    start: &MarginModel,
    domains: &[Atoms],
    samples: &[Atoms],
) -> Result<Vec<PopulationStage>> {
    let Some(first) = domains.first() else {
        return Ok(Vec::new());
    };
    let mut labelings = vec![
        first
            .iter()
            .map(|p| start.decide(p.x))
            .collect::<Vec<Sign>>(),
    ];
    let mut stages = Vec::new();
    for (t, (domain, sample)) in domains.iter().zip(samples).enumerate() {
        let next = domains.get(t + 1);
        let probes: Vec<f64> = next.iter().flat_map(|n| n.iter().map(|p| p.x[0])).collect();
        let mut stage = PopulationStage {
            ramp_loss: Range::of([]),
            error: Range::of([]),
        };
        let mut reached = Vec::new();
        for labels in &labelings {
            let found = Minimizers::new(sample.relabeled(labels)?.points(), class, &probes)?;
            stage.ramp_loss.join(found.ramp_loss(domain));
            stage.error.join(found.error(domain));
            if let Some(next) = next {
                reached.extend(found.labelings(next));
            }
        }
        reached.sort();
        reached.dedup();
        labelings = reached;
        stages.push(stage);
    }
    Ok(stages)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    /// Nothing on a fine grid of models does better than the smallest risk, and no model there that ties with it has a
    /// loss outside the range over all minimisers.
    #[test]
    fn no_model_on_a_grid_escapes_the_ranges() {
        for trial in 0..60 {
            let mut generator = Seed::new(21).nth(trial).generator();
            let atoms: Vec<([f64; 1], Sign, f64)> = (0..5)
                .map(|_| {
                    let x = f64::from(generator.random_range(-6..=6)) / 4.0;
                    let y = Sign::of(x + generator.random_range(-1.5..1.5));
                    ([x], y, f64::from(generator.random_range(1..4)))
                })
                .collect();
            let truth = Atoms::from_list(&atoms).unwrap();
            let teacher = MarginModel::new(vec![1.0], generator.random_range(-1.0..1.0));
            let labeled = truth.labeled_by(&teacher);
            let class = NormBall::unit();
            let found = Minimizers::new(labeled.points(), &class, &[]).unwrap();
            let (losses, errors) = (found.ramp_loss(&truth), found.error(&truth));
            for w in -16..=16 {
                for b in -128..=128 {
                    let model = MarginModel::new(vec![f64::from(w) / 16.0], f64::from(b) / 32.0);
                    let risk = labeled.ramp_loss(&model);
                    assert!(risk >= found.risk - 1e-12);
                    if risk <= found.risk + 1e-12 {
                        let (loss, error) = (truth.ramp_loss(&model), truth.error(&model));
                        assert!(losses.least <= loss + 1e-9 && loss <= losses.most + 1e-9);
                        assert!(errors.least <= error + 1e-9 && error <= errors.most + 1e-9);
                    }
                }
            }
        }
    }
}
