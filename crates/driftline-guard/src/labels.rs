//! What labels said. Of a candidate: each label of a row that it and the source model decide differently is a win, a loss or
//! neither; gain = share of such rows · (wins − losses)/labels. Of estimates: how far off they were. Both fade from window
//! to window, because the stream moves on; the alarm does not.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::alarm::Alarm;
use super::config::GuardConfig;
use super::correction::Correction;
use driftline_adapt::policy::{AskedRow, LabelledRow};

/// All that labels said so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Heard {
    /// Of every candidate, by name.
    pub candidates: BTreeMap<String, Evidence>,
    /// Of the estimates of every version: [`AskedRow::SOURCE`], [`AskedRow::CURRENT`] and candidates.
    pub corrections: BTreeMap<String, Correction>,
    pub alarm: Alarm,
    /// What the version in use is called among the candidates.
    pub in_use: Option<String>,
}

/// What labels said of one candidate against the source model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Evidence {
    /// Labels of rows that the two decide differently.
    pub labels: f64,
    /// Wins less losses.
    pub ahead: f64,
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
        if self.labels < 1.0 || share <= 0.0 {
            return None;
        }
        let prior = config.prior_labels.get();
        let before = (expected / share).clamp(-1.0, 1.0);
        let total = self.labels + prior;
        let mean = share * (self.ahead + prior * before) / total;
        // An outcome varies by at most 1, and a few equal outcomes do not prove that it varies less. A version that changes
        // few rows of this window may change more of the next, which it would serve.
        let error = share.max(config.least_width.get()) / total.sqrt();
        let low = mean - config.caution.get() * error;
        Some(Gain { mean, low })
    }

    fn fade(&mut self, memory: f64) {
        self.labels *= memory;
        self.ahead *= memory;
    }

    /// How much is promised by asking about it: what it seems to gain, and what is not known yet.
    pub fn promise(&self, share: f64, config: &GuardConfig) -> f64 {
        let total = self.labels + config.prior_labels.get();
        share * self.ahead / total + share / (2.0 * total.sqrt())
    }

    /// One label, which counts this much.
    fn add(&mut self, decided: u32, held: u32, truth: u32, count: f64) {
        let (win, loss) = (decided == truth, held == truth);
        self.labels += count;
        self.ahead += count * (f64::from(u8::from(win)) - f64::from(u8::from(loss)));
    }
}

impl Heard {
    /// What was known before a window counts less in it, whether there are labels or not.
    pub fn fade(&mut self, config: &GuardConfig) {
        let memory = config.memory.get();
        self.candidates
            .values_mut()
            .for_each(|own| own.fade(memory));
        self.corrections
            .values_mut()
            .for_each(|own| own.fade(memory));
    }

    /// Takes in the label of a row of window `number`. What counts less because it comes late has a `count` below 1.
    pub fn learn(
        &mut self,
        (number, asked): (usize, &AskedRow),
        truth: u32,
        count: f64,
        lowest: f64,
    ) {
        let Some(&held) = asked.decided.get(AskedRow::SOURCE) else {
            return;
        };
        for (name, &decided) in &asked.decided {
            // Of a window before the swap, what counts is what the version in use said there as a candidate.
            let before = name == AskedRow::CURRENT && self.alarm.is_before(number);
            let in_use = self.in_use.as_ref().filter(|_| before);
            let decided = match in_use {
                Some(in_use) => asked.decided.get(in_use).copied().unwrap_or(decided),
                None => decided,
            };
            let correction = self.corrections.entry(name.clone()).or_default();
            let expected = asked.likely.get(decided as usize).copied().unwrap_or(0.0);
            let right = f64::from(u8::from(decided == truth));
            correction.add(count * asked.weight, right - f64::from(expected));
            let version = [AskedRow::SOURCE, AskedRow::CURRENT].contains(&&**name);
            if !version && decided != held {
                let evidence = self.candidates.entry(name.clone()).or_default();
                evidence.add(decided, held, truth, count);
            }
            if name == AskedRow::CURRENT && asked.from_all {
                self.alarm
                    .hear(number, decided == truth, held == truth, lowest);
            }
        }
    }

    /// Takes in labels of rows of earlier windows before window `number` is decided about: each counts what it would count
    /// by then if it had been there in its window.
    pub fn learn_late(
        &mut self,
        labelled: &[LabelledRow],
        number: usize,
        lowest: f64,
        config: &GuardConfig,
    ) {
        for row in labelled {
            let faded = number.saturating_sub(row.window + 1);
            let count = config.memory.get().powi(faded as i32);
            if let Some(truth) = row.class {
                self.learn((row.window, &row.asked), truth, count, lowest);
            }
        }
    }

    /// Another version is in use from the next window on: what was said of it as a candidate is said of it now.
    pub fn swapped(&mut self, number: usize, name: &str) {
        self.alarm = Alarm::since(number);
        self.in_use = Some(name.to_owned());
        match self.corrections.get(name).cloned() {
            Some(own) => self.corrections.insert(AskedRow::CURRENT.into(), own),
            None => self.corrections.remove(AskedRow::CURRENT),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(labels: f64, ahead: f64) -> Evidence {
        Evidence { labels, ahead }
    }

    #[test]
    fn gains_grow_with_evidence_and_no_label_says_nothing() {
        let config = GuardConfig::default();
        let gain = |labels, ahead| evidence(labels, ahead).gain(0.5, 0.0, &config);
        assert_eq!(gain(0.0, 0.0), None);
        // 0.5 · 8/16, less one error 0.5/√16
        let found = gain(8.0, 8.0).unwrap();
        assert!((found.mean - 0.25).abs() < 1e-12);
        assert!((found.low - 0.125).abs() < 1e-12);
        assert!(gain(8.0, -8.0).unwrap().low < 0.0);
        assert!(gain(80.0, 80.0).unwrap().low > found.low);
    }

    #[test]
    fn few_changed_rows_are_no_proof_of_a_gain() {
        let config = GuardConfig::default();
        let low = |share| evidence(8.0, 8.0).gain(share, 0.0, &config).unwrap().low;
        assert!(low(0.01) < 0.0 && low(0.05) > 0.0);
    }

    /// A row of class 1 that the candidate decides rightly and the source model does not.
    fn row(class: Option<u32>) -> AskedRow {
        let decided = [("source", 0), ("current", 0), ("other", 1), ("same", 0)];
        let decided = decided.map(|(name, class)| (name.to_owned(), class));
        AskedRow {
            row: 3,
            weight: 10.0,
            decided: decided.into(),
            likely: vec![0.75, 0.25],
            from_all: true,
            class,
        }
    }

    #[test]
    fn a_label_counts_for_every_version() {
        let mut heard = Heard::default();
        heard.learn((1, &row(None)), 1, 1.0, 0.8);
        assert_eq!(heard.candidates.len(), 1);
        assert_eq!(heard.candidates["other"], evidence(1.0, 1.0));
        let config = GuardConfig::default();
        let of = |name: &str| heard.corrections[name].correct((0.7, 0.3), &config).0;
        assert!(of("source") < 0.7 && of("other") > 0.7);
        assert_eq!(of("current"), of("source"));
    }

    #[test]
    fn late_labels_count_what_they_would_count_by_then() {
        let config = GuardConfig::default();
        let late = |number| {
            let row = LabelledRow {
                window: 7,
                asked: row(None),
                class: Some(1),
            };
            let mut heard = Heard::default();
            heard.learn_late(&[row], number, 0.8, &config);
            heard
        };
        let mut at_once = Heard::default();
        at_once.learn((7, &row(None)), 1, 1.0, 0.8);
        assert_eq!(late(8), at_once);
        at_once.fade(&config);
        let found = late(9).candidates["other"].labels;
        assert!((found - at_once.candidates["other"].labels).abs() < 1e-12);
        let unknown = LabelledRow {
            window: 7,
            asked: row(None),
            class: None,
        };
        let mut heard = Heard::default();
        heard.learn_late(&[unknown], 8, 0.8, &config);
        assert_eq!(heard, Heard::default());
    }

    #[test]
    fn what_was_said_of_a_candidate_is_said_of_the_version_that_it_becomes() {
        let mut heard = Heard::default();
        heard.learn((1, &row(None)), 1, 1.0, 0.8);
        heard.swapped(1, "other");
        assert_eq!(heard.corrections["current"], heard.corrections["other"]);
    }
}
