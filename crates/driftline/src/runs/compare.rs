//! `compare`: every method on the user's own stream, with intervals over seeds. The whole stream is in memory.

use serde::Serialize;

use super::adapt::{Data, Start, no_known_answer};
use super::bundle::Bundle;
use super::fit::Fit;
use super::settings::AdaptSettings;
use super::walk::Walk;
use super::watch::Watch;
use crate::data::{Domain, Inputs};
use crate::evaluate::Interval;
use crate::models::Classifier;
use crate::models::any::AnyLearner;
use crate::models::network::Runtime;
use crate::random::Seed;
use crate::reading::{Answer, Notes, ReadOptions, Window, WindowedStream};
use crate::{Error, Result};

/// The methods side by side; the settings' own method is not looked at.
#[derive(Clone, Debug)]
pub struct Compare {
    pub settings: AdaptSettings,
    pub seeds: Vec<u64>,
    pub read: ReadOptions,
    pub runtime: Runtime,
}

/// The outcome. Accuracies are fractions.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    pub windows: usize,
    pub rows: usize,
    pub seeds: Vec<u64>,
    pub methods: Vec<MethodScore>,
    pub notes: Notes,
}

/// One method.
#[derive(Clone, Debug, Serialize)]
pub struct MethodScore {
    pub method: &'static str,
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
pub struct Scores {
    pub last_window: Option<f64>,
    pub whole_stream: f64,
    pub while_serving: Option<f64>,
}

pub const METHODS: [&str; 5] = ["Source", "Target ST", "All ST", "Gradual ST", "Accumulate"];

/// Hits and rows with an answer.
#[derive(Clone, Copy, Default)]
struct Tally {
    hits: usize,
    scored: usize,
}

impl Compare {
    pub fn run(&self, start: &Start, stream: Data, watch: &dyn Watch) -> Result<Comparison> {
        self.settings.check()?;
        if self.seeds.is_empty() {
            return Err(Error::empty("the list of seeds"));
        }
        if self.settings.choice.answers.is_none() {
            return Err(Error::empty("the name of the column with the answers"));
        }
        let mut source = self.source(start, self.seeds[0])?;
        let mut stream = WindowedStream::open(
            stream.source,
            &source.encoding,
            &self.settings.choice,
            self.settings.cut(),
            &self.read,
        )?;
        let mut notes = stream.notes().clone();
        let mut windows = vec![];
        while let Some(window) = stream.next_window()? {
            notes.extend(window.notes.clone());
            windows.push(window);
        }
        watch.noted(&notes);
        let answers = windows
            .iter()
            .flat_map(|window| window.rows.answers.iter().flatten());
        let known = answers
            .filter(|answer| matches!(answer, Answer::Class(_)))
            .count();
        if let (0, Some(first)) = (known, windows.first()) {
            let (path, _) = first.rows.origins.get(0);
            let choice = &self.settings.choice;
            return Err(no_known_answer(choice, &source.encoding, path));
        }
        let mut singles: Vec<Vec<Scores>> = METHODS.iter().map(|_| vec![]).collect();
        for (index, &seed) in self.seeds.iter().enumerate() {
            if index > 0 {
                source = self.source(start, seed)?;
            }
            if let Start::Source(..) = start {
                watch.fitted(&source);
            }
            for (method, scores) in METHODS.iter().zip(&mut singles) {
                if watch.should_stop() {
                    return Err(Error::Interrupted);
                }
                scores.push(self.scores(method, &source, &windows, seed)?);
            }
        }
        let interval = |values: Vec<f64>| Interval::student_t(&values).expect("one value a seed");
        let methods = METHODS.iter().zip(singles).map(|(method, singles)| {
            let last: Vec<f64> = singles.iter().filter_map(|s| s.last_window).collect();
            let whole = singles.iter().map(|s| s.whole_stream).collect();
            let serving: Vec<f64> = singles.iter().filter_map(|s| s.while_serving).collect();
            MethodScore {
                method,
                last_window: Interval::student_t(&last),
                whole_stream: interval(whole),
                while_serving: Interval::student_t(&serving),
                singles,
            }
        });
        Ok(Comparison {
            windows: windows.len(),
            rows: windows.iter().map(|window| window.rows.inputs.len()).sum(),
            seeds: self.seeds.clone(),
            methods: methods.collect(),
            notes,
        })
    }

    fn source(&self, start: &Start, seed: u64) -> Result<Bundle> {
        let bundle = match start {
            Start::Source(fit, data) => {
                let fit = Fit::clone(fit).seed(seed);
                fit.train(fit.read(&*data.source)?, vec![])?
            }
            Start::Model(bundle, _) => Bundle::clone(bundle),
        };
        bundle.with_runtime(self.runtime)
    }

    fn scores(
        &self,
        method: &str,
        source: &Bundle,
        windows: &[Window],
        seed: u64,
    ) -> Result<Scores> {
        let self_training = self.settings.self_training(source.learner.clone());
        let mut walk = Walk::new(self_training, source.model.clone(), Seed::new(seed));
        let mut serving = Tally::default();
        let last = windows.last().ok_or_else(|| Error::empty("the stream"))?;
        let repeat = |walk: &mut Walk<AnyLearner>, inputs: &Inputs| -> Result<()> {
            for number in 1..=windows.len() {
                walk.step(number, &Domain::new(inputs.clone()))?;
            }
            Ok(())
        };
        let gradual = match method {
            "Target ST" => {
                repeat(&mut walk, &last.rows.inputs)?;
                false
            }
            "All ST" => {
                let mut all = windows[0].rows.inputs.clone();
                for window in &windows[1..] {
                    all = all.followed_by(&window.rows.inputs)?;
                }
                repeat(&mut walk, &all)?;
                false
            }
            _ => true,
        };
        let mut pile: Option<Inputs> = None;
        for window in windows.iter().filter(|_| gradual) {
            let inputs = &window.rows.inputs;
            serving.add(walk.current(), window)?;
            let learn = match (method, &pile) {
                ("Source", _) => continue,
                ("Accumulate", Some(pile)) => pile.followed_by(inputs)?,
                _ => inputs.clone(),
            };
            walk.step(window.number, &Domain::new(learn.clone()))?;
            pile = Some(learn);
        }
        let model = walk.current();
        let mut at_end = Tally::default();
        at_end.add(model, last)?;
        let mut whole = Tally::default();
        for window in windows {
            whole.add(model, window)?;
        }
        Ok(Scores {
            last_window: (at_end.scored > 0).then(|| at_end.share()),
            whole_stream: whole.share(),
            while_serving: gradual.then(|| serving.share()),
        })
    }
}

impl Tally {
    fn add(&mut self, model: &dyn Classifier, window: &Window) -> Result<()> {
        let labels = model.predict(&window.rows.inputs)?;
        let answers = window.rows.answers.as_deref().unwrap_or(&[]);
        for (label, answer) in labels.as_slice().iter().zip(answers) {
            self.scored += usize::from(*answer != Answer::Missing);
            self.hits += usize::from(*answer == Answer::Class(*label));
        }
        Ok(())
    }

    fn share(self) -> f64 {
        self.hits as f64 / self.scored.max(1) as f64
    }
}
