//! All columns together: the window is whitened and re-coloured to the source, x ↦ m₀ + C₀^½·C^−½·(x − m), clipped to ±4
//! of the source's deviations. Both covariances are shrunk towards their diagonals, and a variance below (0.05·s₀)² counts
//! as that. It follows changes of correlations as well as of single columns, for tables of at most 256 inputs.

use serde::{Deserialize, Serialize};

use super::standardize::{FLOOR, bound};
use super::{Aligned, Alignment, Shrinkage, expect_table, window};
use crate::Context;
use crate::source_stats::{shrunk, single};
use driftline_core::Result;
use driftline_core::data::Positive;
use driftline_core::matrix::{Eigen, covariance, product};
use driftline_models::onnx::{Graph, Node};
use driftline_models::{Array, Arrays};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Coral {
    /// Windows are shrunk towards the last version's alignment with weight n/(n + this).
    pub shrinkage_rows: Shrinkage,
    /// How many of the source's deviations from its mean an input may be.
    pub clip: Positive,
}

impl Default for Coral {
    fn default() -> Self {
        Self {
            shrinkage_rows: Shrinkage::default(),
            clip: bound(),
        }
    }
}

/// x ↦ clip(centre + A·(x − mean), low, high).
#[derive(Clone, Debug, PartialEq)]
pub struct LinearMap {
    mean: Vec<f32>,
    /// Of the window, for the next one; empty where nobody asks.
    covariance: Vec<f32>,
    /// A, row by row.
    matrix: Vec<f32>,
    centre: Vec<f32>,
    low: Vec<f32>,
    high: Vec<f32>,
}

impl Alignment for Coral {
    fn fit(&self, ctx: &Context<'_>) -> Result<Aligned> {
        let (window, frame) = (window(ctx)?, ctx.frame()?);
        let size = expect_table(window.inputs.shape(), "aligned by their covariance")?;
        let source = frame.covariance()?;
        let (mean, own) = covariance(window.inputs.iter(), size);
        let own = shrunk(own, size, window.len());
        let (last_mean, last) = match &ctx.teacher.alignment {
            Aligned::Linear(last) if last.covariance.len() == source.len() => {
                (&last.mean[..], &last.covariance[..])
            }
            _ => (&frame.means[..], source),
        };
        let toward = |own: &[f64], last| self.shrinkage_rows.toward(window.len(), own, last);
        let mean = single(&toward(&mean, last_mean));
        let mut own = toward(&own, last);
        for (at, deviation) in frame.deviations.iter().enumerate() {
            let least = FLOOR * f64::from(*deviation);
            let variance = &mut own[at * (size + 1)];
            *variance = variance.max(least * least);
        }
        let to: Vec<f64> = source.iter().map(|&entry| f64::from(entry)).collect();
        let reach = |sign: f32| {
            let columns = frame.means.iter().zip(&frame.deviations);
            columns.map(move |(mean, deviation)| mean + sign * self.clip.get() as f32 * deviation)
        };
        Ok(Aligned::Linear(LinearMap {
            mean,
            matrix: single(&recolouring(&own, &to, size)),
            covariance: single(&own),
            centre: frame.means.clone(),
            low: reach(-1.0).collect(),
            high: reach(1.0).collect(),
        }))
    }
}

/// B^½·A^−½: what gives rows of covariance A the covariance B.
pub(crate) fn recolouring(a: &[f64], b: &[f64], size: usize) -> Vec<f64> {
    let white = Eigen::of(a, size).inverse_root();
    product(&Eigen::of(b, size).root(), &white, size)
}

impl LinearMap {
    /// centre + A·(x − mean), clipped nowhere.
    pub(crate) fn new(mean: Vec<f32>, matrix: Vec<f32>, centre: Vec<f32>) -> Self {
        let size = mean.len();
        Self {
            mean,
            covariance: vec![],
            matrix,
            centre,
            low: vec![f32::MIN; size],
            high: vec![f32::MAX; size],
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.mean.len()
    }

    pub(crate) fn apply(&self, row: &[f32], out: &mut Vec<f32>) {
        let off: Vec<f32> = row
            .iter()
            .zip(&self.mean)
            .map(|(x, mean)| x - mean)
            .collect();
        let lines = self.matrix.chunks_exact(self.size()).zip(&self.centre);
        let lines = lines.zip(self.low.iter().zip(&self.high));
        out.extend(lines.map(|((line, centre), (low, high))| {
            let sum: f32 = line.iter().zip(&off).map(|(a, x)| a * x).sum();
            (sum + centre).clamp(*low, *high)
        }));
    }

    pub(super) fn onnx(&self, graph: &mut Graph, input: Node) -> Node {
        let size = self.size();
        let turned: Vec<f32> = (0..size * size)
            .map(|at| self.matrix[at % size * size + at / size])
            .collect();
        let mut constant = |name: &str, values: &[f32]| graph.floats(name, &[size], values);
        let mean = constant("align.mean", &self.mean);
        let centre = constant("align.centre", &self.centre);
        let low = constant("align.low", &self.low);
        let high = constant("align.high", &self.high);
        let matrix = graph.floats("align.matrix", &[size, size], &turned);
        let centred = graph.node("Sub", &[&input, &mean], &[]);
        let coloured = graph.node("MatMul", &[&centred, &matrix], &[]);
        let moved = graph.node("Add", &[&coloured, &centre], &[]);
        let moved = graph.node("Max", &[&moved, &low], &[]);
        graph.node("Min", &[&moved, &high], &[])
    }

    pub(super) fn arrays(&self) -> Vec<Array> {
        let size = self.size();
        let one = |name: &str, values: &[f32]| Array::single(name, &[size], values);
        let mut arrays = vec![
            one("align.mean", &self.mean),
            Array::single("align.matrix", &[size, size], &self.matrix),
            one("align.centre", &self.centre),
            one("align.low", &self.low),
            one("align.high", &self.high),
        ];
        if !self.covariance.is_empty() {
            let covariance = Array::single("align.covariance", &[size, size], &self.covariance);
            arrays.push(covariance);
        }
        arrays
    }

    pub(super) fn restore(size: usize, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let map = Self {
            mean: arrays.single("align.mean", &[size])?,
            matrix: arrays.single("align.matrix", &[size, size])?,
            centre: arrays.single("align.centre", &[size])?,
            low: arrays.single("align.low", &[size])?,
            high: arrays.single("align.high", &[size])?,
            covariance: match arrays.has("align.covariance") {
                true => arrays.single("align.covariance", &[size, size])?,
                false => vec![],
            },
        };
        match map.low.iter().zip(&map.high).all(|(low, high)| low <= high) {
            true => Ok(map),
            false => Err("the alignment has a lower bound above its upper one".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// numpy: scipy.linalg.sqrtm(B) @ inv(sqrtm(A)) for these two.
    #[test]
    fn recolouring_agrees_with_scipy() {
        let (a, b) = ([2.0, 0.5, 0.5, 1.0], [1.0, -0.3, -0.3, 0.5]);
        let map = recolouring(&a, &b, 2);
        let right = [0.755562869, -0.346663686, -0.241730806, 0.751532415];
        for (found, right) in map.iter().zip(right) {
            assert!((found - right).abs() < 1e-7, "{map:?}");
        }
        // A·C·Aᵀ is the other covariance.
        let turned = [map[0], map[2], map[1], map[3]];
        let again = product(&product(&map, &a, 2), &turned, 2);
        for (found, right) in again.iter().zip(b) {
            assert!((found - right).abs() < 1e-12, "{again:?}");
        }
    }
}
