//! Domains made up between the last one and the next, for a step that is too far for self-training: rows are paired by
//! optimal transport, and domain j of k holds the points (1 − t)·xᵢ + t·y_σ(i) with t = j/(k + 1), as in GOAT (He and
//! others 2023). Each is learned from in turn before the window itself.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::context::Context;
use driftline_core::data::{Domain, Inputs, Positive};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};
use driftline_drift::transport::{MOST_ROWS, entropic, pairing, squared_distances};
use driftline_models::Classifier;

/// How to make them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Bridge {
    /// How many; chosen by distance if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domains: Option<NonZeroUsize>,
    /// Where the number is chosen: no step is to be longer than this many times the distance between two samples of one
    /// domain; 0.1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<Positive>,
    /// Where the number is chosen: at most this many, 20 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<NonZeroUsize>,
    #[serde(default, skip_serializing_if = "Space::is_inputs")]
    pub space: Space,
    /// Where rows are near each other; the space that is interpolated in if absent. Inputs may be paired by the features
    /// of any model that has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Space>,
    #[serde(default, skip_serializing_if = "Matching::is_exact")]
    pub matching: Matching,
}

/// What is interpolated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Space {
    /// The inputs as they arrive.
    #[default]
    Inputs,
    /// The model's features; only a head that stands on a frozen encoder can learn from them.
    Features,
}

/// How rows find their partners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// One to one, at the least sum of squared distances; in batches above 4,096 rows.
    #[default]
    Exact,
    /// Each row goes to the mean of where entropic transport sends it; ε is this share of the mean cost.
    Entropic(Positive),
}

const STEP: f64 = 0.1;
const AT_MOST: usize = 20;
/// Distances that decide the number are measured on this many rows a side.
const ROWS_TO_MEASURE: usize = 500;
/// Sinkhorn's iteration ends at this error, or after N rounds.
const TOLERANCE: f64 = 1e-3;
const ROUNDS: usize = 500;

impl Default for Bridge {
    fn default() -> Self {
        Self {
            domains: None,
            step: None,
            at_most: None,
            space: Space::Inputs,
            pairs: None,
            matching: Matching::Exact,
        }
    }
}

impl Space {
    pub(super) fn is_inputs(&self) -> bool {
        *self == Space::Inputs
    }
}

impl Matching {
    fn is_exact(&self) -> bool {
        *self == Matching::Exact
    }
}

/// Two ends whose rows belong together, and the number of domains between them.
#[derive(Clone, Debug)]
pub(super) struct Crossing {
    from: Inputs,
    to: Inputs,
    pub domains: usize,
}

impl Bridge {
    /// From what was learned last (the source, before the first window) to `window`; nothing where neither is at hand.
    pub(super) fn crossing(&self, ctx: &Context<'_>, window: &Domain) -> Result<Option<Crossing>> {
        let from = match (ctx.previous, ctx.source, ctx.number) {
            (Some(previous), _, _) => &previous.inputs,
            (None, Some(source), 1) => source.inputs(),
            _ => return Ok(None),
        };
        if window.is_empty() {
            return Ok(None);
        }
        let seed = ctx.seed.named("bridge");
        let from = some(from, window.len(), seed.named("rows"));
        let ends = [&from, &window.inputs];
        let [from, to] = match self.space {
            Space::Inputs => ends.map(Inputs::clone),
            Space::Features => [trained_on(ctx, ends[0])?, trained_on(ctx, ends[1])?],
        };
        let [near_from, near_to] = match self.pairs.unwrap_or(self.space) {
            space if space == self.space => [from.clone(), to.clone()],
            Space::Inputs => ends.map(Inputs::clone),
            Space::Features => [features(ctx, ends[0])?, features(ctx, ends[1])?],
        };
        let domains = match self.domains {
            Some(given) => given.get(),
            None => self.chosen(&near_from, &near_to, seed.named("number"))?,
        };
        let (from, to) = match self.matching {
            Matching::Exact => {
                let pairs = pairing(&near_from, &near_to, MOST_ROWS, seed)?.pairs;
                let (lefts, rights): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
                (from.pick(&lefts), to.pick(&rights))
            }
            Matching::Entropic(blur) => {
                let costs = squared_distances(&near_from, &near_to)?;
                let sizes = [near_from.len(), near_to.len()];
                let coupling = entropic(sizes[0], sizes[1], &costs, blur, TOLERANCE, ROUNDS)?;
                let to = coupling.barycentres(&to)?;
                (from, to)
            }
        };
        Ok(Some(Crossing { from, to, domains }))
    }

    /// With C the mean cost of the best pairing of m rows a side: s² = (C(x, x′) + C(y, y′))/2 between samples of one
    /// domain, d² = C(x, y) − s² between the domains; ⌈d/(step·s)⌉ steps, hence one domain fewer.
    fn chosen(&self, from: &Inputs, to: &Inputs, seed: Seed) -> Result<usize> {
        let most = self.at_most.map_or(AT_MOST, NonZeroUsize::get);
        let m = (from.len().min(to.len()) / 2).min(ROWS_TO_MEASURE);
        if m == 0 {
            return Ok(0);
        }
        let halves = |all: &Inputs, name: &str| {
            let rows = permutation(all.len(), seed.named(name));
            (all.pick(&rows[..m]), all.pick(&rows[m..2 * m]))
        };
        let ((x, more_x), (y, more_y)) = (halves(from, "from"), halves(to, "to"));
        let cost = |a: &Inputs, b: &Inputs| pairing(a, b, m, seed).map(|found| found.cost);
        let within = (cost(&x, &more_x)? + cost(&y, &more_y)?) / 2.0;
        let between = (cost(&x, &y)? - within).max(0.0);
        if within <= 0.0 {
            return Ok(if between > 0.0 { most } else { 0 });
        }
        let step = self.step.map_or(STEP, Positive::get);
        let steps = ((between / within).sqrt() / step).ceil() as usize;
        Ok(steps.saturating_sub(1).min(most))
    }
}

/// At most `n` of the rows, at random, in their order.
fn some(inputs: &Inputs, n: usize, seed: Seed) -> Inputs {
    if inputs.len() <= n {
        return inputs.clone();
    }
    let mut rows = permutation(inputs.len(), seed);
    rows.truncate(n);
    rows.sort_unstable();
    inputs.pick(&rows)
}

/// The features of rows as they arrive.
fn features(ctx: &Context<'_>, inputs: &Inputs) -> Result<Inputs> {
    let features = ctx.teacher.features(inputs)?;
    features.ok_or_else(|| Error::NotSupported {
        what: format!("a model of kind `{}`", ctx.teacher.model.kind()),
        how: "asked for features; pair in `inputs`".into(),
    })
}

/// The same, for a model that learns from them.
fn trained_on(ctx: &Context<'_>, inputs: &Inputs) -> Result<Inputs> {
    let model = &ctx.teacher.model;
    let features = ctx.teacher.features(inputs)?;
    let usable = features.filter(|features| model.takes(features.shape()));
    usable.ok_or_else(|| Error::NotSupported {
        what: format!("a model of kind `{}`", model.kind()),
        how: "trained on generated features; a `frozen-encoder` is, and any model on generated inputs (`space = \"inputs\"`)".into(),
    })
}

impl Crossing {
    /// The domain that is j of the steps on the way, from 1.
    pub fn domain(&self, j: usize) -> Result<Domain> {
        let t = j as f32 / (self.domains + 1) as f32;
        let between = |(x, y): (&f32, &f32)| (1.0 - t) * x + t * y;
        let rows = self.from.iter().zip(self.to.iter());
        let values = rows.flat_map(|(x, y)| x.iter().zip(y).map(between));
        Inputs::new(values.collect(), self.from.shape()).map(Domain::new)
    }
}
