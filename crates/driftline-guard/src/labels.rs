//! A few labels, spent where they tell most: on rows that the most promising candidates and the source model decide
//! differently. Each is a win, a loss or neither for the candidate; gain = share of such rows · (wins − losses)/labels.
//! Evidence fades from window to window, because the stream moves on.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::config::GuardConfig;
use driftline_adapt::policy::{AskedRow, LabelledRow};
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

impl Ask {
    /// With what versions decide on it; the source model is the first of them.
    pub fn with(&self, decided: &[Labels], names: &[&str]) -> AskedRow {
        let names = std::iter::once(&AskedRow::SOURCE).chain(names);
        let of = decided.iter().map(|own| own.as_slice()[self.row]);
        AskedRow {
            row: self.row,
            weight: self.weight,
            decided: names.map(|&name| name.to_owned()).zip(of).collect(),
            class: None,
        }
    }
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

    /// One label, which counts this much.
    fn add(&mut self, decided: u32, held: u32, truth: u32, count: f64) {
        let (win, loss) = (decided == truth, held == truth);
        self.labels += count;
        self.ahead += count * (f64::from(u8::from(win)) - f64::from(u8::from(loss)));
        self.decided += count * f64::from(u8::from(win != loss));
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
        asked.extend(chosen.into_iter().map(|row| Ask { row, weight: 1.0 }));
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

/// What was known before a window counts less in it, whether there are labels or not.
pub(super) fn fade(all: &mut BTreeMap<String, Evidence>, config: &GuardConfig) {
    all.values_mut()
        .for_each(|own| own.fade(config.label_memory.get()));
}

/// Takes in the label of a row, which counts this much.
pub(super) fn learn(
    asked: &AskedRow,
    truth: u32,
    count: f64,
    all: &mut BTreeMap<String, Evidence>,
) {
    let Some(&held) = asked.decided.get(AskedRow::SOURCE) else {
        return;
    };
    let versions = [AskedRow::SOURCE, AskedRow::CURRENT];
    for (name, &decided) in &asked.decided {
        if !versions.contains(&&**name) && decided != held {
            let evidence = all.entry(name.clone()).or_default();
            evidence.add(decided, held, truth, count);
        }
    }
}

/// Takes in labels of rows of earlier windows before window `number` is decided about: each counts what it would count by
/// then if it had been there in its window.
pub(super) fn learn_late(
    labelled: &[LabelledRow],
    number: usize,
    all: &mut BTreeMap<String, Evidence>,
    config: &GuardConfig,
) {
    for row in labelled {
        let faded = number.saturating_sub(row.window + 1);
        let count = config.label_memory.get().powi(faded as i32);
        if let Some(truth) = row.class {
            learn(&row.asked, truth, count, all);
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
        let mut all = BTreeMap::new();
        let rows: Vec<AskedRow> = asked.iter().map(|ask| ask.with(&decided, &names)).collect();
        rows.iter().for_each(|row| learn(row, 1, 1.0, &mut all));
        assert!(all["other"].ahead >= 8.0 && !all.contains_key("same"));
        let before = all["other"];
        fade(&mut all, &config);
        assert_eq!(
            all["other"].labels,
            before.labels * config.label_memory.get()
        );
        // The same labels one window late, and two.
        for (number, faded) in [(8, 1.0), (9, 0.7)] {
            let late = |asked: &AskedRow| LabelledRow {
                window: 7,
                asked: asked.clone(),
                class: Some(1),
            };
            let late: Vec<LabelledRow> = rows.iter().map(late).collect();
            let mut all = BTreeMap::new();
            learn_late(&late, number, &mut all, &config);
            assert!((all["other"].labels - faded * before.labels).abs() < 1e-12);
        }
    }

    /// Every row of the window is asked about with some chance, so that weights add up to all rows.
    #[test]
    fn weights_add_up_to_the_window() {
        let config = GuardConfig::default();
        let labels = |classes: Vec<u32>| Labels::new(classes, 2).unwrap();
        let held = labels(vec![0; 300]);
        let other = labels((0..300).map(|row| u32::from(row < 20)).collect());
        let third = labels(
            (0..300)
                .map(|row| u32::from((10..60).contains(&row)))
                .collect(),
        );
        let decided = [held, other, third];
        let known = BTreeMap::new();
        let asked = rows_to_ask(
            &decided,
            &["other", "third"],
            &known,
            20,
            &config,
            Seed::new(2),
        );
        let sum: f64 = asked.iter().map(|ask| ask.weight).sum();
        assert!((sum - 300.0).abs() < 1e-9, "{sum}");
        let of = |row: usize| asked.iter().find(|ask| ask.row == row);
        let (Some(rare), Some(any)) = ((0..60).find_map(of), (60..300).find_map(of)) else {
            panic!("both kinds are asked about: {asked:?}");
        };
        assert!(rare.weight < any.weight / 3.0);
    }
}
