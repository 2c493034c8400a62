//! What `auto` takes for a table: linear, knn, trees and mlp are trained on earlier rows of the source and scored on later
//! ones, and the simplest whose accuracy is within one standard error of the best is taken. Folds drawn at random mislead
//! where a source drifts within itself: a row's neighbours in time would be in the training set.

use super::any::AnyLearner;
use super::linear::LinearLearner;
use super::neighbours::NeighboursLearner;
use super::network::{Architecture, NetworkLearner};
use super::preset::{Preset, linear, neighbours};
use super::training::Training;
use super::trees::TreesLearner;
use super::{Classifier, Learner, Runtime};
use driftline_core::Result;
use driftline_core::data::{Examples, argmax};
use driftline_core::random::{Seed, permutation};

/// Rows of the source that models are compared on, evenly drawn and in their order: with more, the choice hardly changes.
const ROWS: usize = 5_000;
/// Fewer rows cannot tell models apart; the linear model is taken.
const FEWEST_ROWS: usize = 60;
/// The newer half of the rows is scored, in this many blocks, each by models trained on all rows before it.
const BLOCKS: usize = 5;
/// Neighbouring rows are alike, and so are a model's mistakes on them: errors are computed from this many groups of rows.
const GROUPS: usize = 25;
/// Standard errors that a model may be behind the best to be taken for its simplicity.
const WITHIN: f64 = 1.0;
/// On few columns the model whose clusters can be followed is left only for one that is better by this many standard errors
/// and by this much accuracy (0.05 is five points): what it loses on the source it gains once the data drift.
const FEW_COLUMNS_WITHIN: f64 = 2.0;
const FEW_COLUMNS_GAIN: f64 = 0.05;

/// What `auto` has come to, with the figures behind it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AutoChoice {
    pub learner: AnyLearner,
    pub name: &'static str,
    /// The accuracy of each model on source rows that came after those it was trained on; nothing where there were too few.
    pub scores: Vec<(&'static str, f64)>,
    /// Whether the rows are in an order that earlier ones say something of later ones; else they were shuffled.
    pub in_order: bool,
}

impl AutoChoice {
    /// One sentence with the figures, where there are any.
    pub fn sentence(&self) -> Option<String> {
        let percent = |accuracy: f64| format!("{:.1}", 100.0 * accuracy);
        let (_, own) = self.scores.iter().find(|(name, _)| *name == self.name)?;
        let others = self.scores.iter().filter(|(name, _)| *name != self.name);
        let others: Vec<String> = others
            .map(|(name, accuracy)| format!("{name} {}", percent(*accuracy)))
            .collect();
        let rows = if self.in_order {
            "later source rows"
        } else {
            "source rows held out"
        };
        Some(format!(
            "auto chose {}: {} % on {rows} ({})",
            self.name,
            percent(*own),
            others.join(", ")
        ))
    }
}

/// One model that is compared; the simplest first.
struct Entry {
    name: &'static str,
    learner: AnyLearner,
    hits: Vec<bool>,
}

impl Preset {
    /// What `auto` takes for the table `source`.
    pub fn choose(
        source: &Examples,
        training: Training,
        runtime: &Runtime,
        seed: Seed,
    ) -> Result<AutoChoice> {
        let straight = linear(source, seed, runtime)?;
        let few = neighbours(source, &straight, seed)?;
        let rows = source.some(ROWS, seed.named("auto rows"));
        let mut entries = entries(&straight, few, training, runtime);
        let before = usize::from(few.is_some());
        let (mut chosen, mut in_order) = (before, true);
        if rows.len() >= FEWEST_ROWS {
            in_order = compare(&mut entries, &rows, seed)?;
            chosen = simplest(&entries);
            let few_columns = source.inputs().shape().size() <= Preset::FEW_COLUMNS;
            if few_columns && !clearly_better(&entries[chosen], &entries[before]) {
                chosen = before;
            }
        }
        let scored = |entry: &Entry| Some((entry.name, accuracy(entry)?));
        Ok(AutoChoice {
            scores: entries.iter().filter_map(scored).collect(),
            name: entries[chosen].name,
            learner: entries[chosen].learner.tuned(source, seed)?,
            in_order,
        })
    }
}

fn entries(
    linear: &LinearLearner,
    neighbours: Option<NeighboursLearner>,
    training: Training,
    runtime: &Runtime,
) -> Vec<Entry> {
    let knn: AnyLearner = neighbours.unwrap_or_default().into();
    let mlp = NetworkLearner::new(Architecture::mlp(), training);
    let all: [(&str, AnyLearner); 4] = [
        ("linear", linear.clone().into()),
        (NeighboursLearner::KIND, knn),
        (TreesLearner::KIND, TreesLearner::default().into()),
        ("mlp", mlp.into()),
    ];
    let entry = |(name, learner): (&'static str, AnyLearner)| Entry {
        name,
        learner: learner.with_runtime(runtime),
        hits: vec![],
    };
    all.into_iter().map(entry).collect()
}

/// Scores all entries on the same rows; whether those are in the source's order. Rows of a class that the rows before them
/// lack are not scored; where that is most of them the rows are sorted by class, and they are shuffled.
fn compare(entries: &mut [Entry], rows: &Examples, seed: Seed) -> Result<bool> {
    let ordered = folds(entries, rows, seed)?;
    if 4 * ordered >= rows.len() {
        return Ok(true);
    }
    entries.iter_mut().for_each(|entry| entry.hits.clear());
    let shuffled = rows.pick(&permutation(rows.len(), seed.named("shuffled")));
    folds(entries, &shuffled, seed)?;
    Ok(false)
}

/// How many rows were scored.
fn folds(entries: &mut [Entry], rows: &Examples, seed: Seed) -> Result<usize> {
    let n = rows.len();
    let mut row = vec![0.0; rows.n_classes()];
    let mut class = |at: usize| {
        rows.targets().write_row(at, &mut row);
        argmax(&row)
    };
    let classes: Vec<usize> = (0..n).map(&mut class).collect();
    let mut scored = 0;
    for block in 0..BLOCKS {
        let edge = |block: usize| n / 2 + (n - n / 2) * block / BLOCKS;
        let (start, end) = (edge(block), edge(block + 1));
        let mut known = vec![false; rows.n_classes()];
        classes[..start]
            .iter()
            .for_each(|&class| known[class] = true);
        let tested: Vec<usize> = (start..end).filter(|&at| known[classes[at]]).collect();
        if known.iter().filter(|known| **known).count() < 2 || tested.is_empty() {
            continue;
        }
        scored += tested.len();
        let earlier: Vec<usize> = (0..start).collect();
        let (earlier, later) = (rows.pick(&earlier), rows.pick(&tested));
        for entry in entries.iter_mut() {
            let model = entry.learner.fit(&earlier, seed.named("auto").nth(block))?;
            let found = model.predict(later.inputs())?;
            let right = found.as_slice().iter().zip(&tested);
            let right = right.map(|(&found, &at)| found as usize == classes[at]);
            entry.hits.extend(right);
        }
    }
    Ok(scored)
}

fn accuracy(entry: &Entry) -> Option<f64> {
    let right = entry.hits.iter().filter(|hit| **hit).count();
    (!entry.hits.is_empty()).then(|| right as f64 / entry.hits.len() as f64)
}

/// By how much `a` is more accurate than `b`, and the standard error of that, from groups of neighbouring rows.
fn gain(a: &Entry, b: &Entry) -> (f64, f64) {
    let size = a.hits.len().div_ceil(GROUPS).max(1);
    let right = |hits: &[bool]| hits.iter().filter(|hit| **hit).count() as f64;
    let groups = a.hits.chunks(size).zip(b.hits.chunks(size));
    let gains: Vec<f64> = groups
        .map(|(a, b)| (right(a) - right(b)) / a.len() as f64)
        .collect();
    let n = gains.len().max(2) as f64;
    let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
    let spread = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (spread / n).sqrt())
}

/// The first entry within [`WITHIN`] standard errors of the best.
fn simplest(entries: &[Entry]) -> usize {
    let right = |entry: &Entry| entry.hits.iter().filter(|hit| **hit).count();
    let mut best = 0;
    for (place, entry) in entries.iter().enumerate() {
        if right(entry) > right(&entries[best]) {
            best = place;
        }
    }
    let near = |entry: &Entry| {
        let (behind, error) = gain(&entries[best], entry);
        behind <= WITHIN * error
    };
    entries.iter().position(near).unwrap_or(best)
}

fn clearly_better(a: &Entry, b: &Entry) -> bool {
    let (gain, error) = gain(a, b);
    gain > FEW_COLUMNS_GAIN && gain > FEW_COLUMNS_WITHIN * error
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &'static str, hits: &[bool]) -> Entry {
        Entry {
            name,
            learner: NeighboursLearner::default().into(),
            hits: hits.to_vec(),
        }
    }

    /// 100 rows, of which these are right.
    fn right(rows: std::ops::Range<usize>) -> Vec<bool> {
        (0..100).map(|row| rows.contains(&row)).collect()
    }

    #[test]
    fn the_simplest_within_one_error_is_taken() {
        let of = |rows: [std::ops::Range<usize>; 3]| {
            let all: Vec<Entry> = rows
                .into_iter()
                .map(|own| entry("m", &right(own)))
                .collect();
            simplest(&all)
        };
        // Ten rows lost and eleven won is far less than one error; ten won and none lost is more.
        assert_eq!(of([0..80, 10..91, 0..80]), 0);
        assert_eq!(of([0..80, 0..90, 0..80]), 1);
        assert_eq!(of([0..80, 0..90, 10..101]), 1);
        assert_eq!(of([0..80, 0..80, 0..80]), 0);
    }

    #[test]
    fn on_few_columns_a_small_gain_is_not_enough() {
        // Every tenth row is wrong, and every so many besides.
        let wrong = |every: usize| -> Vec<bool> {
            (0..100)
                .map(|row| row % 10 != 0 && row % every != 1)
                .collect()
        };
        let better =
            |a: usize, b: usize| clearly_better(&entry("a", &wrong(a)), &entry("b", &wrong(b)));
        assert!(better(1000, 7) && !better(1000, 50) && !better(7, 7));
    }

    #[test]
    fn the_sentence_has_all_figures() {
        let choice = AutoChoice {
            learner: NeighboursLearner::default().into(),
            name: "trees",
            scores: vec![
                ("linear", 0.78),
                ("knn", 0.802),
                ("trees", 0.841),
                ("mlp", 0.815),
            ],
            in_order: true,
        };
        assert_eq!(
            choice.sentence().unwrap(),
            "auto chose trees: 84.1 % on later source rows (linear 78.0, knn 80.2, mlp 81.5)"
        );
    }
}
