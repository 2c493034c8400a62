//! The rules of the problem as types: a method is given a `Task`; the hidden labels are in an `AnswerKey`, which no
//! adaptation code ever holds.

use super::{LabeledDomain, Labels, Pool, Stream};
use crate::{Error, Result};

/// What a method may see: nothing of what it is scored on.
///
/// ```compile_fail
/// fn peek(task: &driftline_core::data::Task) {
///     task.intermediate.labels(); // a stream has none
/// }
/// ```
/// ```compile_fail
/// fn peek(task: &driftline_core::data::Task) {
///     task.target_pool.domain().unwrap().labels(); // nor has an unlabelled domain
/// }
/// ```
/// ```
/// fn look(task: &driftline_core::data::Task) {
///     task.source.labels(); // the source is labelled
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Task {
    pub source: LabeledDomain,
    pub intermediate: Stream,
    /// Unlabelled examples at the end of the drift, for methods that adapt straight to it.
    pub target_pool: Pool,
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
        task.target_pool.expect_shape(shape)?;
        for inputs in [
            task.intermediate.inputs(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Inputs, Shape};

    fn labeled(n: usize, size: usize, n_classes: usize) -> LabeledDomain {
        let inputs = Inputs::new(vec![0.0; n * size], Shape::Vector(size)).unwrap();
        let labels = Labels::new((0..n as u32).map(|i| i % 2).collect(), n_classes).unwrap();
        LabeledDomain::new(inputs, labels).unwrap()
    }

    fn parts() -> (Task, AnswerKey) {
        let task = Task {
            source: labeled(4, 3, 2),
            intermediate: Stream::new(labeled(6, 3, 2).inputs().clone()),
            target_pool: labeled(5, 3, 2).unlabeled().into(),
        };
        let answers = AnswerKey {
            held_out_source: labeled(2, 3, 2),
            intermediate: Some(labeled(6, 3, 2).labels().clone()),
            target: labeled(3, 3, 2),
        };
        (task, answers)
    }

    #[test]
    fn parts_that_fit_make_a_benchmark() {
        let (task, answers) = parts();
        assert!(Benchmark::new(task, answers).is_ok());
        let (task, answers) = parts();
        let unknown = AnswerKey {
            intermediate: None,
            ..answers
        };
        assert!(Benchmark::new(task, unknown).is_ok());
    }

    #[test]
    fn parts_that_do_not_fit_are_refused_by_name() {
        let refused = |change: fn(&mut Task, &mut AnswerKey)| {
            let (mut task, mut answers) = parts();
            change(&mut task, &mut answers);
            Benchmark::new(task, answers).unwrap_err().to_string()
        };
        let one_class = refused(|task, _| task.source = task.source.pick(&[0, 2]));
        assert_eq!(
            one_class,
            "all 2 source examples have label 0; at least two classes are needed"
        );
        assert_eq!(
            refused(|task, _| task.source = task.source.pick(&[])),
            "the source is empty"
        );
        let shape = "one example should have 3 features, but has 4 features";
        assert_eq!(
            refused(|task, _| task.target_pool = labeled(5, 4, 2).unlabeled().into()),
            shape
        );
        assert_eq!(
            refused(|_, answers| answers.target = labeled(3, 4, 2)),
            shape
        );
        let classes = refused(|_, answers| answers.target = labeled(3, 3, 5));
        assert_eq!(
            classes,
            "the answer key should have 2 classes, as the source, but has 5"
        );
        let short =
            refused(|_, answers| answers.intermediate = Some(labeled(5, 3, 2).labels().clone()));
        assert_eq!(short, "the answers for the stream should have 6, but has 5");
        let empty = refused(|_, answers| answers.target = labeled(0, 3, 2));
        assert_eq!(empty, "the target set to be scored is empty");
    }
}
