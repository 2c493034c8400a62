//! What a record of the log says: rows as lines of CSV behind a line of JSON about them, or labels that came for earlier rows.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::columns::Lines;
use driftline_io::Time;

/// A record.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    /// The number of the first row, and the rows.
    Rows(u64, Lines),
    Labels(Vec<LoggedLabel>),
}

/// A label for a row of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoggedLabel {
    /// The number of the row in the log, from 1.
    pub row: u64,
    /// A class, or that it is another one.
    pub label: String,
}

/// The line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Head<'a> {
    Rows {
        /// The number of the first row.
        first: u64,
        /// Where each line ends.
        ends: Cow<'a, [usize]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ids: Option<Cow<'a, [String]>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        times: Option<Cow<'a, [Time]>>,
    },
    Labels(Cow<'a, [LoggedLabel]>),
}

pub(super) fn rows_to_bytes(first: u64, lines: &Lines) -> Vec<u8> {
    let head = Head::Rows {
        first,
        ends: (&*lines.ends).into(),
        ids: lines.ids.as_deref().map(Cow::from),
        times: lines.times.as_deref().map(Cow::from),
    };
    written(&head, &lines.text)
}

pub(super) fn labels_to_bytes(labels: &[LoggedLabel]) -> Vec<u8> {
    written(&Head::Labels(labels.into()), "")
}

fn written(head: &Head<'_>, text: &str) -> Vec<u8> {
    let mut body = serde_json::to_vec(head).expect("a record has string keys only");
    body.push(b'\n');
    body.extend_from_slice(text.as_bytes());
    body
}

impl Entry {
    /// The message says what is wrong.
    pub fn from_bytes(body: &[u8]) -> Result<Self, String> {
        let body = std::str::from_utf8(body).map_err(|_| "is not text in UTF-8")?;
        let (head, text) = body.split_once('\n').ok_or("has no first line")?;
        let head = serde_json::from_str(head).map_err(|error| error.to_string())?;
        let (first, ends, ids, times) = match head {
            Head::Labels(labels) => return Ok(Self::Labels(labels.into_owned())),
            Head::Rows {
                first,
                ends,
                ids,
                times,
            } => (first, ends.into_owned(), ids, times),
        };
        let whole = ends.last().is_some_and(|end| *end == text.len())
            && ends.iter().all(|end| text.is_char_boundary(*end))
            && ends.is_sorted()
            && ids.as_ref().is_none_or(|ids| ids.len() == ends.len())
            && times.as_ref().is_none_or(|times| times.len() == ends.len());
        if !whole {
            return Err("has other rows than it says".into());
        }
        let lines = Lines {
            text: text.into(),
            ends,
            ids: ids.map(Cow::into_owned),
            times: times.map(Cow::into_owned),
        };
        Ok(Self::Rows(first, lines))
    }
}
