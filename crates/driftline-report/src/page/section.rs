//! One part of a page: all that it says about an experiment, a run or a statement. HTML and Markdown only arrange it.

use serde::Serialize;

use super::{Card, Grid};
use crate::chart::Figure;

/// What is empty is not shown.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Section {
    /// Unique on the page.
    pub id: String,
    pub title: String,
    /// What it is like now, in one sentence, and the figures to it.
    pub now: Option<String>,
    pub cards: Vec<Card>,
    pub outcome: String,
    /// `holds`, `fails` or `open`, and the same in words.
    pub verdict: Option<(&'static str, String)>,
    /// The table above the charts.
    pub results: Option<Grid>,
    pub figures: Vec<Figure>,
    /// The tables below the charts.
    pub tables: Vec<Grid>,
    pub notes: Vec<String>,
    /// What is taken for granted, and what cannot be known.
    pub limits: Vec<String>,
    /// The numbers behind the curves.
    pub means: Vec<Grid>,
    pub settings: Vec<Grid>,
    pub facts: Vec<(String, String)>,
    /// How to make the same results again.
    pub command: String,
}
