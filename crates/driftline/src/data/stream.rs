//! Unlabelled examples in the order in which they arrived.

use super::{Domain, Inputs, Split, Windowing};
use crate::Result;

/// A time-ordered sequence of unlabelled examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    inputs: Inputs,
}

impl Stream {
    pub fn new(inputs: Inputs) -> Self {
        Self { inputs }
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// Where the windows lie, and what became of the tail.
    pub fn split(&self, windowing: &Windowing) -> Result<Split> {
        windowing.split(self.len())
    }

    /// The examples `range` of the stream, sharing its array.
    pub fn window(&self, range: std::ops::Range<usize>) -> Domain {
        Domain::new(self.inputs.slice(range))
    }

    /// The whole stream as one domain.
    pub fn pooled(&self) -> Domain {
        Domain::new(self.inputs.clone())
    }
}
