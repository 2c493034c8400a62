//! How much work a trial is, by its settings alone: for estimates of time before anything has been timed.

use super::dataset::Dataset;
use super::method::{CurriculumPlan, SelfTrainingMethod};
use super::plan::Plan;
use super::trial::TrialKey;
use crate::data::{Examples, Shape, Windowing};
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
        let each = |learner| per_example(learner, sizes.shape, sizes.classes);
        let student = self.student.as_ref().map_or(0.0, |student| {
            let (stages, mut examples) = self.curriculum.stages_and_examples(sizes);
            if student.replay.is_some() {
                examples += stages * sizes.source as f64;
            }
            each(&student.learner) * examples
        });
        student + each(&self.source_learner) * sizes.source as f64
    }
}

impl CurriculumPlan {
    /// How many stages there are, and how many examples in all of them together.
    fn stages_and_examples(&self, sizes: &Sizes) -> (f64, f64) {
        let (stream, pool) = (sizes.stream as f64, sizes.target_pool as f64);
        let target = |wanted: bool| if wanted { pool } else { 0.0 };
        let windows = |windowing: &Windowing| {
            let split = windowing.split(sizes.stream);
            split.map_or(Vec::new(), |split| split.windows)
        };
        match self {
            CurriculumPlan::SourceOnly => (0.0, 0.0),
            CurriculumPlan::Target { repeats } => {
                let repeats = repeats.get() as f64;
                (repeats, repeats * pool)
            }
            CurriculumPlan::Pooled {
                repeats,
                and_target,
            } => {
                let repeats = repeats.get() as f64;
                (repeats, repeats * (stream + target(*and_target)))
            }
            CurriculumPlan::Gradual {
                windowing,
                then_target,
            } => {
                let stages = windows(windowing).len() + usize::from(*then_target);
                (stages as f64, stream + target(*then_target))
            }
            CurriculumPlan::Accumulate { windowing } => {
                let windows = windows(windowing);
                let examples = windows.iter().map(|window| window.end as f64).sum();
                (windows.len() as f64, examples)
            }
        }
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
            // A sharpness-aware step computes its gradient twice.
            let gradients = if learner.training.sharpness.is_some() {
                2.0
            } else {
                1.0
            };
            gradients * once * learner.training.epochs.get() as f64
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

    fn work_of(text: &str) -> impl Fn(&str) -> f64 {
        let plan = Plan::new(&read_text(text).unwrap(), Expected::default(), Scale::Full).unwrap();
        move |name| {
            let method = plan.methods.iter().position(|method| method.name == name);
            let key = TrialKey {
                dataset: 0,
                method: method.unwrap(),
                data_seed: 0,
                seed: 0,
            };
            plan.work(&key).unwrap()
        }
    }

    /// The paper's Table 1 on rotating digits: 248,220 steps of 32 against 11,970 for Gradual, less the filter's tenth.
    #[test]
    fn baselines_cost_twenty_times_as_much_as_gradual() {
        let work = work_of(include_str!(
            "../../../../experiments/table1-rot-mnist.toml"
        ));
        let source = 5_320_960.0 * 10.0 * 5_000.0;
        assert_eq!(work("Source"), source);
        let gradual = work("Gradual ST") - source;
        assert_eq!(work("Target ST") - source, 21.0 * gradual);
        assert_eq!(work("Target ST"), work("All ST"));
    }

    /// 21 windows of 2,000 pictures; with replay each comes with the 5,000 of the source.
    #[test]
    fn replay_and_sharpness_cost_what_they_cost() {
        let text = include_str!("../../../../experiments/beyond-search-rot-mnist.toml");
        let work = work_of(text);
        let once = 5_320_960.0 * 10.0;
        let (source, stream) = (once * 5_000.0, once * 42_000.0);
        let there_and_back = 2.0;
        assert_eq!(work("Gradual ST"), there_and_back * (source + stream));
        let replayed = source + stream + 21.0 * source;
        assert_eq!(work("source replay"), there_and_back * replayed);
        assert_eq!(work("sharpness-aware"), 2.0 * work("Gradual ST"));
    }
}
