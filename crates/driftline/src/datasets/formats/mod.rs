//! File formats that data sets come in.

pub mod idx;
pub mod table;
