//! Where the rows of a stream come from: classes of one to three clusters in a few hidden directions, columns of numbers
//! that mix these directions with noise, columns of categories, values that are missing.

use std::ops::Range;

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};

use super::effects::Moment;
use super::families::Family;
use driftline_core::random::Seed;

/// What stays the same along a stream.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub shares: Vec<f64>,
    /// Class, cluster, hidden direction.
    pub centres: Vec<Vec<Vec<f64>>>,
    /// Column of numbers, hidden direction.
    loadings: Vec<Vec<f64>>,
    noise: Vec<f64>,
    /// Columns whose numbers are skewed: exp(x/2).
    skewed: Vec<bool>,
    missing: Vec<f64>,
    /// Column of categories, class, category.
    pub categories: Vec<Vec<Vec<f64>>>,
    heavy_tails: bool,
    /// The deviation of the classes' centres along a hidden direction.
    pub apart: f64,
}

/// A row: numbers, categories, class.
pub(super) struct Row {
    numbers: Vec<Option<f64>>,
    one_hot: Vec<f32>,
    pub class: u32,
}

impl Row {
    /// As inputs; missing numbers are the source's means.
    pub fn filled<'a>(&'a self, means: &'a [f64]) -> impl Iterator<Item = f32> + 'a {
        let numbers = self.numbers.iter().zip(means);
        let numbers = numbers.map(|(number, mean)| number.unwrap_or(*mean) as f32);
        numbers.chain(self.one_hot.iter().copied())
    }
}

pub(super) fn normal(random: &mut impl Rng) -> f64 {
    StandardNormal.sample(random)
}

/// Shares of `n` parts: even, or each a third or so of the one before.
fn uneven(n: usize, rare: bool, random: &mut impl Rng) -> Vec<f64> {
    let falls = if rare {
        0.12
    } else {
        [1.0, 0.6, 0.35][random.random_range(0..3)]
    };
    let mut shares: Vec<f64> = (0..n)
        .map(|at| libm::pow(falls, at as f64).max(0.02) * random.random_range(0.8..1.25))
        .collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

impl Source {
    pub fn draw(family: &Family, seed: Seed) -> Self {
        let random = &mut seed.generator();
        let classes = match family.plant {
            true => 3,
            false => [2, 2, 2, 3, 3, 4, 5, 8, 12][random.random_range(0..9)],
        };
        let hidden = if family.plant {
            3
        } else {
            random.random_range(2..=6)
        };
        let columns = match family.plant {
            true => 4,
            // As many of few columns as of many.
            false => libm::round(libm::exp(
                random.random_range(libm::log(2.0)..libm::log(60.0)),
            )) as usize,
        };
        let apart = random.random_range(1.2..3.5);
        let clusters = random.random_range(1..=3);
        let centres = (0..classes)
            .map(|_| {
                let middle: Vec<f64> = (0..hidden).map(|_| apart * normal(random)).collect();
                let cluster =
                    |random: &mut _| middle.iter().map(|x| x + 0.6 * normal(random)).collect();
                (0..clusters).map(|_| cluster(random)).collect()
            })
            .collect();
        let loadings = (0..columns)
            .map(|column| {
                // The first columns show one direction each, so that none is hidden for good.
                let mut own: Vec<f64> = (0..hidden).map(|_| 0.5 * normal(random)).collect();
                if column < hidden {
                    own[column] += 1.0;
                }
                own
            })
            .collect();
        let with_missing = random.random_bool(0.3);
        let n_categories = if family.plant {
            1
        } else {
            [0, 0, 1, 2, 4][random.random_range(0..5)]
        };
        let telling = random.random_range(0.0..0.7);
        let categories = (0..n_categories)
            .map(|_| {
                let n = random.random_range(2..=8);
                let common = uneven(n, false, random);
                let of_class = |random: &mut _| {
                    let own = uneven(n, false, random);
                    let turned = own.iter().cycle().skip(1);
                    let mixed = common.iter().zip(turned);
                    mixed
                        .map(|(a, b)| (1.0 - telling) * a + telling * b)
                        .collect()
                };
                (0..classes).map(|_| of_class(random)).collect()
            })
            .collect();
        Self {
            shares: uneven(classes, family.plant, random),
            centres,
            loadings,
            noise: (0..columns)
                .map(|_| random.random_range(0.2..1.5))
                .collect(),
            skewed: (0..columns).map(|_| random.random_bool(0.15)).collect(),
            missing: (0..columns)
                .map(|_| {
                    if with_missing {
                        random.random_range(0.0..0.15)
                    } else {
                        0.0
                    }
                })
                .collect(),
            categories,
            heavy_tails: random.random_bool(0.25),
            apart,
        }
    }

    pub fn classes(&self) -> usize {
        self.shares.len()
    }

    pub fn columns(&self) -> usize {
        self.loadings.len()
    }

    pub fn hidden(&self) -> usize {
        self.loadings[0].len()
    }

    /// About the deviation of a column of numbers.
    pub fn spread(&self, column: usize) -> f64 {
        let along: f64 = self.loadings[column].iter().map(|w| w * w).sum();
        let noise = self.noise[column];
        libm::sqrt(along * (self.apart * self.apart + 1.0) + noise * noise)
    }

    fn widths(&self) -> impl Iterator<Item = usize> + '_ {
        self.categories.iter().map(|column| column[0].len())
    }

    pub fn inputs(&self) -> usize {
        self.columns() + self.widths().sum::<usize>()
    }

    /// The inputs of each column of categories.
    pub fn one_hot(&self) -> Vec<Range<usize>> {
        let mut end = self.columns();
        self.widths()
            .map(|width| {
                end += width;
                end - width..end
            })
            .collect()
    }

    /// The mean of each column of numbers.
    pub fn means(&self, rows: &[Row]) -> Vec<f64> {
        let mean = |column: usize| {
            let known = rows.iter().filter_map(|row| row.numbers[column]);
            let (sum, n) = known.fold((0.0, 0), |(sum, n), number| (sum + number, n + 1));
            sum / f64::from(n.max(1))
        };
        (0..self.columns()).map(mean).collect()
    }

    pub fn row(&self, now: &Moment, random: &mut impl Rng) -> Row {
        let is_new = random.random_bool(now.new_class);
        let mut class = pick(&now.shares, random);
        let clusters = &self.centres[class];
        let cluster = &clusters[random.random_range(0..clusters.len())];
        let wide = match self.heavy_tails {
            // Student's t with three degrees of freedom, by a common factor.
            true => {
                let squares: f64 = (0..3).map(|_| normal(random)).map(|x| x * x).sum();
                libm::sqrt(1.0 / squares.max(0.05))
            }
            false => 1.0,
        };
        let mut hidden: Vec<f64> = match is_new {
            true => now
                .newcomer
                .iter()
                .map(|x| x + wide * normal(random))
                .collect(),
            false => cluster
                .iter()
                .zip(&now.moves[class])
                .map(|(x, by)| (x + by) * now.closeness + wide * normal(random))
                .collect(),
        };
        // What a row is called depends on where it is, not on which cluster it came from: its inputs say nothing of it.
        let along: f64 = hidden.iter().zip(&now.divide).map(|(x, d)| x * d).sum();
        if along > 0.0 && random.random_bool(now.concept) {
            class = (class + 1) % self.classes();
        }
        now.turn(&mut hidden);
        let numbers = (0..self.columns()).map(|column| {
            let mixed: f64 = self.loadings[column]
                .iter()
                .zip(&hidden)
                .map(|(w, x)| w * x)
                .sum();
            let plain = mixed + self.noise[column] * normal(random);
            let moved = plain * now.scales[column]
                + now.shifts[column]
                + now.noises[column] * normal(random);
            let shown = if self.skewed[column] {
                libm::exp(0.5 * moved.clamp(-8.0, 8.0))
            } else {
                moved
            };
            let shown = if now.dead[column] { 0.0 } else { shown };
            (!random.random_bool(self.missing[column])).then_some(shown)
        });
        let numbers = numbers.collect();
        let mut one_hot = Vec::with_capacity(self.inputs() - self.columns());
        for (column, of_class) in self.categories.iter().enumerate() {
            let own = if random.random_bool(now.remix) {
                &now.remixed[column]
            } else {
                &of_class[class]
            };
            let chosen = pick(own, random);
            let unseen = random.random_bool(now.unseen);
            one_hot
                .extend((0..own.len()).map(|at| if at == chosen && !unseen { 1.0 } else { 0.0 }));
        }
        let class = if is_new { self.classes() } else { class };
        Row {
            numbers,
            one_hot,
            class: class as u32,
        }
    }
}

fn pick(shares: &[f64], random: &mut impl Rng) -> usize {
    let mut at = random.random::<f64>() * shares.iter().sum::<f64>();
    for (place, share) in shares.iter().enumerate() {
        at -= share;
        if at < 0.0 {
            return place;
        }
    }
    shares.len() - 1
}
