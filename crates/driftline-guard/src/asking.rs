//! Which rows to ask about: those that the most promising candidates and the source model decide differently, and some of all
//! rows, which correct the estimate and carry the alarm.

use std::collections::BTreeMap;

use serde::Serialize;

use super::config::GuardConfig;
use super::labels::Evidence;
use driftline_adapt::policy::AskedRow;
use driftline_core::data::Labels;
use driftline_core::random::{Seed, permutation};

/// Candidates that labels are spent on in one window, and the parts of a budget that each of them gets; rows of all kinds
/// get one part.
const RIVALS: usize = 2;
const PARTS: usize = 2;

/// A row to be labelled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Ask {
    /// Its place in the window.
    pub row: usize,
    /// How many rows of the window it stands for.
    pub weight: f64,
    /// Whether it was drawn from all rows, not for what versions decide on it.
    pub from_all: bool,
}

impl Ask {
    /// With what versions decide on it, the source model first, and how likely every class is.
    pub fn with(&self, decided: &[Labels], names: &[&str], posteriors: &[f64]) -> AskedRow {
        let names = std::iter::once(&AskedRow::SOURCE).chain(names);
        let of = decided.iter().map(|own| own.as_slice()[self.row]);
        AskedRow {
            row: self.row,
            weight: self.weight,
            decided: names.map(|&name| name.to_owned()).zip(of).collect(),
            likely: posteriors.iter().map(|&p| p as f32).collect(),
            from_all: self.from_all,
            class: None,
        }
    }
}

/// Which rows to ask about: those that the most promising candidates decide differently from the source model, drawn at
/// random, and a few of all. `decided` has the source model first.
pub(super) fn rows_to_ask(
    decided: &[Labels],
    names: &[&str],
    all: &BTreeMap<String, Evidence>,
    budget: usize,
    config: &GuardConfig,
    seed: Seed,
) -> Vec<Ask> {
    let held = decided[0].as_slice();
    let differing = |own: &Labels| -> Vec<usize> {
        let rows = own.as_slice().iter().zip(held).enumerate();
        rows.filter(|(_, (own, held))| own != held)
            .map(|(row, _)| row)
            .collect()
    };
    let mut rivals: Vec<(f64, Vec<usize>)> = decided[1..]
        .iter()
        .zip(names)
        .map(|(own, name)| {
            let rows = differing(own);
            let share = rows.len() as f64 / held.len().max(1) as f64;
            let evidence = all.get(*name).copied().unwrap_or_default();
            (evidence.promise(share, config), rows)
        })
        .filter(|(_, rows)| !rows.is_empty())
        .collect();
    rivals.sort_by(|a, b| b.0.total_cmp(&a.0));
    rivals.truncate(RIVALS);
    let most = budget * PARTS / (PARTS * rivals.len() + 1);
    let each = |rows: &Vec<usize>| most.min(rows.len());
    let of_rivals: usize = rivals.iter().map(|(_, rows)| each(rows)).sum();
    // Rows of all kinds first, so that they are drawn evenly.
    let mut sets: Vec<(usize, Vec<usize>)> = vec![(budget - of_rivals, (0..held.len()).collect())];
    sets.extend(rivals.into_iter().map(|(_, rows)| (each(&rows), rows)));
    let mut chances = vec![1.0; held.len()];
    let mut asked: Vec<Ask> = vec![];
    for (at, (most, rows)) in sets.into_iter().enumerate() {
        let order = permutation(rows.len(), seed.nth(at));
        let fresh = |row: &usize| asked.iter().all(|ask: &Ask| ask.row != *row);
        let chosen: Vec<usize> = order
            .iter()
            .map(|&at| rows[at])
            .filter(fresh)
            .take(most)
            .collect();
        // Not to be among those of this set, for every row of it.
        let passed = 1.0 - chosen.len() as f64 / rows.len().max(1) as f64;
        rows.iter().for_each(|&row| chances[row] *= passed);
        asked.extend(chosen.into_iter().map(|row| Ask {
            row,
            weight: 1.0,
            from_all: at == 0,
        }));
    }
    // A row stands for as many as its chance to be asked about is small; together they stand for all.
    for ask in &mut asked {
        ask.weight = 1.0 / (1.0 - chances[ask.row]);
    }
    let sum: f64 = asked.iter().map(|ask| ask.weight).sum();
    for ask in &mut asked {
        ask.weight *= held.len() as f64 / sum;
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(n: usize, is_one: impl Fn(usize) -> bool) -> Labels {
        Labels::new((0..n).map(|row| u32::from(is_one(row))).collect(), 2).unwrap()
    }

    #[test]
    fn labels_go_where_candidates_differ_and_some_to_all_rows() {
        let held = labels(1000, |_| false);
        let decided = [held.clone(), labels(1000, |row| row < 20), held];
        let names = ["other", "same"];
        let known = BTreeMap::new();
        let config = GuardConfig::default();
        let asked = rows_to_ask(&decided, &names, &known, 10, &config, Seed::new(1));
        assert_eq!(asked.len(), 10);
        let of_all = asked.iter().filter(|ask| ask.from_all).count();
        assert_eq!(of_all, 4);
        let rival = asked.iter().filter(|ask| !ask.from_all);
        assert!(rival.clone().count() == 6 && rival.clone().all(|ask| ask.row < 20));
    }

    #[test]
    fn what_rivals_cannot_use_goes_to_all_rows() {
        let held = labels(100, |_| false);
        let decided = [held.clone(), labels(100, |row| row == 3)];
        let (known, config) = (BTreeMap::new(), GuardConfig::default());
        let asked = rows_to_ask(&decided, &["other"], &known, 12, &config, Seed::new(1));
        assert!(asked.len() >= 11, "{asked:?}");
        let none = rows_to_ask(&decided[..1], &[], &known, 12, &config, Seed::new(1));
        assert!(none.len() == 12 && none.iter().all(|ask| ask.from_all));
    }

    /// Every row of the window is asked about with some chance, so that weights add up to all rows.
    #[test]
    fn weights_add_up_to_the_window() {
        let third = |row: usize| (10..60).contains(&row);
        let decided = [
            labels(300, |_| false),
            labels(300, |row| row < 20),
            labels(300, third),
        ];
        let (known, config) = (BTreeMap::new(), GuardConfig::default());
        let names = ["other", "third"];
        let asked = rows_to_ask(&decided, &names, &known, 20, &config, Seed::new(2));
        let sum: f64 = asked.iter().map(|ask| ask.weight).sum();
        assert!((sum - 300.0).abs() < 1e-9, "{sum}");
        let of = |row: usize| asked.iter().find(|ask| ask.row == row);
        let (Some(rare), Some(any)) = ((0..60).find_map(of), (60..300).find_map(of)) else {
            panic!("both kinds are asked about: {asked:?}");
        };
        assert!(rare.weight < any.weight / 3.0);
    }
}
