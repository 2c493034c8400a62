//! W₁ and W₂ between finite distributions, exactly: the cheapest flow, by successive shortest augmenting paths.

use super::cloud::{Cloud, squared_distance};
use super::{expect_comparable, line};
use driftline_core::Result;

/// The power that distances are raised to before they are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    One,
    Two,
}

const NEGLIGIBLE: f64 = 1e-12;

/// W_p(P, Q) = (min over couplings of E‖X − Y‖ᵖ)^{1/p}.
pub fn wasserstein(order: Order, p: &Cloud, q: &Cloud) -> Result<f64> {
    expect_comparable(p, q)?;
    let power = |squared: f64| match order {
        Order::One => squared.sqrt(),
        Order::Two => squared,
    };
    let cost = if p.dimension() == 1 {
        let pieces = line::coupling(p, q);
        pieces
            .iter()
            .map(|&(x, y, mass)| mass * power((x - y) * (x - y)))
            .sum()
    } else {
        let costs = p
            .points()
            .flat_map(|x| q.points().map(move |y| power(squared_distance(x, y))));
        cheapest_flow(p, q, &costs.collect::<Vec<f64>>())
    };
    Ok(match order {
        Order::One => cost,
        Order::Two => cost.max(0.0).sqrt(),
    })
}

/// The least Σ flow·cost that turns the masses of `p` into those of `q`. Dijkstra with potentials keeps costs
/// non-negative; the flow is dense, so this is for finite distributions, not for large samples.
fn cheapest_flow(p: &Cloud, q: &Cloud, costs: &[f64]) -> f64 {
    let (n, m) = (p.len(), q.len());
    let mut supply: Vec<f64> = (0..n).map(|i| p.mass(i)).collect();
    let mut demand: Vec<f64> = (0..m).map(|j| q.mass(j)).collect();
    let mut flow = vec![0.0; n * m];
    let mut potential = vec![0.0; n + m];
    while let Some((mut node, distance, from)) =
        shortest_path(n, m, costs, &flow, &potential, &supply, &demand)
    {
        let reach = distance[node];
        for (v, d) in potential.iter_mut().zip(&distance) {
            *v += d.min(reach);
        }
        let mut amount = demand[node - n];
        let mut hops = Vec::new();
        while let Some(previous) = from[node] {
            hops.push((previous, node));
            if previous >= n {
                amount = amount.min(flow[node * m + previous - n]);
            }
            node = previous;
        }
        amount = amount.min(supply[node]);
        supply[node] -= amount;
        demand[hops[0].1 - n] -= amount;
        for (a, b) in hops {
            if a < n {
                flow[a * m + b - n] += amount;
            } else {
                flow[b * m + a - n] -= amount;
            }
        }
    }
    flow.iter().zip(costs).map(|(f, c)| f * c).sum()
}

type Path = (usize, Vec<f64>, Vec<Option<usize>>);

/// From any left vertex with supply to the nearest right vertex with demand, in the residual graph.
fn shortest_path(
    n: usize,
    m: usize,
    costs: &[f64],
    flow: &[f64],
    potential: &[f64],
    supply: &[f64],
    demand: &[f64],
) -> Option<Path> {
    let mut distance = vec![f64::INFINITY; n + m];
    let mut from = vec![None; n + m];
    let mut done = vec![false; n + m];
    for (left, &s) in supply.iter().enumerate() {
        if s > NEGLIGIBLE {
            distance[left] = 0.0;
        }
    }
    loop {
        let open = (0..n + m).filter(|&v| !done[v] && distance[v].is_finite());
        let node = open.min_by(|&a, &b| distance[a].total_cmp(&distance[b]))?;
        done[node] = true;
        if node >= n && demand[node - n] > NEGLIGIBLE {
            return Some((node, distance, from));
        }
        let mut relax = |next: usize, cost: f64| {
            let reduced = (cost + potential[node] - potential[next]).max(0.0);
            if !done[next] && distance[node] + reduced < distance[next] {
                distance[next] = distance[node] + reduced;
                from[next] = Some(node);
            }
        };
        if node < n {
            (0..m).for_each(|r| relax(n + r, costs[node * m + r]));
        } else {
            let r = node - n;
            for left in (0..n).filter(|&l| flow[l * m + r] > NEGLIGIBLE) {
                relax(left, -costs[left * m + r]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::random::Seed;
    use rand::RngExt;

    fn sample(n: usize, d: usize, seed: Seed) -> Cloud {
        let mut generator = seed.generator();
        let values = (0..n * d).map(|_| generator.random_range(-1.0..1.0));
        Cloud::new(d, values.collect()).unwrap()
    }

    fn cheapest_pairing(costs: &[f64], n: usize, left: usize, used: &mut [bool]) -> f64 {
        if left == n {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for right in 0..n {
            if !used[right] {
                used[right] = true;
                let rest = cheapest_pairing(costs, n, left + 1, used);
                best = best.min(costs[left * n + right] + rest);
                used[right] = false;
            }
        }
        best
    }

    #[test]
    fn agrees_with_the_best_pairing_and_with_sorting() {
        for case in 0..200 {
            let seed = Seed::new(2).nth(case);
            let (n, d) = (1 + case % 6, 1 + case % 3);
            let (p, q) = (sample(n, d, seed.nth(0)), sample(n, d, seed.nth(1)));
            let costs: Vec<f64> = p
                .points()
                .flat_map(|x| q.points().map(move |y| squared_distance(x, y)))
                .collect();
            let right = cheapest_pairing(&costs, n, 0, &mut vec![false; n]) / n as f64;
            assert!(
                (cheapest_flow(&p, &q, &costs) - right).abs() < 1e-9,
                "case {case}"
            );
            let two = wasserstein(Order::Two, &p, &q).unwrap();
            assert!((two * two - right).abs() < 1e-9, "case {case}");
        }
    }

    #[test]
    fn unequal_masses_move_only_what_they_must() {
        let p = Cloud::new(2, vec![0.0, 0.0, 1.0, 0.0])
            .unwrap()
            .with_masses(&[0.7, 0.3])
            .unwrap();
        let q = Cloud::new(2, vec![0.0, 0.0, 1.0, 0.0])
            .unwrap()
            .with_masses(&[0.4, 0.6])
            .unwrap();
        assert!((wasserstein(Order::One, &p, &q).unwrap() - 0.3).abs() < 1e-12);
        assert!((wasserstein(Order::Two, &p, &q).unwrap() - 0.3_f64.sqrt()).abs() < 1e-12);
    }
}
