//! A finite distribution over points, and the Euclidean cost between them.

use driftline_core::data::Inputs;
use driftline_core::{Error, Result};

/// Points with masses that sum to 1 (equal ones unless given).
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    dimension: usize,
    coordinates: Vec<f64>,
    masses: Option<Vec<f64>>,
}

impl Cloud {
    /// Equally heavy points, row after row.
    pub fn new(dimension: usize, coordinates: Vec<f64>) -> Result<Self> {
        if dimension == 0 || !coordinates.len().is_multiple_of(dimension) {
            return Err(Error::mismatch(
                "the coordinates of a sample",
                format!("a multiple of {dimension} (above 0) numbers"),
                coordinates.len(),
            ));
        }
        if let Some(bad) = coordinates.iter().find(|v| !v.is_finite()) {
            return Err(Error::out_of_range("a coordinate", bad, "finite"));
        }
        Ok(Self {
            dimension,
            coordinates,
            masses: None,
        })
    }

    pub fn from_inputs(inputs: &Inputs) -> Result<Self> {
        let coordinates = inputs.iter().flatten().map(|&v| f64::from(v)).collect();
        Self::new(inputs.shape().size(), coordinates)
    }

    /// Gives the points masses, which are scaled to sum 1; points of mass 0 are left out.
    pub fn with_masses(self, masses: &[f64]) -> Result<Self> {
        if masses.len() != self.len() {
            return Err(Error::mismatch("the masses", self.len(), masses.len()));
        }
        if let Some(bad) = masses.iter().find(|m| !m.is_finite() || **m < 0.0) {
            return Err(Error::out_of_range("a mass", bad, "finite and at least 0"));
        }
        let total: f64 = masses.iter().sum();
        if total <= 0.0 {
            return Err(Error::out_of_range("the total mass", total, "above 0"));
        }
        let kept: Vec<usize> = (0..self.len()).filter(|&i| masses[i] > 0.0).collect();
        let kept_masses: Vec<f64> = kept.iter().map(|&i| masses[i] / total).collect();
        let uniform = kept_masses.iter().all(|&m| m == kept_masses[0]);
        Ok(Self {
            masses: (!uniform).then_some(kept_masses),
            ..self.pick(&kept)
        })
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn len(&self) -> usize {
        self.coordinates.len() / self.dimension
    }

    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    pub fn point(&self, index: usize) -> &[f64] {
        &self.coordinates[index * self.dimension..(index + 1) * self.dimension]
    }

    pub fn points(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.coordinates.chunks_exact(self.dimension)
    }

    pub fn mass(&self, index: usize) -> f64 {
        let equal = 1.0 / self.len() as f64;
        self.masses.as_ref().map_or(equal, |masses| masses[index])
    }

    pub fn is_uniform(&self) -> bool {
        self.masses.is_none()
    }

    /// The points `indices`, in that order, with their masses scaled to sum 1.
    pub fn pick(&self, indices: &[usize]) -> Cloud {
        let coordinates = indices.iter().flat_map(|&i| self.point(i)).copied();
        let masses = self.masses.as_ref().map(|masses| {
            let total: f64 = indices.iter().map(|&i| masses[i]).sum();
            indices.iter().map(|&i| masses[i] / total).collect()
        });
        Cloud {
            dimension: self.dimension,
            coordinates: coordinates.collect(),
            masses,
        }
    }

    /// The distribution of direction·x.
    pub fn projected(&self, direction: &[f64]) -> Cloud {
        let along = |x: &[f64]| x.iter().zip(direction).map(|(x, d)| x * d).sum();
        Cloud {
            dimension: 1,
            coordinates: self.points().map(along).collect(),
            masses: self.masses.clone(),
        }
    }

    pub fn mean(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.dimension];
        for (index, x) in self.points().enumerate() {
            let mass = self.mass(index);
            mean.iter_mut().zip(x).for_each(|(m, x)| *m += mass * x);
        }
        mean
    }
}

/// ‖x − y‖₂², summed in eight interleaved lanes so that the loop becomes vector code.
pub fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest = xs.remainder().iter().zip(ys.remainder());
    let mut sum: f64 = rest.map(|(a, b)| (a - b) * (a - b)).sum();
    for (a, b) in xs.zip(ys) {
        for k in 0..8 {
            let d = a[k] - b[k];
            lanes[k] += d * d;
        }
    }
    for lane in lanes {
        sum += lane;
    }
    sum
}
