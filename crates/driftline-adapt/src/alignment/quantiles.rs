//! Every column by its quantiles: the value at a quantile of the window becomes the value at the same quantile of the
//! source, piecewise linearly between 33 knots, constant outside. It follows any monotone change of single columns, and is
//! wrong where the classes' shares change. Equal knots of the window go to the mean of what they would go to.

use serde::{Deserialize, Serialize};

use super::{Aligned, Alignment, Shrinkage, expect_table, window};
use crate::Context;
use crate::source_stats::{KNOTS, knots, single};
use driftline_core::Result;
use driftline_models::onnx::{Attribute, Graph, Node};
use driftline_models::{Array, Arrays};

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Quantiles {
    /// Windows are shrunk towards the last version's alignment with weight n/(n + this).
    pub shrinkage_rows: Shrinkage,
}

/// Knots of one column after the other, in ascending order, and what they become.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantileMap {
    from: Vec<f32>,
    to: Vec<f32>,
}

impl Alignment for Quantiles {
    fn fit(&self, ctx: &Context<'_>) -> Result<Aligned> {
        let (window, frame) = (window(ctx)?, ctx.frame()?);
        expect_table(window.inputs.shape(), "aligned by their quantiles")?;
        let to = frame.knots()?;
        let last = match &ctx.teacher.alignment {
            Aligned::Quantiles(last) => &last.from,
            _ => to,
        };
        let own: Vec<f64> = knots(&window.inputs).into_iter().map(f64::from).collect();
        let from = self.shrinkage_rows.toward(window.len(), &own, last);
        Ok(Aligned::Quantiles(QuantileMap::new(single(&from), to)))
    }
}

impl QuantileMap {
    /// From some knots to others of as many columns.
    pub(crate) fn new(from: Vec<f32>, to: &[f32]) -> Self {
        let mut averaged = to.to_vec();
        for (from, to) in from.chunks(KNOTS).zip(averaged.chunks_mut(KNOTS)) {
            let mut first = 0;
            for last in 0..from.len() {
                if from.get(last + 1) == Some(&from[last]) {
                    continue;
                }
                let equal = &mut to[first..=last];
                let sum: f64 = equal.iter().map(|&value| f64::from(value)).sum();
                let mean = (sum / equal.len() as f64) as f32;
                equal.fill(mean);
                first = last + 1;
            }
        }
        Self { from, to: averaged }
    }

    pub(crate) fn size(&self) -> usize {
        self.from.len() / KNOTS
    }

    pub(crate) fn apply(&self, row: &[f32], out: &mut Vec<f32>) {
        let columns = self
            .from
            .chunks_exact(KNOTS)
            .zip(self.to.chunks_exact(KNOTS));
        out.extend(row.iter().zip(columns).map(|(&x, (from, to))| {
            let above = from.partition_point(|&knot| knot <= x);
            match above {
                0 => to[0],
                KNOTS => to[KNOTS - 1],
                _ => {
                    let below = above - 1;
                    let share = (x - from[below]) / (from[above] - from[below]);
                    to[below] + (to[above] - to[below]) * share
                }
            }
        }));
    }

    /// y = to₀ + Σᵢ slopeᵢ·clip(x − fromᵢ, 0, fromᵢ₊₁ − fromᵢ): the same piecewise linear function as a sum.
    pub(super) fn onnx(&self, graph: &mut Graph, input: Node) -> Node {
        let (size, steps) = (self.size(), KNOTS - 1);
        let (mut starts, mut widths, mut slopes, mut first) = (vec![], vec![], vec![], vec![]);
        for (from, to) in self.from.chunks(KNOTS).zip(self.to.chunks(KNOTS)) {
            first.push(to[0]);
            for (from, to) in from.windows(2).zip(to.windows(2)) {
                let width = from[1] - from[0];
                starts.push(from[0]);
                widths.push(width);
                slopes.push(if width > 0.0 {
                    (to[1] - to[0]) / width
                } else {
                    0.0
                });
            }
        }
        let starts = graph.floats("align.starts", &[size, steps], &starts);
        let widths = graph.floats("align.widths", &[size, steps], &widths);
        let slopes = graph.floats("align.slopes", &[size, steps], &slopes);
        let first = graph.floats("align.first", &[size], &first);
        let zero = graph.floats("align.zero", &[1], &[0.0]);
        let axis = graph.ints("align.axis", &[1], &[2]);
        let apart = graph.node("Unsqueeze", &[&input, &axis], &[]);
        let past = graph.node("Sub", &[&apart, &starts], &[]);
        let past = graph.node("Max", &[&past, &zero], &[]);
        let past = graph.node("Min", &[&past, &widths], &[]);
        let climbed = graph.node("Mul", &[&past, &slopes], &[]);
        let keep = [("keepdims", Attribute::Int(0))];
        let climbed = graph.node("ReduceSum", &[&climbed, &axis], &keep);
        graph.node("Add", &[&climbed, &first], &[])
    }

    pub(super) fn arrays(&self) -> Vec<Array> {
        let dimensions = [self.size(), KNOTS];
        vec![
            Array::single("align.from", &dimensions, &self.from),
            Array::single("align.to", &dimensions, &self.to),
        ]
    }

    pub(super) fn restore(size: usize, arrays: &mut Arrays<'_>) -> Result<Self, String> {
        let from = arrays.single("align.from", &[size, KNOTS])?;
        let to = arrays.single("align.to", &[size, KNOTS])?;
        match from.chunks(KNOTS).all(|column| column.is_sorted()) {
            true => Ok(Self { from, to }),
            false => Err("the knots of the alignment do not ascend".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: impl Fn(usize) -> f32) -> Vec<f32> {
        (0..KNOTS).map(from).collect()
    }

    #[test]
    fn knots_become_knots_and_lines_lie_between() {
        let map = QuantileMap::new(line(|i| i as f32), &line(|i| (i * i) as f32));
        let at = |x: f32| {
            let mut out = vec![];
            map.apply(&[x], &mut out);
            out[0]
        };
        assert_eq!([at(0.0), at(3.0), at(32.0)], [0.0, 9.0, 1024.0]);
        assert_eq!([at(3.5), at(-5.0), at(99.0)], [12.5, 0.0, 1024.0]);
    }

    /// A window of which half is 0 and half is 1: each goes to the mean of its half of the source.
    #[test]
    fn equal_knots_go_to_the_mean_of_theirs() {
        let from = line(|i| f32::from(u8::from(i > 16)));
        let map = QuantileMap::new(from, &line(|i| i as f32));
        let mut out = vec![];
        for x in [0.0, 1.0, 0.5] {
            map.apply(&[x], &mut out);
        }
        assert_eq!(out, [8.0, 24.5, 16.25]);
    }
}
