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
    let mut distinct = counted(values.clone().step_by(n.div_ceil(SAMPLE).max(1)));
    if n > SAMPLE && distinct.len() <= most {
        // The sample may have missed rare values.
        distinct = counted(values);
    }
    let ends = if distinct.len() <= most {
        (0..distinct.len().saturating_sub(1)).collect()
    } else {
        quantiles(&distinct, most)
    };
    ends.into_iter()
        .map(|end: usize| between(distinct[end].0, distinct[end + 1].0))
        .collect()
}

/// The distinct values in order, each with its number of rows.
fn counted(values: impl Iterator<Item = f32>) -> Vec<(f32, usize)> {
    // Adding 0 makes −0 and 0 the same; the key orders floats as integers.
    let key = |value: f32| {
        let bits = (value + 0.0).to_bits();
        bits ^ (((bits as i32 >> 31) as u32) | 0x8000_0000)
    };
    let value = |key: u32| f32::from_bits(key ^ (((!key as i32 >> 31) as u32) | 0x8000_0000));
    let mut keys: Vec<u32> = values.filter(|value| !value.is_nan()).map(key).collect();
    keys.sort_unstable();
    keys.chunk_by(|a, b| a == b)
        .map(|same| (value(same[0]), same.len()))
        .collect()
}

/// Which of the distinct values end a bin, the last bin not counted. A value with more rows than a bin should have gets
/// one of its own; the others share the remaining bins evenly.
fn quantiles(distinct: &[(f32, usize)], most: usize) -> Vec<usize> {
    let total: usize = distinct.iter().map(|(_, count)| count).sum();
    let heavy = |count: usize| count * most >= total;
    let heavy_rows: usize = distinct.iter().map(|d| d.1).filter(|&c| heavy(c)).sum();
    let n_heavy = distinct.iter().filter(|d| heavy(d.1)).count();
    let (mut rows_left, mut bins_left) = (total - heavy_rows, (most - n_heavy).max(1));
    let mut ends = Vec::with_capacity(most);
    let mut filled = 0;
    for (at, &(_, count)) in distinct[..distinct.len() - 1].iter().enumerate() {
        if ends.len() + 1 == most {
            break;
        }
        filled += count;
        let mine = heavy(count);
        if !mine {
            rows_left -= count;
        }
        let mean = (rows_left + if mine { 0 } else { filled }) as f64 / bins_left as f64;
        let next_is_heavy = heavy(distinct[at + 1].1);
        if mine || filled as f64 >= mean || (next_is_heavy && filled as f64 >= mean / 2.0) {
            ends.push(at);
            bins_left = (bins_left - usize::from(!mine)).max(1);
            filled = 0;
        }
    }
    ends
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
