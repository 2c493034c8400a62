//! What models of Python's have said lately: a policy asks the same model about the same rows several times, and every
//! question costs a call.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use driftline_core::data::{Inputs, Probabilities};
use pyo3::prelude::*;

/// Answers that are kept: a window's, of every version that is asked about it.
const MOST: usize = 24;
/// Numbers that an answer may be about: what is larger is not asked twice, and would take memory.
const NUMBERS: usize = 1 << 18;

/// The newest answers last.
#[derive(Default)]
pub struct Said(Mutex<VecDeque<Answer>>);

struct Answer {
    model: Arc<Py<PyAny>>,
    inputs: Inputs,
    said: Probabilities,
}

impl Said {
    /// What this model said of these rows, if it is kept.
    pub fn find(&self, model: &Arc<Py<PyAny>>, inputs: &Inputs) -> Option<Probabilities> {
        // Nobody waits: a process that was forked off would wait for ever.
        let kept = self.0.try_lock().ok()?;
        let same = |answer: &&Answer| Arc::ptr_eq(&answer.model, model) && answer.inputs == *inputs;
        kept.iter().rev().find(same).map(|own| own.said.clone())
    }

    pub fn keep(&self, model: &Arc<Py<PyAny>>, inputs: &Inputs, said: &Probabilities) {
        if inputs.len() * inputs.shape().size() > NUMBERS {
            return;
        }
        let Ok(mut kept) = self.0.try_lock() else {
            return;
        };
        if kept.len() == MOST {
            kept.pop_front();
        }
        kept.push_back(Answer {
            model: model.clone(),
            inputs: inputs.clone(),
            said: said.clone(),
        });
    }
}
