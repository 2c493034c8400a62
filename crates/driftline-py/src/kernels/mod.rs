//! The two places where memory of others is read: arrays that offer a buffer, and tables that hand over an Arrow stream.

mod arrow;
mod strided;

pub use arrow::{capsule, columns};
pub use strided::Strided;
