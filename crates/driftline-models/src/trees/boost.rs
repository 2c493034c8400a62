//! Boosting: round after round, trees are fitted to the derivatives of the loss at the scores so far.

use driftline_core::{Cancel, Result};
use rayon::prelude::*;

use super::binned::Binned;
use super::bins::Binning;
use super::calibration::Calibration;
use super::fixed::Format;
use super::forest::Forest;
use super::grow::{Grower, Room, Tree};
use super::held_out::Sorted;
use super::loss::{Common, Scores, Target, derivatives, log_loss, start};
use super::model::Model;
use super::settings::Settings;
use super::split::{Rules, contains};
use super::table::Table;

/// With more bytes of bins the threads share the columns of one tree, with less the trees of one round: a small tree is
/// not worth sharing, and several large ones at once take more memory.
const LARGE: usize = 1 << 22;

impl Settings {
    /// Trains trees on the rows of `table`, which are in the order of time.
    pub fn fit(&self, table: &Table<'_>, cancel: &Cancel) -> Result<Model> {
        self.check(table.n_classes)?;
        table.check()?;
        self.fit_in(Binning::fit(table, self.max_bins), table, cancel)
    }

    /// The same in bins that were found before, on the source.
    pub fn fit_in(&self, binning: Binning, table: &Table<'_>, cancel: &Cancel) -> Result<Model> {
        self.check(table.n_classes)?;
        table.check()?;
        let sorted = Sorted::by_class(table, self.trained(table.len()));
        let (table, n) = match &sorted {
            Some(sorted) => (&sorted.table(table), sorted.trained),
            None => (table, self.trained(table.len())),
        };
        let weights = table.weights(&self.class_weights)?;
        let width = table.columns.len();
        let binned = Binned::new(&table.values[..n * width], &binning);
        let all = Target {
            labels: table.labels,
            weights: weights.as_deref(),
        };
        let target = all.part(0..n);
        let held_out = HeldOut::new(
            &table.values[n * width..],
            &binning,
            all.part(n..table.len()),
        );
        let base = start(target, table.n_classes);
        let mut boost = Boost::new(self, &binned, &binning, target, &base);
        let (rounds, calibration) = boost.run(self, held_out, cancel)?;
        let forest = std::mem::take(&mut boost.forest);
        // The model is made when what it was trained with is gone: together they would be the peak.
        drop(boost);
        drop(binned);
        let trees = forest.flat(rounds * base.len());
        Ok(Model::new(
            binning,
            table.n_classes,
            base,
            calibration,
            trees,
        ))
    }
}

/// A training in progress.
struct Boost<'a> {
    grower: Grower<'a>,
    target: Target<'a>,
    format: Format,
    scores: Scores,
    common: Common,
    rooms: Vec<Room>,
    /// The trees of all rounds, one for each score.
    forest: Forest,
    /// Whether the trees of a round grow side by side.
    together: bool,
}

impl<'a> Boost<'a> {
    fn new(
        settings: &Settings,
        binned: &'a Binned,
        binning: &'a Binning,
        target: Target<'a>,
        base: &[f32],
    ) -> Self {
        let most = target
            .weights
            .map_or(1.0, |weights| weights.iter().copied().fold(0.0, f32::max));
        let format = Format::new(binned.rows, most);
        let together = base.len() >= rayon::current_num_threads()
            && binned.rows * binning.columns.len() < LARGE;
        let rules = Rules::new(settings, format);
        let rate = settings.learning_rate.get();
        Self {
            grower: Grower::new(
                binned,
                binning,
                rules,
                settings.max_leaves.get(),
                rate,
                !together,
            ),
            target,
            format,
            scores: base.iter().map(|&score| vec![score; binned.rows]).collect(),
            common: Common::default(),
            rooms: Vec::new(),
            forest: Forest::default(),
            together,
        }
    }

    /// How many rounds are best, and how to calibrate their scores.
    fn run(
        &mut self,
        settings: &Settings,
        mut held_out: Option<HeldOut<'_>>,
        cancel: &Cancel,
    ) -> Result<(usize, Calibration)> {
        let patience = settings
            .early_stopping
            .as_ref()
            .map_or(0, |stop| stop.patience.get());
        let mut best = (f64::INFINITY, 0, Scores::new());
        if let Some(held_out) = &mut held_out {
            held_out.scores = self
                .scores
                .iter()
                .map(|scores| vec![scores[0]; held_out.target.labels.len()])
                .collect();
        }
        let mut rounds = 0;
        for round in 1..=settings.iterations.get() {
            cancel.check()?;
            let trees = self.round();
            let grew = trees.iter().any(|tree| tree.nodes.len() > 1);
            if let Some(held_out) = &mut held_out {
                held_out.add(&trees);
                let loss = log_loss(&held_out.scores, held_out.target);
                if loss < best.0 {
                    best = (loss, round, held_out.scores.clone());
                }
            }
            trees
                .iter()
                .for_each(|tree| self.forest.push(tree, self.grower.binning));
            rounds = round;
            if !grew || (held_out.is_some() && round >= best.1 + patience) {
                break;
            }
        }
        Ok(match held_out {
            Some(held_out) => (best.1, Calibration::fit(&best.2, held_out.target)),
            None => (rounds, Calibration::default()),
        })
    }

    /// Grows the trees of one round and adds their leaves to the scores.
    fn round(&mut self) -> Vec<Tree> {
        self.common.fill(&self.scores);
        let rooms = std::sync::Mutex::new(std::mem::take(&mut self.rooms));
        let (grower, common, target, format) =
            (&self.grower, &self.common, self.target, self.format);
        let one = |(output, scores): (usize, &mut Vec<f32>)| {
            let free = rooms.lock().expect("nobody panics while holding it").pop();
            let mut room = free.unwrap_or_else(Room::new);
            derivatives(scores, common, output, target, format, &mut room.rows);
            let (tree, leaves) = grower.grow(&mut room);
            for leaf in &leaves {
                let value = tree.nodes[leaf.node].value;
                for row in &room.rows[leaf.rows.clone()] {
                    scores[row.row as usize] += value;
                }
            }
            grower.clear(leaves, &mut room);
            rooms
                .lock()
                .expect("nobody panics while holding it")
                .push(room);
            tree
        };
        let trees = if self.together {
            self.scores.par_iter_mut().enumerate().map(one).collect()
        } else {
            self.scores.iter_mut().enumerate().map(one).collect()
        };
        self.rooms = rooms.into_inner().expect("nobody panics while holding it");
        trees
    }
}

/// Rows that are not trained on, the newest ones, with their scores so far.
struct HeldOut<'a> {
    binned: Binned,
    target: Target<'a>,
    scores: Scores,
}

impl<'a> HeldOut<'a> {
    fn new(values: &[f32], binning: &Binning, target: Target<'a>) -> Option<Self> {
        let any = (0..target.labels.len()).any(|row| target.weight(row) > 0.0);
        any.then(|| Self {
            binned: Binned::new(values, binning),
            target,
            scores: Scores::new(),
        })
    }

    fn add(&mut self, trees: &[Tree]) {
        let binned = &self.binned;
        for (scores, tree) in self.scores.iter_mut().zip(trees) {
            scores
                .par_iter_mut()
                .with_min_len(1024)
                .enumerate()
                .for_each(|(row, score)| {
                    let mut node = &tree.nodes[0];
                    while let Some((split, child)) = &node.split {
                        let right =
                            !contains(&split.goes_left, binned.bin(row, split.column as usize));
                        node = &tree.nodes[*child as usize + usize::from(right)];
                    }
                    *score += node.value;
                });
        }
    }
}
