//! Examples from one moment of the drift: unlabelled, or with their labels.

use std::ops::Range;
use std::sync::Arc;

use super::{Inputs, Labels, Layout, RowOrder};
use crate::{Error, Result};

/// Unlabelled examples.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    pub inputs: Inputs,
}

impl Domain {
    pub fn new(inputs: Inputs) -> Self {
        Self { inputs }
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }
}

/// Labelled examples: the source, or what an evaluator holds.
#[derive(Clone, Debug, PartialEq)]
pub struct LabeledDomain {
    inputs: Inputs,
    labels: Labels,
    /// Which inputs belong to one column, as far as that is known.
    layout: Arc<Layout>,
    order: Option<Arc<RowOrder>>,
}

impl LabeledDomain {
    pub fn new(inputs: Inputs, labels: Labels) -> Result<Self> {
        if inputs.len() != labels.len() {
            return Err(Error::mismatch(
                "the labels",
                format!("{} rows, as many as the inputs", inputs.len()),
                labels.len(),
            ));
        }
        Ok(Self {
            inputs,
            labels,
            layout: Arc::default(),
            order: None,
        })
    }

    /// The same, with the inputs of each column that is one-hot encoded.
    pub fn with_one_hot(self, one_hot: Vec<Range<usize>>) -> Self {
        let marked = self.layout.marked.clone();
        self.with_layout(Layout { one_hot, marked })
    }

    /// The same, with the inputs that belong to one column.
    pub fn with_layout(self, layout: Layout) -> Self {
        let layout = layout.into();
        Self { layout, ..self }
    }

    /// The same, with what is known of the order of the rows.
    pub fn with_order(self, order: Option<RowOrder>) -> Self {
        let order = order.map(Arc::new);
        Self { order, ..self }
    }

    /// What is known of the order of the rows beyond the places they stand at.
    pub fn order(&self) -> Option<&Arc<RowOrder>> {
        self.order.as_ref()
    }

    /// Which inputs belong to one column, as far as that is known.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// The inputs of each column that is one-hot encoded, as far as that is known.
    pub fn one_hot(&self) -> &[Range<usize>] {
        &self.layout.one_hot
    }

    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    pub fn len(&self) -> usize {
        self.inputs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    pub fn slice(&self, range: Range<usize>) -> LabeledDomain {
        LabeledDomain {
            inputs: self.inputs.slice(range.clone()),
            labels: self.labels.slice(range.clone()),
            layout: self.layout.clone(),
            order: self.picked_order(&range.collect::<Vec<_>>()),
        }
    }

    pub fn pick(&self, indices: &[usize]) -> LabeledDomain {
        LabeledDomain {
            inputs: self.inputs.pick(indices),
            labels: self.labels.pick(indices),
            layout: self.layout.clone(),
            order: self.picked_order(indices),
        }
    }

    fn picked_order(&self, indices: &[usize]) -> Option<Arc<RowOrder>> {
        let order = self.order.as_ref()?;
        Some(Arc::new(order.pick(indices)))
    }

    /// The same examples with their labels hidden.
    pub fn unlabeled(&self) -> Domain {
        Domain::new(self.inputs.clone())
    }

    /// A source must show every method at least two classes.
    pub fn expect_two_classes(&self) -> Result<()> {
        if self.is_empty() {
            return Err(Error::empty("the source"));
        }
        match self.labels.only_class() {
            Some(class) => Err(Error::OneClass {
                class,
                n: self.len(),
            }),
            None => Ok(()),
        }
    }
}
