//! What the values of a column are like, learned in one pass: how many are missing, from where to where they go, and which
//! they are where they are few.

use std::collections::BTreeSet;

use super::inspect::ColumnView;
use driftline_io::{Column, Field, Kind, Time};

/// More different values than this are not listed.
const FEW: usize = 20;

/// A column so far.
pub(super) struct Seen {
    name: String,
    holds: String,
    missing: u64,
    range: Option<(f64, f64)>,
    moments: bool,
    values: Option<BTreeSet<String>>,
}

impl Seen {
    pub fn new(field: &Field) -> Self {
        Self {
            name: field.name.clone(),
            holds: match field.kind {
                Kind::Image(shape) => format!("images, {shape}"),
                kind => kind.name().into(),
            },
            missing: 0,
            range: None,
            moments: field.kind == Kind::Time,
            values: (!matches!(field.kind, Kind::Image(_) | Kind::Time)).then(BTreeSet::new),
        }
    }

    pub fn see(&mut self, column: &Column) {
        match column {
            Column::Numbers(numbers) => numbers.iter().for_each(|value| {
                let there = !value.is_nan();
                self.number(there.then_some(value), || value.to_string());
            }),
            Column::Times(times) => times.iter().for_each(|time| {
                self.number(time.map(|micros| micros as f64), String::new);
            }),
            Column::Text(texts) => texts.iter().for_each(|text| match text {
                Some(text) => self.value(|| text.to_owned()),
                None => self.missing += 1,
            }),
            Column::Images(_) => {}
        }
    }

    fn number(&mut self, value: Option<f64>, shown: impl FnOnce() -> String) {
        let Some(value) = value else {
            self.missing += 1;
            return;
        };
        let (least, most) = self.range.unwrap_or((value, value));
        self.range = Some((least.min(value), most.max(value)));
        self.value(shown);
    }

    fn value(&mut self, shown: impl FnOnce() -> String) {
        if let Some(values) = &mut self.values {
            values.insert(shown());
            if values.len() > FEW {
                self.values = None;
            }
        }
    }

    pub fn finish(self) -> ColumnView {
        let shown = |value: f64| match self.moments {
            true => Time::Moment(value as i64).to_string(),
            false => value.to_string(),
        };
        ColumnView {
            name: self.name,
            holds: self.holds,
            missing: self.missing,
            range: self.range.map(|(least, most)| (shown(least), shown(most))),
            values: self.values.map(|values| values.into_iter().collect()),
        }
    }
}
