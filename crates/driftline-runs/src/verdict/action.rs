//! The one thing to do. Rows to label are named by the policy where it asked for them; otherwise an audit names them.

use serde::{Deserialize, Serialize};

use super::effect::{Effect, Judged, Reason};
use super::hold::StepKind;
use super::newest::original;
use super::roll_back::RollBack;
use crate::asked::AskedRows;
use crate::record::WindowRecord;

/// Rows that an audit names, where the policy has named none.
const AUDITED_ROWS: usize = 20;

/// What to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "do")]
#[non_exhaustive]
pub enum Action {
    KeepServing,
    /// The newest step was deployed: there is nothing to do.
    Adapted,
    /// Labels of this many rows settle what cannot be told without; `named` says whether the run has named the rows.
    Label {
        rows: usize,
        named: bool,
    },
    /// Another version is better.
    RollBack(RollBack),
}

/// An action without its numbers, for counts and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    KeepServing,
    Adapted,
    Label,
    RollBack,
}

impl Task {
    pub const ALL: [Task; 4] = [
        Task::KeepServing,
        Task::Adapted,
        Task::Label,
        Task::RollBack,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Task::KeepServing => "keep-serving",
            Task::Adapted => "adapted",
            Task::Label => "label",
            Task::RollBack => "roll-back",
        }
    }
}

impl Action {
    pub fn task(&self) -> Task {
        match self {
            Action::KeepServing => Task::KeepServing,
            Action::Adapted => Task::Adapted,
            Action::Label { .. } => Task::Label,
            Action::RollBack(_) => Task::RollBack,
        }
    }

    /// Whether somebody has to do something.
    pub fn is_for_a_person(&self) -> bool {
        matches!(self, Action::Label { .. } | Action::RollBack(_))
    }
}

/// From when on a run that came to its end counts as a failure; each takes in those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    Never,
    /// Somebody has to do something.
    Action,
    /// The last window was held or taken back, for whatever reason.
    Held,
    /// The effect is `hurt` or `doubtful`.
    Doubtful,
}

impl FailOn {
    /// Whether what a run has come to is a failure.
    pub fn applies(self, action: &Action, step: StepKind, effect: Effect) -> bool {
        let acts = action.is_for_a_person();
        let held = acts || matches!(step, StepKind::Held | StepKind::TakenBack);
        match self {
            FailOn::Never => false,
            FailOn::Action => acts,
            FailOn::Held => held,
            FailOn::Doubtful => held || matches!(effect, Effect::Hurt | Effect::Doubtful),
        }
    }
}

/// What decides.
pub(super) struct Facts<'a> {
    pub records: &'a [WindowRecord],
    pub version: usize,
    pub kind: StepKind,
    pub judged: &'a Judged,
    /// Whether the version in use is far less accurate than the source model was on its source.
    pub fallen: bool,
    pub asked: &'a AskedRows,
}

impl Facts<'_> {
    pub fn action(&self) -> Action {
        if let Some(back) = &self.judged.roll_back {
            return Action::RollBack(back.clone());
        }
        let unclear = self.judged.effect == Effect::Doubtful && self.judged.newest.is_none();
        if self.asks() || unclear || self.fallen {
            let unnamed = Action::Label {
                rows: AUDITED_ROWS,
                named: false,
            };
            let counted = self.judged.newest.is_some();
            match (self.open_rows(), self.labels()) {
                (0, _) if counted && self.fallen => return unnamed,
                (0, 0) if !counted => return unnamed,
                (0, _) => {}
                (rows, _) => return Action::Label { rows, named: true },
            }
        }
        let last = self.records.last();
        let serves_newest =
            last.is_some_and(|last| last.window == original(self.records, self.version));
        match self.kind {
            StepKind::Deployed if serves_newest => Action::Adapted,
            _ => Action::KeepServing,
        }
    }

    /// Labels of the newest window have come, and nothing has heard of them yet.
    pub fn waiting(&self) -> Option<Reason> {
        let rows = self.labels();
        let idle = self.open_rows() == 0 && self.judged.newest.is_none();
        (rows > 0 && idle && self.asks()).then_some(Reason::LabelsWait { rows })
    }

    /// Whether the newest step was not deployed although labels would settle whether it should have been.
    fn asks(&self) -> bool {
        let open = |last: &WindowRecord| last.findings().question.is_some();
        let stays = matches!(self.kind, StepKind::Held | StepKind::TakenBack);
        stays && self.records.last().is_some_and(open)
    }

    /// Rows of the newest window that wait for a label: what is older tells less.
    fn open_rows(&self) -> usize {
        let newest = self.records.len();
        let open = self.asked.open();
        open.iter().filter(|line| line.window == newest).count()
    }

    /// Labels of the newest window.
    fn labels(&self) -> usize {
        let newest = self.records.len();
        let known = self.asked.lines().iter();
        known
            .filter(|line| line.window == newest && !line.is_open())
            .count()
    }
}
