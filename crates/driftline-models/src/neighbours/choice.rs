//! How many neighbours vote, chosen on labelled rows: each row is left out in turn and put to its neighbours, and the
//! number with most rows right is taken, of equals the smallest.

use std::num::NonZeroUsize;

use super::model::NeighboursModel;
use driftline_core::Result;
use driftline_core::data::{Examples, argmax};
use driftline_core::random::Seed;

/// The numbers that are tried.
const TRIED: [usize; 8] = [1, 3, 5, 7, 11, 15, 21, 31];
/// With more rows the choice hardly changes and only takes longer.
const ROWS: usize = 5_000;

pub(super) fn choose(examples: &Examples, seed: Seed) -> Result<NonZeroUsize> {
    let some = examples.some(ROWS, seed.named("some"));
    let most = NonZeroUsize::new(TRIED[TRIED.len() - 1] + 1).expect("not 0");
    let model = NeighboursModel::new(&some, most)?;
    let mut right = [0_usize; TRIED.len()];
    let mut truth = vec![0.0; some.n_classes()];
    for row in 0..some.len() {
        some.targets().write_row(row, &mut truth);
        let votes = model.votes_without(row, some.inputs().row(row), &TRIED);
        for (right, votes) in right.iter_mut().zip(votes) {
            *right += usize::from(argmax(&votes) == argmax(&truth));
        }
    }
    let mut best = 0;
    for (place, &k) in TRIED.iter().enumerate() {
        if right[place] > right[best] && k < some.len() {
            best = place;
        }
    }
    Ok(NonZeroUsize::new(TRIED[best]).expect("not 0"))
}
