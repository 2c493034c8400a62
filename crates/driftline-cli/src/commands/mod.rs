//! One module per command.

pub mod data;
