//! For researchers: benchmarks that are drawn or read, experiment files and their results, and the reproduction of the
//! founding paper.

pub mod datasets;
pub mod experiment;
pub mod proving;
