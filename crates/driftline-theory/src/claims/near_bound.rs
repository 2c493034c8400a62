//! Problems on the line that come near the bounds of section 3, drawn with any R: the worst cases of the proofs, shaken.
//!
//! Places are counted in margins 1/R, so that a score w·x + b with |w| = R changes by 1 over one of them.

use rand::RngExt;
use rand_distr::{Binomial, Distribution};

use super::random_problems::Problem;
use crate::atoms::Atoms;
use driftline_core::data::Positive;
use driftline_core::random::Generator;
use driftline_core::{Error, Result};
use driftline_models::linear::points::Points;
use driftline_models::linear::{BiasRule, MarginModel, NormBall, Sign};

/// The radii that every statement is checked with.
const RADII: std::ops::Range<f64> = 0.3..3.0;

/// Θ_R with a free bias and a random R.
pub fn class(generator: &mut Generator) -> Result<NormBall> {
    let radius = Positive::new(generator.random_range(RADII))?;
    Ok(NormBall::new(radius, BiasRule::Free))
}

/// One class-pure mass and its places in margins, domain by domain.
#[derive(Clone, Debug)]
struct Mass {
    y: Sign,
    mass: f64,
    places: Vec<f64>,
}

/// Masses that move together through some domains, the source's score being place + bias.
pub struct Line {
    masses: Vec<Mass>,
    bias: f64,
}

/// P₀, …, P_T with the class and the start.
pub struct Sequence {
    pub class: NormBall,
    pub start: MarginModel,
    pub domains: Vec<Atoms>,
}

impl Line {
    fn new(bias: f64) -> Self {
        Self {
            masses: Vec::new(),
            bias,
        }
    }

    fn push(&mut self, y: Sign, mass: f64, places: &[f64]) {
        self.masses.push(Mass {
            y,
            mass,
            places: places.to_vec(),
        });
    }

    /// The same on the real line: scaled by 1/R, moved, and mirrored or not.
    fn placed(mut self, generator: &mut Generator) -> Result<Sequence> {
        let class = class(generator)?;
        if generator.random_bool(0.5) {
            self.bias = -self.bias;
            for mass in &mut self.masses {
                mass.y = mass.y.opposite();
                mass.places.iter_mut().for_each(|u| *u = -*u);
            }
        }
        let moved: f64 = generator.random_range(-2.0..2.0);
        let domain = |t: usize| {
            let mut points = Points::new(1);
            for m in self.masses.iter().filter(|m| m.mass > 0.0) {
                points.push(&[(m.places[t] + moved) / class.r()], m.y, m.mass)?;
            }
            Atoms::new(&points)
        };
        let domains = (0..self.masses[0].places.len())
            .map(domain)
            .collect::<Result<_>>()?;
        Ok(Sequence {
            class,
            start: MarginModel::new(vec![class.r()], self.bias - moved),
            domains,
        })
    }
}

/// Mass cut into parts whose shares are random.
fn cut(generator: &mut Generator, mass: f64, parts: usize) -> Vec<f64> {
    let shares: Vec<f64> = (0..parts)
        .map(|_| generator.random_range(0.2..1.0))
        .collect();
    let total: f64 = shares.iter().sum();
    shares.iter().map(|share| mass * share / total).collect()
}

/// How the pieces of the worst case are drawn.
struct Worst {
    /// ρR.
    reach: f64,
    /// The mass that slips past the boundary.
    slips: f64,
    /// The mass that the student then gives up: a little less, or it would not.
    given_up: f64,
    /// How far the boundary stands to the right of 0, a small share of what the slipping mass keeps.
    aside: f64,
}

impl Worst {
    /// `shaken` from 0 to 1 says how far from the worst it may be.
    fn draw(generator: &mut Generator, shaken: f64) -> Self {
        let reach: f64 = generator.random_range(0.0..0.9);
        let slips: f64 = generator.random_range(0.04..0.22);
        let less: f64 = generator.random_range(0.01..0.3);
        let aside: f64 = generator.random_range(0.001..0.15);
        Self {
            reach,
            slips,
            given_up: slips * (1.0 - (shaken * less).max(0.01)),
            aside: (1.0 - reach) * (shaken * aside).max(0.001),
        }
    }
}

/// Shaken as far as the bounds still tell.
const SHAKEN: f64 = 1.0;
/// Shaken so little that the price of a sample is what is left.
const HARDLY: f64 = 0.05;

/// Masses slip past the boundary where each has cost 1 − ρR before, and the student gives up as much again (Example A.8
/// behind a shift): L_r comes near 2/(1 − ρR)·L_r.
pub fn doubled(generator: &mut Generator, pieces: usize) -> Result<Sequence> {
    let worst = Worst::draw(generator, SHAKEN);
    doubled_line(generator, &worst, pieces).placed(generator)
}

/// The worst case itself, nearly.
pub fn doubled_sharply(generator: &mut Generator) -> Result<Sequence> {
    let worst = Worst::draw(generator, HARDLY);
    doubled_line(generator, &worst, 1).placed(generator)
}

fn doubled_line(generator: &mut Generator, worst: &Worst, pieces: usize) -> Line {
    let mut line = Line::new(-worst.aside);
    let far: f64 = generator.random_range(3.0..6.0);
    line.push(Sign::Minus, 0.5, &[-far, -far]);
    for mass in cut(generator, worst.slips, pieces) {
        let late = worst.aside * generator.random_range(0.0..0.9);
        line.push(Sign::Plus, mass, &[worst.reach + late, late]);
    }
    for mass in cut(generator, worst.given_up, pieces) {
        let near = 1.0 + worst.aside * generator.random_range(-0.5..1.0);
        line.push(Sign::Plus, mass, &[near, near]);
    }
    let rest = 0.5 - worst.slips - worst.given_up;
    line.push(Sign::Plus, rest, &[far + 2.0, far + 2.0]);
    line
}

/// The same with atoms that split: what slips and what is given up comes from other pieces than it goes to.
pub fn doubled_splitting(generator: &mut Generator) -> Result<Sequence> {
    let worst = Worst::draw(generator, SHAKEN);
    let mut line = Line::new(-worst.aside);
    let far: f64 = generator.random_range(3.0..6.0);
    line.push(Sign::Minus, 0.5, &[-far, -far]);
    let place = |generator: &mut Generator, from: f64| {
        from + worst.aside * generator.random_range(0.0..0.9)
    };
    for (mass, before, after) in [(worst.slips, worst.reach, 0.0), (worst.given_up, 1.0, 1.0)] {
        let origins: Vec<f64> = (0..2).map(|_| place(generator, before)).collect();
        let ends: Vec<f64> = (0..2).map(|_| place(generator, after)).collect();
        // Every origin sends something to every end.
        for origin in &origins {
            let share: f64 = generator.random_range(0.3..0.7);
            for (end, share) in ends.iter().zip([share, 1.0 - share]) {
                line.push(Sign::Plus, mass / 2.0 * share, &[*origin, *end]);
            }
        }
    }
    let rest = 0.5 - worst.slips - worst.given_up;
    line.push(Sign::Plus, rest, &[far + 2.0, far + 2.0]);
    line.placed(generator)
}

/// Classes that come so near each other that every classifier of Θ_R loses α*, while the labels stay right. The masses
/// differ by the share `apart` of each.
pub fn overlapping(generator: &mut Generator, apart: f64) -> Result<Sequence> {
    let reach: f64 = generator.random_range(0.05..0.45);
    let mass: f64 = generator.random_range(0.2..0.45);
    let mut line = Line::new(0.0);
    line.push(Sign::Plus, mass, &[1.0, 1.0 - reach]);
    line.push(Sign::Minus, mass * (1.0 + apart), &[-1.0, reach - 1.0]);
    let rest = 1.0 - mass * (2.0 + apart);
    line.push(Sign::Plus, rest / 2.0, &[5.0, 5.0]);
    line.push(Sign::Minus, rest / 2.0, &[-5.0, -5.0]);
    line.placed(generator)
}

/// Two steps: the first costs α* = a(1 − ρR), because the classes come too near; in the second that mass slips, and the
/// student gives up as much again. Needs no loss at the start.
pub fn costly_then_doubled(generator: &mut Generator) -> Result<Sequence> {
    let reach: f64 = generator.random_range(0.55..0.9);
    let slips: f64 = generator.random_range(0.05..0.22);
    let given_up = slips * generator.random_range(0.8..0.995);
    let mut line = Line::new(0.0);
    let late = (1.0 - reach) * 1e-3;
    line.push(Sign::Minus, 0.5, &[-1.0, -1.0, -1.0 - reach]);
    line.push(Sign::Plus, slips, &[1.0, reach - late, -late]);
    line.push(Sign::Plus, given_up, &[1.0, 1.0, 1.0]);
    line.push(Sign::Plus, 0.5 - slips - given_up, &[8.0, 8.0, 8.0]);
    line.placed(generator)
}

/// The worst case of one step where the class that slips also grows by `τ`, a share of what it has.
pub fn doubled_and_grown(generator: &mut Generator) -> Result<Sequence> {
    let worst = Worst::draw(generator, SHAKEN);
    let line = doubled_line(generator, &worst, 1);
    let growing = worst.slips + worst.given_up;
    let grown = growing * generator.random_range(0.0..0.6);
    // Nobody else of that class: its share goes from `growing` to `growing + grown`.
    let mut line = Line {
        masses: line.masses[..3].to_vec(),
        ..line
    };
    line.masses[0].mass = 1.0 - growing;
    let mut sequence = line.placed(generator)?;
    let more = |p: Atoms| -> Result<Atoms> {
        let mut points = Points::new(1);
        for (k, atom) in p.iter().enumerate() {
            let scale = match k {
                0 => (1.0 - growing - grown) / (1.0 - growing),
                _ => (growing + grown) / growing,
            };
            points.push(atom.x, atom.y, atom.mass * scale)?;
        }
        Atoms::new(&points)
    };
    let after = sequence.domains.pop();
    sequence.domains.extend(after.map(more).transpose()?);
    Ok(sequence)
}

impl Sequence {
    /// The first step of the sequence.
    pub fn problem(mut self) -> Problem {
        let after = self.domains.swap_remove(1);
        let before = self.domains.swap_remove(0);
        Problem {
            class: self.class,
            before,
            after,
            model: self.start,
        }
    }
}

/// n independent draws as masses: the same atoms, each with the share of the sample that fell on it.
pub fn sampled(p: &Atoms, n: u64, generator: &mut Generator) -> Result<Atoms> {
    let (mut left, mut mass_left) = (n, 1.0);
    let mut points = Points::new(p.dimension());
    for atom in p.iter() {
        let chance = (atom.mass / mass_left).clamp(0.0, 1.0);
        let binomial = Binomial::new(left, chance)
            .map_err(|_| Error::out_of_range("a share of the mass", chance, "between 0 and 1"))?;
        let count = binomial.sample(generator);
        left -= count;
        mass_left = (mass_left - atom.mass).max(f64::MIN_POSITIVE);
        // An atom that nobody drew has mass 0 and stays in its place.
        points.push(atom.x, atom.y, count as f64 / n as f64)?;
    }
    Atoms::new(&points)
}
