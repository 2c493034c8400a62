//! The rules of the problem as types: a method is given a `Task`; the hidden labels are in an `AnswerKey`, which no
//! adaptation code ever holds.

use super::{Domain, LabeledDomain, Labels, Stream};
use crate::{Error, Result};

/// What a method may see.
#[derive(Clone, Debug)]
pub struct Task {
    pub source: LabeledDomain,
    pub intermediate: Stream,
    /// Unlabelled examples at the end of the drift, for methods that adapt straight to it.
    pub target_pool: Domain,
}

/// What only the evaluator may see.
#[derive(Clone, Debug)]
pub struct AnswerKey {
    /// Source examples kept out of training.
    pub held_out_source: LabeledDomain,
    /// Labels of the stream, where they exist.
    pub intermediate: Option<Labels>,
    /// The examples that a method is scored on: another sample than `Task::target_pool`.
    pub target: LabeledDomain,
}

/// A task and its answers.
#[derive(Clone, Debug)]
pub struct Benchmark {
    pub task: Task,
    pub answers: AnswerKey,
}

impl Benchmark {
    /// Checks that all parts speak of the same kind of example and the same classes.
    pub fn new(task: Task, answers: AnswerKey) -> Result<Self> {
        task.source.expect_two_classes()?;
        let shape = task.source.inputs().shape();
        let n_classes = task.source.labels().n_classes();
        for inputs in [
            task.intermediate.inputs(),
            &task.target_pool.inputs,
            answers.held_out_source.inputs(),
            answers.target.inputs(),
        ] {
            inputs.expect_shape(shape)?;
        }
        let labels = [answers.held_out_source.labels(), answers.target.labels()];
        for labels in labels.into_iter().chain(&answers.intermediate) {
            if labels.n_classes() != n_classes {
                return Err(Error::mismatch(
                    "the answer key",
                    format!("{n_classes} classes, as the source"),
                    labels.n_classes(),
                ));
            }
        }
        if let Some(labels) = &answers.intermediate
            && labels.len() != task.intermediate.len()
        {
            return Err(Error::mismatch(
                "the answers for the stream",
                task.intermediate.len(),
                labels.len(),
            ));
        }
        if answers.target.is_empty() {
            return Err(Error::empty("the target set to be scored"));
        }
        Ok(Self { task, answers })
    }
}
