//! Derivatives of the loss as whole numbers. Sums of whole numbers do not depend on their order, so a histogram has the
//! same bits for any number of threads, any blocking and any instruction set, and subtracting one from another is exact.

/// A row of a leaf: its number and its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub(super) row: u32,
    pub(super) gradient: i32,
    pub(super) hessian: u32,
}

/// What is added up for each bin. The sum of second derivatives and the number of rows share one integer: two additions
/// side by side instead of three.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Cell {
    gradient: i64,
    /// Σ hessian · 2^count_bits + rows.
    rest: i64,
}

/// Sums over some rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sums {
    /// The same as whole numbers.
    pub(super) cell: Cell,
    pub(super) gradient: f64,
    pub(super) hessian: f64,
    pub(super) rows: u32,
}

/// How many binary places the numbers have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Format {
    gradient_places: i32,
    hessian_places: i32,
    count_bits: u32,
}

/// Sums of gradients stay below this, so that they are exact as double-precision numbers.
const GRADIENT_BITS: i32 = 51;
/// Derivatives of one row stay below this.
const ROW_BITS: i32 = 30;

impl Format {
    /// As many places as sums over `rows` rows leave room for, if no weight is larger than `most_weight`: a gradient is at
    /// most the weight, a second derivative at most a quarter of it. A bit is kept in reserve.
    pub(super) fn new(rows: usize, most_weight: f32) -> Self {
        let bits = |value: u64| (u64::BITS - value.leading_zeros()) as i32;
        let count_bits = bits(rows as u64);
        // Weights have mean 1, so none is larger than the number of rows.
        let weight = bits((most_weight.ceil() as u64).max(1) - 1);
        let row = ROW_BITS - weight;
        let total = weight + count_bits;
        Self {
            gradient_places: row.min(GRADIENT_BITS - total),
            hessian_places: row.min(63 - count_bits - total + 1),
            count_bits: count_bits as u32,
        }
    }

    /// Factors that turn derivatives into whole numbers: powers of two, so nothing is rounded before the cut.
    pub(super) fn factors(self) -> [f32; 2] {
        [self.gradient_places, self.hessian_places].map(|places| power(places) as f32)
    }

    #[inline(always)]
    pub(super) fn cell(self, row: &Row) -> Cell {
        Cell {
            gradient: i64::from(row.gradient),
            rest: (i64::from(row.hessian) << self.count_bits) | 1,
        }
    }

    /// The sums in the units of the loss.
    #[inline(always)]
    pub(super) fn sums(self, cell: Cell) -> Sums {
        let [gradient, hessian] = self.values(cell.parts());
        Sums {
            cell,
            gradient,
            hessian,
            rows: self.rows(cell),
        }
    }

    /// Gradient and second derivative of the parts of a cell.
    #[inline(always)]
    pub(super) fn values(self, [gradient, rest]: [i64; 2]) -> [f64; 2] {
        let units = self.units();
        let hessian = rest as u64 >> self.count_bits;
        [whole(gradient) * units[0], whole(hessian as i64) * units[1]]
    }

    /// How large the second part of a cell is at least, if the second derivatives sum up to `hessian`.
    pub(super) fn least_rest(self, hessian: f64) -> i64 {
        ((hessian / self.units()[1]) as i64) << self.count_bits
    }

    #[inline(always)]
    pub(super) fn rows(self, cell: Cell) -> u32 {
        (cell.rest & ((1 << self.count_bits) - 1)) as u32
    }

    #[inline(always)]
    fn units(self) -> [f64; 2] {
        [power(-self.gradient_places), power(-self.hessian_places)]
    }
}

impl Cell {
    #[inline(always)]
    pub(super) fn add(&mut self, other: Cell) {
        self.gradient += other.gradient;
        self.rest += other.rest;
    }

    #[inline(always)]
    pub(super) fn subtract(&mut self, other: Cell) {
        self.gradient -= other.gradient;
        self.rest -= other.rest;
    }

    #[inline(always)]
    pub(super) fn parts(self) -> [i64; 2] {
        [self.gradient, self.rest]
    }

    #[inline(always)]
    pub(super) fn from_parts([gradient, rest]: [i64; 2]) -> Self {
        Self { gradient, rest }
    }

    /// Whether no row is in it.
    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.rest == 0
    }
}

/// 2ⁿ.
#[inline(always)]
fn power(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}

/// A whole number below 2⁵¹ in double precision: by its bits, because few processors convert several at once.
#[inline(always)]
fn whole(value: i64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2⁵²
    f64::from_bits((value + SHIFT.to_bits() as i64) as u64) - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_convert_exactly() {
        for value in [0, 1, -1, 12_345_678_901, (1 << 51) - 1, -(1 << 51) + 1] {
            assert_eq!(whole(value), value as f64);
        }
    }

    #[test]
    fn sums_come_back_in_the_units_of_the_loss() {
        for (rows, weight) in [(3, 1.0), (200_000, 1.0), (1 << 30, 8.0), (1000, 900.0)] {
            let format = Format::new(rows, weight);
            let [gradient, hessian] = format.factors();
            let row = Row {
                row: 0,
                gradient: (-0.5 * weight * gradient) as i32,
                hessian: (0.25 * weight * hessian) as u32,
            };
            let mut cell = Cell::default();
            for _ in 0..rows.min(1000) {
                cell.add(format.cell(&row));
            }
            let sums = format.sums(cell);
            let n = rows.min(1000) as f64;
            assert_eq!(f64::from(sums.rows), n);
            assert!((sums.gradient + 0.5 * f64::from(weight) * n).abs() < 1e-3 * n);
            assert!((sums.hessian - 0.25 * f64::from(weight) * n).abs() < 1e-2 * n);
        }
    }
}
