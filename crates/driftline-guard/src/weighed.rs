//! What all scenarios together say: each counts by how well it has explained the windows so far, and by how simple it is.

use std::collections::BTreeMap;
use std::f64::consts::FRAC_1_SQRT_2;

use super::config::GuardConfig;
use super::correction::Correction;
use super::memory::Memory;
use super::scenario::{Case, Explanation, SAFE_STEP, Trace, scenarios};
use super::score::Score;
use driftline_adapt::policy::{Estimate, WithInterval};
use driftline_core::Result;
use driftline_core::data::Labels;

/// More classes than this make a confusion matrix that nobody reads.
const MOST_CONFUSED: usize = 12;
/// Shares in it are told to a hundredth of a point.
const PARTS: f64 = 1e4;

/// Explanations of one window, with their weights, which sum to 1.
#[derive(Debug)]
pub(super) struct Weighed {
    pub explanations: Vec<Explanation>,
    pub weights: Vec<f64>,
    /// The mean of their posteriors: rows × classes.
    pub posteriors: Vec<f64>,
    /// How much is added to half the width of intervals after a leap of the stream, and where a jump has confused the classes
    /// that scenarios follow: they can no longer be traced.
    pub leap: f64,
    /// How much of the window no scenario explains, where no map of columns can: 0 where one fits, and less than 1.
    pub unexplained: f64,
}

/// A number that scenarios differ about.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub mean: f64,
    pub deviation: f64,
    /// From the least to the largest, however unlikely.
    pub range: f64,
    /// The values below and above which it is with the chance that was asked for.
    pub low: f64,
    pub high: f64,
}

impl Weighed {
    pub fn of(case: &Case<'_>, memory: &mut Memory, config: &GuardConfig) -> Result<Self> {
        let mut explanations = vec![];
        for scenario in scenarios(case.source) {
            explanations.extend(scenario.explain(case, memory)?);
        }
        let history = &case.source.profile.history;
        let weights = weights(&explanations, history, memory, config);
        let rows = explanations.first().map_or(0, |own| own.posteriors.len());
        let mut posteriors = vec![0.0; rows];
        for (own, weight) in explanations.iter().zip(&weights) {
            for (sum, p) in posteriors.iter_mut().zip(&own.posteriors) {
                *sum += weight * p;
            }
        }
        let confused = explanations.iter().zip(&weights).map(|(own, weight)| {
            let trace = memory.traces.get(own.name);
            weight * trace.map_or(0.0, Trace::confused)
        });
        let confused: f64 = confused.sum();
        let misfits = explanations.iter().map(|own| own.misfit);
        let least = misfits.fold(f64::INFINITY, f64::min);
        let unexplained = match case.source.points {
            Some(_) => 0.0,
            None => 1.0 - libm::exp(-least / config.misfit_most.get()),
        };
        Ok(Self {
            explanations,
            weights,
            posteriors,
            leap: (memory.leap.min(1.0) - SAFE_STEP).max(confused) / 2.0,
            unexplained,
        })
    }

    /// How right decisions are by each scenario.
    pub fn scores(&self, decided: &Labels) -> Vec<Score> {
        let own = |one: &Explanation| Score::expected(decided, &one.posteriors);
        self.explanations.iter().map(own).collect()
    }

    /// Of a number that each scenario has, or has not; its quantiles as many standard errors from the middle as caution asks for.
    pub fn spread(
        &self,
        values: impl Iterator<Item = Option<f64>>,
        config: &GuardConfig,
    ) -> Option<Spread> {
        let risk = config.risk();
        let mut known: Vec<(f64, f64)> = values
            .zip(&self.weights)
            .filter_map(|(value, &weight)| Some((value?, weight)))
            .collect();
        let total: f64 = known.iter().map(|(_, weight)| weight).sum();
        if total <= 0.0 {
            return None;
        }
        let mean = known.iter().map(|(x, weight)| x * weight).sum::<f64>() / total;
        let square = |(x, weight): &(f64, f64)| weight * (x - mean) * (x - mean);
        let variance = known.iter().map(square).sum::<f64>() / total;
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantile = |share: f64| {
            let mut sum = 0.0;
            let reached = known.iter().find(|(_, weight)| {
                sum += weight;
                sum >= share * total
            });
            reached.or(known.last()).map_or(mean, |(x, _)| *x)
        };
        Some(Spread {
            mean,
            deviation: variance.sqrt(),
            range: known[known.len() - 1].0 - known[0].0,
            low: quantile(risk),
            high: quantile(1.0 - risk),
        })
    }

    /// The mean of a share that each scenario has, or has not, with half the width of its interval.
    fn around(
        &self,
        values: impl Iterator<Item = Option<f64>>,
        config: &GuardConfig,
    ) -> Option<(f64, f64)> {
        let spread = self.spread(values, config)?;
        Some((spread.mean, self.half_width(spread, config)))
    }

    /// Half the width of an interval.
    fn half_width(&self, spread: Spread, config: &GuardConfig) -> f64 {
        let wide = spread.range + 1.0 - spread.mean + self.unexplained;
        config.least_width.get() + spread.deviation + config.spread_share.get() * wide + self.leap
    }

    /// The same as estimate, low and high.
    pub fn interval(
        &self,
        values: impl Iterator<Item = Option<f64>>,
        config: &GuardConfig,
    ) -> Option<WithInterval> {
        self.around(values, config).map(interval)
    }

    /// How likely rows are of a class (first place) that is taken for another (second), as shares of all, to four digits;
    /// empty where there are more classes than a table can show.
    pub fn confusion(&self, decided: &Labels) -> Vec<Vec<f64>> {
        let n = decided.n_classes();
        if n > MOST_CONFUSED || decided.is_empty() {
            return vec![];
        }
        let mut all = vec![vec![0.0; n]; n];
        for (row, &class) in self.posteriors.chunks_exact(n).zip(decided.as_slice()) {
            for (sums, p) in all.iter_mut().zip(row) {
                sums[class as usize] += p;
            }
        }
        let rounded = |sum: &mut f64| *sum = (PARTS * *sum / decided.len() as f64).round() / PARTS;
        all.iter_mut().flatten().for_each(rounded);
        all
    }

    /// Accuracy, balanced accuracy and recalls with their intervals.
    pub fn estimate(
        &self,
        scores: &[Score],
        heard: Option<&Correction>,
        config: &GuardConfig,
    ) -> Option<Estimate> {
        let of =
            |each: &dyn Fn(&Score) -> Option<f64>| self.interval(scores.iter().map(each), config);
        let own = self.around(scores.iter().map(|score| Some(score.accuracy)), config)?;
        let own = heard.map_or(own, |heard| heard.correct(own, config));
        let [accuracy, low, high] = interval(own);
        let mut estimate = Estimate::new(accuracy, low, high);
        estimate.balanced = of(&|score| Some(score.balanced));
        let classes = scores.first().map_or(0, |score| score.recalls.len());
        estimate.recalls = (0..classes)
            .map(|class| of(&|score| score.recalls[class]))
            .collect();
        Some(estimate)
    }
}

fn interval((mean, half): (f64, f64)) -> WithInterval {
    [mean, (mean - half).max(0.0), (mean + half).min(1.0)]
}

impl GuardConfig {
    /// The chance of an error of more than `caution` standard errors on one side: Φ(−caution).
    fn risk(&self) -> f64 {
        libm::erfc(self.caution.get() * FRAC_1_SQRT_2) / 2.0
    }
}

/// exp(−misfits so far − cost of complexity + what the past says), made to sum to 1.
fn weights(
    all: &[Explanation],
    history: &BTreeMap<String, f64>,
    memory: &mut Memory,
    config: &GuardConfig,
) -> Vec<f64> {
    let earlier = |one: &Explanation| memory.misfits.get(one.name).copied().unwrap_or(0.0);
    let so_far: Vec<f64> = all
        .iter()
        .map(|one| earlier(one) + one.misfit / config.misfit_scale.get())
        .collect();
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    // Only differences count: what no scenario explains is held against none of them. They do not fade: a stream that has
    // turned until it looks like its source has not gone back there. They have a limit, so that a scenario can recover.
    let best = least(&so_far);
    let misfits: Vec<f64> = so_far
        .iter()
        .map(|misfit| (misfit - best).min(config.misfit_most.get()))
        .collect();
    memory.misfits = all
        .iter()
        .zip(&misfits)
        .map(|(one, &misfit)| (one.name.to_owned(), misfit))
        .collect();
    let costs: Vec<f64> = all
        .iter()
        .zip(&misfits)
        .map(|(one, misfit)| {
            // Of the source's own past; what was not tried there is taken to have done as well as "same".
            let past = history.get(one.name).copied().unwrap_or(one.past);
            let complexity = config.complexity_cost.get() * one.complexity;
            misfit + complexity - config.history_rows.get() * past
        })
        .collect();
    let best = least(&costs);
    let likely: Vec<f64> = costs.iter().map(|cost| libm::exp(best - cost)).collect();
    let sum: f64 = likely.iter().sum();
    likely.iter().map(|own| own / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explanation(name: &'static str, misfit: f64, complexity: f64) -> Explanation {
        Explanation {
            name,
            posteriors: vec![],
            misfit,
            complexity,
            past: 0.0,
        }
    }

    #[test]
    fn what_fits_and_is_simple_counts_most() {
        let config = GuardConfig::default();
        let table = [
            // (misfit, complexity) of two scenarios, and which counts more
            ((0.0, 0.0), (0.0, 1.0), true),
            ((0.0, 1.0), (40.0, 0.0), true),
            ((8.0, 0.0), (0.0, 1.0), false),
        ];
        let none = BTreeMap::new();
        for ((a, simple), (b, other), first) in table {
            let all = [explanation("a", a, simple), explanation("b", b, other)];
            let found = weights(&all, &none, &mut Memory::default(), &config);
            assert!((found[0] + found[1] - 1.0).abs() < 1e-12);
            if found[0] != found[1] {
                assert_eq!(found[0] > found[1], first, "{all:?}");
            }
        }
    }

    /// Half a turn brings four classes to where four classes were.
    #[test]
    fn what_did_not_fit_on_the_way_is_not_believed_because_it_fits_again() {
        let (config, mut memory) = (GuardConfig::default(), Memory::default());
        let none = BTreeMap::new();
        let mut found = vec![];
        for misfit in [12.0; 5].into_iter().chain([0.0; 50]) {
            let all = [explanation("a", misfit, 0.0), explanation("b", 0.0, 1.0)];
            found = weights(&all, &none, &mut memory, &config);
        }
        assert!(found[1] > 0.9, "{found:?}");
        for _ in 0..10 {
            let all = [explanation("a", 0.0, 0.0), explanation("b", 12.0, 1.0)];
            found = weights(&all, &none, &mut memory, &config);
        }
        assert!(
            found[0] > 0.9,
            "it recovers where it explains more: {found:?}"
        );
    }

    #[test]
    fn what_foresaw_the_past_is_believed_against_its_misfit() {
        let config = GuardConfig::default();
        let all = [
            explanation("same", 90.0, 0.0),
            explanation("scaled", 0.0, 1.0),
        ];
        let found = |past: f64| {
            let history = [("same".to_owned(), 0.0), ("scaled".to_owned(), past)];
            weights(&all, &history.into(), &mut Memory::default(), &config)
        };
        assert!(found(0.0)[1] > 0.9 && found(-0.2)[0] > 0.9);
    }

    #[test]
    fn intervals_are_wide_where_scenarios_differ() {
        let config = GuardConfig::default();
        let width = |accuracies: [f64; 2]| {
            let weighed = Weighed {
                explanations: vec![],
                weights: vec![0.5, 0.5],
                posteriors: vec![],
                leap: 0.0,
                unexplained: 0.0,
            };
            let score = |accuracy| Score {
                accuracy,
                balanced: accuracy,
                recalls: vec![None],
            };
            let estimate = weighed
                .estimate(&accuracies.map(score), None, &config)
                .unwrap();
            assert_eq!(estimate.accuracy, (accuracies[0] + accuracies[1]) / 2.0);
            assert_eq!(estimate.recalls, [None]);
            estimate.high - estimate.low
        };
        assert!(width([0.9, 0.9]) < 0.12);
        assert!(width([0.99, 0.5]) > 0.5);
    }

    #[test]
    fn intervals_are_wide_where_no_scenario_explains_an_image() {
        let config = GuardConfig::default();
        let half = |unexplained| {
            let weighed = Weighed {
                explanations: vec![],
                weights: vec![1.0],
                posteriors: vec![],
                leap: 0.0,
                unexplained,
            };
            let around = weighed.around(std::iter::once(Some(0.9)), &config);
            around.unwrap().1
        };
        assert!(half(0.0) < 0.06 && half(0.5) > 0.14);
    }
}
