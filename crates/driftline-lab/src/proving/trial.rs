//! One stream of the proving ground under the policy `guarded`, with several budgets of labels at once: what was served, what
//! standing still and every single candidate would have served, and how good the estimates were. The candidates' chains do
//! not depend on what is deployed, so that all budgets share them.

use std::sync::{Arc, Mutex};

use serde::Serialize;

use super::ProvingStream;
use super::score::{accuracy, balanced};
use driftline_adapt::policy::{Decision, Estimate, Expert, Policy, PolicyOutcome, Proposal};
use driftline_adapt::{
    Candidate, Context, EachStep, Engine, MemoryWindows, NamedPart, PartSpec, State, Version,
};
use driftline_core::data::{
    ColumnCleaning, EncodeOptions, Examples, Inputs, LabeledDomain, Scaling, Windowing,
};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_guard::GuardConfig;
use driftline_models::{AnyLearner, Classifier, Learner};
use driftline_runs::method::{Registry, Settings};

/// Calibrated confidence, ATC, DoC, importance-weighted source accuracy, PAPE, SLD with BCTS: as a window's findings call them.
const USUAL: [&str; 6] = [
    "calibrated",
    "threshold",
    "difference",
    "importance",
    "recalibrated",
    "shares",
];

/// What came out.
#[derive(Clone, Debug, Serialize)]
pub struct Trial {
    pub family: String,
    pub number: usize,
    pub model: String,
    /// Labels that were granted in every window.
    pub labels: usize,
    #[serde(skip)]
    windows: usize,
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
    /// The usual estimates of the unadapted model, window by window, as [`USUAL`] names them.
    pub usual: Vec<[Option<f64>; USUAL.len()]>,
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

/// One budget: its policy, what that remembers, and the version in use.
struct Budget {
    labels: usize,
    policy: GuardConfig,
    state: State,
    deployed: Option<Version>,
    asked: usize,
    trial: Trial,
}

/// Decides for every budget in turn, and keeps what came of it.
#[derive(Serialize)]
struct Witness {
    #[serde(skip)]
    budgets: Mutex<Vec<Budget>>,
    #[serde(skip)]
    truth: Vec<Vec<u32>>,
    #[serde(skip)]
    n_classes: usize,
}

impl std::fmt::Debug for Witness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Witness").finish_non_exhaustive()
    }
}

/// Knows the truth of one window and tells what it is asked.
#[derive(Debug)]
struct Truth<'a> {
    window: &'a [u32],
    n_classes: usize,
}

impl Expert for Truth<'_> {
    fn label(&self, rows: &[usize]) -> Result<Vec<Option<u32>>> {
        let known = |&row: &usize| {
            Some(self.window[row]).filter(|&class| (class as usize) < self.n_classes)
        };
        Ok(rows.iter().map(known).collect())
    }
}

impl Policy for Witness {
    fn candidates(&self, learner: &AnyLearner) -> Option<Vec<String>> {
        GuardConfig::default().candidates(learner)
    }

    fn decide(
        &self,
        ctx: &Context<'_>,
        _: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let mut budgets = self
            .budgets
            .lock()
            .expect("no thread panics while holding it");
        let window = ctx
            .stage
            .learn
            .as_ref()
            .ok_or_else(|| Error::empty("the window"))?;
        let truth = &self.truth[ctx.number - 1];
        let expert = Truth {
            window: truth,
            n_classes: self.n_classes,
        };
        if ctx.number == 1 {
            let candidates: Vec<&Candidate> = proposals.iter().map(|own| own.candidate).collect();
            let policy = GuardConfig::default();
            let prepared = policy.prepare(ctx, &candidates, window.len())?;
            budgets
                .iter_mut()
                .for_each(|own| own.state = prepared.clone());
        }
        let mut first = None;
        for budget in budgets.iter_mut() {
            let deployed = budget.deployed.take().unwrap_or_else(|| ctx.first.clone());
            let moment = Context {
                deployed: &deployed,
                expert: Some(&expert),
                ..*ctx
            };
            let outcome = budget.policy.decide(&moment, &budget.state, proposals)?;
            let said = [
                deployed.predict(&window.inputs)?,
                ctx.first.predict(&window.inputs)?,
            ];
            let said = said.each_ref().map(|own| own.as_slice());
            budget.trial.see(said, truth, self.n_classes, &outcome)?;
            for proposal in proposals {
                let said = proposal.before.predict(&window.inputs)?;
                let own = accuracy(said.as_slice(), truth);
                budget.trial.candidate(&proposal.candidate.name, own);
            }
            budget.asked += outcome
                .asked
                .iter()
                .filter(|own| own.class.is_some())
                .count();
            budget.deployed = Some(match &outcome.decision {
                Decision::Deploy(place) => proposals[*place]
                    .version
                    .cloned()
                    .ok_or_else(|| Error::empty("the proposal"))?,
                Decision::Hold { .. } => deployed,
                Decision::RollBack { .. } => ctx.first.clone(),
            });
            budget.state = outcome.state.clone();
            first.get_or_insert(outcome);
        }
        first.ok_or_else(|| Error::empty("the budgets"))
    }
}

impl Trial {
    /// One trial for every budget of labels.
    pub fn run(
        family: &str,
        number: usize,
        stream: &ProvingStream,
        budgets: &[usize],
    ) -> Result<Vec<Self>> {
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
        let mut settings = Settings::for_own_data();
        settings.model = Some(PartSpec::plain(stream.model));
        settings.labeler = Some(PartSpec::plain("teacher"));
        settings.policy = Some(PartSpec::plain("guarded"));
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
        let engine =
            Engine::new(candidate, model, seed.named("self-training")).with_source(source.clone());
        let chains = method.chains(engine.base(), Some(&source), None, &tuned, seed)?;
        let budget = |&labels: &usize| Budget {
            labels,
            policy: GuardConfig {
                labels_per_window: labels,
                ..GuardConfig::default()
            },
            state: State::default(),
            deployed: None,
            asked: 0,
            trial: Self::new(family, number, stream.model, labels, windows.len()),
        };
        let witness = Arc::new(Witness {
            budgets: Mutex::new(budgets.iter().map(budget).collect()),
            truth: stream.truth.clone(),
            n_classes: source.labels().n_classes(),
        });
        let named = NamedPart::new("guarded", witness.clone() as Arc<dyn Policy>);
        let mut engine = engine.with_policy(named, chains);
        let mut sink = EachStep::new(&engine, |_| Ok(()));
        let mut all = windows.clone().into_iter();
        let whole = all.next().ok_or_else(|| Error::empty("the stream"))?;
        let whole = all.try_fold(whole, |whole, own| whole.followed_by(&own))?;
        let rows = windows.iter().scan(0, |end, own| {
            *end += own.len();
            Some(*end)
        });
        let windowing = Windowing::Boundaries(rows.collect(), Default::default());
        engine.run(&mut MemoryWindows::new(whole, Some(&windowing))?, &mut sink)?;
        let mut budgets = witness
            .budgets
            .lock()
            .expect("no thread panics while holding it");
        let all = budgets.drain(..).map(|own| Self {
            asked: own.asked,
            labels: own.labels,
            ..own.trial
        });
        Ok(all.collect())
    }

    fn new(family: &str, number: usize, model: &str, labels: usize, windows: usize) -> Self {
        Self {
            family: family.to_owned(),
            number,
            model: model.to_owned(),
            labels,
            windows,
            held_out: 0.0,
            served: 0.0,
            unadapted: 0.0,
            balanced_served: 0.0,
            balanced_unadapted: 0.0,
            candidates: vec![],
            estimates: vec![],
            usual: vec![],
            asked: 0,
        }
    }

    /// A window: what the version that served it and the source model said.
    fn see(
        &mut self,
        [served, held]: [&[u32]; 2],
        truth: &[u32],
        n_classes: usize,
        outcome: &PolicyOutcome,
    ) -> Result<()> {
        let n = self.windows as f64;
        self.served += accuracy(served, truth) / n;
        self.unadapted += accuracy(held, truth) / n;
        self.balanced_served += balanced(served, truth, n_classes) / n;
        self.balanced_unadapted += balanced(held, truth, n_classes) / n;
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
        self.estimates.push([
            judged(&outcome.estimate_unadapted, accuracy(held, truth))?,
            judged(&outcome.estimate_before, accuracy(served, truth))?,
        ]);
        let usual = &outcome.findings["baselines"];
        self.usual.push(USUAL.map(|name| usual[name].as_f64()));
        self.held_out = outcome.findings["held_out"].as_f64().unwrap_or(f64::NAN);
        Ok(())
    }

    fn candidate(&mut self, name: &str, accuracy: f64) {
        let own = accuracy / self.windows as f64;
        match self.candidates.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum += own,
            None => self.candidates.push((name.to_owned(), own)),
        }
    }
}
