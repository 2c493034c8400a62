//! W∞ between samples of equal size: the bottleneck matching, by search over the distances.
//!
//! All squared distances are kept, rounded to single precision (400 MB for 2 × 10,000 points). The search runs over their
//! bit patterns, which order as the numbers do; the few pairs that share the final pattern are told apart in double
//! precision, so the result is exact.

use rayon::prelude::*;

use super::bitset::{Adjacency, Bits};
use super::cloud::{Cloud, squared_distance};
use super::matching::{Matching, Obstacle};

/// W∞ of two samples of equal size and equal masses, in any dimension.
pub fn w_infinity(p: &Cloud, q: &Cloud) -> f64 {
    let pairs = Pairs::new(p, q);
    let empty = || Matching::empty(p.len(), q.len());
    search(p, q, &pairs, empty, |matching, graph| matching.grow(graph)).sqrt()
}

/// The smallest squared distance at which `grow` reports no obstacle. A partial solution found below the answer stays
/// valid above it and is grown further.
pub(super) fn search<S: Clone>(
    p: &Cloud,
    q: &Cloud,
    pairs: &Pairs,
    empty: impl Fn() -> S,
    grow: impl Fn(&mut S, &Adjacency) -> Option<Obstacle>,
) -> f64 {
    let mut partial = empty();
    // Every point must find a partner: the largest distance to a nearest neighbour bounds from below.
    let (mut low, mut high) = (pairs.nearest_of_farthest(), pairs.largest());
    // Most samples need little more than that, so the search gallops up before it bisects.
    let mut stride = 1;
    let mut galloping = true;
    while low < high {
        let middle = low + (high - low) / 2;
        let trial = if galloping {
            low.saturating_add(stride).min(middle)
        } else {
            middle
        };
        let graph = pairs.graph(|_, _, bits| bits <= trial);
        let mut attempt = partial.clone();
        match grow(&mut attempt, &graph) {
            None => {
                high = trial;
                galloping = false;
            }
            Some(obstacle) => {
                partial = attempt;
                low = pairs.nearest_way_out(&obstacle).max(trial + 1);
                stride = stride.saturating_mul(8);
            }
        }
    }
    // The answer is among the pairs whose rounded distance is `low`; order those exactly.
    let mut exact = pairs.exact_distances(low, p, q);
    exact.sort_by(f64::total_cmp);
    exact.dedup();
    let (mut first, mut last) = (0, exact.len() - 1);
    while first < last {
        let middle = (first + last) / 2;
        let limit = exact[middle];
        let graph = pairs.graph(|l, r, bits| {
            bits < low || (bits == low && squared_distance(p.point(l), q.point(r)) <= limit)
        });
        match grow(&mut partial.clone(), &graph) {
            None => last = middle,
            Some(_) => first = middle + 1,
        }
    }
    exact[first]
}

/// Squared distances between all points of two samples, as bit patterns of single-precision numbers.
pub(super) struct Pairs {
    rights: usize,
    bits: Vec<u32>,
}

/// Rows and columns of a tile: two tiles of points stay in the cache while their distances are computed.
const TILE: usize = 64;

impl Pairs {
    pub fn new(p: &Cloud, q: &Cloud) -> Self {
        let rights = q.len();
        let mut bits = vec![0; p.len() * rights];
        let strips = bits.par_chunks_mut(TILE * rights).enumerate();
        strips.for_each(|(strip, rows)| {
            for first in (0..rights).step_by(TILE) {
                for (offset, row) in rows.chunks_exact_mut(rights).enumerate() {
                    let x = p.point(strip * TILE + offset);
                    for (r, cell) in row.iter_mut().enumerate().skip(first).take(TILE) {
                        *cell = (squared_distance(x, q.point(r)) as f32).to_bits();
                    }
                }
            }
        });
        Self { rights, bits }
    }

    fn rows(&self) -> rayon::slice::ChunksExact<'_, u32> {
        self.bits.par_chunks_exact(self.rights)
    }

    fn largest(&self) -> u32 {
        self.bits.par_iter().copied().max().unwrap_or(0)
    }

    fn nearest_of_farthest(&self) -> u32 {
        let for_left = self
            .rows()
            .map(|row| row.iter().copied().min().unwrap_or(0))
            .max();
        let for_right = self
            .rows()
            .fold(
                || vec![u32::MAX; self.rights],
                |mut least, row| {
                    least
                        .iter_mut()
                        .zip(row)
                        .for_each(|(a, &b)| *a = (*a).min(b));
                    least
                },
            )
            .reduce(
                || vec![u32::MAX; self.rights],
                |mut a, b| {
                    a.iter_mut().zip(b).for_each(|(a, b)| *a = (*a).min(b));
                    a
                },
            );
        for_left
            .unwrap_or(0)
            .max(for_right.into_iter().max().unwrap_or(0))
    }

    fn graph(&self, joined: impl Fn(usize, usize, u32) -> bool + Sync) -> Adjacency {
        let mut graph = Adjacency::empty(self.bits.len() / self.rights, self.rights);
        let (stride, words) = graph.rows_mut();
        words
            .par_chunks_exact_mut(stride)
            .zip(self.rows())
            .enumerate()
            .for_each(|(left, (out, row))| {
                for (w, cells) in row.chunks(64).enumerate() {
                    let mut word = 0;
                    for (k, &bits) in cells.iter().enumerate() {
                        word |= u64::from(joined(left, w * 64 + k, bits)) << k;
                    }
                    out[w] = word;
                }
            });
        graph
    }

    /// The shortest distance from the obstacle's left vertices to a right vertex outside it.
    fn nearest_way_out(&self, obstacle: &Obstacle) -> u32 {
        let outside: Vec<usize> = outside(&obstacle.rights, self.rights);
        let shortest = |&left: &usize| {
            let row = &self.bits[left * self.rights..(left + 1) * self.rights];
            outside.iter().map(|&r| row[r]).min().unwrap_or(u32::MAX)
        };
        obstacle.lefts.par_iter().map(shortest).min().unwrap_or(0)
    }

    fn exact_distances(&self, bits: u32, p: &Cloud, q: &Cloud) -> Vec<f64> {
        let same = self
            .bits
            .par_iter()
            .enumerate()
            .filter(|(_, b)| **b == bits);
        same.map(|(cell, _)| {
            squared_distance(p.point(cell / self.rights), q.point(cell % self.rights))
        })
        .collect()
    }
}

fn outside(inside: &Bits, n: usize) -> Vec<usize> {
    (0..n).filter(|&i| !inside.contains(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::{flow, line};
    use driftline_core::random::Seed;
    use rand::RngExt;

    fn sample(n: usize, d: usize, seed: Seed, coarse: bool) -> Cloud {
        let mut generator = seed.generator();
        let mut draw = || -> f64 { generator.random_range(-1.0..1.0) };
        // Coarse coordinates give many equal distances.
        let values = (0..n * d).map(|_| {
            if coarse {
                (draw() * 2.0).round()
            } else {
                draw()
            }
        });
        Cloud::new(d, values.collect()).unwrap()
    }

    /// The smallest largest distance over all n! ways to pair.
    fn by_trying(p: &Cloud, q: &Cloud, left: usize, used: &mut [bool], so_far: f64) -> f64 {
        if left == p.len() {
            return so_far;
        }
        let mut best = f64::INFINITY;
        for right in 0..q.len() {
            if !used[right] {
                used[right] = true;
                let worst = so_far.max(squared_distance(p.point(left), q.point(right)).sqrt());
                best = best.min(by_trying(p, q, left + 1, used, worst));
                used[right] = false;
            }
        }
        best
    }

    #[test]
    fn agrees_with_brute_force_with_the_flow_form_and_with_sorting() {
        for case in 0..500 {
            let seed = Seed::new(11).nth(case);
            let (n, d) = (1 + case % 7, 1 + case / 7 % 3);
            let p = sample(n, d, seed.nth(0), case % 2 == 0);
            let q = sample(n, d, seed.nth(1), case % 2 == 0);
            let right = by_trying(&p, &q, 0, &mut vec![false; n], 0.0);
            assert!((w_infinity(&p, &q) - right).abs() < 1e-12, "case {case}");
            assert!(
                (flow::w_infinity(&p, &q) - right).abs() < 1e-12,
                "case {case}"
            );
            if d == 1 {
                assert!(
                    (line::w_infinity(&p, &q) - right).abs() < 1e-12,
                    "case {case}"
                );
            }
        }
    }

    /// Two distances that differ by less than single precision can tell.
    #[test]
    fn distances_that_round_alike_are_told_apart() {
        let near = 1.0 + 1e-12;
        let p = Cloud::new(2, vec![0.0, 0.0, 10.0, 0.0]).unwrap();
        let q = Cloud::new(2, vec![1.0, 0.0, 10.0, near]).unwrap();
        assert_eq!(w_infinity(&p, &q), near);
    }
}
