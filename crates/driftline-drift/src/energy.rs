//! The energy distance of two samples, E = 2·mean‖a − b‖ − mean‖a − a′‖ − mean‖b − b′‖, divided by √columns: zero on average
//! where both come from one distribution (it is unbiased: pairs of a row with itself are left out), and its noise floor,
//! the deviation of what halves of one sample give. At most 200 rows a side.

use super::points::{RowPoints, draw};
use driftline_core::kernels::side_by_side;
use driftline_core::random::{Seed, permutation};

/// Rows a side that are compared.
const MOST: usize = 200;
/// How often a sample is halved for the noise floor.
const HALVINGS: usize = 3;

/// The energy distance; 0 where a side has fewer than two rows.
pub fn energy_distance(a: &RowPoints, b: &RowPoints, seed: Seed) -> f64 {
    known_distance((a, None), (b, None), seed)
}

/// The same of samples whose mean distance within may be known already.
pub(super) fn known_distance(
    (a, within_a): (&RowPoints, Option<f64>),
    (b, within_b): (&RowPoints, Option<f64>),
    seed: Seed,
) -> f64 {
    let [left, right] = compared_rows([a.len(), b.len()], seed);
    let unknown = |points: &RowPoints, known: Option<f64>| match known {
        None => points.clone(),
        Some(_) => RowPoints::new(vec![], points.size()),
    };
    let (a, b) = (a.pick(&left), b.pick(&right));
    let found = within(&[&unknown(&a, within_a), &unknown(&b, within_b)]);
    let side = |points, known: Option<f64>, found| Compared {
        points,
        within: known.unwrap_or(found),
    };
    side(a, within_a, found[0]).distance(&side(b, within_b, found[1]))
}

/// The rows that are compared of two samples with so many rows.
pub fn compared_rows([left, right]: [usize; 2], seed: Seed) -> [Vec<usize>; 2] {
    [
        draw(left, MOST, seed.named("left")),
        draw(right, MOST, seed.named("right")),
    ]
}

/// Rows to compare with others, with the mean distance within them.
#[derive(Clone, Debug)]
pub struct Compared {
    points: RowPoints,
    within: f64,
}

impl Compared {
    /// Several samples at once, none of more rows than [`compared_rows`] names: the sum of one alone would wait for itself.
    pub fn all(samples: Vec<RowPoints>) -> Vec<Self> {
        let own = within(&samples.iter().collect::<Vec<_>>());
        let all = samples.into_iter().zip(own);
        all.map(|(points, within)| Self { points, within })
            .collect()
    }

    /// The energy distance; 0 where a side has fewer than two rows.
    pub fn distance(&self, other: &Self) -> f64 {
        let (a, b) = (&self.points, &other.points);
        if a.len() < 2 || b.len() < 2 {
            return 0.0;
        }
        let between = 2.0 * across(a, b) / (a.len() * b.len()) as f64;
        (between - self.within - other.within) / (a.size() as f64).sqrt()
    }
}

/// The noise of the distance between samples of `left` and `right` rows from the distribution of `points`.
pub fn noise_floor(points: &RowPoints, left: usize, right: usize, seed: Seed) -> f64 {
    Halves::of(points, seed).noise(left, right)
}

/// What halves of one sample are apart, by chance alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Halves {
    deviation: f64,
    rows: usize,
    /// The mean distance within the sample, where all of its rows are compared with others.
    pub within: Option<f64>,
}

impl Halves {
    pub fn of(points: &RowPoints, seed: Seed) -> Self {
        let points = points.sample(2 * MOST, seed.named("floor"));
        let n = points.len();
        let half = n / 2;
        if half < 2 {
            return Self {
                deviation: f64::INFINITY,
                rows: half,
                within: None,
            };
        }
        let pairs = pairs(&points);
        // Of an odd number one is in neither half.
        let mut sides = vec![[NEITHER; HALVINGS]; n];
        let mut halve = |turn: usize| {
            let order = permutation(n, seed.nth(turn));
            for (place, &row) in order[..2 * half].iter().enumerate() {
                sides[row][turn] = usize::from(place >= half);
            }
        };
        (0..HALVINGS).for_each(&mut halve);
        let squares = apart(&pairs, &sides, half).map(|apart| {
            let distance = apart / (points.size() as f64).sqrt();
            distance * distance
        });
        Self {
            deviation: (squares.iter().sum::<f64>() / HALVINGS as f64).sqrt(),
            rows: half,
            within: (n <= MOST).then(|| mean(pairs.iter().sum(), n)),
        }
    }

    /// That of the distance between samples of so many rows.
    pub fn noise(&self, left: usize, right: usize) -> f64 {
        let rows = |n: usize| 1.0 / n.clamp(2, MOST) as f64;
        self.deviation * (rows(left) + rows(right)) / (2.0 * rows(self.rows))
    }
}

/// All distances of a row to those before it, one after the other.
fn pairs(points: &RowPoints) -> Vec<f64> {
    let blocks = Blocks::of(points);
    let n = points.len();
    let mut all = Vec::with_capacity(n * n.saturating_sub(1) / 2);
    let mut room = vec![[0.0; LANES]; n.div_ceil(LANES)];
    side_by_side(
        #[inline(always)]
        || {
            for row in 0..n {
                blocks.before(row, &mut room);
                all.extend_from_slice(&room.as_flattened()[..row]);
            }
        },
    );
    all
}

/// Samples whose distances are summed side by side.
const SIDES: usize = 4;

/// The mean distance within each of some samples of at most [`MOST`] rows. Each sum waits for itself, and not for the others.
fn within(samples: &[&RowPoints]) -> Vec<f64> {
    let mut means = Vec::with_capacity(samples.len());
    let mut room = [[[0.0; LANES]; MOST.div_ceil(LANES)]; SIDES];
    for some in samples.chunks(SIDES) {
        let blocks: Vec<Blocks<'_>> = some.iter().map(|points| Blocks::of(points)).collect();
        let longest = some.iter().map(|points| points.len()).max().unwrap_or(0);
        let mut sums = [0.0; SIDES];
        side_by_side(
            #[inline(always)]
            || {
                for row in 0..longest {
                    for (blocks, room) in blocks.iter().zip(&mut room) {
                        // A sample that has no such row adds nothing: sums are never negative.
                        match row < blocks.points.len() {
                            true => blocks.before(row, room),
                            false => room.fill([0.0; LANES]),
                        }
                    }
                    let [a, b, c, d] = room.each_ref().map(|room| &room.as_flattened()[..row]);
                    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
                        sums[0] += a;
                        sums[1] += b;
                        sums[2] += c;
                        sums[3] += d;
                    }
                }
            },
        );
        means.extend(
            some.iter()
                .zip(sums)
                .map(|(points, sum)| mean(sum, points.len())),
        );
    }
    means
}

/// The mean distance of two of `n` rows, by the sum of all.
fn mean(sum: f64, n: usize) -> f64 {
    2.0 * sum / (n * n.saturating_sub(1)) as f64
}

/// The side of a row in neither half: no two sides with it among them sum to less.
const NEITHER: usize = 3;

/// The energy distance, but for √columns, of the `half` rows on side 0 and those on side 1, for every halving. All of them
/// in one pass: the sums of one alone would wait for each other.
fn apart(pairs: &[f64], sides: &[[usize; HALVINGS]], half: usize) -> [f64; HALVINGS] {
    // By the sum of both sides: both on side 0, one on each, both on side 1; what comes after is of a row on neither.
    let mut sums = [[0.0; 2 * NEITHER + 2]; HALVINGS];
    let mut rest = pairs;
    for (before, own) in sides.iter().enumerate() {
        let (distances, others) = rest.split_at(before);
        for (distance, other) in distances.iter().zip(sides) {
            for (turn, sums) in sums.iter_mut().enumerate() {
                sums[own[turn] + other[turn]] += distance;
            }
        }
        rest = others;
    }
    let (across, within) = ((half * half) as f64, (half * (half - 1)) as f64);
    sums.map(|sums| 2.0 * (sums[1] / across - sums[0] / within - sums[2] / within))
}

/// Rows whose distances to another are worked out side by side.
const LANES: usize = 16;

/// The rows of a sample beside each other: column by column within a block of them.
struct Blocks<'a> {
    points: &'a RowPoints,
    values: Vec<[f64; LANES]>,
}

impl<'a> Blocks<'a> {
    fn of(points: &'a RowPoints) -> Self {
        let size = points.size();
        let mut values = vec![[0.0; LANES]; points.len().div_ceil(LANES) * size];
        for (place, row) in points.iter().enumerate() {
            let block = &mut values[place / LANES * size..][..size];
            for (column, x) in block.iter_mut().zip(row) {
                column[place % LANES] = *x;
            }
        }
        Self { points, values }
    }

    fn iter(&self) -> impl Iterator<Item = &[[f64; LANES]]> {
        self.values.chunks_exact(self.points.size())
    }

    /// The distances of a row to those before it, and to what fills their last block.
    #[inline(always)]
    fn before(&self, row: usize, found: &mut [[f64; LANES]]) {
        let own = self.points.row(row);
        let blocks = found.iter_mut().zip(self.iter());
        for (found, block) in blocks.take(row.div_ceil(LANES)) {
            *found = distances(own, block);
        }
    }
}

/// Those of a row to the rows of a block.
#[inline(always)]
fn distances(row: &[f64], block: &[[f64; LANES]]) -> [f64; LANES] {
    let mut squares = [0.0; LANES];
    for (x, column) in row.iter().zip(block) {
        for (square, y) in squares.iter_mut().zip(column) {
            let apart = x - y;
            *square += apart * apart;
        }
    }
    squares
        .iter_mut()
        .for_each(|square| *square = square.sqrt());
    squares
}

/// The sum of all distances between two samples.
fn across(a: &RowPoints, b: &RowPoints) -> f64 {
    let blocks = Blocks::of(a);
    let mut of_rows = Vec::with_capacity(a.len() + LANES);
    side_by_side(
        #[inline(always)]
        || {
            for block in blocks.iter() {
                let mut sums = [0.0; LANES];
                for row in b.iter() {
                    let found = distances(row, block);
                    sums.iter_mut()
                        .zip(found)
                        .for_each(|(sum, own)| *sum += own);
                }
                of_rows.extend(sums);
            }
        },
    );
    of_rows[..a.len()].iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(from: f64, n: usize) -> RowPoints {
        let order = permutation(n, Seed::new(n as u64));
        let values = order.iter().map(|&i| from + i as f64 / n as f64);
        RowPoints::new(values.collect(), 1)
    }

    #[test]
    fn two_rows_a_side_by_hand() {
        let a = RowPoints::new(vec![0.0, 1.0], 1);
        let b = RowPoints::new(vec![2.0, 4.0], 1);
        // 2·(2 + 4 + 1 + 3)/4 − 1 − 2
        assert_eq!(energy_distance(&a, &b, Seed::new(0)), 2.0);
    }

    /// By the definition, row by row, with rows that fill blocks and rows that do not: the same bits.
    #[test]
    fn blocks_of_rows_change_nothing() {
        let apart = |x: &[f64], y: &[f64]| {
            let squares = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y));
            squares.sum::<f64>().sqrt()
        };
        for (n, m, size) in [(2, 3, 1), (16, 17, 5), (33, 150, 20), (200, 9, 3)] {
            let sample = |n: usize, seed| {
                let order = permutation(n * size, Seed::new(seed));
                let values = order.iter().map(|&i| (i as f64).sqrt() - 3.0);
                RowPoints::new(values.collect(), size)
            };
            let (a, b) = (sample(n, 1), sample(m, 2));
            let between = a.iter().map(|x| b.iter().map(|y| apart(x, y)).sum::<f64>());
            let between = 2.0 * between.sum::<f64>() / (n * m) as f64;
            let within = |own: &RowPoints| {
                let pairs = (0..own.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
                let all: f64 = pairs.map(|(i, j)| apart(own.row(i), own.row(j))).sum();
                2.0 * all / (own.len() * (own.len() - 1)) as f64
            };
            let plain = (between - within(&a) - within(&b)) / (size as f64).sqrt();
            assert_eq!(
                energy_distance(&a, &b, Seed::new(0)),
                plain,
                "{n} {m} {size}"
            );
        }
    }

    /// By the definition: the halves picked out, and their energy distance.
    #[test]
    fn the_floor_is_that_of_halves_picked_out() {
        for n in [4, 9, 57] {
            let values = (0..3 * n).map(|i| f64::from(i * i % 31)).collect();
            let points = RowPoints::new(values, 3);
            let (seed, half) = (Seed::new(7), points.len() / 2);
            let squares = (0..HALVINGS).map(|turn| {
                let order = permutation(points.len(), seed.nth(turn));
                let left = points.pick(&order[..half]);
                let right = points.pick(&order[half..2 * half]);
                energy_distance(&left, &right, seed).powi(2)
            });
            let plain = (squares.sum::<f64>() / HALVINGS as f64).sqrt();
            let floor = noise_floor(&points, half, half, seed);
            assert!((floor - plain).abs() < 1e-12, "{floor} {plain}");
        }
    }

    #[test]
    fn distances_follow_the_formula() {
        let points = RowPoints::new(vec![0.0, 0.0, 3.0, 4.0, 3.0, 0.0], 2);
        assert_eq!(pairs(&points), [5.0, 3.0, 4.0]);
        assert_eq!(across(&points, &points), 24.0);
    }

    #[test]
    fn one_distribution_is_within_the_floor_and_a_shift_is_not() {
        let (a, b, far) = (line(0.0, 200), line(0.0, 199), line(0.5, 200));
        let seed = Seed::new(1);
        let floor = noise_floor(&a, 200, 200, seed);
        assert!(energy_distance(&a, &b, seed).abs() < 3.0 * floor);
        assert!(energy_distance(&a, &far, seed) > 10.0 * floor);
    }

    /// The distance is 0 with fewer than two rows a side, and divided by √columns: a column said twice changes nothing.
    #[test]
    fn distances_by_table() {
        let points = |values: &[f64], size| RowPoints::new(values.to_vec(), size);
        let cases = [
            ("no rows", points(&[], 1), points(&[1.0, 2.0], 1), 0.0),
            ("one row", points(&[0.0], 1), points(&[1.0, 2.0], 1), 0.0),
            ("apart", points(&[0.0, 0.0], 1), points(&[3.0, 3.0], 1), 6.0),
            ("twice", points(&[0.0; 4], 2), points(&[3.0; 4], 2), 6.0),
            // Unbiased, so below 0 where the sides have the same rows: 2·(0 + 1 + 1 + 0)/4 − 1 − 1.
            ("same", points(&[0.0, 1.0], 1), points(&[0.0, 1.0], 1), -1.0),
        ];
        for (name, a, b, expected) in cases {
            let found = energy_distance(&a, &b, Seed::new(0));
            assert!((found - expected).abs() < 1e-12, "{name}: {found}");
        }
    }

    /// Noise falls with the rows of both sides, no further than the rows that are compared.
    #[test]
    fn noise_by_table() {
        let halves = Halves {
            deviation: 0.3,
            rows: 50,
            within: None,
        };
        let cases = [
            (50, 50, 0.3),
            (100, 100, 0.15),
            (50, 100, 0.225),
            (200, 200, 0.075),
        ];
        for (left, right, expected) in cases {
            let found = halves.noise(left, right);
            assert!((found - expected).abs() < 1e-12, "{left} {right}: {found}");
        }
        assert_eq!(halves.noise(200, 200), halves.noise(5000, 200));
        assert_eq!(halves.noise(2, 50), halves.noise(0, 50));
        assert_eq!(
            noise_floor(&line(0.0, 3), 50, 50, Seed::new(0)),
            f64::INFINITY
        );
    }
}
