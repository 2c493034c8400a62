//! The cheapest assignment of n rows to n of m ≥ n columns, exactly: min over injective σ of Σᵢ c(i, σ(i)).
//!
//! Row and column prices with uᵢ + vⱼ ≤ c(i, j), equal on every pair and v ≤ 0 with 0 on free columns (any v if n = m),
//! prove that no assignment is cheaper. Columns and rows are first priced greedily, then every row that is still free is
//! placed along a shortest augmenting path (Jonker and Volgenant 1987). Prices are double, costs may be single.

use driftline_core::{Error, Result};

/// Which column each row has got, with the prices that prove it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Assignment {
    /// The column of every row.
    pub columns: Vec<usize>,
    /// Σ of the costs of the pairs.
    pub cost: f64,
    /// uᵢ and vⱼ.
    pub row_prices: Vec<f64>,
    pub column_prices: Vec<f64>,
}

/// No partner yet.
const FREE: usize = usize::MAX;
/// How many times the number of rows a greedy pass may go on: equal costs can make it circle.
const PATIENCE: usize = 20;

/// The cheapest assignment. `costs` are the rows one after another, each with `columns` finite numbers.
pub fn assignment<C: Copy + Into<f64>>(
    rows: usize,
    columns: usize,
    costs: &[C],
) -> Result<Assignment> {
    if rows > columns {
        return Err(Error::mismatch(
            "the table of costs",
            format!("at least {rows} columns, one for each row"),
            columns,
        ));
    }
    if rows.checked_mul(columns) != Some(costs.len()) {
        return Err(Error::mismatch(
            "the table of costs",
            format!("{rows} × {columns} numbers"),
            costs.len(),
        ));
    }
    if let Some(bad) = costs.iter().find(|&&cost| !cost.into().is_finite()) {
        return Err(Error::out_of_range("a cost", (*bad).into(), "finite"));
    }
    let mut solver = Solver {
        costs,
        m: columns,
        price: vec![0.0; columns],
        column_of: vec![FREE; rows],
        row_of: vec![FREE; columns],
    };
    if rows == columns {
        solver.reduce_columns();
    }
    let free = solver.bid(
        (0..rows)
            .filter(|&row| solver.column_of[row] == FREE)
            .collect(),
    );
    let free = solver.bid(free);
    solver.augment(&free);
    Ok(solver.finish())
}

struct Solver<'a, C> {
    costs: &'a [C],
    m: usize,
    /// vⱼ.
    price: Vec<f64>,
    column_of: Vec<usize>,
    row_of: Vec<usize>,
}

impl<C: Copy + Into<f64>> Solver<'_, C> {
    fn row(&self, row: usize) -> &[C] {
        &self.costs[row * self.m..(row + 1) * self.m]
    }

    fn pair(&mut self, row: usize, column: usize) {
        self.column_of[row] = column;
        self.row_of[column] = row;
    }

    /// Every column's price is its least cost, and goes to the row that has it if that is free. A row that is the
    /// cheapest of one column only lowers that column's price as far as its second choice allows.
    fn reduce_columns(&mut self) {
        let mut cheapest = vec![0; self.m];
        self.price = self.row_or_empty(0);
        for row in 1..self.column_of.len() {
            let own = &self.costs[row * self.m..(row + 1) * self.m];
            for (column, &cost) in own.iter().enumerate() {
                if cost.into() < self.price[column] {
                    self.price[column] = cost.into();
                    cheapest[column] = row;
                }
            }
        }
        let mut claims = vec![0_usize; self.column_of.len()];
        for column in (0..self.m).rev() {
            let row = cheapest[column];
            claims[row] += 1;
            if self.column_of[row] == FREE {
                self.pair(row, column);
            }
        }
        for row in (0..claims.len()).filter(|&row| claims[row] == 1) {
            let own = self.column_of[row];
            let others = self.row(row).iter().zip(&self.price).enumerate();
            let second = others
                .filter(|(column, _)| *column != own)
                .map(|(_, (&cost, price))| cost.into() - price)
                .fold(f64::INFINITY, f64::min);
            if second.is_finite() {
                self.price[own] -= second;
            }
        }
    }

    fn row_or_empty(&self, row: usize) -> Vec<f64> {
        match self.column_of.is_empty() {
            true => vec![],
            false => self.row(row).iter().map(|&cost| cost.into()).collect(),
        }
    }

    /// Each free row takes its cheapest column at the price that makes the second as good; whoever had it bids next.
    /// Returns the rows that are free at the end.
    fn bid(&mut self, mut waiting: Vec<usize>) -> Vec<usize> {
        let mut patience = PATIENCE * self.column_of.len();
        let mut still_free = vec![];
        waiting.reverse();
        while let Some(row) = waiting.pop() {
            let (first, second) = self.two_cheapest(row);
            let Some((other, second)) = second else {
                // One column only, and one row.
                self.pair(row, first.0);
                continue;
            };
            let (mut column, first) = first;
            let lower = self.price[column] - (second - first);
            let lowered = lower < self.price[column];
            if lowered {
                self.price[column] = lower;
            } else if self.row_of[column] != FREE {
                column = other;
            }
            let displaced = self.row_of[column];
            self.pair(row, column);
            if displaced != FREE {
                self.column_of[displaced] = FREE;
                if lowered && patience > 0 {
                    patience -= 1;
                    waiting.push(displaced);
                } else {
                    still_free.push(displaced);
                }
            }
        }
        still_free
    }

    /// The two columns with the least cost − price, the first of equals first.
    fn two_cheapest(&self, row: usize) -> ((usize, f64), Option<(usize, f64)>) {
        let (mut first, mut second) = ((0, f64::INFINITY), (0, f64::INFINITY));
        for (column, (&cost, price)) in self.row(row).iter().zip(&self.price).enumerate() {
            let reduced = cost.into() - price;
            if reduced < second.1 {
                if reduced < first.1 {
                    second = first;
                    first = (column, reduced);
                } else {
                    second = (column, reduced);
                }
            }
        }
        (first, second.1.is_finite().then_some(second))
    }

    /// Places each row of `free` along the cheapest path of displacements that ends at a free column.
    fn augment(&mut self, free: &[usize]) {
        let mut paths = Paths {
            distance: vec![0.0; self.m],
            before: vec![0; self.m],
            open: Vec::with_capacity(self.m),
            closed: Vec::with_capacity(self.m),
        };
        for &row in free {
            let mut column = paths.search(self, row);
            loop {
                let from = paths.before[column];
                let next = std::mem::replace(&mut self.column_of[from], column);
                self.row_of[column] = from;
                if from == row {
                    break;
                }
                column = next;
            }
        }
    }

    fn finish(self) -> Assignment {
        let chosen = self.column_of.iter().enumerate();
        let chosen: Vec<f64> = chosen
            .map(|(row, &column)| self.row(row)[column].into())
            .collect();
        let with_columns = chosen.iter().zip(&self.column_of);
        Assignment {
            cost: chosen.iter().sum(),
            row_prices: with_columns
                .map(|(cost, &column)| cost - self.price[column])
                .collect(),
            columns: self.column_of,
            column_prices: self.price,
        }
    }
}

/// Dijkstra's search from one row over reduced costs, which the prices keep from being negative.
struct Paths {
    distance: Vec<f64>,
    /// The row that a column is reached from.
    before: Vec<usize>,
    /// Columns whose distance may still fall.
    open: Vec<usize>,
    /// Columns whose owners have been followed.
    closed: Vec<usize>,
}

impl Paths {
    /// The nearest free column; prices are changed so that the path to it costs nothing.
    fn search<C: Copy + Into<f64>>(&mut self, solver: &mut Solver<'_, C>, start: usize) -> usize {
        self.open.clear();
        self.open.extend(0..solver.m);
        self.closed.clear();
        let (mut row, mut reach) = (start, f64::NEG_INFINITY);
        self.distance.fill(f64::INFINITY);
        let found = loop {
            // The way to `row`, less what its own column costs it.
            let offset = match row == start {
                true => 0.0,
                false => {
                    let column = solver.column_of[row];
                    reach - (solver.row(row)[column].into() - solver.price[column])
                }
            };
            let costs = solver.row(row);
            let mut nearest = (0, f64::INFINITY);
            for (place, &column) in self.open.iter().enumerate() {
                let through = costs[column].into() - solver.price[column] + offset;
                if through < self.distance[column] {
                    self.distance[column] = through;
                    self.before[column] = row;
                }
                if self.distance[column] < nearest.1 {
                    nearest = (place, self.distance[column]);
                }
            }
            let column = self.open.swap_remove(nearest.0);
            reach = nearest.1.max(reach);
            if solver.row_of[column] == FREE {
                break column;
            }
            self.closed.push(column);
            row = solver.row_of[column];
        };
        for &column in &self.closed {
            solver.price[column] += self.distance[column] - reach;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::random::Seed;
    use rand::RngExt;

    /// Random costs; whole numbers up to `coarse` give many equal ones.
    fn costs(rows: usize, columns: usize, coarse: Option<u32>, seed: Seed) -> Vec<f32> {
        let mut generator = seed.generator();
        let mut draw = || match coarse {
            Some(most) => generator.random_range(0..=most) as f32 - 1.0,
            None => generator.random_range(-1.0..1.0),
        };
        (0..rows * columns).map(|_| draw()).collect()
    }

    fn by_trying(costs: &[f32], columns: usize, row: usize, used: &mut [bool]) -> f64 {
        if row * columns == costs.len() {
            return 0.0;
        }
        let mut best = f64::INFINITY;
        for column in 0..columns {
            if !used[column] {
                used[column] = true;
                let rest = by_trying(costs, columns, row + 1, used);
                best = best.min(f64::from(costs[row * columns + column]) + rest);
                used[column] = false;
            }
        }
        best
    }

    /// Every row has a column of its own, and the prices prove that no assignment is cheaper.
    fn expect_proven(found: &Assignment, costs: &[f32], case: usize) {
        let (n, m) = (found.row_prices.len(), found.column_prices.len());
        let mut taken = found.columns.clone();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), n, "case {case}");
        for row in 0..n {
            for column in 0..m {
                let slack = f64::from(costs[row * m + column])
                    - found.row_prices[row]
                    - found.column_prices[column];
                assert!(slack > -1e-9, "case {case}: {slack}");
                assert!(
                    slack < 1e-9 || found.columns[row] != column,
                    "case {case}: {slack}"
                );
            }
        }
        if n < m {
            for (column, price) in found.column_prices.iter().enumerate() {
                let free = !found.columns.contains(&column);
                assert!(if free { *price == 0.0 } else { *price <= 0.0 }, "{price}");
            }
        }
        let prices = found.row_prices.iter().sum::<f64>() + found.column_prices.iter().sum::<f64>();
        assert!((prices - found.cost).abs() < 1e-6, "case {case}");
    }

    #[test]
    fn as_cheap_as_the_best_of_all_assignments() {
        for case in 0..600 {
            let (n, extra) = (1 + case % 6, case / 6 % 3);
            let coarse = [None, Some(2), Some(0)][case / 18 % 3];
            let table = costs(n, n + extra, coarse, Seed::new(5).nth(case));
            let found = assignment(n, n + extra, &table).unwrap();
            let best = by_trying(&table, n + extra, 0, &mut vec![false; n + extra]);
            assert!((found.cost - best).abs() < 1e-9, "case {case}");
            expect_proven(&found, &table, case);
        }
    }

    #[test]
    fn prices_prove_larger_ones() {
        for case in 0..12 {
            let (n, extra) = (120 + case, [0, 40][case % 2]);
            let coarse = [None, Some(20), Some(1)][case % 3];
            let table = costs(n, n + extra, coarse, Seed::new(6).nth(case));
            let found = assignment(n, n + extra, &table).unwrap();
            expect_proven(&found, &table, case);
        }
    }

    #[test]
    fn what_cannot_be_assigned_is_refused() {
        assert!(assignment(2, 1, &[0.0, 0.0]).is_err());
        assert!(assignment(2, 2, &[0.0; 3]).is_err());
        assert!(assignment(1, 2, &[0.0, f64::NAN]).is_err());
        let none: [f64; 0] = [];
        assert!(assignment(0, 0, &none).unwrap().columns.is_empty());
        assert_eq!(assignment(0, 3, &none).unwrap().column_prices, [0.0; 3]);
    }
}
