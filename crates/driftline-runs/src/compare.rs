//! `compare`: several candidates on the user's own stream, with intervals over rows and seeds. The whole stream is in
//! memory.

use serde::Serialize;
use serde_json::Value;

use super::file_run::{FileRun, Ready, Start};
use super::measure::right;
use super::recommendation::Recommendation;
use super::session::Session;
use super::settings::RunSettings;
use super::watch::Watch;
use crate::method::{Settings, baselines, network_baselines};
use driftline_adapt::{EachStep, MemoryWindows, PartSpec, Step};
use driftline_core::data::{Inputs, Proportion, Tail, Windowing};
use driftline_core::{Error, Result};
use driftline_io::{Answer, Notes, Outline, TableSource};
use driftline_models::evaluate::Interval;
use driftline_models::network::NetworkLearner;
use driftline_models::{AnyLearner, Classifier, Learner};

/// Candidates side by side: each is a name and what it changes about the settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compare {
    /// Everything but the candidates. Its folder is not used.
    pub adapt: FileRun,
    pub candidates: Vec<(String, Settings)>,
    pub seeds: Vec<u64>,
    /// Whether a network is set beside what only networks can do.
    pub network_baselines: bool,
}

/// One of those that are compared.
struct Competitor {
    name: String,
    settings: Settings,
    /// How its network steps, where that is not training on the labels given.
    steps: Option<Value>,
}

/// The outcome. Accuracies are fractions, their intervals those of [`Interval::of_shares`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    pub windows: usize,
    pub rows: usize,
    pub seeds: Vec<u64>,
    /// Whether two seeds gave the same on every row, so that no more were run.
    pub seeds_alike: bool,
    pub methods: Vec<MethodScore>,
    /// What it comes to; absent where nothing was served.
    pub recommendation: Option<Recommendation>,
    pub notes: Notes,
}

/// One candidate.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct MethodScore {
    pub method: String,
    /// The final model on the last window; absent where it has no answers.
    pub last_window: Option<Interval>,
    /// The final model on all windows.
    pub whole_stream: Interval,
    /// Each window scored by the model that would have served it: adapted to the windows before, not yet to this one.
    /// Absent for methods that wait for the end of the stream.
    pub while_serving: Option<Interval>,
    /// One per seed, in the order of the seeds: last window, whole stream, while serving.
    pub singles: Vec<Scores>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Scores {
    pub last_window: Option<f64>,
    pub whole_stream: f64,
    pub while_serving: Option<f64>,
}

/// What is compared unless something else is asked for: the paper's methods, and windows that pile up, each deployed always.
pub const METHODS: [(&str, &str); 5] = [
    ("Source", "source-only"),
    ("Target ST", "target"),
    ("All ST", "pooled"),
    ("Gradual ST", "gradual"),
    ("Accumulate", "accumulate"),
];

/// The stream in memory, with its answers.
struct Scored {
    inputs: Inputs,
    answers: Vec<Answer>,
    /// A cut by time, and where it has put the ends of the windows: inputs do not know their times.
    by_time: Option<(Windowing, Windowing)>,
}

impl Compare {
    /// The methods of the paper on the windows that `adapt` has chosen, and what `adapt` does by itself.
    pub fn new(adapt: FileRun, seeds: Vec<u64>) -> Self {
        let candidate = |(name, curriculum): (&str, &str)| {
            let mut own = adapt.settings.clone().with_method(curriculum);
            own.policy = Some(PartSpec::plain("always"));
            (name.to_owned(), own)
        };
        let mut candidates: Vec<(String, Settings)> = METHODS.map(candidate).into();
        let mut guarded = adapt.settings.clone().with_method("gradual");
        guarded.policy = Some(PartSpec::plain("guarded"));
        candidates.push(("Guarded".into(), guarded));
        Self {
            candidates,
            adapt,
            seeds,
            network_baselines: false,
        }
    }

    /// Alignments, cautious steps and the classical baselines besides, on the same windows; and where the model is a network,
    /// batch-norm adaptation, entropy minimisation and domain-adversarial training.
    pub fn with_baselines(mut self) -> Self {
        let mut shared = self.adapt.settings.clone().with_method("gradual");
        shared.policy = Some(PartSpec::plain("always"));
        let more = baselines().into_iter();
        let more = more.map(|(name, changes)| (name.to_owned(), changes.or(&shared)));
        self.candidates.extend(more);
        self.network_baselines = true;
        self
    }

    /// All that are compared, for a source model that this learner has trained.
    fn competitors(&self, learner: &AnyLearner) -> Vec<Competitor> {
        let given = self.candidates.iter().map(|(name, settings)| Competitor {
            name: name.clone(),
            settings: settings.clone(),
            steps: None,
        });
        let shared = self.adapt.settings.clone().with_method("gradual");
        let network = self.network_baselines && learner.kind() == NetworkLearner::KIND;
        let own = network.then(network_baselines).into_iter().flatten();
        let own = own.map(|(name, steps, changes)| Competitor {
            name: name.into(),
            settings: changes.or(&shared),
            steps: Some(steps),
        });
        given.chain(own).collect()
    }

    pub fn run(
        &self,
        start: Start,
        stream: impl TableSource + 'static,
        watch: &dyn Watch,
    ) -> Result<Comparison> {
        let stream: Box<dyn TableSource> = Box::new(stream);
        let runtime = &self.adapt.runtime;
        runtime.install(|| self.compare(start, stream, watch))
    }

    fn compare(
        &self,
        start: Start,
        stream: Box<dyn TableSource>,
        watch: &dyn Watch,
    ) -> Result<Comparison> {
        let adapt = &self.adapt.inheriting(&start);
        let FileRun { choice, .. } = adapt;
        if self.seeds.is_empty() {
            return Err(Error::empty("the list of seeds"));
        }
        if choice.answers.is_none() {
            return Err(Error::empty("the name of the column with the answers"));
        }
        let plan = adapt.plan()?;
        let ready = adapt.ready(start)?;
        let mut files = adapt.windows(ready.encoding(), stream, &plan)?;
        let mut notes = files.notes();
        let windows = files.outline().windows.len();
        let whole = files.whole()?;
        notes.extend(whole.notes.clone());
        watch.noted(&notes);
        let windowing = plan.candidate.curriculum.windowing();
        let by_time = windowing.filter(|cut| matches!(cut, Windowing::Every(_)));
        let scored = Scored {
            inputs: whole.rows.inputs.clone(),
            answers: whole.rows.answers.clone().unwrap_or_default(),
            by_time: by_time.map(|cut| (cut.clone(), ends(files.outline()))),
        };
        let mut competitors = vec![];
        let mut singles: Vec<Vec<Hits>> = vec![];
        let (mut run, mut seeds_alike) = (vec![], false);
        for &seed in &self.seeds {
            let ready = match &ready {
                Ready::Source(fit, source) => {
                    let fit = Box::new(fit.clone().seed(seed));
                    Ready::Source(fit, source.clone())
                }
                Ready::Model(model_file, digests) => {
                    Ready::Model(model_file.clone(), digests.clone())
                }
            };
            let source = ready.train()?;
            if competitors.is_empty() {
                if let Ready::Source(..) = ready {
                    watch.fitted(&source);
                }
                competitors = self.competitors(&source.learner);
                singles.resize_with(competitors.len(), Vec::new);
                watch.begin(self.seeds.len() * competitors.len(), 0);
            }
            for (one, scores) in competitors.iter().zip(&mut singles) {
                let Competitor {
                    name,
                    settings,
                    steps,
                } = one;
                self.adapt.runtime.cancel().check()?;
                let settings = RunSettings {
                    seed,
                    choice: choice.clone(),
                    method: settings.clone().or_for_own_data(),
                };
                let mut source = source.clone();
                if let Some(steps) = steps {
                    source.learner = source.learner.with_steps(steps.clone())?;
                }
                let mut session = Session::new(
                    source,
                    ready.rows(),
                    &settings,
                    &self.adapt.registry,
                    &self.adapt.runtime,
                )?;
                scores.push(scored.scores(&mut session)?);
                watch.reached(name, seed, session.engine().deployed());
                watch.compared(name, seed);
            }
            run.push(seed);
            // A model that does not depend on its seed need not be trained five times.
            seeds_alike = singles
                .iter()
                .all(|scores| scores.len() == 2 && scores[0] == scores[1]);
            if seeds_alike {
                break;
            }
        }
        let methods = competitors.iter().zip(singles);
        let methods = methods
            .map(|(one, seeds)| MethodScore::of(&one.name, &seeds))
            .collect::<Result<Vec<_>>>()?;
        Ok(Comparison {
            windows,
            rows: scored.inputs.len(),
            seeds: run,
            seeds_alike,
            recommendation: Recommendation::of(&methods),
            methods,
            notes,
        })
    }
}

/// The windows that were found, by where they end.
fn ends(outline: &Outline) -> Windowing {
    let sizes = outline.windows.iter().map(|window| window.rows);
    let ends = sizes.scan(0, |end, rows| {
        *end += rows;
        Some(*end)
    });
    Windowing::Boundaries(ends.collect(), Tail::Forbid)
}

/// What one seed got right.
#[derive(PartialEq)]
struct Hits {
    last_window: Proportion,
    whole_stream: Proportion,
    /// No rows where no window was served.
    while_serving: Proportion,
}

impl MethodScore {
    #[cfg(test)]
    pub(super) fn served(name: &str, interval: Interval) -> Self {
        Self {
            method: name.into(),
            last_window: None,
            whole_stream: interval,
            while_serving: Some(interval),
            singles: vec![],
        }
    }

    fn of(name: &str, seeds: &[Hits]) -> Result<Self> {
        let over = |pick: fn(&Hits) -> Proportion| {
            let shares: Vec<Proportion> = seeds.iter().map(pick).collect();
            Interval::of_shares(&shares)
        };
        let single = |hits: &Hits| Scores {
            last_window: hits.last_window.estimate(),
            whole_stream: hits.whole_stream.estimate().unwrap_or(0.0),
            while_serving: hits.while_serving.estimate(),
        };
        Ok(Self {
            method: name.into(),
            last_window: over(|hits| hits.last_window),
            whole_stream: over(|hits| hits.whole_stream)
                .ok_or_else(|| Error::empty("the true classes of the stream"))?,
            while_serving: over(|hits| hits.while_serving),
            singles: seeds.iter().map(single).collect(),
        })
    }
}

impl Scored {
    /// Goes along the stream, then scores the last model.
    fn scores(&self, session: &mut Session) -> Result<Hits> {
        let curriculum = session.engine().candidate().curriculum.clone();
        let windowing = match (curriculum.windowing(), &self.by_time) {
            (Some(cut), Some((time, ends))) if cut == time => Some(ends),
            (cut, _) => cut,
        };
        let mut windows = MemoryWindows::new(self.inputs.clone(), windowing)?
            .with_source(session.engine().source());
        let split = windows.ranges().to_vec();
        let serves = !curriculum.repeats();
        let mut serving = Proportion::new(0, 0);
        let mut sink = EachStep::new(session.engine(), |step: &Step| {
            let place = step.stage.place.unwrap_or(step.version.number - 1);
            if let Some(range) = split.get(place).filter(|_| serves) {
                let answers = &self.answers[range.clone()];
                serving += match &step.assessed {
                    Some((labels, _)) => right(labels, answers),
                    None => {
                        let inputs = self.inputs.slice(range.clone());
                        right(&step.before.predict(&inputs)?, answers)
                    }
                };
            }
            Ok(())
        });
        session.run(&mut windows, &mut sink)?;
        let labels = session.engine().deployed().predict(&self.inputs)?;
        let last = split.last().cloned().unwrap_or(0..self.inputs.len());
        Ok(Hits {
            last_window: right(&labels.slice(last.clone()), &self.answers[last]),
            whole_stream: right(&labels, &self.answers),
            while_serving: serving,
        })
    }
}
