//! Class labels, numbered from 0.

use std::ops::Range;

use super::Proportion;
use crate::{Error, Result};

/// One class per example, out of `n_classes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    classes: Vec<u32>,
    n_classes: usize,
}

impl Labels {
    pub fn new(classes: Vec<u32>, n_classes: usize) -> Result<Self> {
        if n_classes < 2 {
            return Err(Error::out_of_range(
                "the number of classes",
                n_classes,
                "at least 2",
            ));
        }
        match classes
            .iter()
            .position(|&class| class as usize >= n_classes)
        {
            Some(row) => Err(Error::UnknownLabel {
                row,
                label: classes[row],
                n_classes,
            }),
            None => Ok(Self { classes, n_classes }),
        }
    }

    pub fn len(&self) -> usize {
        self.classes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    pub fn as_slice(&self) -> &[u32] {
        &self.classes
    }

    pub fn slice(&self, range: Range<usize>) -> Labels {
        Labels {
            classes: self.classes[range].to_vec(),
            n_classes: self.n_classes,
        }
    }

    pub fn pick(&self, indices: &[usize]) -> Labels {
        Labels {
            classes: indices.iter().map(|&index| self.classes[index]).collect(),
            n_classes: self.n_classes,
        }
    }

    /// How often each class occurs.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_classes];
        for &class in &self.classes {
            counts[class as usize] += 1;
        }
        counts
    }

    /// How many of them are the same in `other`.
    pub fn agreement(&self, other: &Labels) -> Proportion {
        let pairs = self.classes.iter().zip(&other.classes);
        Proportion::new(pairs.clone().filter(|(a, b)| a == b).count(), pairs.len())
    }

    /// The class that all examples share, if they do.
    pub fn only_class(&self) -> Option<u32> {
        let first = *self.classes.first()?;
        self.classes
            .iter()
            .all(|&class| class == first)
            .then_some(first)
    }
}
