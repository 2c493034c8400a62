//! The commands, one per file.

pub mod bench_network;
pub mod completions;
pub mod data;
pub mod demo;
pub mod join;
pub mod man;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod schema;
pub mod theory;
