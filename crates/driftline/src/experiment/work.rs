//! How much work a trial is, by its settings alone: for estimates of time before anything has been timed.

use super::dataset::Dataset;
use super::method::{CurriculumPlan, SelfTrainingMethod};
use super::plan::Plan;
use super::trial::TrialKey;
use crate::data::{Examples, Shape};
use crate::datasets::PortraitsOverTime;
use crate::models::any::AnyLearner;
use crate::models::linear::Solver;

/// Numbers of examples and the form of each, as far as settings tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub shape: Shape,
    pub classes: usize,
    pub source: usize,
    pub stream: usize,
    pub target_pool: usize,
}

/// Solvers that run to a tolerance count like so many passes over the data.
const PASSES_TO_TOLERANCE: f64 = 200.0;

impl Plan {
    /// About how many multiply-adds a trial's training takes; `None` for a method that cannot tell.
    pub fn work(&self, key: &TrialKey) -> Option<f64> {
        let sizes = self.datasets[key.dataset].data.sizes();
        self.methods[key.method].method.work(&sizes)
    }
}

impl SelfTrainingMethod {
    pub(super) fn multiply_adds(&self, sizes: &Sizes) -> f64 {
        let learned_from = match &self.curriculum {
            CurriculumPlan::SourceOnly => 0,
            CurriculumPlan::Target { repeats } => repeats.get() * sizes.target_pool,
            CurriculumPlan::Pooled {
                repeats,
                and_target,
            } => {
                let target = if *and_target { sizes.target_pool } else { 0 };
                repeats.get() * (sizes.stream + target)
            }
            CurriculumPlan::Gradual { then_target, .. } => {
                sizes.stream + if *then_target { sizes.target_pool } else { 0 }
            }
            CurriculumPlan::Accumulate { windowing } => {
                windowing.split(sizes.stream).map_or(sizes.stream, |split| {
                    split.windows.iter().map(|w| w.end).sum()
                })
            }
        };
        let each = |learner| per_example(learner, sizes.shape, sizes.classes);
        let student = self
            .student
            .as_ref()
            .map_or(0.0, |student| each(&student.learner) * learned_from as f64);
        student + each(&self.source_learner) * sizes.source as f64
    }
}

/// About how many multiply-adds it takes to learn from `examples`.
pub(super) fn multiply_adds(learner: &AnyLearner, examples: &Examples) -> f64 {
    let shape = examples.inputs().shape();
    per_example(learner, shape, examples.n_classes()) * examples.len() as f64
}

/// Multiply-adds of a whole training, per example.
fn per_example(learner: &AnyLearner, shape: Shape, classes: usize) -> f64 {
    let linear = 3.0 * (shape.size() * classes) as f64;
    match learner {
        AnyLearner::Network(learner) => {
            let blueprint = learner.architecture.build(shape, classes);
            let once = blueprint.map_or(linear, |built| built.training_multiply_adds() as f64);
            once * learner.training.epochs.get() as f64
        }
        AnyLearner::Linear(learner) => match learner.solver {
            Solver::MiniBatch(training) => linear * training.epochs.get() as f64,
            Solver::FullBatch(_) => linear * PASSES_TO_TOLERANCE,
        },
        AnyLearner::Margin(_) => linear * PASSES_TO_TOLERANCE,
    }
}

impl Dataset {
    /// What the settings say; a split by years, whose numbers only the files tell, counts like the dated portraits.
    pub fn sizes(&self) -> Sizes {
        let image = |side: usize| Shape::Image {
            height: side,
            width: side,
            channels: 1,
        };
        match self {
            Dataset::Scored(scored) => scored.data.sizes(),
            Dataset::Gaussian(settings) => Sizes {
                shape: Shape::Vector(settings.dimension.get()),
                classes: settings.classes,
                source: settings.source,
                stream: settings.intermediate,
                target_pool: settings.target_pool,
            },
            Dataset::RotatingMnist(settings) | Dataset::RotatingFashionMnist(settings) => Sizes {
                shape: image(28),
                classes: 10,
                source: settings.source,
                stream: settings.intermediate,
                target_pool: settings.intermediate,
            },
            Dataset::SameMnist(settings) => Sizes {
                shape: image(28),
                classes: 10,
                source: settings.images,
                stream: settings.stream_length(),
                target_pool: settings.images,
            },
            Dataset::Portraits(settings) => {
                let (source, stream, target_pool) = match *settings {
                    PortraitsOverTime::Count {
                        source,
                        intermediate,
                        target_pool,
                        ..
                    } => (source, intermediate, target_pool),
                    PortraitsOverTime::Time {
                        source,
                        target_pool,
                        one_in,
                        ..
                    } => (source, 11_538 / one_in.get(), target_pool),
                };
                Sizes {
                    shape: image(32),
                    classes: 2,
                    source,
                    stream,
                    target_pool,
                }
            }
            Dataset::Covertype(settings) => Sizes {
                shape: Shape::Vector(54),
                classes: 2,
                source: settings.source,
                stream: settings.intermediate,
                target_pool: settings.target_pool,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Expected, Plan, Scale, TrialKey, read_text};

    /// The paper's Table 1 on rotating digits: 248,220 steps of 32 against 11,970 for Gradual, less the filter's tenth.
    #[test]
    fn baselines_cost_twenty_times_as_much_as_gradual() {
        let text = include_str!("../../../../experiments/table1-rot-mnist.toml");
        let plan = Plan::new(&read_text(text).unwrap(), Expected::default(), Scale::Full).unwrap();
        let work = |method| {
            let key = TrialKey {
                dataset: 0,
                method,
                data_seed: 0,
                seed: 0,
            };
            plan.work(&key).unwrap()
        };
        let source = 5_320_960.0 * 10.0 * 5_000.0;
        assert_eq!(work(0), source);
        assert_eq!(work(1) - source, 21.0 * (work(3) - source));
        assert_eq!(work(1), work(2));
    }
}
