//! L-BFGS: descent along −H·g, with H approximated from the last few steps (Liu and Nocedal 1989), and a line search
//! that asks for a sufficient decrease and a smaller slope (the weak Wolfe conditions, by bisection).

use std::collections::VecDeque;

use driftline_core::Cancel;

const MEMORY: usize = 10;
const SUFFICIENT_DECREASE: f64 = 1e-4;
const SMALLER_SLOPE: f64 = 0.9;
const MOST_TRIALS: usize = 40;

/// Where the search ended.
#[derive(Debug)]
pub(super) struct Found {
    pub at: Vec<f64>,
    /// The largest entry of the gradient there.
    pub gradient: f64,
    /// The gradient is within the tolerance, or no step lowers the objective at the precision it is computed in.
    pub converged: bool,
}

/// One remembered step: s = Δx, y = Δg, ρ = 1/(s·y).
struct Memory {
    step: Vec<f64>,
    change: Vec<f64>,
    rho: f64,
}

/// Minimises `objective`, which writes the gradient and returns the value. `cancel` is asked in every iteration.
pub(super) fn minimize(
    start: Vec<f64>,
    max_iterations: usize,
    tolerance: f64,
    cancel: &Cancel,
    objective: impl Fn(&[f64], &mut [f64]) -> f64,
) -> Found {
    let mut at = start;
    let mut gradient = vec![0.0; at.len()];
    let mut value = objective(&at, &mut gradient);
    let mut memories: VecDeque<Memory> = VecDeque::new();
    for _ in 0..max_iterations {
        if largest(&gradient) <= tolerance || cancel.is_cancelled() {
            break;
        }
        let direction = descent_direction(&gradient, &memories);
        let first_step = if memories.is_empty() {
            1.0 / norm(&gradient).max(1.0)
        } else {
            1.0
        };
        let Some(next) = line_search(&at, value, &gradient, &direction, first_step, &objective)
        else {
            if memories.is_empty() {
                let gradient = largest(&gradient);
                return Found {
                    at,
                    gradient,
                    converged: true,
                };
            }
            memories.clear();
            continue;
        };
        let step = difference(&next.at, &at);
        let change = difference(&next.gradient, &gradient);
        let curvature = dot(&step, &change);
        if curvature > 1e-12 * norm(&step) * norm(&change) {
            if memories.len() == MEMORY {
                memories.pop_front();
            }
            let rho = 1.0 / curvature;
            memories.push_back(Memory { step, change, rho });
        }
        Point {
            at,
            value,
            gradient,
        } = next;
    }
    let gradient = largest(&gradient);
    Found {
        at,
        gradient,
        converged: gradient <= tolerance,
    }
}

struct Point {
    at: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

/// −H·g by the two-loop recursion.
fn descent_direction(gradient: &[f64], memories: &VecDeque<Memory>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut alphas = Vec::with_capacity(memories.len());
    for memory in memories.iter().rev() {
        let alpha = memory.rho * dot(&memory.step, &direction);
        add_scaled(&mut direction, -alpha, &memory.change);
        alphas.push(alpha);
    }
    if let Some(last) = memories.back() {
        let scale = 1.0 / (last.rho * dot(&last.change, &last.change));
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for (memory, alpha) in memories.iter().zip(alphas.into_iter().rev()) {
        let beta = memory.rho * dot(&memory.change, &direction);
        add_scaled(&mut direction, alpha - beta, &memory.step);
    }
    direction
}

/// A point along `direction` that satisfies the weak Wolfe conditions, if rounding lets one be found.
fn line_search(
    at: &[f64],
    value: f64,
    gradient: &[f64],
    direction: &[f64],
    first_step: f64,
    objective: impl Fn(&[f64], &mut [f64]) -> f64,
) -> Option<Point> {
    let slope = dot(gradient, direction);
    if slope >= 0.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut step = first_step;
    for _ in 0..MOST_TRIALS {
        let mut next = at.to_vec();
        add_scaled(&mut next, step, direction);
        let mut next_gradient = vec![0.0; at.len()];
        let next_value = objective(&next, &mut next_gradient);
        if next_value.is_nan() || next_value > value + SUFFICIENT_DECREASE * step * slope {
            high = step;
        } else if dot(&next_gradient, direction) < SMALLER_SLOPE * slope {
            low = step;
        } else {
            return Some(Point {
                at: next,
                value: next_value,
                gradient: next_gradient,
            });
        }
        step = if high.is_finite() {
            (low + high) / 2.0
        } else {
            2.0 * low
        };
    }
    None
}

/// Eight sums side by side, in a fixed order, so that the loop becomes vector code.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

fn largest(a: &[f64]) -> f64 {
    a.iter().fold(0.0, |most, v| most.max(v.abs()))
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn add_scaled(to: &mut [f64], scale: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += scale * w);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f(x) = Σ i·(xᵢ − 1)² has its minimum at 1.
    #[test]
    fn a_stretched_bowl() {
        let found = minimize(vec![0.0; 20], 200, 1e-9, &Cancel::new(), |x, g| {
            let term = |(i, x): (usize, &f64)| (i + 1) as f64 * (x - 1.0) * (x - 1.0);
            g.iter_mut()
                .zip(x)
                .enumerate()
                .for_each(|(i, (g, x))| *g = 2.0 * (i + 1) as f64 * (x - 1.0));
            x.iter().enumerate().map(term).sum()
        });
        assert!(found.converged, "{found:?}");
        assert!(found.at.iter().all(|x| (x - 1.0).abs() < 1e-8), "{found:?}");
    }

    /// Rosenbrock's valley: not convex, badly scaled.
    #[test]
    fn a_curved_valley() {
        let found = minimize(vec![-1.2, 1.0], 500, 1e-8, &Cancel::new(), |x, g| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            g[0] = -2.0 * a - 400.0 * x[0] * b;
            g[1] = 200.0 * b;
            a * a + 100.0 * b * b
        });
        assert!(
            found.converged && (found.at[0] - 1.0).abs() < 1e-6,
            "{found:?}"
        );
    }

    #[test]
    fn too_few_iterations_are_told() {
        let found = minimize(vec![0.0], 0, 1e-8, &Cancel::new(), |x, g| {
            g[0] = 2.0 * (x[0] - 1.0);
            (x[0] - 1.0) * (x[0] - 1.0)
        });
        assert!(!found.converged && found.gradient == 2.0);
    }

    /// Nothing but the first value is computed once somebody has asked to stop.
    #[test]
    fn a_cancelled_search_ends_where_it_is() {
        let cancel = Cancel::new();
        cancel.cancel();
        let asked = std::cell::Cell::new(0);
        let found = minimize(vec![0.0], 100, 1e-8, &cancel, |x, g| {
            asked.set(asked.get() + 1);
            g[0] = 2.0 * (x[0] - 1.0);
            (x[0] - 1.0) * (x[0] - 1.0)
        });
        assert_eq!((asked.get(), found.at[0]), (1, 0.0));
        assert!(!found.converged);
    }
}
