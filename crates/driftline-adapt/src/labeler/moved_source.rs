//! The source's true labels, its inputs moved so that they look like the window: the student learns from the moved source
//! alone. Moved column by column (`standardize`, `quantiles`), by CORAL (A = (C+rI)^½·(C₀+rI)^−½), by optimal
//! transport (each row to the mean of where its mass goes), or into the window's subspace (x ↦ P·Pᵀ·P₀·P₀ᵀ·(x − m₀)).

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::{Labeled, Labeler};
use crate::Context;
use crate::alignment::{LinearMap, QuantileMap, projection, recolouring, subspace_size};
use crate::source_stats::{knots, moments, single};
use driftline_core::data::{Domain, Examples, Inputs, LabeledDomain, NonNegative, Positive, Shape};
use driftline_core::matrix::{covariance, product};
use driftline_core::random::permutation;
use driftline_core::{Error, Result};
use driftline_drift::transport::{entropic, squared_distances};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MovedSource {
    pub by: Move,
    /// r, added to the variances of source and window before correlations are compared.
    pub ridge: NonNegative,
    /// How blurred transport is: ε is this times the mean cost.
    pub blur: Positive,
    /// Transport moves at most this many rows of the source, drawn at random, to as many of the window.
    pub rows: NonZeroUsize,
    /// Of the subspaces; as many as hold 95 % of the source's variance if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<NonZeroUsize>,
}

/// How the source is moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Move {
    Standardize,
    Quantiles,
    #[serde(rename = "correlation", alias = "coral")]
    #[cfg_attr(feature = "schema", schemars(rename = "coral"))]
    Coral,
    Transport,
    Subspace,
}

/// Sinkhorn's iteration ends when rows have their mass up to this, or after N rounds.
const TOLERANCE: f64 = 1e-6;
const MOST_ITERATIONS: usize = 1000;

impl Default for MovedSource {
    fn default() -> Self {
        let known = "constants are in range";
        Self {
            by: Move::Quantiles,
            ridge: NonNegative::new(1.0).expect(known),
            blur: Positive::new(0.05).expect(known),
            rows: NonZeroUsize::new(1000).expect(known),
            dimensions: None,
        }
    }
}

impl Labeler for MovedSource {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        let source = ctx.source.ok_or(Error::SourceMissing)?;
        if window.is_empty() {
            return Err(Error::empty("the window that the source is moved to"));
        }
        let Shape::Vector(size) = window.inputs.shape() else {
            return Err(Error::NotSupported {
                what: "images".into(),
                how: "what a source is moved to".into(),
            });
        };
        let moved = self.moved(ctx, source, &window.inputs, size)?;
        Ok(Labeled::of_source(window.len(), Examples::from(&moved)))
    }
}

impl MovedSource {
    fn moved(
        &self,
        ctx: &Context<'_>,
        source: &LabeledDomain,
        window: &Inputs,
        size: usize,
    ) -> Result<LabeledDomain> {
        let inputs = source.inputs();
        let moved = match self.by {
            Move::Transport => {
                let some = |n: usize, name: &str| {
                    let mut rows = permutation(n, ctx.seed.named(name));
                    rows.truncate(self.rows.get());
                    rows.sort_unstable();
                    rows
                };
                let source = source.pick(&some(source.len(), "transport-source"));
                let window = window.pick(&some(window.len(), "transport-window"));
                let costs = squared_distances(source.inputs(), &window)?;
                let (n, m) = (source.len(), window.len());
                let plan = entropic(n, m, &costs, self.blur, TOLERANCE, MOST_ITERATIONS)?;
                let moved = plan.barycentres(&window)?;
                return LabeledDomain::new(moved, source.labels().clone());
            }
            Move::Standardize => {
                let ((mean, deviation), (to_mean, to)) = (moments(inputs), moments(window));
                let scale = |(&own, &to): (&f64, &f64)| if own > 0.0 { to / own } else { 0.0 };
                let mut matrix = vec![0.0; size * size];
                for (at, scale) in deviation.iter().zip(&to).map(scale).enumerate() {
                    matrix[at * (size + 1)] = scale;
                }
                linear(inputs, &mean, &matrix, &to_mean)?
            }
            Move::Quantiles => {
                let map = QuantileMap::new(knots(inputs), &knots(window));
                mapped(inputs, |row, out| map.apply(row, out))?
            }
            Move::Coral => {
                let (mean, mut own) = covariance(inputs.iter(), size);
                let (to_mean, mut to) = covariance(window.iter(), size);
                for at in 0..size {
                    own[at * (size + 1)] += self.ridge.get();
                    to[at * (size + 1)] += self.ridge.get();
                }
                linear(inputs, &mean, &recolouring(&own, &to, size), &to_mean)?
            }
            Move::Subspace => {
                let (mean, own) = covariance(inputs.iter(), size);
                let (to_mean, to) = covariance(window.iter(), size);
                let dimensions = subspace_size(self.dimensions, ctx.frame()?.covariance()?, size);
                let (own, to) = (
                    projection(&own, size, dimensions),
                    projection(&to, size, dimensions),
                );
                // What the window's own rows are to the map in front of the model.
                linear(inputs, &mean, &product(&to, &own, size), &to_mean)?
            }
        };
        LabeledDomain::new(moved, source.labels().clone())
    }
}

/// centre + A·(x − mean) for every row.
fn linear(inputs: &Inputs, mean: &[f64], matrix: &[f64], centre: &[f64]) -> Result<Inputs> {
    let map = LinearMap::new(single(mean), single(matrix), single(centre));
    mapped(inputs, |row, out| map.apply(row, out))
}

fn mapped(inputs: &Inputs, map: impl Fn(&[f32], &mut Vec<f32>)) -> Result<Inputs> {
    let mut values = Vec::with_capacity(inputs.len() * inputs.shape().size());
    inputs.iter().for_each(|row| map(row, &mut values));
    Inputs::new(values, inputs.shape())
}
