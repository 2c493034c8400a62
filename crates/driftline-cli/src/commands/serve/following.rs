//! What `--follow` adds: rows that were answered go into the log of the run, and the thread that adapts to them reports here.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use driftline_io::{ColumnChoice, Rows, Table};
use driftline_runs::{Appended, Cut, LineColumns, LogState, LoggedLabel, RowLog};
use serde_json::{Value, json};

use crate::commands::follow::{FollowingArgs, Opened, Progress};
use crate::failure::Result;

/// An id may have so many bytes: it stands in the log.
const LONGEST_ID: usize = 200;

pub struct Following {
    log: Arc<Mutex<RowLog>>,
    columns: LineColumns,
    cut: Cut,
    pub progress: Arc<Progress>,
    pub counts: Counts,
}

/// Rows since the process began.
#[derive(Default)]
pub struct Counts {
    pub logged: AtomicU64,
    pub duplicates: AtomicU64,
    pub not_logged: AtomicU64,
    pub labels: AtomicU64,
    pub windows: AtomicU64,
    pub held: AtomicU64,
}

impl Following {
    /// Opens the log; the thread that adapts is begun by whoever holds the rest.
    pub fn open(folder: &Path, args: &FollowingArgs) -> Result<(Self, Opened)> {
        let opened = args.open(folder)?;
        let columns = opened.columns();
        let own = Self {
            log: opened.log.clone(),
            columns,
            cut: opened.cut,
            progress: Arc::default(),
            counts: Counts::default(),
        };
        Ok((own, opened))
    }

    pub fn locked(&self) -> MutexGuard<'_, RowLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How rows are read: with their time and ids, as windows are.
    pub fn choice(&self) -> &ColumnChoice {
        self.columns.choice()
    }

    /// Logs rows that were predicted. The message is for whoever sent them: then nothing was logged.
    pub fn log(
        &self,
        table: &Table,
        rows: &Rows,
        ids: Option<Vec<String>>,
    ) -> std::result::Result<Appended, String> {
        let lines = self.columns.lines(table, rows, ids, &self.cut)?;
        let long = |id: &&String| id.len() > LONGEST_ID || id.is_empty();
        if lines
            .ids()
            .is_some_and(|ids| ids.iter().any(|id| long(&id)))
        {
            return Err(format!("an id has from 1 to {LONGEST_ID} bytes"));
        }
        let told = self.locked().append(&lines);
        let missed = lines.len() - told.logged - told.duplicates;
        let add =
            |counter: &AtomicU64, rows: usize| counter.fetch_add(rows as u64, Ordering::Relaxed);
        add(&self.counts.logged, told.logged);
        add(&self.counts.duplicates, told.duplicates);
        add(&self.counts.not_logged, missed);
        Ok(told)
    }

    /// Keeps labels of rows by their numbers.
    pub fn label(&self, labels: &[LoggedLabel]) -> std::result::Result<(), String> {
        self.locked().label(labels)?;
        let rows = labels.len() as u64;
        self.counts.labels.fetch_add(rows, Ordering::Relaxed);
        Ok(())
    }

    /// Tries again what has failed; called once a second.
    pub fn look(&self) {
        self.locked().try_again();
    }

    /// How it stands, for people and probes.
    pub fn told(&self) -> Value {
        let log = self.locked();
        let state = log.state().clone();
        let (rows, bytes) = (log.rows(), log.bytes());
        drop(log);
        let (adapted_to, trouble) = (self.progress.adapted_to(), self.progress.trouble());
        json!({
            "logging": state.why().map_or_else(|| "on".to_owned(), |why| format!("stopped: {why}")),
            "adapting": trouble.map_or_else(|| "on".to_owned(), |why| format!("stopped: {why}")),
            "rows": rows, "adapted_to": adapted_to, "lag": rows.saturating_sub(adapted_to), "log_bytes": bytes,
        })
    }

    pub fn is_logging(&self) -> bool {
        *self.locked().state() == LogState::On
    }
}

/// What an answer says of its rows in the log.
pub fn told(appended: &Appended) -> Vec<(&'static str, Value)> {
    let mut all = vec![("logged", appended.logged.into())];
    if appended.logged > 0 {
        all.push(("row", appended.first.into()));
    }
    if appended.duplicates > 0 {
        all.push(("duplicates", appended.duplicates.into()));
    }
    if let Some(why) = &appended.why_not {
        all.push(("not_logged", why.as_str().into()));
    }
    all
}
