//! What each method learns from, step by step: windows of a stream, its last window, all of it, or windows that pile up.
//! One window at a time is in memory, but for `all` and `accumulate`, which need what they learn from.

use std::path::PathBuf;

use super::adapt::expect_known_answers;
use super::digest::InputDigest;
use super::settings::{AdaptSettings, Method};
use crate::Result;
use crate::data::{Domain, Inputs};
use crate::reading::{Encoding, FrameSource, Notes, ReadOptions, Rows, Window, WindowedStream};

/// One self-training step.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// The version that it leads to.
    pub number: usize,
    pub learn: Domain,
    /// What it is measured on.
    pub rows: Rows,
    /// First and last time.
    pub span: Option<(String, String)>,
    pub notes: Notes,
    /// Whether these rows do not come again: then their predictions are stored.
    pub last: bool,
}

/// The steps of a method on a stream.
pub(super) struct Stages {
    method: Method,
    stream: WindowedStream,
    planned: usize,
    notes: Notes,
    /// The version reached.
    done: usize,
    /// What has piled up, or what is repeated.
    kept: Option<Window>,
    pile: Option<Inputs>,
}

impl Stages {
    pub fn open(
        stream: Box<dyn FrameSource>,
        encoding: &Encoding,
        settings: &AdaptSettings,
        read: &ReadOptions,
    ) -> Result<Self> {
        let (choice, cut) = (&settings.choice, settings.cut());
        let mut stream = WindowedStream::open(stream, encoding, choice, cut, read)?;
        expect_known_answers(stream.outline(), choice, encoding)?;
        let planned = stream.outline().windows.len();
        let notes = stream.notes().clone();
        if settings.method == Method::All {
            stream = stream.into_one_window();
        }
        Ok(Self {
            method: settings.method,
            planned,
            notes,
            stream,
            done: 0,
            kept: None,
            pile: None,
        })
    }

    pub fn planned(&self) -> usize {
        self.planned
    }

    pub fn stated(&self) -> String {
        self.stream.outline().stated.clone()
    }

    /// What the stream is known by: its files, `inputs`, or else what it holds.
    pub fn digests(&self, inputs: &[PathBuf]) -> Result<Vec<InputDigest>> {
        let seen = &self.stream.outline().digests;
        match inputs.is_empty() || seen.iter().map(|digest| &digest.path).eq(inputs) {
            true => Ok(seen.clone()),
            // A reader of one's own, which says nothing of the files that it is known by.
            false => InputDigest::of_all(inputs),
        }
    }

    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Goes on after version `done`.
    pub fn start_after(&mut self, done: usize) -> Result<()> {
        self.done = done;
        match self.method {
            Method::Gradual => {
                self.stream.start_at(done + 1);
                Ok(())
            }
            // Earlier windows are read again, for the pile.
            Method::Accumulate => {
                for _ in 0..done {
                    if let Some(window) = self.stream.next_window()? {
                        self.heap(&window.rows.inputs)?;
                    }
                }
                Ok(())
            }
            Method::Target => {
                self.stream.start_at(self.planned);
                self.kept = self.stream.next_window()?;
                Ok(())
            }
            Method::All => {
                self.kept = self.stream.next_window()?;
                Ok(())
            }
        }
    }

    pub fn next(&mut self) -> Result<Option<Stage>> {
        if self.done >= self.planned {
            return Ok(None);
        }
        let number = self.done + 1;
        let window = match self.method {
            Method::Gradual | Method::Accumulate => self.stream.next_window()?,
            Method::Target | Method::All => self.kept.clone(),
        };
        let Some(window) = window else {
            return Ok(None);
        };
        self.done = number;
        let learn = match self.method {
            Method::Accumulate => self.heap(&window.rows.inputs)?,
            _ => window.rows.inputs.clone(),
        };
        Ok(Some(Stage {
            number,
            learn: Domain::new(learn),
            span: window
                .span
                .map(|(from, to)| (from.to_string(), to.to_string())),
            rows: window.rows,
            notes: window.notes,
            last: !self.method.repeats() || number == self.planned,
        }))
    }

    fn heap(&mut self, inputs: &Inputs) -> Result<Inputs> {
        let all = match &self.pile {
            Some(pile) => pile.followed_by(inputs)?,
            None => inputs.clone(),
        };
        self.pile = Some(all.clone());
        Ok(all)
    }
}
