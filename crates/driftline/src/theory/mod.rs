//! The paper's theory, executable: each definition is a function, each statement is computed and compared with what the
//! paper predicts.

pub mod assumptions;
pub mod atoms;
pub mod bounds;
pub mod claims;
pub(crate) mod constructions;
pub mod gaussian;
pub mod population;
mod risk;
pub mod shift;

pub use atoms::Atoms;
