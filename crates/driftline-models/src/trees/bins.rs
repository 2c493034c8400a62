//! Where the bins of a column begin and end: found once, on the source, and kept for every later training.

use rayon::prelude::*;

use super::settings::MOST_BINS;
use super::table::{Column, Table};

/// The bin of missing values and of categories that the source does not have.
pub(super) const MISSING: u8 = 0;

/// A column with more rows is cut at the quantiles of this many of them, evenly spaced.
const SAMPLE: usize = 1 << 16;

/// Categories with a larger code are missing.
const MOST_CODES: usize = 1 << 24;

/// How the values of one column become bins 1, 2, …; bin 0 is for missing values.
#[derive(Clone, Debug, PartialEq)]
pub enum Bins {
    /// Bin b holds the values above `cuts[b − 2]` and up to `cuts[b − 1]`.
    Number { cuts: Vec<f32> },
    /// Bin b holds category `codes[b − 1]`, the most frequent ones first.
    Category { codes: Vec<u32> },
}

/// The bins of all columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Binning {
    pub columns: Vec<Bins>,
}

impl Binning {
    /// At most `most` bins for each column, with about as many rows in each; exact where a column has no more values.
    pub fn fit(table: &Table<'_>, most: usize) -> Self {
        let column = |(at, kind): (usize, &Column)| {
            let width = table.columns.len();
            let values = table.values[at..].iter().step_by(width).copied();
            match kind {
                Column::Number => Bins::Number {
                    cuts: cuts(values, most),
                },
                Column::Category => Bins::Category {
                    codes: frequent(values, most),
                },
            }
        };
        Self {
            columns: table.columns.par_iter().enumerate().map(column).collect(),
        }
    }

    pub fn kinds(&self) -> Vec<Column> {
        let kind = |bins: &Bins| match bins {
            Bins::Number { .. } => Column::Number,
            Bins::Category { .. } => Column::Category,
        };
        self.columns.iter().map(kind).collect()
    }
}

impl Bins {
    /// Without the one for missing values.
    pub fn len(&self) -> usize {
        match self {
            Bins::Number { cuts } => cuts.len() + 1,
            Bins::Category { codes } => codes.len(),
        }
    }

    /// What finds the bin of a value fast.
    pub(super) fn finder(&self) -> Finder {
        match self {
            Bins::Number { cuts } => {
                let mut padded = Box::new([f32::INFINITY; 256]);
                padded[..cuts.len()].copy_from_slice(cuts);
                Finder::Number(padded)
            }
            Bins::Category { codes } => {
                let most = codes.iter().max().map_or(0, |&code| code as usize + 1);
                let mut table = vec![MISSING; most];
                for (bin, &code) in codes.iter().enumerate() {
                    table[code as usize] = bin as u8 + 1;
                }
                Finder::Category(table)
            }
        }
    }
}

/// Finds bins.
#[derive(Clone, Debug)]
pub(super) enum Finder {
    /// Cuts, filled up with infinity.
    Number(Box<[f32; 256]>),
    /// The bin of each code.
    Category(Vec<u8>),
}

impl Finder {
    #[inline]
    pub(super) fn bin(&self, value: f32) -> u8 {
        match self {
            Finder::Number(_) if value.is_nan() => MISSING,
            Finder::Number(cuts) => {
                // The number of cuts below the value, in eight steps without a branch.
                let mut below = 0_usize;
                for step in [128, 64, 32, 16, 8, 4, 2, 1] {
                    below += step * usize::from(cuts[(below + step - 1) & 255] < value);
                }
                below as u8 + 1
            }
            Finder::Category(table) => code(value)
                .and_then(|code| table.get(code as usize).copied())
                .unwrap_or(MISSING),
        }
    }
}

/// The code of a category, if the value is one.
fn code(value: f32) -> Option<u32> {
    let whole = value >= 0.0 && value < MOST_CODES as f32 && value.fract() == 0.0;
    whole.then_some(value as u32)
}

/// The most frequent codes; of equals the smaller ones.
fn frequent(values: impl Iterator<Item = f32>, most: usize) -> Vec<u32> {
    let mut codes: Vec<u32> = values.filter_map(code).collect();
    codes.sort_unstable();
    let mut counted: Vec<(usize, u32)> = codes
        .chunk_by(|a, b| a == b)
        .map(|c| (c.len(), c[0]))
        .collect();
    counted.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    counted.truncate(most);
    counted.into_iter().map(|(_, code)| code).collect()
}

/// Cuts between neighbouring values.
fn cuts(values: impl ExactSizeIterator<Item = f32> + Clone, most: usize) -> Vec<f32> {
    let n = values.len();
    let mut keys = sorted(values.clone().step_by(n.div_ceil(SAMPLE).max(1)));
    let is_few = |keys: &[u32]| distinct(keys).nth(most).is_none();
    if n > SAMPLE && is_few(&keys) {
        // The sample may have missed rare values.
        keys = sorted(values);
    }
    if is_few(&keys) {
        distinct(&keys)
            .zip(distinct(&keys).skip(1))
            .map(|(low, high)| between(low.0, high.0))
            .collect()
    } else {
        quantiles(&keys, most)
    }
}

/// The values in order, as whole numbers that are ordered alike.
fn sorted(values: impl ExactSizeIterator<Item = f32>) -> Vec<u32> {
    let mut keys = Vec::with_capacity(values.len());
    // Adding 0 makes −0 and 0 the same.
    keys.extend(values.filter(|value| !value.is_nan()).map(|value| {
        let bits = (value + 0.0).to_bits();
        bits ^ (((bits as i32 >> 31) as u32) | 0x8000_0000)
    }));
    keys.sort_unstable();
    keys
}

/// The distinct values in order, each with its number of rows.
fn distinct(keys: &[u32]) -> impl Iterator<Item = (f32, usize)> {
    let value = |key: u32| f32::from_bits(key ^ (((!key as i32 >> 31) as u32) | 0x8000_0000));
    keys.chunk_by(|a, b| a == b)
        .map(move |same| (value(same[0]), same.len()))
}

/// Cuts of columns with many values. A value with more rows than a bin should have gets a bin of its own; the others share
/// the remaining bins evenly.
fn quantiles(keys: &[u32], most: usize) -> Vec<f32> {
    let total = keys.len();
    let heavy = |count: usize| count * most >= total;
    let (n_heavy, heavy_rows) = distinct(keys)
        .filter(|&(_, count)| heavy(count))
        .fold((0, 0), |(n, rows), (_, count)| (n + 1, rows + count));
    let (mut rows_left, mut bins_left) = (total - heavy_rows, (most - n_heavy).max(1));
    let mut cuts = Vec::with_capacity(most);
    let mut filled = 0;
    for ((value, count), (next, next_count)) in distinct(keys).zip(distinct(keys).skip(1)) {
        if cuts.len() + 1 == most {
            break;
        }
        filled += count;
        let mine = heavy(count);
        if !mine {
            rows_left -= count;
        }
        let mean = (rows_left + if mine { 0 } else { filled }) as f64 / bins_left as f64;
        if mine || filled as f64 >= mean || (heavy(next_count) && filled as f64 >= mean / 2.0) {
            cuts.push(between(value, next));
            bins_left = (bins_left - usize::from(!mine)).max(1);
            filled = 0;
        }
    }
    cuts
}

/// A number from `low` up to, but not, `high`: the middle, if that exists.
fn between(low: f32, high: f32) -> f32 {
    let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
    if middle >= low && middle < high {
        middle
    } else {
        low
    }
}

const _: () = assert!(MOST_BINS < 256);
