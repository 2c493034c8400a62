//! Rows in an order, dealt out: the first are the source, then comes the stream, then the target.

use driftline_core::data::{
    AnswerKey, Benchmark, Domain, Inputs, LabeledDomain, Labels, Stream, Task,
};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};

/// Where the parts end in the order. Source and target are shuffled: the first `source` rows are trained on and the other
/// source rows held out; the first `scored` target rows are scored and the others never used. The pool for methods that
/// adapt straight to the target is the last `target_pool` rows of the stream.
pub(super) struct Timeline {
    pub source: usize,
    pub source_end: usize,
    pub stream_end: usize,
    pub target_end: usize,
    pub scored: usize,
    pub target_pool: usize,
}

/// Places in the order, part by part.
pub(super) struct Dealt {
    pub train: Vec<usize>,
    held_out: Vec<usize>,
    stream: Vec<usize>,
    scored: Vec<usize>,
    target_pool: usize,
}

impl Timeline {
    /// Deals out `available` rows; `unit` is what errors call them.
    pub fn deal(&self, available: usize, unit: &str, seed: Seed) -> Result<Dealt> {
        let stream = self.stream_end - self.source_end;
        let target = self.target_end - self.stream_end;
        let pool = "the stream, of which the target pool is the end,";
        let needs = [
            ("the data set", self.target_end, available),
            ("the source period", self.source, self.source_end),
            (pool, self.target_pool, stream),
            ("the target period", self.scored, target),
        ];
        expect_enough(unit, &needs)?;
        let mut train = permutation(self.source_end, seed.named("source"));
        let held_out = train.split_off(self.source);
        let mut scored = permutation(target, seed.named("target"));
        scored.truncate(self.scored);
        scored.iter_mut().for_each(|at| *at += self.stream_end);
        Ok(Dealt {
            train,
            held_out,
            stream: (self.source_end..self.stream_end).collect(),
            scored,
            target_pool: self.target_pool,
        })
    }
}

impl Dealt {
    /// The rows themselves: `inputs` and `labels` of some places in the order.
    pub fn benchmark(
        &self,
        inputs: impl Fn(&[usize]) -> Result<Inputs>,
        labels: impl Fn(&[usize]) -> Result<Labels>,
    ) -> Result<Benchmark> {
        let labeled = |places: &[usize]| LabeledDomain::new(inputs(places)?, labels(places)?);
        let stream = inputs(&self.stream)?;
        let pool = stream.len() - self.target_pool..stream.len();
        let task = Task {
            source: labeled(&self.train)?,
            target_pool: Domain::new(stream.slice(pool)).into(),
            intermediate: Stream::new(stream),
        };
        let answers = AnswerKey {
            held_out_source: labeled(&self.held_out)?,
            intermediate: Some(labels(&self.stream)?),
            target: labeled(&self.scored)?,
        };
        Benchmark::new(task, answers)
    }
}

/// Refuses to take more than there is. Each need says of what, how many are asked for, and how many there are.
pub(super) fn expect_enough(unit: &str, needs: &[(&str, usize, usize)]) -> Result<()> {
    match needs.iter().find(|(_, asked, available)| asked > available) {
        None => Ok(()),
        Some((what, asked, available)) => {
            let expected = format!("at least the {asked} {unit} asked for");
            Err(Error::mismatch(*what, expected, available))
        }
    }
}

/// About one in `divisor`, and at least one.
pub(super) fn fewer(n: usize, divisor: usize) -> usize {
    (n / divisor.max(1)).max(1)
}
