//! Labelled rows carried along with the clouds that they belong to: where the source would be now, were the mixture right.

use super::{ClassMixture, LEAST_PIVOT, Spread};
use crate::points::RowPoints;
use driftline_core::matrix::cholesky;

impl ClassMixture {
    /// The cloud of each row: the nearest by likelihood of those of its class.
    pub fn assigned(&self, points: &RowPoints, labels: &[u32]) -> Vec<usize> {
        let posterior = self.posterior(points);
        let rows = posterior.clouds.chunks_exact(self.clouds()).zip(labels);
        rows.map(|(row, &label)| {
            let own = (0..row.len()).filter(|&cloud| self.classes[cloud] == label as usize);
            own.max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0)
        })
        .collect()
    }

    /// `rows` of these clouds, moved from where the clouds are here to where they are in `there`, which has followed from here.
    pub fn carried(&self, there: &ClassMixture, rows: &RowPoints, clouds: &[usize]) -> RowPoints {
        let (size, width) = (self.size, self.width());
        let spread = |mixture: &ClassMixture, cloud: usize| {
            let own = &mixture.spreads[cloud * width..(cloud + 1) * width];
            match mixture.spread {
                Spread::Axes => own.iter().map(|variance| variance.sqrt()).collect(),
                Spread::Shared | Spread::Own => {
                    let mut lower = own.to_vec();
                    cholesky(&mut lower, size, LEAST_PIVOT);
                    lower
                }
            }
        };
        let roots: Vec<(Vec<f64>, Vec<f64>)> = (0..self.clouds())
            .map(|cloud| (spread(self, cloud), spread(there, cloud)))
            .collect();
        let mut values = Vec::with_capacity(rows.len() * size);
        let mut off = vec![0.0; size];
        for (row, &cloud) in rows.iter().zip(clouds) {
            let (from, to) = &roots[cloud];
            for ((off, x), mean) in off.iter_mut().zip(row).zip(self.mean(cloud)) {
                *off = x - mean;
            }
            let mean = there.mean(cloud);
            if self.spread == Spread::Axes {
                let columns = off.iter().zip(from).zip(to).zip(mean);
                values.extend(columns.map(|(((off, from), to), mean)| mean + off / from * to));
                continue;
            }
            for i in 0..size {
                let known: f64 = (0..i).map(|j| from[i * size + j] * off[j]).sum();
                off[i] = (off[i] - known) / from[i * (size + 1)];
            }
            values.extend(
                (0..size)
                    .map(|i| mean[i] + (0..=i).map(|j| to[i * size + j] * off[j]).sum::<f64>()),
            );
        }
        RowPoints::new(values, size)
    }

    /// By how much the share of each cloud has grown in `there`.
    pub fn growth(&self, there: &ClassMixture) -> Vec<f64> {
        let shares = self.shares.iter().zip(&there.shares);
        shares.map(|(own, there)| there / own.max(1e-9)).collect()
    }
}
