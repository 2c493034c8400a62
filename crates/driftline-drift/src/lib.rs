//! What a drift looks like without labels: how far a window is from the source and from the last one, which explanations
//! fit, and labelled rows moved along. Nothing here trains a model or decides.

mod change;
mod energy;
pub mod mixture;
mod moves;
mod pace;
mod points;
mod shares;
pub mod transport;

pub use change::{Change, Distance, DriftKind, MovedColumn};
pub use energy::{Compared, compared_rows, energy_distance, noise_floor};
pub use mixture::ClassMixture;
pub use moves::{MapKind, Mapped};
pub use pace::{Leap, Pace, SizePace, class_distance};
pub use points::{RowPoints, Standardizer, draw};
pub use shares::{ShareEm, class_shares};
