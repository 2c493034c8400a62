//! Rows as bins, one byte each. Columns lie in panels of a few columns, row after row, so that adding up a histogram
//! reads one short stretch of memory for each row and panel.

use rayon::prelude::*;

use super::bins::{Binning, Bins, Finder};

/// Columns of a panel. Their histograms fit into the first cache of the processor together.
pub(super) const WIDTH: usize = 4;

/// A few neighbouring columns.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) first: usize,
    pub(super) width: usize,
    /// Row after row.
    bins: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct Binned {
    pub(super) rows: usize,
    pub(super) panels: Vec<Panel>,
}

impl Binned {
    /// The rows of `values` in the bins of `binning`.
    pub(super) fn new(values: &[f32], binning: &Binning) -> Self {
        let columns = binning.columns.len();
        let panel = |first: usize| {
            let width = WIDTH.min(columns - first);
            let finders: Vec<Finder> = binning.columns[first..first + width]
                .iter()
                .map(Bins::finder)
                .collect();
            let mut bins = vec![0; values.len() / columns * width];
            let rows = values
                .par_chunks_exact(columns)
                .zip(bins.par_chunks_exact_mut(width));
            rows.with_min_len(4096).for_each(|(row, bins)| {
                for ((bin, finder), &value) in bins.iter_mut().zip(&finders).zip(&row[first..]) {
                    *bin = finder.bin(value);
                }
            });
            Panel { first, width, bins }
        };
        Self {
            rows: values.len() / columns,
            panels: (0..columns).step_by(WIDTH).map(panel).collect(),
        }
    }

    /// The panel of a column, and where it is there.
    pub(super) fn place(&self, column: usize) -> (&Panel, usize) {
        (&self.panels[column / WIDTH], column % WIDTH)
    }

    #[inline]
    pub(super) fn bin(&self, row: usize, column: usize) -> u8 {
        let (panel, at) = self.place(column);
        panel.bins[row * panel.width + at]
    }
}

impl Panel {
    /// The bins of each row; `W` must be the panel's width.
    #[inline]
    pub(super) fn rows<const W: usize>(&self) -> &[[u8; W]] {
        assert_eq!(W, self.width);
        self.bins.as_chunks().0
    }

    #[inline]
    pub(super) fn bin(&self, row: u32, at: usize) -> u8 {
        self.bins[row as usize * self.width + at]
    }
}
