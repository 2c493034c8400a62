//! W∞ of samples too large to compare pair by pair: an estimate from subsamples, between bounds that are certain.

use rayon::prelude::*;

use super::cloud::{Cloud, squared_distance};
use super::{WInfinity, by_pairs, line};
use driftline_core::Result;
use driftline_core::random::{Seed, permutation};

/// Points a side for the estimate, and the size of the blocks that are matched exactly for the upper bound.
const SUBSAMPLE: usize = 2_000;
/// Points whose nearest neighbours are sought among all others.
const PROBES: usize = 200;
const DIRECTIONS: usize = 16;

/// Below: no projection can be farther apart than the whole, and every point must find a partner. Above: any way to
/// match the samples costs at least W∞, so one is built block by block along the direction in which they differ most.
pub fn w_infinity(p: &Cloud, q: &Cloud, seed: Seed) -> Result<WInfinity> {
    let directions = directions(p, q, seed.named("directions"));
    let apart =
        |direction: &Vec<f64>| line::w_infinity(&p.projected(direction), &q.projected(direction));
    let by_projection = directions.iter().map(apart).fold(0.0, f64::max);
    let by_neighbours = probe(p, q, seed.named("left")).max(probe(q, p, seed.named("right")));
    let subsample = |cloud: &Cloud, seed: Seed| {
        let order = permutation(cloud.len(), seed);
        cloud.pick(&order[..SUBSAMPLE.min(cloud.len())])
    };
    let few = (
        subsample(p, seed.named("few left")),
        subsample(q, seed.named("few right")),
    );
    let value = by_pairs(&few.0, &few.1);
    let lower = by_projection.max(by_neighbours);
    // Where both are the distance itself, roundings may cross.
    let upper = block_by_block(p, q, &directions[0]).max(lower);
    Ok(WInfinity {
        lower,
        value: value.clamp(lower, upper),
        upper,
        exact: false,
        compared: (few.0.len(), few.1.len()),
    })
}

/// Unit vectors: the difference of the means first, then random ones.
fn directions(p: &Cloud, q: &Cloud, seed: Seed) -> Vec<Vec<f64>> {
    use rand_distr::{Distribution, StandardNormal};
    let difference = p.mean().iter().zip(q.mean()).map(|(a, b)| a - b).collect();
    let mut generator = seed.generator();
    let mut drawn = || -> Vec<f64> {
        (0..p.dimension())
            .map(|_| StandardNormal.sample(&mut generator))
            .collect()
    };
    let random: Vec<Vec<f64>> = (1..DIRECTIONS).map(|_| drawn()).collect();
    let unit = |v: Vec<f64>| -> Option<Vec<f64>> {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        (length > 0.0).then(|| v.iter().map(|x| x / length).collect())
    };
    std::iter::once(difference)
        .chain(random)
        .filter_map(unit)
        .collect()
}

/// The largest distance from a few points to their nearest neighbours on the other side.
fn probe(from: &Cloud, to: &Cloud, seed: Seed) -> f64 {
    let order = permutation(from.len(), seed);
    let probes = &order[..PROBES.min(from.len())];
    let nearest = |&i: &usize| {
        let distances = to.points().map(|y| squared_distance(from.point(i), y));
        distances.fold(f64::INFINITY, f64::min)
    };
    let farthest = probes.par_iter().map(nearest).reduce(|| 0.0, f64::max);
    farthest.sqrt()
}

/// Cuts both distributions into slices of equal mass along a direction and matches slice to slice.
fn block_by_block(p: &Cloud, q: &Cloud, direction: &[f64]) -> f64 {
    let slices = p.len().max(q.len()).div_ceil(SUBSAMPLE);
    let (p, q) = (sliced(p, direction, slices), sliced(q, direction, slices));
    let pairs = p.iter().zip(&q);
    pairs.map(|(p, q)| by_pairs(p, q)).fold(0.0, f64::max)
}

/// A point that lies across a cut is split between the two slices.
fn sliced(cloud: &Cloud, direction: &[f64], slices: usize) -> Vec<Cloud> {
    let along = cloud.projected(direction);
    let mut order: Vec<usize> = (0..cloud.len()).collect();
    order.sort_by(|&a, &b| along.point(a)[0].total_cmp(&along.point(b)[0]));
    let share = 1.0 / slices as f64;
    let mut parts: Vec<(Vec<usize>, Vec<f64>)> = vec![Default::default(); slices];
    let (mut slice, mut room) = (0, share);
    for index in order {
        let mut mass = cloud.mass(index);
        while mass > room + 1e-12 && slice + 1 < slices {
            if room > 1e-12 {
                parts[slice].0.push(index);
                parts[slice].1.push(room);
                mass -= room;
            }
            slice += 1;
            room = share;
        }
        parts[slice].0.push(index);
        parts[slice].1.push(mass);
        room -= mass;
    }
    let build = |(indices, masses): (Vec<usize>, Vec<f64>)| {
        let even = masses.iter().all(|m| (m - masses[0]).abs() < 1e-12);
        let masses = if even {
            vec![1.0; masses.len()]
        } else {
            masses
        };
        cloud.pick(&indices).with_masses(&masses)
    };
    parts
        .into_iter()
        .filter(|(i, _)| !i.is_empty())
        .filter_map(|part| build(part).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, StandardNormal};

    #[test]
    fn the_bounds_hold_the_exact_distance() {
        for (case, (n, m)) in [(5_000, 5_000), (3_000, 4_500)].into_iter().enumerate() {
            let draw = |n: usize, shift: f64, seed: usize| {
                let mut generator = Seed::new(8).nth(seed).generator();
                let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
                let values = (0..n).flat_map(|_| [normal() + shift, normal(), normal()]);
                Cloud::new(3, values.collect()).unwrap()
            };
            let (p, q) = (draw(n, 0.0, 2 * case), draw(m, 1.5, 2 * case + 1));
            let exact = by_pairs(&p, &q);
            let found = w_infinity(&p, &q, Seed::new(1)).unwrap();
            assert!(!found.exact);
            assert!(
                found.lower <= exact + 1e-9 && exact <= found.upper + 1e-9,
                "{exact} {found:?}"
            );
            assert!(found.lower > 1.0 && found.upper.is_finite());
        }
    }
}
