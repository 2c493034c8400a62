//! How each column of a table is distributed in the source and in the newest window: for people. Columns of numbers fall into
//! bins, columns of categories into their categories; a column that did not vary in the source has two.

use super::folder::RunFolder;
use super::record::{Importance, WindowRecord};
use driftline_core::Result;
use driftline_core::data::{Inputs, Shape};
use driftline_io::{Coding, Encoding, Feature, InputEncoding, NoteCode};

/// Bins of a column of numbers, and categories that are told one by one.
const BINS: usize = 12;
const MOST_CATEGORIES: usize = 8;
/// The share of values at either end that the bins leave to the outermost.
const TAIL: f64 = 0.01;

/// One column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnDrift {
    pub column: String,
    pub bins: Bins,
    /// The share of the rows in each bin.
    pub source: Vec<f64>,
    pub window: Vec<f64>,
    /// By how many deviations of the source the mean has moved, of numbers.
    pub moved: Option<f64>,
    pub importance: Option<Importance>,
}

/// What the bins hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Bins {
    /// Numbers between these ends.
    Numbers(Vec<f64>),
    /// Rows of each category.
    Categories(Vec<String>),
    /// Rows as in the source, where the column hardly varied and the model does not use it, and others.
    Constant,
}

impl ColumnDrift {
    /// Half the summed differences: the share of rows that would have to change their bin to make the two equal.
    pub fn distance(&self) -> f64 {
        let pairs = self.source.iter().zip(&self.window);
        pairs.map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
    }
}

impl RunFolder {
    /// All columns, those first that are distributed most differently. Empty for images, and where the run has kept neither
    /// rows of its source nor its newest window.
    pub fn column_drift(&self) -> Result<Vec<ColumnDrift>> {
        let model = self.model(Some(0))?;
        let Some(last) = self.records().last() else {
            return Ok(vec![]);
        };
        let mut all = awake(last, &model.encoding);
        let newest = self.resume_state()?.and_then(|state| state.previous);
        let newest = newest.filter(|window| window.len() == last.arrived());
        if let (Some(source), Some(window)) = (&model.source_sample, &newest)
            && let InputEncoding::Features(features) = model.encoding.input()
            && matches!(window.inputs.shape(), Shape::Vector(_))
        {
            all.extend(of_features(features, source.inputs(), &window.inputs, last));
        }
        all.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
        Ok(all)
    }
}

/// Columns that the model does not use because they hardly varied, and that now change.
fn awake(last: &WindowRecord, encoding: &Encoding) -> Vec<ColumnDrift> {
    let dropped = &encoding.cleaning().dropped;
    let notes = last.notes.as_slice().iter();
    let own = notes.filter(|note| note.code == NoteCode::ColumnAwake);
    let own = own.filter(|note| dropped.contains(&note.about));
    own.map(|note| {
        let share = (note.count as f64 / last.arrived().max(1) as f64).min(1.0);
        ColumnDrift {
            column: note.about.clone(),
            bins: Bins::Constant,
            source: vec![1.0, 0.0],
            window: vec![1.0 - share, share],
            moved: None,
            importance: None,
        }
    })
    .collect()
}

fn of_features(
    features: &[Feature],
    source: &Inputs,
    window: &Inputs,
    last: &WindowRecord,
) -> Vec<ColumnDrift> {
    let mut at = 0;
    let of = |feature: &Feature| {
        let first = at;
        at += feature.width();
        let column = |inputs: &Inputs, input: usize| -> Vec<f64> {
            inputs.iter().map(|row| f64::from(row[input])).collect()
        };
        let (bins, shares) = match &feature.coding {
            Coding::Number { shift, scale, .. } => {
                let (then, now) = (column(source, first), column(window, first));
                let ends = ends(&then, &now);
                let shares = [shares(&then, &ends), shares(&now, &ends)];
                let ends = ends.iter().map(|end| end * scale + shift).collect();
                (Bins::Numbers(ends), shares)
            }
            Coding::OneHot { categories, .. } => {
                let mean = |inputs: &Inputs, input| {
                    column(inputs, input).iter().sum::<f64>() / inputs.len().max(1) as f64
                };
                let of = |inputs| -> Vec<f64> {
                    let all = 0..categories.len();
                    all.map(|category| mean(inputs, first + category)).collect()
                };
                told(categories, [of(source), of(window)])
            }
        };
        let [source, window] = shares;
        let known = last.moved.iter().find(|moved| {
            let of_category = moved.column.strip_prefix(&feature.name);
            of_category.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        });
        let number = matches!(feature.coding, Coding::Number { .. });
        ColumnDrift {
            column: feature.name.clone(),
            bins,
            source,
            window,
            moved: known.map(|own| own.by).filter(|_| number),
            importance: known.and_then(|own| own.importance),
        }
    };
    features.iter().map(of).collect()
}

/// The categories whose shares are largest, and all others together with what is none of them.
fn told(categories: &[String], [source, window]: [Vec<f64>; 2]) -> (Bins, [Vec<f64>; 2]) {
    let largest = |place: &usize| source[*place].max(window[*place]);
    let mut order: Vec<usize> = (0..categories.len()).collect();
    order.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    order.truncate(MOST_CATEGORIES);
    order.sort_unstable();
    let mut names: Vec<String> = order.iter().map(|&at| categories[at].clone()).collect();
    let pick = |all: &[f64]| {
        let mut own: Vec<f64> = order.iter().map(|&at| all[at]).collect();
        own.push((1.0 - own.iter().sum::<f64>()).max(0.0));
        own
    };
    let mut shares = [pick(&source), pick(&window)];
    // Less than a row is rounding.
    if shares
        .iter()
        .all(|own| own.last().is_some_and(|rest| *rest < 1e-6))
    {
        for own in &mut shares {
            own.pop();
        }
    } else {
        names.push("other".into());
    }
    (Bins::Categories(names), shares)
}

/// Even bins over all but the outermost values of both.
fn ends(then: &[f64], now: &[f64]) -> Vec<f64> {
    let range = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        (at(TAIL), at(1.0 - TAIL))
    };
    if then.is_empty() || now.is_empty() {
        return vec![];
    }
    let ((a, b), (c, d)) = (range(then), range(now));
    let (low, high) = (a.min(c), b.max(d));
    let step = (high - low).max(f64::MIN_POSITIVE) / BINS as f64;
    (0..=BINS).map(|at| low + step * at as f64).collect()
}

/// What lies beyond an end counts for the outermost bin.
fn shares(values: &[f64], ends: &[f64]) -> Vec<f64> {
    let bins = ends.len().saturating_sub(1);
    let mut counts = vec![0.0; bins];
    for value in values {
        let place = ends.partition_point(|end| end <= value);
        if let Some(count) = counts.get_mut(place.clamp(1, bins.max(1)) - 1) {
            *count += 1.0 / values.len() as f64;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_a_bin_and_a_move_is_seen() {
        let then: Vec<f64> = (0..100).map(f64::from).collect();
        let now: Vec<f64> = then.iter().map(|x| x + 50.0).collect();
        let ends = ends(&then, &now);
        let [source, window] = [&then, &now].map(|values| shares(values, &ends));
        for own in [&source, &window] {
            assert!((own.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        let drift = ColumnDrift {
            column: String::new(),
            bins: Bins::Numbers(ends),
            source,
            window,
            moved: None,
            importance: None,
        };
        assert!((drift.distance() - 0.5).abs() < 0.1, "{}", drift.distance());
        assert_eq!(shares(&[], &[]), Vec::<f64>::new());
        assert_eq!(
            shares(&[1.0, 1.0], &super::ends(&[1.0], &[1.0]))
                .iter()
                .sum::<f64>(),
            1.0
        );
    }

    #[test]
    fn rare_categories_are_told_together() {
        let names: Vec<String> = (0..12).map(|at| format!("c{at}")).collect();
        let even = vec![1.0 / 12.0; 12];
        let (bins, [source, _]) = told(&names, [even.clone(), even]);
        assert!(matches!(&bins, Bins::Categories(names) if names.len() == 9));
        assert!((source[8] - 4.0 / 12.0).abs() < 1e-9);
        let (bins, _) = told(&names[..2], [vec![0.5, 0.5], vec![1.0, 0.0]]);
        assert!(matches!(&bins, Bins::Categories(names) if names.len() == 2));
    }
}
