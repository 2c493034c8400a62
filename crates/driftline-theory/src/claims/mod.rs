//! The registry of statements: each is computed, compared with what our reading of the paper predicts, and explained.

mod contrast;
mod examples;
mod finite_sample;
mod gaussian;
mod gradual;
mod growth;
mod inequality;
mod ingredients;
mod lemmas;
mod near_bound;
mod no_shift;
mod one_step;
pub mod picture;
mod random_problems;
mod samples;
mod self_training;

use rayon::prelude::*;
use serde::Serialize;

pub use inequality::{Factor, LEAST_TELLING, Telling};
pub use picture::Picture;

use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// A statement of the paper, checked. A check leaves id and title to the [`Statement`].
#[derive(Clone, Debug, Default, Serialize)]
pub struct Claim {
    pub id: &'static str,
    pub title: &'static str,
    /// What our reading of the paper says.
    pub predicted: String,
    /// What came out.
    pub computed: String,
    /// Whether they agree.
    pub holds: bool,
    pub explanation: String,
    /// Of a bound on random instances: how many of them could have refuted it, and a little less as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telling: Option<Telling>,
    /// Of a bound: what became of the check with one factor changed at a time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub factors: Vec<Factor>,
    #[serde(skip)]
    pub picture: Option<Picture>,
}

/// Draws instances in parallel, numbered from 0.
fn drawn<T: Send>(n: usize, draw: impl Fn(usize) -> Result<T> + Sync + Send) -> Result<Vec<T>> {
    (0..n).into_par_iter().map(draw).collect()
}

/// Equal up to the rounding of sums of masses.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// A statement that can be checked.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub id: &'static str,
    pub title: &'static str,
    check: fn(Seed) -> Result<Claim>,
}

impl Statement {
    pub fn check(&self, seed: Seed) -> Result<Claim> {
        Ok(Claim {
            id: self.id,
            title: self.title,
            ..(self.check)(seed.named(self.id))?
        })
    }
}

/// All statements in the order of the paper. Lemma B.2 is a fact of measure theory that nothing here could refute, so
/// it is named and not computed.
pub const STATEMENTS: &[Statement] = &[
    statement(
        "3.1",
        "the source model and self-training on the target fail",
        examples::baselines_fail,
    ),
    statement(
        "3.1-max-margin",
        "so does the max-margin source model",
        examples::max_margin,
    ),
    statement(
        "3.1-samples",
        "the same with samples, noise and the ramp learner",
        samples::widened,
    ),
    statement(
        "3.2",
        "one step: loss ≤ 2/(1−ρR)·loss before + α*",
        one_step::one_step,
    ),
    statement(
        "3.2-kantorovich",
        "the same when atoms may split",
        one_step::one_step_splitting,
    ),
    statement(
        "3.2-samples",
        "the same with n examples: + (4BR + √(2 log 2/δ))/√n",
        one_step::samples,
    ),
    statement(
        "3.2-label-shift",
        "class shares that change by τ add 2τ",
        one_step::label_shift,
    ),
    statement(
        "3.2-printed",
        "the same without θ ∈ Θ_R, as printed",
        one_step::printed,
    ),
    statement(
        "3.3-printed",
        "T steps: loss ≤ β^(T+1)·(α₀ + ε)",
        gradual::gradual_printed,
    ),
    statement(
        "3.3-tight",
        "T steps: loss ≤ β^T·α₀ + α*(β^T−1)/(β−1)",
        gradual::gradual_tight,
    ),
    statement(
        "3.3-samples",
        "the same with samples: (α* + ε) for α*",
        gradual::samples,
    ),
    statement(
        "3.3-separable",
        "separable classes and infinite data keep error 0",
        gradual::separable,
    ),
    statement(
        "3.4-printed",
        "exponential growth, construction as printed",
        growth::printed,
    ),
    statement(
        "3.4-two-step",
        "exponential growth, two shifts a round",
        growth::two_step,
    ),
    statement(
        "3.4-three-step",
        "exponential growth, three shifts a round, ρ = 0.9",
        growth::three_step,
    ),
    statement(
        "3.5",
        "without regularisation nothing need change",
        ingredients::no_regularization,
    ),
    statement(
        "3.6",
        "with soft labels the teacher is a best student",
        ingredients::soft_labels,
    ),
    statement(
        "3.7-hinge",
        "the hinge loss ends with every example wrong",
        ingredients::hinge,
    ),
    statement(
        "3.7-ramp",
        "the ramp loss repairs it for α₀ < ½",
        ingredients::ramp,
    ),
    statement(
        "3.8",
        "without shift: loss ≤ α₀(T+1)",
        no_shift::without_shift,
    ),
    statement(
        "4.1",
        "Gaussian classes are followed exactly",
        gaussian::followed,
    ),
    statement(
        "4.1-broken",
        "and lost where the assumptions are broken",
        gaussian::broken,
    ),
    statement(
        "4.1-self-training",
        "iterated self-training reaches w*",
        self_training::reaches,
    ),
    statement(
        "4-descent",
        "self-training descends on U",
        gaussian::descent,
    ),
    statement(
        "5.3",
        "rotating: small W∞, TV 1; mixing: large W∞, small TV",
        contrast::streams,
    ),
    statement(
        "A.1",
        "n examples cost (4BR + √(2 log 2/δ))/√n",
        finite_sample::finite_sample,
    ),
    statement(
        "A.2",
        "error after a shift ≤ loss/(1−ρR)",
        lemmas::error_after_shift,
    ),
    statement(
        "A.3",
        "relabelling a share β costs at most β",
        lemmas::relabeling,
    ),
    statement(
        "A.4",
        "unlabelled loss ≤ labelled loss",
        lemmas::unlabeled_below_labeled,
    ),
    statement(
        "A.5",
        "self-training never raises the unlabelled loss",
        lemmas::unlabeled_decreases,
    ),
    statement(
        "A.6",
        "triangle inequality over pseudo-labels",
        lemmas::triangle,
    ),
    statement(
        "A.7",
        "one step raises the loss by at most U",
        lemmas::growth,
    ),
    statement(
        "A.8",
        "without shift the loss can nearly double",
        examples::doubling,
    ),
    statement("B.1", "w* is 1/B-Lipschitz", gaussian::lipschitz),
    statement(
        "B.3",
        "w* is the strict minimum of U nearby",
        gaussian::local_minimum,
    ),
];

const fn statement(
    id: &'static str,
    title: &'static str,
    check: fn(Seed) -> Result<Claim>,
) -> Statement {
    Statement { id, title, check }
}

/// Checks one statement by its id.
pub fn check(id: &str, seed: Seed) -> Result<Claim> {
    let known = STATEMENTS.iter().find(|statement| statement.id == id);
    known.ok_or_else(|| unknown(id))?.check(seed)
}

/// Checks several statements by their ids, in parallel.
pub fn check_each(ids: &[&str], seed: Seed) -> Result<Vec<Claim>> {
    ids.par_iter().map(|id| check(id, seed)).collect()
}

/// Checks all statements.
pub fn check_all(seed: Seed) -> Result<Vec<Claim>> {
    let ids: Vec<&str> = STATEMENTS.iter().map(|statement| statement.id).collect();
    check_each(&ids, seed)
}

/// The error for an id that no statement has.
pub fn unknown(id: &str) -> Error {
    let all: Vec<&str> = STATEMENTS.iter().map(|statement| statement.id).collect();
    Error::out_of_range("the statement", id, format!("one of {}", all.join(", ")))
}
