//! Every column by the window's own mean m and deviation s, brought to the source's m₀ and s₀:
//! x ↦ m₀ + s₀·clip((x − m)/s, ±4). A deviation below 0.05·s₀ counts as that. It follows columns that are shifted or
//! stretched, and is wrong where the classes' shares change.

use serde::{Deserialize, Serialize};

use super::{Aligned, Alignment, Shrinkage, window};
use crate::Context;
use crate::source_stats::{moments, single};
use driftline_core::Result;
use driftline_core::data::Positive;
use driftline_models::onnx::{Graph, Node};
use driftline_models::{Array, Arrays};

/// The least deviation of a window, in deviations of the source.
pub(super) const FLOOR: f64 = 0.05;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Standardize {
    /// Windows are shrunk towards the last version's alignment with weight n/(n + this).
    pub shrinkage_rows: Shrinkage,
    /// How many of the source's deviations from its mean an input may be.
    pub clip: Positive,
}

impl Default for Standardize {
    fn default() -> Self {
        Self {
            shrinkage_rows: Shrinkage::default(),
            clip: bound(),
        }
    }
}

/// ±4, as the source is clipped.
pub(super) fn bound() -> Positive {
    Positive::new(4.0).expect("4 is positive")
}

/// x ↦ centre + spread·clip((x − mean)/deviation, ±bound), input by input.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnMap {
    mean: Vec<f32>,
    deviation: Vec<f32>,
    centre: Vec<f32>,
    spread: Vec<f32>,
    bound: f32,
}

impl Alignment for Standardize {
    fn fit(&self, ctx: &Context<'_>) -> Result<Aligned> {
        let (window, frame) = (window(ctx)?, ctx.frame()?);
        let (mean, deviation) = moments(&window.inputs);
        let (last_mean, last_deviation) = match &ctx.teacher.alignment {
            Aligned::Standardized(last) => (&last.mean, &last.deviation),
            _ => (&frame.means, &frame.deviations),
        };
        let toward = |own: &[f64], last: &[f32]| {
            let shrunk = self.shrinkage_rows.toward(window.len(), own, last);
            single(&shrunk)
        };
        let deviation = toward(&deviation, last_deviation);
        let floored = deviation.iter().zip(&frame.deviations);
        Ok(Aligned::Standardized(ColumnMap {
            mean: toward(&mean, last_mean),
            deviation: floored.map(|(&own, &source)| floor(own, source)).collect(),
            centre: frame.means.clone(),
            spread: frame.deviations.clone(),
            bound: self.clip.get() as f32,
        }))
    }
}

/// A column that varies neither here nor in the source is divided by 1.
fn floor(own: f32, source: f32) -> f32 {
    match own.max(FLOOR as f32 * source) {
        0.0 => 1.0,
        deviation => deviation,
    }
}

impl ColumnMap {
    pub(super) fn size(&self) -> usize {
        self.mean.len()
    }

    pub(super) fn apply(&self, row: &[f32], out: &mut Vec<f32>) {
        let columns = row.iter().zip(&self.mean).zip(&self.deviation);
        let columns = columns.zip(&self.centre).zip(&self.spread);
        out.extend(columns.map(|((((x, mean), deviation), centre), spread)| {
            let own = ((x - mean) / deviation).clamp(-self.bound, self.bound);
            own * spread + centre
        }));
    }

    pub(super) fn onnx(&self, graph: &mut Graph, input: Node) -> Node {
        let mut constant = |name: &str, values: &[f32]| graph.floats(name, &[values.len()], values);
        let mean = constant("align.mean", &self.mean);
        let deviation = constant("align.deviation", &self.deviation);
        let centre = constant("align.centre", &self.centre);
        let spread = constant("align.spread", &self.spread);
        let least = graph.floats("align.least", &[], &[-self.bound]);
        let most = graph.floats("align.most", &[], &[self.bound]);
        let centred = graph.node("Sub", &[&input, &mean], &[]);
        let own = graph.node("Div", &[&centred, &deviation], &[]);
        let clipped = graph.node("Clip", &[&own, &least, &most], &[]);
        let spread = graph.node("Mul", &[&clipped, &spread], &[]);
        graph.node("Add", &[&spread, &centre], &[])
    }

    pub(super) fn arrays(&self) -> Vec<Array> {
        let one = |name: &str, values: &[f32]| Array::single(name, &[values.len()], values);
        vec![
            one("align.mean", &self.mean),
            one("align.deviation", &self.deviation),
            one("align.centre", &self.centre),
            one("align.spread", &self.spread),
            one("align.bound", &[self.bound]),
        ]
    }

    pub(super) fn restore(size: usize, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let map = Self {
            mean: arrays.single("align.mean", &[size])?,
            deviation: arrays.single("align.deviation", &[size])?,
            centre: arrays.single("align.centre", &[size])?,
            spread: arrays.single("align.spread", &[size])?,
            bound: arrays.single("align.bound", &[1])?[0],
        };
        match map.deviation.iter().all(|&d| d > 0.0) && map.bound > 0.0 {
            true => Ok(map),
            false => Err("the alignment divides by a deviation that is not above 0".into()),
        }
    }
}
