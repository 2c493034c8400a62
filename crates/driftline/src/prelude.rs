//! What most programs need: `use driftline::prelude::*`.

pub use crate::Cancel;
pub use crate::adapt::{Registry, Settings};
pub use crate::data::{Inputs, Labels, Shape};
pub use crate::datasets::gaussian::MovingGaussians;
pub use crate::evaluate::accuracy;
pub use crate::models::{Classifier, Runtime};
pub use crate::random::Seed;
pub use crate::reading::{Files, Table};
pub use crate::runs::{Adapt, Adapter, Bundle, Compare, Fit, Start};
