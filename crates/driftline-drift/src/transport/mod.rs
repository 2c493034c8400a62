//! Distances between distributions of points: W∞, the one that the margin theory needs, and W₁, W₂, total variation and
//! Kullback–Leibler for contrast. Couplings of two samples, exact and entropic, for who moves rows along.

mod assignment;
mod bitset;
mod bottleneck;
mod cloud;
mod divergence;
mod entropic;
mod estimate;
mod flow;
mod line;
mod matching;
mod pairing;
mod wasserstein;

use serde::{Deserialize, Serialize};

pub use assignment::{Assignment, assignment};
pub use bottleneck::w_infinity as w_infinity_by_matching;
pub use cloud::Cloud;
pub use divergence::{kullback_leibler, total_variation};
pub use entropic::{Coupling, entropic};
pub use flow::w_infinity as w_infinity_by_flow;
pub use pairing::{MOST_ROWS, Pairing, pairing, squared_distances};
pub use wasserstein::{Order, wasserstein};

use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// W∞ as far as it is known: the true value lies in [lower, upper].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WInfinity {
    pub lower: f64,
    /// The distance, or an estimate of it from `compared` points a side.
    pub value: f64,
    pub upper: f64,
    pub exact: bool,
    pub compared: (usize, usize),
}

/// Above this many pairs the distances would need more than 600 MB, and an estimate with bounds is given instead.
pub const MOST_PAIRS: usize = 150_000_000;

/// W∞(P, Q): the smallest r such that P can be turned into Q by moving no mass farther than r.
///
/// Exact by sorting in one dimension; by bottleneck matching for samples of equal size (the Monge form) and by flows
/// for unequal sizes or weights (the Kantorovich form) while the pairs fit into memory; else estimated, with bounds.
pub fn w_infinity(p: &Cloud, q: &Cloud, seed: Seed) -> Result<WInfinity> {
    expect_comparable(p, q)?;
    let value = if p.dimension() == 1 {
        line::w_infinity(p, q)
    } else if p.len().saturating_mul(q.len()) > MOST_PAIRS {
        return estimate::w_infinity(p, q, seed);
    } else {
        by_pairs(p, q)
    };
    Ok(WInfinity {
        lower: value,
        value,
        upper: value,
        exact: true,
        compared: (p.len(), q.len()),
    })
}

/// By all pairs of points: a matching where every point weighs the same, else a flow.
fn by_pairs(p: &Cloud, q: &Cloud) -> f64 {
    match p.len() == q.len() && p.is_uniform() && q.is_uniform() {
        true => bottleneck::w_infinity(p, q),
        false => flow::w_infinity(p, q),
    }
}

fn expect_comparable(p: &Cloud, q: &Cloud) -> Result<()> {
    if p.is_empty() || q.is_empty() {
        return Err(Error::empty("a sample to be compared"));
    }
    if p.dimension() != q.dimension() {
        return Err(Error::mismatch(
            "the second sample",
            format!("{} dimensions", p.dimension()),
            q.dimension(),
        ));
    }
    Ok(())
}
