//! Finite distributions over labelled points: what every construction of the paper is made of.

use rand::RngExt;

use driftline_core::data::{Inputs, LabeledDomain, Labels, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};
use driftline_drift::transport::Cloud;
use driftline_models::linear::points::{Point, Points};
use driftline_models::linear::{MarginModel, Sign};

/// A joint distribution of (X, Y) with finitely many atoms; the masses sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Atoms {
    points: Points,
}

impl Atoms {
    /// Scales the masses to sum 1.
    pub fn new(points: &Points) -> Result<Self> {
        Ok(Self {
            points: points.normalized()?,
        })
    }

    /// Atoms in the plane or any other space, each as (x, y, mass).
    pub fn from_list<const D: usize>(atoms: &[([f64; D], Sign, f64)]) -> Result<Self> {
        let mut points = Points::new(D);
        for (x, y, mass) in atoms {
            points.push(x, *y, *mass)?;
        }
        Self::new(&points)
    }

    /// The empirical distribution of a labelled sample with two classes.
    pub fn from_sample(sample: &LabeledDomain) -> Result<Self> {
        Ok(Self {
            points: Points::from_examples(&sample.into())?,
        })
    }

    pub fn points(&self) -> &Points {
        &self.points
    }

    pub fn dimension(&self) -> usize {
        self.points.dimension()
    }

    pub fn len(&self) -> usize {
        self.points.len()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Point<'_>> + Clone {
        self.points.iter()
    }

    /// P_X P_{Y|X,θ}: the same inputs, labelled by the model.
    pub fn labeled_by(&self, model: &MarginModel) -> Atoms {
        Atoms {
            points: self.points.relabeled(|p| model.decide(p.x)),
        }
    }

    /// The same inputs with given labels, one per atom.
    pub fn relabeled(&self, labels: &[Sign]) -> Result<Atoms> {
        if labels.len() != self.len() {
            return Err(Error::mismatch("the labels", self.len(), labels.len()));
        }
        let mut points = Points::new(self.dimension());
        for (p, &y) in self.iter().zip(labels) {
            points.push(p.x, y, p.mass)?;
        }
        Ok(Atoms { points })
    }

    /// The mixture of both with equal shares.
    pub fn pooled_with(&self, other: &Atoms) -> Result<Atoms> {
        let mut points = Points::new(self.dimension());
        for p in self.iter().chain(other.iter()) {
            points.push(p.x, p.y, p.mass)?;
        }
        Atoms::new(&points)
    }

    /// P(X | Y = y); `None` where the label has no mass.
    pub fn class(&self, y: Sign) -> Option<Cloud> {
        self.cloud(|p| p.y == y)
    }

    /// P(X).
    pub fn inputs(&self) -> Result<Cloud> {
        self.cloud(|_| true)
            .ok_or_else(|| Error::empty("the distribution"))
    }

    fn cloud(&self, keep: impl Fn(&Point<'_>) -> bool) -> Option<Cloud> {
        let kept: Vec<Point<'_>> = self.iter().filter(keep).collect();
        let coordinates = kept.iter().flat_map(|p| p.x).copied().collect();
        let masses: Vec<f64> = kept.iter().map(|p| p.mass).collect();
        let cloud = Cloud::new(self.dimension(), coordinates).ok()?;
        cloud.with_masses(&masses).ok()
    }

    /// P(Y = 1).
    pub fn positive_share(&self) -> f64 {
        self.iter()
            .filter(|p| p.y == Sign::Plus)
            .map(|p| p.mass)
            .sum()
    }

    /// E‖X‖², what the bounded-data assumption calls B².
    pub fn second_moment(&self) -> f64 {
        let squared = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
        self.iter().map(|p| p.mass * squared(p.x)).sum()
    }

    /// n independent draws, each moved by uniform noise of at most `noise` per coordinate.
    pub fn sample(&self, n: usize, noise: f64, seed: Seed) -> Result<LabeledDomain> {
        let mut generator = seed.generator();
        let (mut values, mut classes) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let mut left = generator.random_range(0.0..1.0);
            let mut chosen = self.points.get(self.len() - 1);
            for p in self.iter() {
                if left < p.mass {
                    chosen = p;
                    break;
                }
                left -= p.mass;
            }
            for x in chosen.x {
                let shake: f64 = generator.random_range(-1.0..=1.0);
                values.push((x + noise * shake) as f32);
            }
            classes.push(chosen.y as u32);
        }
        let inputs = Inputs::new(values, Shape::Vector(self.dimension()))?;
        LabeledDomain::new(inputs, Labels::new(classes, 2)?)
    }
}

/// A point of the plane, by its distance from the origin and its angle in degrees.
pub fn on_circle(radius: f64, degrees: f64) -> [f64; 2] {
    let angle = degrees.to_radians();
    [radius * libm::cos(angle), radius * libm::sin(angle)]
}
