//! A table of texts, shown the same way in HTML and Markdown.

use serde::Serialize;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Grid {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// So many columns at the left hold words; the rest are numbers.
    pub words: usize,
    /// Sentences below.
    pub notes: Vec<String>,
}

impl Grid {
    pub fn new(title: impl Into<String>, words: usize, head: &[&str]) -> Self {
        Self {
            title: title.into(),
            head: head.iter().map(|&name| name.to_owned()).collect(),
            words,
            ..Self::default()
        }
    }

    /// `None` for a table without rows.
    pub fn if_any(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }
}
