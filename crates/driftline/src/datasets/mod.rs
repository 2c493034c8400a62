//! Benchmarks: tasks with their answers, drawn or read.

pub mod gaussian;
