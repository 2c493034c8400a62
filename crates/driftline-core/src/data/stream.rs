//! Unlabelled examples in the order in which they arrived.

use std::ops::Range;

use super::{Domain, Inputs, Split, Windowing};
use crate::{Error, Result};

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

    /// Where the windows lie, and how leftover rows are handled.
    pub fn split(&self, windowing: &Windowing) -> Result<Split> {
        windowing.split(self.len())
    }

    /// The examples `range` of the stream, sharing its array.
    pub fn window(&self, range: Range<usize>) -> Result<Domain> {
        if range.start > range.end || range.end > self.len() {
            return Err(Error::out_of_range(
                "the window",
                format!("{range:?}"),
                format!("within the {} examples of the stream", self.len()),
            ));
        }
        Ok(Domain::new(self.inputs.slice(range)))
    }

    /// The whole stream as one domain.
    pub fn pooled(&self) -> Domain {
        Domain::new(self.inputs.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;

    #[test]
    fn a_window_past_the_end_is_an_error() {
        let inputs = Inputs::new(vec![0.0; 6], Shape::Vector(2)).unwrap();
        let stream = Stream::new(inputs);
        assert_eq!(stream.window(1..3).unwrap().len(), 2);
        for (start, end) in [(1, 4), (4, 4), (3, 2), (0, usize::MAX)] {
            assert!(stream.window(start..end).is_err(), "{start} to {end}");
        }
    }
}
