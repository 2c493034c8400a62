//! Rows whose labels a policy wants, with what it needs to learn from an answer that comes at once or much later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A row that a policy has asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRow {
    /// Its place in the window.
    pub row: usize,
    /// How many rows of the window it stands for: one over the chance that it was asked about.
    pub weight: f64,
    /// What versions decide on it: every candidate by its name, beside [`AskedRow::SOURCE`] and [`AskedRow::CURRENT`].
    pub decided: BTreeMap<String, u32>,
    /// How likely every class is, as the policy saw it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub likely: Vec<f32>,
    /// Whether it was drawn from all rows of the window, not for what versions decide on it.
    #[serde(default)]
    pub from_all: bool,
    /// What an expert has answered at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<u32>,
}

impl AskedRow {
    /// The source model among what is decided.
    pub const SOURCE: &'static str = "source";
    /// The version in use when the window came.
    pub const CURRENT: &'static str = "current";
}

/// A row whose label came after its window was decided about.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledRow {
    /// The number of its window.
    pub window: usize,
    pub asked: AskedRow,
    /// None: a class that the source lacks.
    pub class: Option<u32>,
}
