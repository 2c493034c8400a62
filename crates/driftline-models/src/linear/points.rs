//! Weighted points with labels ±1: what margin models are trained on, and the substance of a finite distribution.

use super::margin::{MarginModel, Sign};
use crate::loss::margin::MarginLoss;
use driftline_core::data::{Examples, Targets};
use driftline_core::{Error, Result};

/// Rows of `dimension` numbers, each with a label and a mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    dimension: usize,
    coordinates: Vec<f64>,
    signs: Vec<Sign>,
    masses: Vec<f64>,
}

/// One weighted point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<'a> {
    pub x: &'a [f64],
    pub y: Sign,
    pub mass: f64,
}

impl Points {
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            coordinates: Vec::new(),
            signs: Vec::new(),
            masses: Vec::new(),
        }
    }

    /// Adds a point; its coordinates and mass must be finite, and the mass not below 0.
    pub fn push(&mut self, x: &[f64], y: Sign, mass: f64) -> Result<()> {
        if x.len() != self.dimension {
            return Err(Error::mismatch(
                "a point",
                format!("{} coordinates", self.dimension),
                x.len(),
            ));
        }
        if let Some(bad) = x.iter().find(|v| !v.is_finite()) {
            return Err(Error::out_of_range("a coordinate", bad, "finite"));
        }
        if !(mass.is_finite() && mass >= 0.0) {
            return Err(Error::out_of_range("a mass", mass, "finite and at least 0"));
        }
        self.coordinates.extend_from_slice(x);
        self.signs.push(y);
        self.masses.push(mass);
        Ok(())
    }

    /// Two-class training data with weights summing to 1. A soft target p counts as a positive point of mass p and a
    /// negative one of mass 1 − p, so that the logistic loss of the points is the cross-entropy with p.
    pub fn from_examples(examples: &Examples) -> Result<Self> {
        examples.expect_trainable()?;
        if examples.n_classes() != 2 {
            return Err(Error::mismatch(
                "the labels for a margin model",
                "2 classes",
                format!("{} classes", examples.n_classes()),
            ));
        }
        let total: f64 = (0..examples.len())
            .map(|i| f64::from(examples.weight(i)))
            .sum();
        let mut points = Points::new(examples.inputs().shape().size());
        for (index, row) in examples.inputs().iter().enumerate() {
            let mass = f64::from(examples.weight(index)) / total;
            let x: Vec<f64> = row.iter().map(|&v| f64::from(v)).collect();
            match examples.targets() {
                Targets::Hard(labels) => {
                    let positive = labels.as_slice()[index] == 1;
                    points.push(&x, if positive { Sign::Plus } else { Sign::Minus }, mass)?;
                }
                Targets::Soft(targets) => {
                    let p = targets.row(index);
                    for (y, share) in [(Sign::Minus, p[0]), (Sign::Plus, p[1])] {
                        if share > 0.0 {
                            points.push(&x, y, mass * f64::from(share))?;
                        }
                    }
                }
            }
        }
        Ok(points)
    }

    pub fn dimension(&self) -> usize {
        self.dimension
    }

    pub fn len(&self) -> usize {
        self.signs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    pub fn get(&self, index: usize) -> Point<'_> {
        Point {
            x: &self.coordinates[index * self.dimension..(index + 1) * self.dimension],
            y: self.signs[index],
            mass: self.masses[index],
        }
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Point<'_>> + Clone {
        (0..self.len()).map(|index| self.get(index))
    }

    pub fn total_mass(&self) -> f64 {
        self.masses.iter().sum()
    }

    /// The same points with other labels.
    pub fn relabeled(&self, label: impl Fn(Point<'_>) -> Sign) -> Points {
        Points {
            signs: self.iter().map(label).collect(),
            ..self.clone()
        }
    }

    /// The same points with masses scaled to sum 1.
    pub fn normalized(&self) -> Result<Points> {
        let total = self.total_mass();
        if total <= 0.0 {
            return Err(Error::out_of_range("the total mass", total, "above 0"));
        }
        Ok(Points {
            masses: self.masses.iter().map(|mass| mass / total).collect(),
            ..self.clone()
        })
    }

    /// L(θ) = Σ mass·loss(y·score).
    pub fn loss(&self, loss: MarginLoss, model: &MarginModel) -> f64 {
        self.iter()
            .map(|p| p.mass * loss.value(p.y.value() * model.score(p.x)))
            .sum()
    }
}
