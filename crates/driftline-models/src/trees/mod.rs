//! Gradient-boosted trees for tables: histograms of whole-number derivatives, trees that grow at the best leaf, categories and
//! missing values as they are. Same rows, same bytes, for any number of threads and any instruction set.

mod binned;
mod bins;
mod boost;
mod calibration;
mod categories;
mod classifier;
mod fixed;
mod fold;
mod forest;
mod grow;
mod held_out;
mod histogram;
mod learner;
mod loss;
mod model;
mod onnx;
mod partition;
#[cfg(test)]
mod plain;
mod predict;
mod settings;
mod split;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod weighted;

pub use bins::{Binning, Bins};
pub use calibration::Calibration;
pub use classifier::TreesModel;
pub use learner::TreesLearner;
pub use model::Model;
pub use settings::{ClassWeights, EarlyStopping, MOST_BINS, Settings};
pub use store::StoredTrees;
pub use table::{Column, Table};
