//! What a policy that decides is worth, stream by stream: an experiment whose methods are called `unadapted`, `guarded` and
//! by the names of the candidates. Accuracies are means over windows, then over trials.

use super::store::Store;
use super::trial::{StageOutcome, Trial};

/// The methods that are set against each other; all others are candidates.
const UNADAPTED: &str = "unadapted";
const GUARDED: &str = "guarded";
/// A gain from here on should be kept, and an estimate that is off by more than this is far off.
const WORTH_KEEPING: f64 = 0.05;
const FAR: f64 = 0.15;

/// One stream. Accuracies, gains and errors are fractions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TrustRow {
    pub dataset: String,
    /// Trials of the policy.
    pub trials: usize,
    pub unadapted: f64,
    pub unadapted_balanced: f64,
    /// Of the version deployed after each decision, and of the one that served the window.
    pub guarded: f64,
    pub guarded_balanced: f64,
    pub serving: f64,
    /// The best candidate with hindsight and what it gains over the unadapted model.
    pub best: Option<(String, f64)>,
    pub windows: usize,
    /// How far each estimate was off, and whether its interval held the truth.
    pub errors: Vec<(f64, bool)>,
}

impl TrustRow {
    /// A row for each data set that has both methods.
    pub fn of(store: &Store) -> Vec<Self> {
        let datasets = store.manifest().datasets.iter();
        let rows = datasets.map(|dataset| Self::of_dataset(store, &dataset.name));
        rows.flatten().collect()
    }

    fn of_dataset(store: &Store, dataset: &str) -> Option<Self> {
        let of = |method| -> Vec<&Trial> { store.trials_of(dataset, method).collect() };
        let (unadapted, guarded) = (of(UNADAPTED), of(GUARDED));
        if unadapted.is_empty() || guarded.is_empty() {
            return None;
        }
        let base = over(&unadapted, |stage| stage.window);
        let names = store.manifest().methods.iter().map(|method| &method.name);
        let candidates = names.filter(|name| *name != UNADAPTED && *name != GUARDED);
        let gains = candidates.filter_map(|name| {
            let trials = of(name);
            (!trials.is_empty()).then(|| (name.clone(), over(&trials, |stage| stage.window) - base))
        });
        let stages = guarded.iter().flat_map(|trial| decided(trial));
        let error = |stage: &StageOutcome| {
            let estimate = stage.judged.as_ref()?.estimate.as_ref()?;
            let truth = stage.window?;
            let covers = (estimate.low..=estimate.high).contains(&truth);
            Some(((estimate.accuracy - truth).abs(), covers))
        };
        Some(Self {
            dataset: dataset.to_owned(),
            trials: guarded.len(),
            unadapted: base,
            unadapted_balanced: over(&unadapted, |stage| stage.balanced_window),
            guarded: over(&guarded, |stage| stage.window),
            guarded_balanced: over(&guarded, |stage| stage.balanced_window),
            serving: served(&guarded),
            best: gains.max_by(|a, b| a.1.total_cmp(&b.1)),
            windows: stages.clone().count(),
            errors: stages.filter_map(error).collect(),
        })
    }

    pub fn gain(&self) -> f64 {
        self.guarded - self.unadapted
    }

    pub fn balanced_gain(&self) -> f64 {
        self.guarded_balanced - self.unadapted_balanced
    }

    /// The share of the best candidate's gain that the policy keeps, where there is something to keep.
    pub fn kept(&self) -> Option<f64> {
        let (_, gain) = self.best.as_ref().filter(|best| best.1 >= WORTH_KEEPING)?;
        Some(self.gain() / gain)
    }

    /// The mean error of the estimates, the share of intervals that hold the truth, and the share of estimates far off.
    pub fn estimates(&self) -> Option<(f64, f64, f64)> {
        let n = self.errors.len() as f64;
        let share = |counts: &dyn Fn(&(f64, bool)) -> bool| {
            self.errors.iter().filter(|error| counts(error)).count() as f64 / n
        };
        let off = self.errors.iter().map(|error| error.0).sum::<f64>() / n;
        (n > 0.0).then(|| (off, share(&|error| error.1), share(&|error| error.0 > FAR)))
    }

    /// The share of windows for which a number was given.
    pub fn measured(&self) -> f64 {
        self.errors.len() as f64 / self.windows.max(1) as f64
    }
}

/// The stages after the source model.
fn decided(trial: &Trial) -> &[StageOutcome] {
    trial.outcome.stages.get(1..).unwrap_or_default()
}

/// The mean over trials of the mean over windows.
fn over(trials: &[&Trial], of: fn(&StageOutcome) -> Option<f64>) -> f64 {
    let one = |trial: &&Trial| mean(decided(trial).iter().filter_map(of));
    mean(trials.iter().map(one))
}

/// The same for the version that was deployed when the window came.
fn served(trials: &[&Trial]) -> f64 {
    let one = |trial: &&Trial| {
        let stages = trial.outcome.stages.iter();
        mean(stages.filter_map(|stage| stage.next_window))
    };
    mean(trials.iter().map(one))
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
    sum / f64::from(n.max(1))
}
