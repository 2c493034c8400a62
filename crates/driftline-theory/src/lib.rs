//! The paper's theory, executable: each definition is a function, each statement is computed and compared with what the
//! paper predicts.

pub mod assumptions;
mod atoms;
mod bounds;
pub mod claims;
mod constructions;
mod gaussian;
mod population;
mod risk;
mod shift;
