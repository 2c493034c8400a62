//! Labels carried by transport: the rows of the last window, with their labels, are paired with the rows of this one so
//! that Σ ‖xᵢ − y(i)‖² is least, and each row takes the label of its partner; then that of most of its neighbours. No
//! model is asked. Assumes that classes keep their shares and move less than they are apart.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::nested::{hard, labeled};
use super::{Labeled, Labeler, Labeling};
use crate::{Context, State};
use driftline_core::data::{Domain, Examples, Inputs, Labels, Targets, argmax};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_drift::transport::pairing;
use driftline_models::Classifier;
use driftline_models::neighbours::{Nearest, Points};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Transport {
    /// Up to this many rows are paired at once; more are dealt out to as many batches as it takes.
    pub exact: NonZeroUsize,
    /// A row takes the label of most of this many neighbours, itself among them; 1 leaves what was carried.
    pub neighbours: NonZeroUsize,
}

impl Default for Transport {
    fn default() -> Self {
        let whole = |n: usize| NonZeroUsize::new(n).expect("constants are not 0");
        Self {
            exact: whole(1000),
            neighbours: whole(11),
        }
    }
}

/// Rows with their labels.
struct Labelled {
    rows: Inputs,
    labels: Vec<u32>,
}

impl Labeler for Transport {
    fn label(&self, ctx: &Context<'_>, window: &Domain) -> Result<Labeled> {
        if window.is_empty() {
            return Err(Error::empty("the domain to be labelled"));
        }
        let size = window.inputs.shape().size();
        let n_classes = ctx.teacher.n_classes();
        let before = match restore(&ctx.teacher.labeler, window)? {
            Some(before) => before,
            None => begin(ctx, window)?,
        };
        let carried = self.carry(&before, &window.inputs, n_classes, ctx.seed)?;
        let rows = window.inputs.contiguous();
        let labels = Labels::new(self.smoothed(&carried, &rows, size, n_classes), n_classes)?;
        let mut state = State::default();
        let n = window.len();
        state.set("transport.rows", &[n, size], rows.to_vec())?;
        let numbers = labels.as_slice().iter().map(|&label| label as f32);
        state.set("transport.labels", &[n], numbers.collect())?;
        let labeling = Labeling::kept(n, &labels);
        let examples = Examples::new(window.inputs.clone(), Targets::Hard(labels))?;
        Ok(Labeled::new(Some(examples), labeling).remembering(state))
    }
}

impl Transport {
    /// The label of each row's partner, or of most where it has several.
    fn carry(
        &self,
        before: &Labelled,
        rows: &Inputs,
        n_classes: usize,
        seed: Seed,
    ) -> Result<Vec<u32>> {
        let found = pairing(&before.rows, rows, self.exact.get(), seed.named("pairing"))?;
        let mut votes = vec![0.0_f32; rows.len() * n_classes];
        for (from, to) in found.pairs {
            votes[to * n_classes + before.labels[from] as usize] += 1.0;
        }
        let votes = votes.chunks_exact(n_classes);
        Ok(votes.map(|votes| argmax(votes) as u32).collect())
    }

    /// What most neighbours were given; of equals a row's own, then the first.
    fn smoothed(&self, labels: &[u32], rows: &[f32], size: usize, n_classes: usize) -> Vec<u32> {
        let k = self.neighbours.get().min(labels.len());
        if k == 1 {
            return labels.to_vec();
        }
        let points = Points::new(rows, size);
        let mut nearest = Nearest::new(k);
        let mut votes = vec![0_usize; n_classes];
        let mut smoothed = vec![];
        for (row, &own) in rows.chunks_exact(size).zip(labels) {
            points.search(row, &mut nearest);
            votes.fill(0);
            for &(_, number) in nearest.found() {
                votes[labels[number as usize] as usize] += 1;
            }
            let mut best = own as usize;
            for class in 0..n_classes {
                if votes[class] > votes[best] {
                    best = class;
                }
            }
            smoothed.push(best as u32);
        }
        smoothed
    }
}

fn restore(state: &State, window: &Domain) -> Result<Option<Labelled>> {
    let Some((_, labels)) = state.get("transport.labels") else {
        return Ok(None);
    };
    let shape = window.inputs.shape();
    let rows = state
        .get("transport.rows")
        .map_or(&[][..], |(_, rows)| rows);
    if rows.len() != labels.len() * shape.size() || labels.is_empty() {
        let expected = format!(
            "{} numbers for each of {} labels",
            shape.size(),
            labels.len()
        );
        return Err(Error::mismatch("the rows remembered", expected, rows.len()));
    }
    Ok(Some(Labelled {
        rows: Inputs::new(rows.to_vec(), shape)?,
        labels: labels.iter().map(|&label| label as u32).collect(),
    }))
}

/// The end of the labelled source, as many rows as the window has, where every class is among them; else all of it.
fn begin(ctx: &Context<'_>, window: &Domain) -> Result<Labelled> {
    let source = labeled(ctx)?;
    source.inputs().expect_shape(window.inputs.shape())?;
    let labels: Vec<u32> = hard(&source).iter().map(|&class| class as u32).collect();
    let present = |labels: &[u32]| {
        let mut present = vec![false; source.n_classes()];
        labels
            .iter()
            .for_each(|&class| present[class as usize] = true);
        present
    };
    let n = labels.len();
    let end = n.saturating_sub(window.len());
    let every = present(&labels[end..]) == present(&labels);
    let from = if every { end } else { 0 };
    Ok(Labelled {
        rows: source.inputs().slice(from..n),
        labels: labels[from..].to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f32]) -> Inputs {
        Inputs::new(values.to_vec(), driftline_core::data::Shape::Vector(1)).unwrap()
    }

    fn carried(before: &[(f32, u32)], rows: &[f32], exact: usize) -> Vec<u32> {
        let (values, labels): (Vec<f32>, Vec<u32>) = before.iter().copied().unzip();
        let before = Labelled {
            rows: line(&values),
            labels,
        };
        let transport = Transport {
            exact: NonZeroUsize::new(exact).unwrap(),
            ..Transport::default()
        };
        let rows = line(rows);
        transport.carry(&before, &rows, 2, Seed::new(0)).unwrap()
    }

    /// On a line the cheapest pairing is the sorted one: labels go by rank, however far all have moved.
    #[test]
    fn on_a_line_labels_are_carried_by_rank() {
        let rows = [14.0, 10.0, 13.0, 9.0];
        let before = [(0.0, 0), (1.0, 0), (5.0, 1), (6.0, 1)];
        assert_eq!(carried(&before, &rows, 100), [1, 0, 1, 0]);
        assert_eq!(carried(&[(0.0, 0), (5.0, 1)], &rows, 100), [1, 0, 1, 0]);
        let more: Vec<(f32, u32)> = (0..8).map(|i| (i as f32, u32::from(i > 3))).collect();
        assert_eq!(carried(&more, &rows, 100), [1, 0, 1, 0]);
    }

    #[test]
    fn batches_pair_every_row() {
        let before: Vec<(f32, u32)> = (0..60).map(|i| (i as f32 % 2.0 * 5.0, i % 2)).collect();
        let rows: Vec<f32> = before.iter().map(|(x, _)| x + 0.2).collect();
        let right: Vec<u32> = before.iter().map(|(_, label)| *label).collect();
        let found = carried(&before, &rows, 20);
        let same = found.iter().zip(&right).filter(|(a, b)| a == b).count();
        assert!(same >= 54, "{same} of 60");
    }

    #[test]
    fn one_row_among_others_takes_their_label() {
        let rows: Vec<f32> = (0..12).map(|i| i as f32 * 0.1).collect();
        let mut labels = vec![0; 12];
        labels[5] = 1;
        let smoothed = Transport::default().smoothed(&labels, &rows, 1, 2);
        assert_eq!(smoothed, [0; 12]);
    }
}
