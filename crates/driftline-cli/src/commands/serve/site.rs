//! All that answers share: the models, what is counted, the log of a run that follows, and the journal.

use std::sync::atomic::Ordering;

use driftline_runs::DecisionKind;
use serde_json::json;

use super::following::Following;
use super::health::Metrics;
use super::journal::Journal;
use super::models::Models;
use crate::commands::follow::{Event, window};
use crate::output;

pub struct Site {
    pub models: Models,
    pub metrics: Metrics,
    pub following: Option<Following>,
    pub journal: Option<Journal>,
}

impl Site {
    /// Takes up a newer version, if there is one.
    pub fn refresh(&self) {
        if self.models.refresh()
            && let (Some(journal), (_, version, swaps)) = (&self.journal, self.models.counts())
        {
            journal.tell("swap", json!({ "version": version, "swaps": swaps }));
        }
    }

    /// Once a second.
    pub fn look(&self) {
        self.refresh();
        if let Some(following) = &self.following {
            let before = following.is_logging();
            following.look();
            if let (false, Some(journal)) = (before, &self.journal) {
                journal.tell("log", following.told());
            }
        }
        if let Some(journal) = &self.journal {
            journal.flush();
        }
    }

    /// What the thread that adapts has done.
    pub fn on(&self, event: &Event<'_>) {
        let Some(following) = &self.following else {
            return;
        };
        let (kind, told) = match event {
            Event::Window(closed) => {
                let count = |one: bool| u64::from(one);
                let held = closed.record.decision == DecisionKind::Hold;
                following.counts.windows.fetch_add(1, Ordering::Relaxed);
                following
                    .counts
                    .held
                    .fetch_add(count(held), Ordering::Relaxed);
                ("window", window(closed))
            }
            Event::Labels(labels, refused) => {
                ("labels", json!({ "labels": labels, "refused": refused }))
            }
            Event::Trouble(why) => {
                output::tell(&format!(
                    "warning: {why}; answers go on, and it is tried again"
                ));
                ("trouble", json!({ "why": why }))
            }
        };
        if let Some(journal) = &self.journal {
            journal.tell(kind, told);
        }
        self.refresh();
    }
}
