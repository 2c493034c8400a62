//! One stream of the proving ground under the policy `guarded`: what was served, what standing still and every single
//! candidate would have served, and how good the estimates were.

use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde_json::json;

use super::ProvingStream;
use driftline_adapt::policy::{Estimate, Expert, Policy, PolicyOutcome, Proposal};
use driftline_adapt::{
    Candidate, Context, EachStep, Engine, MemoryWindows, NamedPart, PartSpec, State, Step, Version,
};
use driftline_core::data::{
    ColumnCleaning, EncodeOptions, Examples, Inputs, LabeledDomain, Scaling, Windowing,
};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_models::{AnyLearner, Classifier, Learner};
use driftline_runs::method::{Registry, Settings};

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    pub family: String,
    pub number: usize,
    pub model: String,
    pub held_out: f64,
    /// Mean accuracies over the stream, each window by the version that stood before it: served, unadapted.
    pub served: f64,
    pub unadapted: f64,
    pub balanced_served: f64,
    pub balanced_unadapted: f64,
    /// The same of every candidate, had it been deployed always.
    pub candidates: Vec<(String, f64)>,
    /// Of the unadapted model and of the version in use, window by window.
    pub estimates: Vec<[Judged; 2]>,
    /// The usual estimates of the unadapted model: calibrated confidence, ATC, DoC.
    pub usual: Vec<[f64; 3]>,
    pub asked: usize,
}

/// An estimate and the truth.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Judged {
    pub truth: f64,
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

/// What each candidate says of the rows of a window, by name.
type Said = Vec<(String, Vec<u32>)>;
/// The version that served a window, and what was decided about it.
type Served = (Version, PolicyOutcome);

/// Looks on while the policy decides: what every candidate's version before the window says of it.
#[derive(Debug, Serialize)]
struct Witness {
    #[serde(skip)]
    policy: NamedPart<dyn Policy>,
    #[serde(skip)]
    seen: Mutex<Vec<Said>>,
}

impl Policy for Witness {
    fn candidates(&self, learner: &AnyLearner) -> Option<Vec<String>> {
        self.policy.candidates(learner)
    }

    fn decide(
        &self,
        ctx: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        if let Some(window) = &ctx.stage.learn {
            let said = |own: &Proposal<'_>| {
                let labels = own.before.predict(&window.inputs)?;
                Ok((own.candidate.name.clone(), labels.as_slice().to_vec()))
            };
            let all: Result<Vec<_>> = proposals.iter().map(said).collect();
            self.seen
                .lock()
                .expect("nobody panics while holding it")
                .push(all?);
        }
        self.policy.decide(ctx, state, proposals)
    }
}

/// Knows the truth and tells what it is asked, window after window.
#[derive(Debug)]
struct Truth {
    windows: Vec<Vec<u32>>,
    n_classes: usize,
    /// The window that is being decided about.
    at: Mutex<usize>,
    asked: Mutex<usize>,
}

impl Expert for Truth {
    fn label(&self, rows: &[usize]) -> Result<Vec<Option<u32>>> {
        let at = *self.at.lock().expect("nobody panics while holding it");
        *self.asked.lock().expect("nobody panics while holding it") += rows.len();
        let truth = &self.windows[at];
        let known =
            |&row: &usize| Some(truth[row]).filter(|&class| (class as usize) < self.n_classes);
        Ok(rows.iter().map(known).collect())
    }
}

impl Trial {
    pub fn run(family: &str, number: usize, stream: &ProvingStream, labels: usize) -> Result<Self> {
        let how = EncodeOptions {
            standardize: true,
            cleaning: ColumnCleaning {
                drop: false,
                ..ColumnCleaning::ON
            },
        };
        let scaling =
            Scaling::fit(&stream.source, how).ok_or_else(|| Error::empty("the columns"))?;
        let inputs = scaling.apply_to_source(stream.source.inputs())?;
        let source = LabeledDomain::new(inputs, stream.source.labels().clone())?
            .with_one_hot(stream.source.one_hot().to_vec());
        let windows: Result<Vec<Inputs>> = stream
            .windows
            .iter()
            .map(|own| scaling.apply(own))
            .collect();
        let windows = windows?;
        let policy = json!({ "labels-per-window": labels });
        let mut settings = Settings::for_own_data();
        settings.model = Some(PartSpec::plain(stream.model));
        settings.labeler = Some(PartSpec::plain("teacher"));
        settings.policy = Some(PartSpec::new("guarded", policy));
        let registry = Registry::new();
        let method = settings.resolve("proving", &registry, None)?;
        let seed = Seed::new(number as u64);
        let examples = Examples::from(&source);
        let tuned =
            |learner: &AnyLearner, source: &Examples| learner.tuned(source, seed.named("tuning"));
        let learner = tuned(&method.source_learner, &examples)?;
        let model = learner.fit(&examples, seed.named("source"))?;
        let candidate = Candidate {
            learner,
            ..method.candidate.clone()
        };
        let truth = Arc::new(Truth {
            windows: stream.truth.clone(),
            n_classes: source.labels().n_classes(),
            at: Mutex::new(0),
            asked: Mutex::new(0),
        });
        let engine = Engine::new(candidate, model, seed.named("self-training"))
            .with_source(source.clone())
            .with_expert(truth.clone());
        let chains = method.chains(engine.base(), Some(&source), None, &tuned, seed)?;
        let witness = Arc::new(Witness {
            policy: method.policy.clone(),
            seen: Mutex::default(),
        });
        let named = NamedPart::new("guarded", witness.clone() as Arc<dyn Policy>);
        let mut engine = engine.with_policy(named, chains);
        let first = engine.first().clone();
        let mut versions: Vec<Served> = vec![];
        let mut sink = EachStep::new(&engine, |step: &Step| {
            versions.push((step.before.clone(), step.outcome.clone()));
            *truth.at.lock().expect("nobody panics while holding it") += 1;
            Ok(())
        });
        let mut all = windows.clone().into_iter();
        let whole = all.next().ok_or_else(|| Error::empty("the stream"))?;
        let whole = all.try_fold(whole, |whole, own| whole.followed_by(&own))?;
        let rows = windows.iter().scan(0, |end, own| {
            *end += own.len();
            Some(*end)
        });
        let windowing = Windowing::Boundaries(rows.collect(), Default::default());
        engine.run(&mut MemoryWindows::new(whole, Some(&windowing))?, &mut sink)?;
        let seen = witness
            .seen
            .lock()
            .expect("nobody panics while holding it")
            .clone();
        let asked = *truth.asked.lock().expect("nobody panics while holding it");
        Self::summary(
            family,
            number,
            stream,
            &windows,
            (&first, &versions, &seen),
            asked,
        )
    }

    fn summary(
        family: &str,
        number: usize,
        stream: &ProvingStream,
        windows: &[Inputs],
        (first, versions, seen): (&Version, &[Served], &[Said]),
        asked: usize,
    ) -> Result<Self> {
        let n_classes = stream.source.labels().n_classes();
        let n = windows.len() as f64;
        let mut trial = Self {
            family: family.to_owned(),
            number,
            model: stream.model.to_owned(),
            held_out: 0.0,
            served: 0.0,
            unadapted: 0.0,
            balanced_served: 0.0,
            balanced_unadapted: 0.0,
            candidates: vec![],
            estimates: vec![],
            usual: vec![],
            asked,
        };
        for (at, window) in windows.iter().enumerate() {
            let truth = &stream.truth[at];
            let (version, outcome) = &versions[at];
            let (served, held) = (version.predict(window)?, first.predict(window)?);
            let (served, held) = (served.as_slice(), held.as_slice());
            trial.served += accuracy(served, truth) / n;
            trial.unadapted += accuracy(held, truth) / n;
            trial.balanced_served += balanced(served, truth, n_classes) / n;
            trial.balanced_unadapted += balanced(held, truth, n_classes) / n;
            for (name, said) in &seen[at] {
                let own = accuracy(said, truth) / n;
                match trial.candidates.iter_mut().find(|(other, _)| other == name) {
                    Some((_, sum)) => *sum += own,
                    None => trial.candidates.push((name.clone(), own)),
                }
            }
            let judged = |estimate: &Option<Estimate>, truth: f64| {
                let own = estimate
                    .as_ref()
                    .ok_or_else(|| Error::empty("the estimate"))?;
                Ok::<_, Error>(Judged {
                    truth,
                    estimate: own.accuracy,
                    low: own.low,
                    high: own.high,
                })
            };
            trial.estimates.push([
                judged(&outcome.estimate_unadapted, accuracy(held, truth))?,
                judged(&outcome.estimate_before, accuracy(served, truth))?,
            ]);
            let usual = &outcome.findings["baselines"];
            let number = |name: &str| usual[name].as_f64().unwrap_or(f64::NAN);
            trial
                .usual
                .push(["calibrated", "threshold", "difference"].map(number));
            trial.held_out = outcome.findings["held_out"].as_f64().unwrap_or(f64::NAN);
        }
        Ok(trial)
    }
}

fn accuracy(own: &[u32], truth: &[u32]) -> f64 {
    let right = own.iter().zip(truth).filter(|(own, truth)| own == truth);
    right.count() as f64 / truth.len().max(1) as f64
}

/// The mean recall of the classes of the source that are there.
fn balanced(own: &[u32], truth: &[u32], n_classes: usize) -> f64 {
    let recall = |class: usize| {
        let rows = own
            .iter()
            .zip(truth)
            .filter(|(_, truth)| **truth as usize == class);
        let (right, all) = rows.fold((0.0, 0.0), |(right, all), (own, truth)| {
            (right + f64::from(u8::from(own == truth)), all + 1.0)
        });
        (all > 0.0).then_some(right / all)
    };
    let recalls: Vec<f64> = (0..n_classes).filter_map(recall).collect();
    recalls.iter().sum::<f64>() / recalls.len().max(1) as f64
}
