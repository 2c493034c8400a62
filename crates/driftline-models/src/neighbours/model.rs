//! The examples, and what their votes come to.

use std::num::NonZeroUsize;
use std::sync::Arc;

use rayon::prelude::*;

use super::search::{Nearest, Points};
use crate::onnx::{self, Graph, Node};
use crate::{Classifier, Stored};
use driftline_core::data::{Examples, Inputs, Probabilities, Shape, Targets};
use driftline_core::{Error, Result};

/// Rows that one thread takes at a time.
const CHUNK: usize = 512;

/// A model of nearest neighbours. Examples of weight 0 are not kept.
#[derive(Clone, Debug)]
pub struct NeighboursModel {
    pub(super) shape: Shape,
    pub(super) n_classes: usize,
    pub(super) k: NonZeroUsize,
    points: Arc<Points>,
    /// Examples × classes, each row times the example's weight.
    pub(super) votes: Arc<Vec<f32>>,
}

impl NeighboursModel {
    pub(super) fn new(examples: &Examples, k: NonZeroUsize) -> Result<Self> {
        let n_classes = examples.n_classes();
        let kept: Vec<usize> = (0..examples.len())
            .filter(|&row| examples.weight(row) > 0.0)
            .collect();
        if kept.is_empty() {
            return Err(Error::empty("the training set"));
        }
        let mut votes = vec![0.0; kept.len() * n_classes];
        for (&row, votes) in kept.iter().zip(votes.chunks_exact_mut(n_classes)) {
            examples.targets().write_row(row, votes);
            let weight = examples.weight(row);
            votes.iter_mut().for_each(|vote| *vote *= weight);
        }
        let inputs = examples.inputs().pick(&kept);
        Ok(Self::of(
            inputs.shape(),
            n_classes,
            k,
            &inputs.contiguous(),
            votes,
        ))
    }

    pub(super) fn of(
        shape: Shape,
        n_classes: usize,
        k: NonZeroUsize,
        rows: &[f32],
        votes: Vec<f32>,
    ) -> Self {
        Self {
            shape,
            n_classes,
            k,
            points: Arc::new(Points::new(rows, shape.size())),
            votes: Arc::new(votes),
        }
    }

    /// How many neighbours vote.
    pub fn k(&self) -> NonZeroUsize {
        self.k
    }

    /// How many examples it holds.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// It holds at least one.
    pub fn is_empty(&self) -> bool {
        false
    }

    pub(super) fn rows(&self) -> Vec<f32> {
        self.points.rows()
    }

    /// The examples that it holds, in the order in which they were given.
    pub fn examples(&self) -> Result<Examples> {
        let inputs = Inputs::new(self.points.rows(), self.shape)?;
        let rows = self.votes.chunks_exact(self.n_classes);
        let weights: Vec<f32> = rows.clone().map(|row| row.iter().sum()).collect();
        let shares = rows
            .zip(&weights)
            .flat_map(|(row, weight)| row.iter().map(move |vote| vote / weight));
        let targets = Probabilities::new(shares.collect(), self.n_classes)?;
        Examples::new(inputs, Targets::Soft(targets))?.with_weights(weights)
    }

    fn nearest(&self) -> Nearest {
        Nearest::new(self.k.get().min(self.len()))
    }

    fn count(&self, found: &[(f32, u32)], votes: &mut [f32]) {
        votes.fill(0.0);
        for &(_, number) in found {
            let from = number as usize * self.n_classes;
            let row = &self.votes[from..from + self.n_classes];
            votes.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
        }
    }

    /// What the neighbours of the example `row` say of it, for each number of them.
    pub(super) fn votes_without(&self, row: usize, x: &[f32], numbers: &[usize]) -> Vec<Vec<f32>> {
        let mut nearest = self.nearest();
        self.points.search(x, &mut nearest);
        let own = |(_, number): &(f32, u32)| *number as usize == row;
        let mut others = nearest.found().to_vec();
        others.retain(|found| !own(found));
        let of = |&k: &usize| {
            let mut votes = vec![0.0; self.n_classes];
            self.count(&others[..k.min(others.len())], &mut votes);
            votes
        };
        numbers.iter().map(of).collect()
    }
}

impl Classifier for NeighboursModel {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.n_classes
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape)?;
        let mut values = vec![0.0; inputs.len() * self.n_classes];
        let part = |first: usize, values: &mut [f32]| {
            let mut nearest = self.nearest();
            for (place, row) in values.chunks_exact_mut(self.n_classes).enumerate() {
                self.points.search(inputs.row(first + place), &mut nearest);
                self.count(nearest.found(), row);
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|vote| *vote /= sum);
            }
        };
        if inputs.len() <= CHUNK {
            part(0, &mut values);
        } else {
            let chunks = values.par_chunks_mut(CHUNK * self.n_classes).enumerate();
            chunks.for_each(|(chunk, values)| part(chunk * CHUNK, values));
        }
        Probabilities::new(values, self.n_classes)
    }

    fn store(&self) -> Result<Stored> {
        Ok(self.stored())
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let (rows, votes) = (self.rows(), &self.votes);
        Ok(onnx::neighbours(graph, self, input, &rows, votes))
    }

    fn n_parameters(&self) -> usize {
        self.len() * (self.shape.size() + 1)
    }
}
