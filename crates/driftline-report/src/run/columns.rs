//! Per-column drift: small histograms of the columns that are distributed most differently in the newest window, and a table.

use driftline_runs::{Bins, ColumnDrift, WindowRecord};

use crate::chart::Figure;
use crate::chart::histograms::{self, Histogram};
use crate::numbers::{fixed, per_cent, signed};
use crate::page::Grid;
use crate::words;

/// Most columns that are drawn, and that are named.
const DRAWN: usize = 8;
const TOLD: usize = 30;

pub fn figure(all: &[ColumnDrift], last: &WindowRecord, id: &str) -> Option<Figure> {
    if all.is_empty() {
        return None;
    }
    let shown: Vec<Histogram> = all.iter().take(DRAWN).map(histogram).collect();
    let chart = histograms::chart(&shown, ["source", "newest"]);
    let left_out = all.len().saturating_sub(DRAWN);
    let mut caption = format!(
        "How each column is distributed in the source (grey) and in the newest window, {} (blue). Per cent: the rows that would have \
         to move to make the two equal.",
        words::when(last)
    );
    if left_out > 0 {
        caption +=
            &format!(" Shown: the {DRAWN} columns that differ most; {left_out} are left out.");
    }
    let title = "Columns, source and newest window";
    let most = &all[0];
    let facts = format!(
        "{} differs most: {} %.",
        most.column,
        per_cent(most.distance())
    );
    Some(Figure::draw(id, "columns", title, caption, &facts, chart))
}

fn histogram(own: &ColumnDrift) -> Histogram {
    let (names, labels) = match &own.bins {
        Bins::Numbers(ends) => {
            let name = |pair: &[f64]| format!("{} to {}", short(pair[0]), short(pair[1]));
            let names: Vec<String> = ends.windows(2).map(name).collect();
            let end = |at: Option<&f64>| at.map_or(String::new(), |end| short(*end));
            (names, vec![end(ends.first()), end(ends.last())])
        }
        Bins::Categories(names) => (names.clone(), names.clone()),
        _ => {
            let names = ["as in the source", "other values"].map(String::from);
            (names.to_vec(), names.to_vec())
        }
    };
    let shares = own.source.iter().zip(&own.window).zip(names);
    let bar = |((then, now), name): ((&f64, &f64), String)| {
        let hint = format!(
            "{name}: source {} %, newest {} %",
            per_cent(*then),
            per_cent(*now)
        );
        (*then, *now, hint)
    };
    let moved = own.moved.map(|by| format!("{} dev., ", signed(by, 1)));
    Histogram {
        name: own.column.clone(),
        note: moved.unwrap_or_default() + &format!("{} %", per_cent(own.distance())),
        bars: shares.map(bar).collect(),
        labels,
    }
}

/// Three digits that count.
fn short(value: f64) -> String {
    let decimals = match value.abs() {
        0.0 => 0,
        size => (2.0 - size.log10().floor()).clamp(0.0, 6.0) as usize,
    };
    fixed(value, decimals)
}

/// Every column with its importance, where that is known.
pub fn table(all: &[ColumnDrift], last: &WindowRecord) -> Option<Grid> {
    let title = format!("Columns, source to newest window, {}", words::when(last));
    let head = "Column|Difference in distribution, % of rows|Shift of the mean, standard deviations|Accuracy lost on the source when shuffled, points|Rows of the window that change class, %";
    let mut grid = Grid::new(title, 1, head);
    let or_dash = |text: Option<String>| text.unwrap_or("–".into());
    for own in all.iter().take(TOLD) {
        let importance = own.importance;
        let percent = |share: f64| fixed(100.0 * share, 1);
        let name = match own.bins {
            Bins::Constant => format!("{} (constant in the source, not used)", own.column),
            _ => own.column.clone(),
        };
        grid.rows.push(vec![
            name,
            per_cent(own.distance()),
            or_dash(own.moved.map(|by| signed(by, 2))),
            or_dash(importance.map(|found| percent(found.source))),
            or_dash(importance.map(|found| percent(found.window))),
        ]);
    }
    grid.if_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        let told = [0.0, 1234.5, 12.345, 0.001_234_5, -2.5].map(short);
        assert_eq!(told, ["0", "1234", "12.3", "0.00123", "−2.50"]);
    }
}
