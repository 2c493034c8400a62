//! What most programs need: `use driftline::prelude::*`.

pub use crate::data::{Inputs, Labels, Shape};
pub use crate::io::{Files, Table};
pub use crate::models::{Classifier, Runtime, accuracy};
pub use crate::random::Seed;
pub use crate::runs::{Adapter, Compare, FileRun, Fit, ModelFile, Start};
pub use crate::{Cancel, Registry, Settings};
