//! The columns of a run that live rows are logged with, and rows of a table as lines of CSV: what a window file holds.

use super::cut::Cut;
use crate::asked::quoted;
use crate::folder::RunFolder;
use driftline_core::{Error, Result};
use driftline_io::{
    Coding, Column, ColumnChoice, InputEncoding, ReadOptions, Rows, Table, TableSource, Time,
    is_missing,
};

/// The columns, in the model's order: its features, those that it leaves out because they did not vary, and the run's time and
/// ids. Whatever else a row has is not logged.
#[derive(Clone, Debug)]
pub struct LineColumns {
    columns: Vec<LineColumn>,
    choice: ColumnChoice,
}

#[derive(Clone, Debug)]
struct LineColumn {
    name: String,
    form: Form,
}

/// How a column is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Number,
    /// Text in which words such as `NA` mean that there is no value.
    Category,
    Verbatim,
}

/// Rows as lines of CSV, with what is known of them beside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    pub(super) text: String,
    /// Where each line ends.
    pub(super) ends: Vec<usize>,
    pub(super) ids: Option<Vec<String>>,
    pub(super) times: Option<Vec<Time>>,
}

impl LineColumns {
    /// Refuses a run whose rows cannot be logged.
    pub fn of(run: &RunFolder) -> Result<Self> {
        let refused = |what: &str, how: &str| {
            Err(Error::NotSupported {
                what: what.into(),
                how: how.into(),
            })
        };
        let source = run.model(Some(0))?;
        let InputEncoding::Features(features) = &source.encoding.input() else {
            return refused("a run on images", "followed: its log holds rows of tables");
        };
        let choice = ColumnChoice {
            answers: None,
            ..run.manifest().settings.choice.clone()
        };
        if !choice.filters.is_empty() {
            let how = "followed: its windows would be cut before the condition is looked at";
            return refused("a run with --where", how);
        }
        let form = |coding: &Coding| match coding {
            Coding::Number { .. } => Form::Number,
            // Models of old may have `NA` for a category.
            Coding::OneHot { categories, .. } if categories.iter().any(|text| is_missing(text)) => {
                Form::Verbatim
            }
            Coding::OneHot { .. } => Form::Category,
        };
        let mut columns: Vec<LineColumn> = vec![];
        let mut add = |name: &str, form: Form| {
            if !columns.iter().any(|own| own.name == name) {
                let name = name.to_owned();
                columns.push(LineColumn { name, form });
            }
        };
        features
            .iter()
            .for_each(|own| add(&own.name, form(&own.coding)));
        let asleep = source.encoding.cleaning().usual.iter();
        for usual in asleep.filter(|usual| !choice.exclude.contains(&usual.column)) {
            add(&usual.column, Form::Category);
        }
        let parts = choice.time.iter().chain(&choice.ids);
        parts.for_each(|name| add(name, Form::Verbatim));
        Ok(Self { columns, choice })
    }

    /// How rows are read: as `step` reads them, but without true classes.
    pub fn choice(&self) -> &ColumnChoice {
        &self.choice
    }

    /// The first line of a window file.
    pub(super) fn header(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|own| quoted(&own.name)).collect();
        names.join(",") + "\n"
    }

    /// The rows of a table as lines; `rows` is the same table as the model read it. `ids` are those of whoever sent it; a run
    /// with ids of its own goes by these. The message is for whoever sent the rows.
    pub fn lines(
        &self,
        table: &Table,
        rows: &Rows,
        ids: Option<Vec<String>>,
        cut: &Cut,
    ) -> std::result::Result<Lines, String> {
        let mut times = rows.times.iter().flatten();
        if let Some(time) = times.find(|time| !cut.places(time)) {
            return Err(format!("the time {time} belongs to no period"));
        }
        let told = |error: Error| error.to_string();
        let mut frames = table.open(&ReadOptions::default()).map_err(told)?;
        let fields = frames.fields().to_vec();
        let frame = frames.next_frame().map_err(told)?;
        let frame = frame.ok_or("there are no rows")?;
        let place = |own: &LineColumn| fields.iter().position(|field| field.name == own.name);
        let places: Vec<Option<usize>> = self.columns.iter().map(place).collect();
        let mut lines = Lines::default();
        for row in 0..frame.rows {
            for (at, (own, place)) in self.columns.iter().zip(&places).enumerate() {
                if at > 0 {
                    lines.text.push(',');
                }
                let column = place.map(|place| &frame.columns[place]);
                self.write(&mut lines.text, own, column, row)?;
            }
            lines.text.push('\n');
            lines.ends.push(lines.text.len());
        }
        let own_ids = rows.ids.first().map(|ids| ids.values.clone());
        lines.ids = own_ids.or(ids);
        lines.times.clone_from(&rows.times);
        match lines.ids.as_ref().map(Vec::len) {
            Some(ids) if ids != frame.rows => {
                Err(format!("there are {ids} ids for {} rows", frame.rows))
            }
            _ => Ok(lines),
        }
    }

    fn write(
        &self,
        line: &mut String,
        own: &LineColumn,
        column: Option<&Column>,
        row: usize,
    ) -> std::result::Result<(), String> {
        let empty = |line: &mut String| {
            // A line of nothing is no row.
            if self.columns.len() == 1 {
                line.push_str("\"\"");
            }
            Ok(())
        };
        match column {
            Some(Column::Numbers(numbers)) => {
                let value = numbers.get(row);
                if value.is_nan() {
                    return empty(line);
                }
                let text = match own.form {
                    // Exact, and several times as fast.
                    Form::Number => serde_json::to_string(&value).unwrap_or_default(),
                    Form::Category | Form::Verbatim => value.to_string(),
                };
                match self.choice.decimal_comma == Some(true) && own.form == Form::Number {
                    true => line.push_str(&format!("\"{}\"", text.replacen('.', ",", 1))),
                    false => line.push_str(&text),
                }
                Ok(())
            }
            Some(Column::Text(texts)) => match texts.get(row) {
                None | Some("") => empty(line),
                Some(text) if own.form == Form::Category && is_missing(text.trim()) => {
                    Err(format!(
                        "row {}, column `{}`: `{text}` stands for no value in files; send null if that is meant",
                        row + 1,
                        own.name
                    ))
                }
                Some(text) => {
                    line.push_str(&quoted(text));
                    Ok(())
                }
            },
            Some(Column::Times(_) | Column::Images(_)) => Err(format!(
                "column `{}` holds neither numbers nor text",
                own.name
            )),
            None => empty(line),
        }
    }
}

impl Lines {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What the rows go by, where that is known.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    pub(super) fn line(&self, row: usize) -> &str {
        let begin = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[begin..self.ends[row]]
    }

    /// The rows of these numbers.
    pub(super) fn picked(&self, rows: &[usize]) -> Self {
        let mut all = Self {
            times: self.times.as_ref().map(|_| vec![]),
            ..Self::default()
        };
        rows.iter().for_each(|&row| all.push(self, row));
        all
    }

    /// Adds one row of others. A row that goes by nothing among those that do has an empty id.
    pub(super) fn push(&mut self, other: &Self, row: usize) {
        let before = self.len();
        self.text.push_str(other.line(row));
        self.ends.push(self.text.len());
        let id = other.ids.as_ref().map(|ids| ids[row].clone());
        if self.ids.is_some() || id.is_some() {
            let ids = self.ids.get_or_insert_with(|| vec![String::new(); before]);
            ids.push(id.unwrap_or_default());
        }
        if let (Some(times), Some(own)) = (&mut self.times, &other.times) {
            times.push(own[row]);
        }
    }
}
