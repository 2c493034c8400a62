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
    /// `head` names the columns, with a bar between them.
    pub fn new(title: impl Into<String>, words: usize, head: &str) -> Self {
        Self {
            title: title.into(),
            head: head.split('|').map(String::from).collect(),
            words,
            ..Self::default()
        }
    }

    /// Names and values, without a head.
    pub fn pairs(title: &str, rows: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut grid = Self::new(title, 2, "|");
        let rows = rows.into_iter();
        grid.rows = rows.map(|(name, value)| vec![name, value]).collect();
        grid
    }

    /// `None` for a table without rows.
    pub fn if_any(self) -> Option<Self> {
        (!self.rows.is_empty()).then_some(self)
    }
}
