//! One dimension, where matching sorted mass to sorted mass is optimal for every distance at once.

use super::cloud::Cloud;

/// Masses sum to 1; pieces below this come from rounding.
const NEGLIGIBLE: f64 = 1e-12;

/// W∞ on the line.
pub fn w_infinity(p: &Cloud, q: &Cloud) -> f64 {
    let pieces = coupling(p, q);
    pieces
        .iter()
        .map(|&(x, y, _)| (x - y).abs())
        .fold(0.0, f64::max)
}

/// The pieces (x, y, mass) of the monotone coupling.
pub fn coupling(p: &Cloud, q: &Cloud) -> Vec<(f64, f64, f64)> {
    let (p, q) = (sorted(p), sorted(q));
    let (mut i, mut j) = (0, 0);
    let (mut left, mut right) = (p[0].1, q[0].1);
    let mut pieces = Vec::with_capacity(p.len() + q.len());
    loop {
        let mass = left.min(right);
        if mass > NEGLIGIBLE {
            pieces.push((p[i].0, q[j].0, mass));
        }
        left -= mass;
        right -= mass;
        if left <= NEGLIGIBLE {
            i += 1;
            match p.get(i) {
                Some(next) => left += next.1,
                None => return pieces,
            }
        }
        if right <= NEGLIGIBLE {
            j += 1;
            match q.get(j) {
                Some(next) => right += next.1,
                None => return pieces,
            }
        }
    }
}

fn sorted(cloud: &Cloud) -> Vec<(f64, f64)> {
    let mut atoms: Vec<(f64, f64)> = (0..cloud.len())
        .map(|i| (cloud.point(i)[0], cloud.mass(i)))
        .collect();
    atoms.sort_by(|a, b| a.0.total_cmp(&b.0));
    atoms
}
