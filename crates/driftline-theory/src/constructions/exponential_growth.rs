//! Example 3.4: the loss of gradual self-training can double with every round of shifts. As printed the construction
//! fails for α₀ ≤ 4/17 (self-training repairs the classifier); two repaired constructions keep the statement.

use super::Construction;
use crate::atoms::Atoms;
use driftline_core::Result;
use driftline_models::linear::{MarginModel, NormBall, Sign};

/// The construction and how many shifts make one round of doubling.
#[derive(Clone, Debug)]
pub struct Growth {
    pub construction: Construction,
    pub shifts_per_round: usize,
    pub start_loss: f64,
}

impl Growth {
    /// What the loss must at least be after T rounds: min(½, ½·2ᵀ·α₀).
    pub fn required(&self, rounds: usize) -> f64 {
        (0.5 * libm::pow(2.0, rounds as f64) * self.start_loss).min(0.5)
    }
}

/// Where the positive atoms wait, travel and end.
struct Places {
    spacing: f64,
    transit: Vec<f64>,
    lost: f64,
}

/// S: the largest integer with (2^{S−1} + ½)·α₀ < ½.
fn rounds_until_half(alpha: f64) -> usize {
    let mut s = 1;
    while (libm::pow(2.0, s as f64) + 0.5) * alpha < 0.5 {
        s += 1;
    }
    s
}

/// The masses that move, round by round: ½·2^i·α₀ for i < S, then what is left (together ½ − α₀; the text says ½).
fn moving_masses(alpha: f64, s: usize) -> Vec<f64> {
    let mut masses: Vec<f64> = (0..s)
        .map(|i| 0.5 * libm::pow(2.0, i as f64) * alpha)
        .collect();
    masses.push(0.5 - (libm::pow(2.0, s as f64 - 1.0) + 0.5) * alpha);
    masses
}

/// One shift to x = 0.5, one to x = −0.1, where the lost positives are.
pub fn printed(alpha: f64, rounds: usize) -> Result<Growth> {
    let s = rounds_until_half(alpha);
    let places = Places {
        spacing: 1.0 / (10.0 * s as f64),
        transit: vec![0.5],
        lost: -0.1,
    };
    build(alpha, rounds, &places)
}

/// Two shifts a round, as stated: the steps approach length 1 and the lost positives lie near −1, so that turning the
/// classifier towards them costs more than it gains.
pub fn two_step(alpha: f64, rounds: usize) -> Result<Growth> {
    let s = rounds_until_half(alpha);
    let epsilon = libm::pow(2.0, -(s as f64)) / 32.0;
    let places = Places {
        spacing: epsilon / (4.0 * s as f64),
        transit: vec![4.0 * epsilon],
        lost: -1.0 + 6.0 * epsilon,
    };
    build(alpha, rounds, &places)
}

/// Three shifts a round with all steps at most 0.9 for every α₀.
pub fn three_step(alpha: f64, rounds: usize) -> Result<Growth> {
    let s = rounds_until_half(alpha);
    let places = Places {
        spacing: 1.0 / (1000.0 * s as f64),
        transit: vec![0.5, -0.1],
        lost: -1.0,
    };
    build(alpha, rounds, &places)
}

fn build(alpha: f64, rounds: usize, places: &Places) -> Result<Growth> {
    debug_assert!(0.0 < alpha && alpha <= 0.25);
    let s = rounds_until_half(alpha);
    let masses = moving_masses(alpha, s);
    let mut domains = Vec::new();
    for round in 0..=rounds {
        // Before the last round is over, its atom stands still at its start, then passes through the transit points.
        let stops = if round < rounds {
            1 + places.transit.len()
        } else {
            1
        };
        for stop in 0..stops {
            domains.push(domain(alpha, &masses, round, stop, places)?);
        }
    }
    Ok(Growth {
        construction: Construction {
            class: NormBall::unit(),
            start: MarginModel::new(vec![1.0], 0.0),
            domains,
        },
        shifts_per_round: 1 + places.transit.len(),
        start_loss: alpha,
    })
}

/// The distribution when atoms before `round` are lost and that of `round` has made `stop` moves.
fn domain(alpha: f64, masses: &[f64], round: usize, stop: usize, places: &Places) -> Result<Atoms> {
    let gone: f64 = masses.iter().take(round).sum();
    let mut atoms = vec![
        ([-10.0], Sign::Minus, 0.5),
        ([places.lost], Sign::Plus, alpha + gone),
    ];
    for (i, &mass) in masses.iter().enumerate().skip(round) {
        let x = match stop {
            stop if stop > 0 && i == round => places.transit[stop - 1],
            _ => 1.0 + i as f64 * places.spacing,
        };
        atoms.push(([x], Sign::Plus, mass));
    }
    Atoms::from_list(&atoms)
}

/// A classifier of loss 0 on all domains.
pub fn witness() -> MarginModel {
    MarginModel::new(vec![1.0], 5.0)
}
