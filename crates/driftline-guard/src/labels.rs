//! A few labels, spent where they tell most: on rows that the most promising candidates and the source model decide
//! differently. Each is a win, a loss or neither for the candidate; gain = share of such rows · (wins − losses)/labels.
//! Evidence fades from window to window, because the stream moves on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::config::GuardConfig;
use driftline_core::data::Labels;
use driftline_core::random::{Seed, permutation};

/// Candidates that labels are spent on in one window.
const RIVALS: usize = 2;
/// Fewer labels decide nothing.
const FEWEST: f64 = 4.0;
/// The variance of one outcome is taken to be at least this: a few equal outcomes prove little.
const LEAST_VARIANCE: f64 = 0.3;
/// One label in so many is of any row: it corrects the estimate.
const ONE_IN: usize = 5;

/// What labels said of one candidate against the source model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Evidence {
    /// Labels of rows that the two decide differently.
    pub labels: f64,
    /// Wins less losses, and wins and losses together.
    pub ahead: f64,
    pub decided: f64,
}

/// A row to be labelled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Ask {
    /// Its place in the window.
    pub row: usize,
    /// How many rows of the window it stands for.
    pub weight: f64,
}

/// The bounds of a gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gain {
    pub mean: f64,
    pub low: f64,
}

impl Evidence {
    /// What to expect of a candidate that differs on this `share` of rows. `expected` is the gain that scenarios see; it
    /// counts for a few labels. `None` while there are too few labels.
    pub fn gain(&self, share: f64, expected: f64, config: &GuardConfig) -> Option<Gain> {
        if self.labels < FEWEST || share <= 0.0 {
            return None;
        }
        let prior = config.prior_labels.get();
        let before = (expected / share).clamp(-1.0, 1.0);
        let total = self.labels + prior;
        let mean = share * (self.ahead + prior * before) / total;
        let variance = (self.decided / self.labels).max(LEAST_VARIANCE);
        let error = share * (variance / total).sqrt();
        let low = mean - config.label_caution.get() * error;
        Some(Gain { mean, low })
    }

    fn fade(&mut self, memory: f64) {
        self.labels *= memory;
        self.ahead *= memory;
        self.decided *= memory;
    }

    /// How much is promised by asking about it: what it seems to gain, and what is not known yet.
    fn promise(&self, share: f64, config: &GuardConfig) -> f64 {
        let total = self.labels + config.prior_labels.get();
        share * self.ahead / total + share / (2.0 * total.sqrt())
    }

    fn add(&mut self, decided: u32, held: u32, truth: u32) {
        let (win, loss) = (decided == truth, held == truth);
        self.labels += 1.0;
        self.ahead += f64::from(u8::from(win)) - f64::from(u8::from(loss));
        self.decided += f64::from(u8::from(win != loss));
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
    let random = if rivals.is_empty() {
        budget
    } else {
        budget / ONE_IN
    };
    let each = (budget - random) / rivals.len().max(1);
    let everything = (0..held.len()).collect();
    let mut sets: Vec<(usize, Vec<usize>)> =
        rivals.into_iter().map(|(_, rows)| (each, rows)).collect();
    sets.push((random, everything));
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
        let weight = rows.len() as f64 / chosen.len().max(1) as f64;
        asked.extend(chosen.into_iter().map(|row| Ask { row, weight }));
    }
    asked
}

/// Takes in the labels of some rows; what was known before has faded.
pub(super) fn learn(
    decided: &[Labels],
    names: &[&str],
    answers: &[(usize, u32)],
    all: &mut BTreeMap<String, Evidence>,
    config: &GuardConfig,
) {
    all.values_mut()
        .for_each(|own| own.fade(config.label_memory.get()));
    let held = decided[0].as_slice();
    for (own, name) in decided[1..].iter().zip(names) {
        let evidence = all.entry((*name).to_owned()).or_default();
        for &(row, truth) in answers {
            let decided = own.as_slice()[row];
            if decided != held[row] {
                evidence.add(decided, held[row], truth);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(labels: f64, ahead: f64) -> Evidence {
        Evidence {
            labels,
            ahead,
            decided: labels,
        }
    }

    #[test]
    fn gains_grow_with_evidence_and_few_labels_say_nothing() {
        let config = GuardConfig::default();
        let gain = |labels, ahead| evidence(labels, ahead).gain(0.5, 0.0, &config);
        assert_eq!(gain(3.0, 3.0), None);
        // 0.5 · 8/12, less one error 0.5 · √(1/12)
        let found = gain(8.0, 8.0).unwrap();
        assert!((found.mean - 1.0 / 3.0).abs() < 1e-12);
        assert!((found.low - (1.0 / 3.0 - 0.5 / 12_f64.sqrt())).abs() < 1e-12);
        assert!(gain(8.0, -8.0).unwrap().low < 0.0);
        assert!(gain(80.0, 80.0).unwrap().low > found.low);
    }

    #[test]
    fn labels_go_where_candidates_differ_and_count_for_each() {
        let config = GuardConfig::default();
        let labels = |classes: Vec<u32>| Labels::new(classes, 2).unwrap();
        let held = labels(vec![0; 100]);
        let other = labels((0..100).map(|row| u32::from(row < 20)).collect());
        let decided = [held.clone(), other, held];
        let names = ["other", "same"];
        let asked = rows_to_ask(
            &decided,
            &names,
            &BTreeMap::new(),
            10,
            &config,
            Seed::new(1),
        );
        assert_eq!(asked.len(), 10);
        assert!(
            asked.iter().filter(|ask| ask.row < 20).count() >= 8,
            "{asked:?}"
        );
        assert_eq!(asked[0].weight, 20.0 / 8.0);
        let answers: Vec<(usize, u32)> = asked.iter().map(|ask| (ask.row, 1)).collect();
        let mut all = BTreeMap::new();
        learn(&decided, &names, &answers, &mut all, &config);
        assert!(all["other"].ahead >= 8.0 && all["same"].labels == 0.0);
        let before = all["other"];
        learn(&decided, &names, &[], &mut all, &config);
        assert_eq!(
            all["other"].labels,
            before.labels * config.label_memory.get()
        );
    }
}
