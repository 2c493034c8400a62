//! What every block of a CSV file is read by: the delimiter, the number of fields, and the columns that are wanted.

use std::path::PathBuf;

use super::checked;
use super::detection::Detection;
use crate::formats::text_table::Filling;
use crate::{Column, Field, Head, Kind, Numbers, ReadOptions};

#[derive(Debug)]
pub(super) struct Layout {
    pub path: PathBuf,
    pub look: Detection,
    /// The columns that are given, and where they stand in a record.
    pub fields: Vec<Field>,
    pub places: Vec<usize>,
    /// For every column, how many digits a number may have before the point if it is only to be checked; 0 if its value
    /// matters.
    pub only_checked: Vec<usize>,
    /// Whether that holds for every field of a record, with room for the most digits.
    pub all_checked: bool,
    /// Columns without a value, to begin with.
    empty: Vec<Filling>,
}

/// Rows of a frame are at most so many: what is made of them may be much larger than their text.
const MOST_ROWS: usize = 8192;

/// Some rows of a block, column by column.
#[derive(Debug)]
pub(super) struct Parsed {
    pub columns: Vec<Column>,
    pub rows: usize,
}

/// The rows of a block, put together one after another.
pub(super) struct Growing<'a> {
    layout: &'a Layout,
    /// Of the current part.
    pub columns: Vec<Filling>,
    rows: usize,
    done: Vec<Parsed>,
    /// How many rows are expected in all.
    expected: usize,
}

impl Layout {
    pub fn new(path: PathBuf, look: Detection, options: &ReadOptions) -> Self {
        // An index is given to whoever asks for it by the name that it has been given.
        let is_index = |place: usize, name: &String| {
            let asked = options.columns.is_some() || options.is_text(name);
            look.index && place == 0 && !asked
        };
        let all = look.fields.iter().enumerate();
        let (places, fields): (Vec<usize>, Vec<Field>) = all
            .filter(|(place, field)| options.wants(&field.name) && !is_index(*place, &field.name))
            .map(|(place, field)| (place, field.clone()))
            .unzip();
        let empty = fields.iter().map(|field| match field.kind {
            Kind::Number if options.decimal_comma => Filling::CommaNumbers(vec![]),
            kind => Filling::new(kind, options.text.contains(&field.name)),
        });
        let only_checked = fields.iter().map(|field| {
            let mut wanted = options.only_checked.iter();
            let most = wanted.find(|(name, _)| *name == field.name);
            most.map_or(0, |&(_, most)| digits_below(most))
        });
        let only_checked: Vec<usize> = only_checked.collect();
        let empty: Vec<Filling> = empty.collect();
        let plain = |(digits, filling): (&usize, &Filling)| {
            *digits >= checked::DIGITS && matches!(filling, Filling::Numbers(_))
        };
        Self {
            path,
            all_checked: fields.len() == look.fields.len()
                && only_checked.iter().zip(&empty).all(plain),
            only_checked,
            empty,
            look,
            fields,
            places,
        }
    }

    pub fn head(&self, options: &ReadOptions) -> Head {
        let all = &self.look.fields;
        let left_out = self.look.index && self.places.first() != Some(&0);
        Head {
            all_fields: Some(all[usize::from(left_out)..].to_vec()),
            hashes_files: options.digest,
            ..Head::new(&self.path, self.fields.clone(), self.look.detected())
        }
    }

    /// How many fields a record has.
    pub fn width(&self) -> usize {
        self.look.fields.len()
    }

    /// Columns to be filled, with room for the rows that are expected.
    pub fn growing(&self, expected: usize) -> Growing<'_> {
        let mut growing = Growing {
            layout: self,
            columns: vec![],
            rows: 0,
            done: vec![],
            expected,
        };
        growing.begin();
        growing
    }

    /// So many rows of numbers that were only checked.
    pub fn zeros(&self, rows: usize) -> Vec<Parsed> {
        let part = |start: usize| {
            let rows = MOST_ROWS.min(rows - start);
            let column = || Column::Numbers(Numbers::Double(vec![0.0; rows]));
            let columns = self.fields.iter().map(|_| column()).collect();
            Parsed { columns, rows }
        };
        (0..rows).step_by(MOST_ROWS).map(part).collect()
    }
}

/// How many digits a whole number surely within `most` may have, up to eight.
fn digits_below(most: f64) -> usize {
    (0..=8).rev().find(|&n| 10f64.powi(n) <= most).unwrap_or(0) as usize
}

impl Growing<'_> {
    fn begin(&mut self) {
        self.columns = self.layout.empty.clone();
        let room = self.expected.min(MOST_ROWS);
        self.columns
            .iter_mut()
            .for_each(|column| column.reserve(room));
    }

    /// All columns have one field more.
    #[inline]
    pub fn end_row(&mut self) {
        self.rows += 1;
        if self.rows == MOST_ROWS {
            self.end_part();
            self.begin();
        }
    }

    fn end_part(&mut self) {
        let columns = self.columns.iter_mut().map(Filling::take).collect();
        let rows = std::mem::take(&mut self.rows);
        self.expected = self.expected.saturating_sub(rows);
        self.done.push(Parsed { columns, rows });
    }

    pub fn rows(&self) -> usize {
        self.rows + self.done.iter().map(|part| part.rows).sum::<usize>()
    }

    /// All rows, in parts of at least one.
    pub fn finish(mut self) -> Vec<Parsed> {
        if self.rows > 0 {
            self.end_part();
        }
        self.done
    }
}
