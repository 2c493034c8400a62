//! What `auto` takes for a table: trees, linear, knn and mlp are scored on blocks of the source, each by models trained on
//! the other blocks, and the first of them that none beats by a standard error is taken. Of blocks in the order of time only
//! the first and the last are scored: a stream, too, lies beyond what its model was trained on. Folds drawn at random mislead
//! where a source drifts within itself: a row's neighbours would be in the training set.

use super::any::AnyLearner;
use super::linear::LinearLearner;
use super::neighbours::NeighboursLearner;
use super::network::{Architecture, NetworkLearner};
use super::preset::{Preset, linear, neighbours};
use super::training::Training;
use super::trees::TreesLearner;
use super::{Classifier, Learner, Runtime};
use driftline_core::Result;
use driftline_core::data::{Examples, RowOrder, argmax, numbered};
use driftline_core::random::{Seed, permutation};

/// Rows of the source that models are compared on, evenly drawn and in their order: with more, the choice hardly changes.
const ROWS: usize = 5_000;
/// Fewer rows cannot tell models apart; the linear model is taken.
const FEWEST_ROWS: usize = 60;
/// Blocks that the rows are cut into, as many as folds in scikit-learn. Models that serve are trained on a whole source and
/// meet a time that is not in it: so do these.
const BLOCKS: usize = 5;
/// Pieces of a block at an end of the source. Neighbouring rows are alike, so errors are told from pieces and not from rows.
const PIECES: usize = 5;
/// Standard errors by which a model must be better than one that is preferred to it, the usual one.
const WITHIN: f64 = 1.0;
/// On few columns the model whose clusters can be followed is left only for one that is better by this much accuracy as
/// well (0.05 is five points): what it loses on the source it gains once the data drift.
const FEW_COLUMNS_GAIN: f64 = 0.05;

/// What `auto` has come to, with the figures behind it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AutoChoice {
    pub learner: AnyLearner,
    pub name: &'static str,
    /// The accuracy of each model on source rows of other blocks; nothing where there were too few.
    pub scores: Vec<(&'static str, f64)>,
    pub blocks: Blocks,
}

/// What the blocks of a source are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blocks {
    /// Neighbouring rows, in the order they came in.
    Neighbours,
    /// Stretches of time.
    Time,
    /// Whole groups, such as patients or machines, in the order of their first rows.
    Groups,
    /// Rows drawn at random: the source is sorted by class.
    Random,
}

impl Blocks {
    /// On which rows a model is scored.
    fn scored(self) -> &'static str {
        match self {
            Blocks::Neighbours => "blocks of source rows held out",
            Blocks::Time => "source rows of other times",
            Blocks::Groups => "source rows of other groups",
            Blocks::Random => "source rows held out",
        }
    }
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
        Some(format!(
            "auto chose {}: {} % on {} ({})",
            self.name,
            percent(*own),
            self.blocks.scored(),
            others.join(", ")
        ))
    }
}

/// One model that is compared; what is preferred comes first.
struct Entry {
    name: &'static str,
    learner: AnyLearner,
    /// Whether each row was right, by piece of a block.
    hits: Vec<Vec<bool>>,
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
        let before = if few.is_some() { KNN } else { LINEAR };
        let (mut chosen, mut blocks) = (before, Blocks::Neighbours);
        if rows.len() >= FEWEST_ROWS {
            blocks = compare(&mut entries, &rows, seed)?;
            chosen = preferred(&entries);
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
            blocks,
        })
    }
}

/// Where they stand among the entries.
const LINEAR: usize = 1;
const KNN: usize = 2;

/// Trees come first: of the models that a source hardly tells apart they lose least on what follows it (docs/design-trees.md).
fn entries(
    linear: &LinearLearner,
    neighbours: Option<NeighboursLearner>,
    training: Training,
    runtime: &Runtime,
) -> Vec<Entry> {
    let knn: AnyLearner = neighbours.unwrap_or_default().into();
    let mlp = NetworkLearner::new(Architecture::mlp(), training);
    let all: [(&str, AnyLearner); 4] = [
        (TreesLearner::KIND, TreesLearner::default().into()),
        ("linear", linear.clone().into()),
        (NeighboursLearner::KIND, knn),
        ("mlp", mlp.into()),
    ];
    let entry = |(name, learner): (&'static str, AnyLearner)| Entry {
        name,
        learner: learner.with_runtime(runtime),
        hits: vec![],
    };
    all.into_iter().map(entry).collect()
}

/// Blocks of rows in the order of time, each with all rows before it: what is trained on and what is scored. Nothing where
/// the rows are few, or begin with one class alone.
pub(super) fn in_time(rows: &Examples) -> Option<Vec<(Vec<usize>, Vec<usize>)>> {
    let (order, ends, _) = cut(rows);
    let classes = classes(rows);
    let is_one_class = |first: &[usize]| first.iter().all(|&row| classes[row] == classes[first[0]]);
    if rows.len() < FEWEST_ROWS || is_one_class(&order[..ends[0]]) {
        return None;
    }
    let blocks = ends.windows(2);
    let split = |pair: &[usize]| (order[..pair[0]].to_vec(), order[pair[0]..pair[1]].to_vec());
    Some(blocks.map(split).collect())
}

/// Scores all entries on the same blocks. Rows of a class that the other blocks lack are not scored; where that is most of
/// them the rows are sorted by class, and they are shuffled.
fn compare(entries: &mut [Entry], rows: &Examples, seed: Seed) -> Result<Blocks> {
    let (order, ends, blocks) = cut(rows);
    let ordered = rows.pick(&order);
    if !is_sorted(&classes(&ordered)) {
        let (scored, all) = folds(entries, &ordered, &ends, blocks, seed)?;
        if 4 * scored >= all {
            return Ok(blocks);
        }
    }
    entries.iter_mut().for_each(|entry| entry.hits.clear());
    let shuffled = rows.pick(&permutation(rows.len(), seed.named("shuffled")));
    folds(entries, &shuffled, &even(rows.len()), Blocks::Random, seed)?;
    Ok(Blocks::Random)
}

/// The most probable class of each row.
fn classes(rows: &Examples) -> Vec<usize> {
    let mut row = vec![0.0; rows.n_classes()];
    let class = |at: usize| {
        rows.targets().write_row(at, &mut row);
        argmax(&row)
    };
    (0..rows.len()).map(class).collect()
}

/// Whether the rows of each class follow one another, with no other between them.
fn is_sorted(classes: &[usize]) -> bool {
    let mut runs: Vec<usize> = classes.chunk_by(|a, b| a == b).map(|run| run[0]).collect();
    let n = runs.len();
    runs.sort_unstable();
    runs.dedup();
    runs.len() == n
}

/// The rows in the order of their blocks, and where each block ends.
fn cut(rows: &Examples) -> (Vec<usize>, Vec<usize>, Blocks) {
    let n = rows.len();
    let as_they_are = || (0..n).collect::<Vec<usize>>();
    let by_time = rows.order().and_then(RowOrder::by_time);
    let (mut order, blocks) = match by_time {
        Some(order) => (order, Blocks::Time),
        None if rows.order().is_some_and(|order| order.times.is_some()) => {
            (as_they_are(), Blocks::Time)
        }
        None => (as_they_are(), Blocks::Neighbours),
    };
    let Some(groups) = rows.order().and_then(|order| order.groups.as_ref()) else {
        return (order, even(n), blocks);
    };
    let appeared = numbered(order.iter().map(|&row| groups[row]));
    let mut places: Vec<usize> = (0..n).collect();
    places.sort_by_key(|&place| appeared[place]);
    let is_last = |at: usize| at == n || appeared[places[at - 1]] != appeared[places[at]];
    let mut ends: Vec<usize> = even(n)
        .into_iter()
        .map(|end| (end..=n).find(|&at| is_last(at)).unwrap_or(n))
        .collect();
    ends.dedup();
    if ends.len() < 2 {
        return (order, even(n), blocks);
    }
    order = places.into_iter().map(|place| order[place]).collect();
    (order, ends, Blocks::Groups)
}

/// Ends of blocks of about as many rows each.
fn even(n: usize) -> Vec<usize> {
    (1..=BLOCKS).map(|block| n * block / BLOCKS).collect()
}

/// How many rows were scored, and how many could have been.
fn folds(
    entries: &mut [Entry],
    rows: &Examples,
    ends: &[usize],
    blocks: Blocks,
    seed: Seed,
) -> Result<(usize, usize)> {
    let classes = classes(rows);
    let in_time = matches!(blocks, Blocks::Neighbours | Blocks::Time);
    let (mut scored, mut all, mut start) = (0, 0, 0);
    for (block, &end) in ends.iter().enumerate() {
        let own = std::mem::replace(&mut start, end)..end;
        if in_time && block != 0 && end != rows.len() {
            continue;
        }
        all += own.len();
        let others: Vec<usize> = (0..rows.len()).filter(|at| !own.contains(at)).collect();
        let mut known = vec![false; rows.n_classes()];
        others.iter().for_each(|&at| known[classes[at]] = true);
        let tested: Vec<usize> = own.filter(|&at| known[classes[at]]).collect();
        if known.iter().filter(|known| **known).count() < 2 || tested.is_empty() {
            continue;
        }
        scored += tested.len();
        let piece = if in_time {
            tested.len().div_ceil(PIECES)
        } else {
            tested.len()
        };
        let (others, held_out) = (rows.pick(&others), rows.pick(&tested));
        for entry in entries.iter_mut() {
            let model = entry.learner.fit(&others, seed.named("auto").nth(block))?;
            let found = model.predict(held_out.inputs())?;
            let right = found.as_slice().iter().zip(&tested);
            let right = right.map(|(&found, &at)| found as usize == classes[at]);
            let right: Vec<bool> = right.collect();
            entry.hits.extend(right.chunks(piece).map(<[bool]>::to_vec));
        }
    }
    Ok((scored, all))
}

fn right(hits: &[bool]) -> f64 {
    hits.iter().filter(|hit| **hit).count() as f64
}

fn accuracy(entry: &Entry) -> Option<f64> {
    let all = entry.hits.concat();
    (!all.is_empty()).then(|| right(&all) / all.len() as f64)
}

/// By how much `a` is more accurate than `b`, and the standard error of that, from the pieces: neighbouring rows are alike,
/// and so are a model's mistakes on them.
fn gain(a: &Entry, b: &Entry) -> (f64, f64) {
    let pieces = a.hits.iter().zip(&b.hits);
    let gains: Vec<f64> = pieces
        .map(|(a, b)| (right(a) - right(b)) / a.len() as f64)
        .collect();
    let n = gains.len().max(2) as f64;
    let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
    let spread = gains.iter().map(|gain| (gain - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let whole = accuracy(a).unwrap_or(0.0) - accuracy(b).unwrap_or(0.0);
    (whole, (spread / n).sqrt())
}

/// The first entry within [`WITHIN`] standard errors of the best.
fn preferred(entries: &[Entry]) -> usize {
    let mut best = 0;
    for (place, entry) in entries.iter().enumerate() {
        if accuracy(entry) > accuracy(&entries[best]) {
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
    gain > FEW_COLUMNS_GAIN && gain > WITHIN * error
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::{Inputs, LabeledDomain, Labels, Shape};

    /// 100 rows in five blocks.
    fn entry(name: &'static str, hits: &[bool]) -> Entry {
        Entry {
            name,
            learner: NeighboursLearner::default().into(),
            hits: hits.chunks(20).map(<[bool]>::to_vec).collect(),
        }
    }

    /// The first of every block of 20 are right, as many as are given for each block.
    fn right_in(blocks: [usize; 5]) -> Vec<bool> {
        let block = |right: usize| (0..20).map(move |row| row < right);
        blocks.into_iter().flat_map(block).collect()
    }

    #[test]
    fn the_first_within_an_error_is_taken() {
        let of = |all: [[usize; 5]; 3]| {
            let all: Vec<Entry> = all
                .into_iter()
                .map(|own| entry("m", &right_in(own)))
                .collect();
            preferred(&all)
        };
        // Better in some blocks and worse in others is less than an error; a little better in most is more.
        assert_eq!(of([[16; 5], [18, 16, 18, 15, 18], [15; 5]]), 1);
        assert_eq!(of([[16; 5], [18, 14, 19, 13, 18], [15; 5]]), 0);
        assert_eq!(of([[16; 5], [17, 17, 18, 17, 17], [16; 5]]), 1);
        assert_eq!(of([[16; 5], [17; 5], [19; 5]]), 2);
        assert_eq!(of([[16; 5], [16; 5], [16; 5]]), 0);
    }

    #[test]
    fn on_few_columns_a_small_gain_is_not_enough() {
        let better = |a: [usize; 5], b: [usize; 5]| {
            clearly_better(&entry("a", &right_in(a)), &entry("b", &right_in(b)))
        };
        assert!(better([18; 5], [16, 15, 16, 16, 15]));
        assert!(!better([18; 5], [17, 18, 17, 17, 18]));
        assert!(!better([20, 20, 20, 5, 20], [16, 15, 16, 16, 15]));
    }

    fn rows(order: RowOrder) -> Examples {
        let n = order
            .times
            .as_ref()
            .or(order.groups.as_ref())
            .unwrap()
            .len();
        let inputs = Inputs::new(vec![0.0; n], Shape::Vector(1)).unwrap();
        let labels = Labels::new((0..n as u32).map(|row| row % 2).collect(), 2).unwrap();
        let domain = LabeledDomain::new(inputs, labels).unwrap();
        Examples::from(&domain.with_order(Some(order)))
    }

    #[test]
    fn blocks_follow_time_and_keep_groups_whole() {
        let times = vec![9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
        let by_time = rows(RowOrder {
            times: Some(times.clone()),
            groups: None,
        });
        let backward: Vec<usize> = (0..10).rev().collect();
        assert_eq!(
            cut(&by_time),
            (backward, vec![2, 4, 6, 8, 10], Blocks::Time)
        );
        let groups = Some(vec![5, 5, 5, 5, 1, 5, 1, 2, 2, 1]);
        let of = |times| {
            cut(&rows(RowOrder {
                times,
                groups: groups.clone(),
            }))
        };
        // Group 5 has five rows: the first block ends behind them.
        let first_come = vec![0, 1, 2, 3, 5, 4, 6, 9, 7, 8];
        assert_eq!(of(None), (first_come, vec![5, 8, 10], Blocks::Groups));
        let earliest = vec![9, 6, 4, 8, 7, 5, 3, 2, 1, 0];
        assert_eq!(of(Some(times)), (earliest, vec![3, 5, 10], Blocks::Groups));
        let alone = rows(RowOrder {
            times: None,
            groups: Some(vec![3; 10]),
        });
        assert_eq!(cut(&alone).2, Blocks::Neighbours);
    }

    /// Of blocks in order the two at the ends, in pieces; of groups all of them, each whole.
    #[test]
    fn models_are_scored_beyond_what_they_have_seen() {
        let scored = |groups: Option<Vec<u32>>| {
            let order = RowOrder {
                times: Some((0..200).collect()),
                groups,
            };
            let mut entries = vec![entry("knn", &[])];
            let blocks = compare(&mut entries, &rows(order), Seed::new(1)).unwrap();
            let sizes = entries[0].hits.iter().map(Vec::len).collect::<Vec<_>>();
            (blocks, sizes)
        };
        assert_eq!(scored(None), (Blocks::Time, vec![8; 10]));
        let groups = (0..200).map(|row| row / 20).collect();
        assert_eq!(scored(Some(groups)), (Blocks::Groups, vec![40; 5]));
    }

    #[test]
    fn rows_in_the_order_of_their_classes_are_shuffled() {
        assert!(is_sorted(&[2, 2, 0, 0, 0, 1]));
        assert!(!is_sorted(&[2, 2, 0, 2]));
        let inputs = Inputs::new(vec![0.0; 100], Shape::Vector(1)).unwrap();
        let labels = Labels::new((0..100).map(|row| row / 50).collect(), 2).unwrap();
        let domain = LabeledDomain::new(inputs, labels).unwrap();
        let mut entries = vec![entry("knn", &[])];
        let blocks = compare(&mut entries, &Examples::from(&domain), Seed::new(1));
        assert_eq!(blocks.unwrap(), Blocks::Random);
    }

    #[test]
    fn later_rows_are_held_out_in_time() {
        let order = |n: u32| RowOrder {
            times: Some((0..n).rev().collect()),
            groups: None,
        };
        let splits = in_time(&rows(order(100))).unwrap();
        assert_eq!(splits.len(), BLOCKS - 1);
        let (kept, held_out) = &splits[0];
        assert_eq!((kept[0], kept.len(), held_out[0]), (99, 20, 79));
        assert_eq!(splits[3].0.len() + splits[3].1.len(), 100);
        assert!(in_time(&rows(order(FEWEST_ROWS as u32 - 1))).is_none());
    }

    #[test]
    fn the_sentence_has_all_figures() {
        let mut choice = AutoChoice {
            learner: NeighboursLearner::default().into(),
            name: "trees",
            scores: vec![
                ("linear", 0.78),
                ("knn", 0.802),
                ("trees", 0.841),
                ("mlp", 0.815),
            ],
            blocks: Blocks::Time,
        };
        assert_eq!(
            choice.sentence().unwrap(),
            "auto chose trees: 84.1 % on source rows of other times (linear 78.0, knn 80.2, mlp 81.5)"
        );
        choice.blocks = Blocks::Groups;
        assert!(choice.sentence().unwrap().contains("of other groups"));
    }
}
