//! What happens along a stream: effects at their full strength, and the moment that they come to at any point on the way.

use rand::RngExt;

use super::families::{Effect, Family, Pace};
use super::source::{Source, normal};
use driftline_core::random::Seed;

/// Effects at full strength.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    full: Moment,
    pace: Pace,
    /// When a jump happens, and when it is over.
    jump: (f64, f64),
}

/// What holds at one point of the stream.
#[derive(Clone, Debug)]
pub(super) struct Moment {
    pub shares: Vec<f64>,
    /// Class, hidden direction.
    pub moves: Vec<Vec<f64>>,
    /// Factor on all centres.
    pub closeness: f64,
    /// How far hidden directions are turned, pair by pair, from the one at `plane` on.
    plane: usize,
    angle: f64,
    pub shifts: Vec<f64>,
    pub scales: Vec<f64>,
    pub noises: Vec<f64>,
    pub dead: Vec<bool>,
    pub new_class: f64,
    pub newcomer: Vec<f64>,
    pub remix: f64,
    pub remixed: Vec<Vec<f64>>,
    pub unseen: f64,
    pub concept: f64,
    pub divide: Vec<f64>,
}

impl Moment {
    fn still(source: &Source) -> Self {
        let (columns, hidden) = (source.columns(), source.hidden());
        Self {
            shares: source.shares.clone(),
            moves: vec![vec![0.0; hidden]; source.classes()],
            closeness: 1.0,
            plane: 0,
            angle: 0.0,
            shifts: vec![0.0; columns],
            scales: vec![1.0; columns],
            noises: vec![0.0; columns],
            dead: vec![false; columns],
            new_class: 0.0,
            newcomer: vec![0.0; hidden],
            remix: 0.0,
            remixed: source
                .categories
                .iter()
                .map(|column| column[0].clone())
                .collect(),
            unseen: 0.0,
            concept: 0.0,
            divide: vec![0.0; hidden],
        }
    }

    pub fn turn(&self, hidden: &mut [f64]) {
        if self.angle == 0.0 {
            return;
        }
        let (sin, cos) = (libm::sin(self.angle), libm::cos(self.angle));
        let n = hidden.len();
        for pair in 0..n / 2 {
            let (first, second) = ((self.plane + 2 * pair) % n, (self.plane + 2 * pair + 1) % n);
            let (a, b) = (hidden[first], hidden[second]);
            hidden[first] = cos * a - sin * b;
            hidden[second] = sin * a + cos * b;
        }
    }
}

impl Effects {
    pub fn draw(family: &Family, source: &Source, seed: Seed) -> Self {
        let random = &mut seed.generator();
        let mut full = Moment::still(source);
        let (columns, hidden, classes) = (source.columns(), source.hidden(), source.classes());
        let strength = random.random_range(0.4..1.6);
        for effect in family.effects {
            match effect {
                Effect::ShiftSome | Effect::ShiftAll => {
                    let part = if *effect == Effect::ShiftAll {
                        1.0
                    } else {
                        0.35
                    };
                    for (column, shift) in full.shifts.iter_mut().enumerate() {
                        if random.random_bool(part) {
                            *shift = 1.2 * strength * source.spread(column) * normal(random);
                        }
                    }
                }
                Effect::Scale => {
                    for scale in &mut full.scales {
                        *scale = libm::exp(0.5 * strength * normal(random));
                    }
                }
                Effect::TurnLittle | Effect::TurnFar => {
                    let degrees = match effect {
                        Effect::TurnLittle => random.random_range(10.0..40.0),
                        _ => random.random_range(60.0..140.0),
                    };
                    full.angle = degrees / 180.0 * std::f64::consts::PI;
                    full.plane = random.random_range(0..hidden);
                }
                Effect::ClassesMove => {
                    for x in full.moves.iter_mut().flatten() {
                        *x = 0.7 * strength * source.apart * normal(random);
                    }
                }
                Effect::Together => full.closeness = 1.0 - 0.6 * (strength / 1.6),
                Effect::Apart => full.closeness = 1.0 + strength,
                Effect::Shares => {
                    let mut order: Vec<f64> = source
                        .shares
                        .iter()
                        .map(|share| share * libm::exp(1.5 * strength * normal(random)))
                        .collect();
                    let sum: f64 = order.iter().sum();
                    order.iter_mut().for_each(|share| *share /= sum);
                    full.shares = order;
                }
                Effect::Vanish => {
                    let gone = random.random_range(0..classes);
                    full.shares[gone] *= 0.02;
                }
                Effect::NewClass => {
                    full.new_class = random.random_range(0.05..0.35);
                    full.newcomer = (0..hidden).map(|_| source.apart * normal(random)).collect();
                }
                Effect::Remix => {
                    full.remix = random.random_range(0.4..1.0);
                    for column in &mut full.remixed {
                        column.reverse();
                    }
                }
                Effect::NewCategory => full.unseen = random.random_range(0.2..0.8),
                Effect::Dead => full.dead[random.random_range(0..columns)] = true,
                Effect::Noisy => {
                    let column = random.random_range(0..columns);
                    full.noises[column] = 2.0 * strength * source.spread(column);
                }
                Effect::Concept => {
                    full.concept = random.random_range(0.1..0.5);
                    full.divide = (0..hidden).map(|_| normal(random)).collect();
                }
            }
        }
        let begin = random.random_range(0.25..0.6);
        Self {
            full,
            pace: family.pace,
            jump: (begin, begin + random.random_range(0.15..0.3)),
        }
    }

    /// The strength of all effects at this point of the stream.
    fn strength(&self, progress: f64) -> f64 {
        match self.pace {
            Pace::Steady => progress,
            Pace::Late => ((progress - 0.33) / 0.67).max(0.0),
            Pace::Season => 0.5 - 0.5 * libm::cos(4.0 * std::f64::consts::PI * progress),
            Pace::Jump => f64::from(u8::from(progress >= self.jump.0)),
            Pace::JumpAndReturn => {
                f64::from(u8::from(progress >= self.jump.0 && progress < self.jump.1))
            }
        }
    }

    pub fn at(&self, progress: f64, source: &Source) -> Moment {
        let s = self.strength(progress);
        let mut now = self.full.clone();
        let between = |from: f64, to: f64| from + s * (to - from);
        for (share, from) in now.shares.iter_mut().zip(&source.shares) {
            *share = between(*from, *share);
        }
        now.moves.iter_mut().flatten().for_each(|x| *x *= s);
        now.closeness = between(1.0, now.closeness);
        now.angle *= s;
        now.shifts.iter_mut().for_each(|x| *x *= s);
        now.scales.iter_mut().for_each(|x| *x = libm::pow(*x, s));
        now.noises.iter_mut().for_each(|x| *x *= s);
        now.dead.iter_mut().for_each(|dead| *dead &= s >= 0.3);
        now.new_class *= s;
        now.remix *= s;
        now.unseen *= s;
        now.concept *= s;
        now
    }
}
