//! How much work a trial is, by its settings alone: for estimates of time before anything has been timed.

use std::num::NonZeroUsize;

use super::dataset::Dataset;
use super::resolved::Experiment;
use super::trial::TrialKey;
use crate::datasets::{PortraitsOverTime, TableOverTime, catalog};
use driftline_adapt::Candidate;
use driftline_core::data::Shape;
use driftline_models::{AnyLearner, Learner};
use driftline_runs::method::Method;

/// Numbers of examples and the form of each, as far as settings tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub shape: Shape,
    pub classes: usize,
    pub source: usize,
    pub stream: usize,
    pub target_pool: usize,
}

impl Experiment {
    /// About how many multiply-adds a trial's training takes; `None` for a method that cannot tell.
    pub fn work(&self, key: &TrialKey) -> Option<f64> {
        let sizes = self.datasets[key.dataset].data.sizes();
        self.methods[key.method].method.work(&sizes)
    }
}

impl Sizes {
    /// About how many multiply-adds a method's training takes on data of these sizes.
    pub(super) fn multiply_adds(&self, plan: &Method) -> f64 {
        let each = |learner: &AnyLearner| learner.work(self.shape, self.classes);
        let Candidate {
            curriculum,
            learner,
            replay,
            replay_share,
            ..
        } = &plan.candidate;
        let source = each(&plan.source_learner) * self.source as f64;
        if !curriculum.learns() {
            return source;
        }
        let windows = curriculum
            .windowing()
            .and_then(|w| w.split(self.stream).ok());
        let stages = curriculum.stages(windows.map_or(0, |split| split.windows.len()));
        let mut examples = curriculum.examples(self.stream, self.target_pool);
        if replay.or(*replay_share).is_some() {
            examples += (stages * self.source) as f64;
        }
        source + each(learner) * examples
    }
}

impl Dataset {
    /// What the settings say; a split by years, whose numbers only the files tell, counts like the dated portraits, and
    /// a table like what the catalogue says of it.
    pub fn sizes(&self) -> Sizes {
        let image = |side: usize| Shape::Image {
            height: side,
            width: side,
            channels: 1,
        };
        let sizes = |shape, classes, [source, stream, target_pool]: [usize; 3]| Sizes {
            shape,
            classes,
            source,
            stream,
            target_pool,
        };
        match self {
            Dataset::Scored(scored) => scored.data.sizes(),
            Dataset::Rehearsed(rehearsed) => Sizes {
                source: rehearsed.source,
                stream: rehearsed.stream.saturating_mul(rehearsed.rounds),
                target_pool: rehearsed.stream,
                ..rehearsed.data.sizes()
            },
            Dataset::Table(settings) => table_sizes(settings),
            Dataset::Gaussian(s) => sizes(
                Shape::Vector(s.dimension.get()),
                s.classes,
                [s.source, s.intermediate, s.target_pool],
            ),
            Dataset::Constructed(s) => sizes(
                Shape::Vector(s.columns.get()),
                2,
                [s.source, s.intermediate, s.target],
            ),
            Dataset::RotatingMnist(s) | Dataset::RotatingFashionMnist(s) => {
                sizes(image(28), 10, [s.source, s.intermediate, s.intermediate])
            }
            Dataset::ColorShiftMnist(s) => {
                let pool = s.intermediate / s.domains;
                sizes(image(28), 10, [s.source, s.intermediate, pool])
            }
            Dataset::SameMnist(s) => sizes(image(28), 10, [s.images, s.stream_length(), s.images]),
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
                    } => (source, 11_538 / one_in, target_pool),
                    PortraitsOverTime::Back {
                        source,
                        target_pool,
                        one_in,
                        ..
                    } => (source, 1_000 / one_in, target_pool),
                };
                sizes(image(32), 2, [source, stream, target_pool])
            }
            // About as many inputs as its categories make.
            Dataset::Census(s) => {
                let inputs = Shape::Vector(90);
                sizes(inputs, 2, [s.source, s.intermediate, s.target])
            }
            Dataset::Covertype(s) => {
                let inputs = Shape::Vector(54);
                sizes(inputs, 2, [s.source, s.intermediate, s.target_pool])
            }
        }
    }
}

/// A table of your own counts as one of 10,000 rows and ten features: for a guess at the time before anything was timed.
fn table_sizes(settings: &TableOverTime) -> Sizes {
    let form = settings.catalog.as_deref();
    let form = form.and_then(|name| catalog::table(name).ok());
    let (rows, features, classes) = form.map_or((10_000, 10, 2), |form| {
        (form.rows, form.features, form.classes)
    });
    let rows = rows / settings.one_in.map_or(1, NonZeroUsize::get);
    let source = settings.source_rows.map_or(rows / 10, NonZeroUsize::get);
    Sizes {
        shape: Shape::Vector(features),
        classes,
        source,
        stream: rows.saturating_sub(source),
        target_pool: settings.target_rows.map_or(rows / 10, NonZeroUsize::get),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Expected, Experiment, Scale, TrialKey, read_text};

    fn work_of(text: &str) -> impl Fn(&str) -> f64 {
        let plan =
            Experiment::new(&read_text(text).unwrap(), Expected::default(), Scale::Full).unwrap();
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

    /// 21 windows of 2,000 images; with replay each comes with the 5,000 of the source.
    #[test]
    fn replay_and_sharpness_cost_what_they_cost() {
        let work = work_of(include_str!(
            "../../../../results/archive/beyond-search-rot-mnist/experiment.toml"
        ));
        let once = 5_320_960.0 * 10.0;
        let (source, stream) = (once * 5_000.0, once * 42_000.0);
        let round_trip = 2.0;
        assert_eq!(work("Gradual ST"), round_trip * (source + stream));
        let replayed = source + stream + 21.0 * source;
        assert_eq!(work("source replay"), round_trip * replayed);
        assert_eq!(work("sharpness-aware"), 2.0 * work("Gradual ST"));
    }
}
