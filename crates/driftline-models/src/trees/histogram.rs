//! Sums of derivatives for each bin of each column, over the rows of a leaf.

use super::binned::{Panel, WIDTH};
use super::bins::Binning;
use super::fixed::{Cell, Format, Row};

/// The cells of all columns of a panel, one column after another, each with its bins only.
pub(super) type PanelCells = Vec<Cell>;

/// Room for the panels of one leaf.
pub(super) type Histogram = Vec<PanelCells>;

/// Where adding up happens: room for 256 bins of each column, so that no index needs a check. All zero between uses.
#[derive(Debug)]
pub(super) struct Scratch(Box<[[Cell; 256]; WIDTH]>);

impl Scratch {
    pub(super) fn new() -> Self {
        let column = [Cell::default(); 256];
        Self(Box::new([column; WIDTH]))
    }

    /// Adds up `rows`. What is there must be cleared before the next use.
    pub(super) fn add(&mut self, panel: &Panel, rows: &[Row], format: Format) {
        match panel.width {
            1 => add::<1>(panel, rows, format, &mut self.0),
            2 => add::<2>(panel, rows, format, &mut self.0),
            3 => add::<3>(panel, rows, format, &mut self.0),
            _ => add::<4>(panel, rows, format, &mut self.0),
        }
    }

    /// The cells of each column.
    pub(super) fn columns<'a>(&'a self, sizes: &'a [usize]) -> impl Iterator<Item = &'a [Cell]> {
        self.0
            .iter()
            .zip(sizes)
            .map(|(column, &size)| &column[..size])
    }

    pub(super) fn clear(&mut self, sizes: &[usize]) {
        for (column, &size) in self.0.iter_mut().zip(sizes) {
            column[..size].fill(Cell::default());
        }
    }
}

#[inline(always)]
fn add<const W: usize>(
    panel: &Panel,
    rows: &[Row],
    format: Format,
    columns: &mut [[Cell; 256]; WIDTH],
) {
    let bins = panel.rows::<W>();
    for row in rows {
        let (bins, cell) = (bins[row.row as usize], format.cell(row));
        for at in 0..W {
            columns[at][usize::from(bins[at])].add(cell);
        }
    }
}

/// The cells of each column of a panel.
pub(super) fn columns<'a>(
    cells: &'a [Cell],
    sizes: &'a [usize],
) -> impl Iterator<Item = &'a [Cell]> {
    let mut rest = cells;
    sizes.iter().map(move |&size| {
        let column;
        (column, rest) = rest.split_at(size);
        column
    })
}

/// `whole` −= the columns of `part`.
pub(super) fn subtract<'a>(whole: &mut [Cell], part: impl Iterator<Item = &'a [Cell]>) {
    let mut start = 0;
    for column in part {
        for (whole, &part) in whole[start..].iter_mut().zip(column) {
            whole.subtract(part);
        }
        start += column.len();
    }
}

/// The number of cells of each column, by panel: its bins and the one for missing values.
pub(super) fn sizes(binning: &Binning) -> Vec<Vec<usize>> {
    let panels = binning.columns.chunks(WIDTH);
    panels
        .map(|panel| panel.iter().map(|bins| bins.len() + 1).collect())
        .collect()
}
