//! Random problems for statements about all distributions, on the line with any R.

use rand::RngExt;

use super::near_bound::{Sequence, class};
use crate::atoms::Atoms;
use driftline_core::Result;
use driftline_core::random::Generator;
use driftline_models::linear::points::Points;
use driftline_models::linear::{MarginModel, NormBall, Sign};

/// P, a shifted Q, and a model of the class.
pub struct Problem {
    pub class: NormBall,
    pub before: Atoms,
    pub after: Atoms,
    pub model: MarginModel,
}

/// A model with its boundary among the points; usually with the largest weight, as a trained one would have.
pub fn model(generator: &mut Generator, class: &NormBall) -> MarginModel {
    let share = if generator.random_bool(0.8) {
        1.0
    } else {
        generator.random_range(-1.0..1.0)
    };
    MarginModel::new(vec![share * class.r()], generator.random_range(-1.5..1.5))
}

/// A place in margins, sometimes on a coarse grid so that ties occur.
fn coordinate(generator: &mut Generator, low: f64, high: f64) -> f64 {
    let x: f64 = generator.random_range(low..high);
    if generator.random_bool(0.3) {
        (x * 2.0).round() / 2.0
    } else {
        x
    }
}

/// Equally heavy atoms in each class, each moved by less than 1/R: the Monge form.
pub fn moved(generator: &mut Generator) -> Result<Problem> {
    let class = class(generator)?;
    let reach = generator.random_range(0.0..0.95);
    let (mut before, mut after) = (Points::new(1), Points::new(1));
    for y in [Sign::Minus, Sign::Plus] {
        let n = generator.random_range(2..6);
        for _ in 0..n {
            let x = y.value() * coordinate(generator, -1.0, 3.0);
            let step = if generator.random_bool(0.3) {
                0.0
            } else {
                generator.random_range(-reach..=reach)
            };
            let mass = 0.5 / f64::from(n);
            before.push(&[x * class.margin()], y, mass)?;
            after.push(&[(x + step) * class.margin()], y, mass)?;
        }
    }
    Ok(Problem {
        before: Atoms::new(&before)?,
        after: Atoms::new(&after)?,
        model: model(generator, &class),
        class,
    })
}

/// Atoms of unequal mass that split and merge on the way: only the Kantorovich form can compare them.
pub fn split(generator: &mut Generator) -> Result<Problem> {
    let class = class(generator)?;
    let reach = generator.random_range(0.0..0.95);
    let share: f64 = generator.random_range(0.2..0.8);
    let (mut before, mut after) = (Points::new(1), Points::new(1));
    for (y, share) in [(Sign::Minus, 1.0 - share), (Sign::Plus, share)] {
        let masses: Vec<f64> = (0..generator.random_range(1..5))
            .map(|_| generator.random_range(0.05..1.0))
            .collect();
        let total: f64 = masses.iter().sum();
        for mass in masses {
            let mass = share * mass / total;
            let x = y.value() * coordinate(generator, -1.0, 3.0);
            before.push(&[x * class.margin()], y, mass)?;
            let cut: f64 = generator.random_range(0.0..1.0);
            for part in [cut, 1.0 - cut] {
                let step = generator.random_range(-reach..=reach);
                after.push(&[(x + step) * class.margin()], y, mass * part)?;
            }
        }
    }
    Ok(Problem {
        before: Atoms::new(&before)?,
        after: Atoms::new(&after)?,
        model: model(generator, &class),
        class,
    })
}

/// A sequence P₀, …, P_T in which every atom makes small moves, and a start that is good on P₀.
pub fn journey(generator: &mut Generator, steps: usize) -> Result<Sequence> {
    let class = class(generator)?;
    let reach = generator.random_range(0.0..0.4);
    let mut atoms: Vec<(f64, Sign, f64)> = Vec::new();
    for y in [Sign::Minus, Sign::Plus] {
        for _ in 0..generator.random_range(2..4) {
            let x = y.value() * generator.random_range(0.0..3.0);
            atoms.push((x, y, generator.random_range(0.1..1.0)));
        }
    }
    let mut domains = Vec::new();
    for _ in 0..=steps {
        let placed = |&(x, y, mass): &(f64, Sign, f64)| ([x * class.margin()], y, mass);
        let list: Vec<([f64; 1], Sign, f64)> = atoms.iter().map(placed).collect();
        domains.push(Atoms::from_list(&list)?);
        for atom in &mut atoms {
            atom.0 += generator.random_range(-reach..=reach);
        }
    }
    let start = MarginModel::new(vec![class.r()], generator.random_range(-0.5..0.5));
    Ok(Sequence {
        class,
        start,
        domains,
    })
}

/// Atoms in several dimensions with arbitrary labels.
pub fn cloud(generator: &mut Generator, n: usize, dimension: usize) -> Result<Atoms> {
    let mut points = Points::new(dimension);
    for _ in 0..n {
        let x: Vec<f64> = (0..dimension)
            .map(|_| generator.random_range(-2.0..2.0))
            .collect();
        let y = Sign::of(x[0] + generator.random_range(-1.0..1.0));
        points.push(&x, y, generator.random_range(0.05..1.0))?;
    }
    Atoms::new(&points)
}

/// A model in several dimensions with ‖w‖ ≤ 1.
pub fn unit_model(generator: &mut Generator, dimension: usize, bias: f64) -> MarginModel {
    let weights: Vec<f64> = (0..dimension)
        .map(|_| generator.random_range(-1.0..1.0))
        .collect();
    let length = weights.iter().map(|w| w * w).sum::<f64>().sqrt().max(1.0);
    let bias = if bias > 0.0 {
        generator.random_range(-bias..bias)
    } else {
        0.0
    };
    MarginModel::new(weights.iter().map(|w| w / length).collect(), bias)
}
