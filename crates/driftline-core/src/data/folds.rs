//! Examples in a random order, dealt out to folds: what every cross-validation here cuts by.

use crate::random::{Seed, permutation};

/// `0..n`, shuffled and dealt out to `count` folds in turn.
#[derive(Clone, Debug)]
pub struct Folds {
    order: Vec<usize>,
    count: usize,
}

impl Folds {
    pub fn new(n: usize, count: usize, seed: Seed) -> Self {
        Self {
            order: permutation(n, seed),
            count,
        }
    }

    /// Dealt out in their order, where chance has no part.
    pub fn in_order(n: usize, count: usize) -> Self {
        let order = (0..n).collect();
        Self { order, count }
    }

    /// The indices to train on, and those of `fold`, which are held out.
    pub fn split(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        let part = |held_out: bool| {
            let dealt = self.order.iter().enumerate();
            let own = dealt.filter(|(place, _)| (place % self.count == fold) == held_out);
            own.map(|(_, &index)| index).collect()
        };
        (part(false), part(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_held_out_once() {
        let folds = Folds::new(11, 3, Seed::new(1));
        let mut held_out = vec![];
        for fold in 0..3 {
            let (kept, out) = folds.split(fold);
            assert_eq!(kept.len() + out.len(), 11);
            assert!(out.iter().all(|index| !kept.contains(index)));
            held_out.extend(out);
        }
        held_out.sort_unstable();
        assert_eq!(held_out, (0..11).collect::<Vec<_>>());
    }

    /// What clusters cut by before: every fifth row is held out, and both parts keep their order.
    #[test]
    fn in_order_every_fifth_is_held_out() {
        let folds = Folds::in_order(12, 5);
        for fold in 0..5 {
            let of = |own: bool| (0..12).filter(move |row| (row % 5 == fold) == own);
            assert_eq!(folds.split(fold), (of(false).collect(), of(true).collect()));
        }
    }
}
