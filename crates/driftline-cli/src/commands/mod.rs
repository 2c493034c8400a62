//! The commands, one per file.

pub mod adapt;
pub mod audit;
pub mod bench_network;
pub mod compare;
pub mod completions;
pub mod data;
pub mod demo;
pub mod export;
pub mod fit;
pub mod fleet;
pub mod inspect;
pub mod join;
pub mod man;
pub mod order;
pub mod plan;
pub mod predict;
pub mod report;
pub mod reproduce;
pub mod rollback;
pub mod run;
pub mod schema;
pub mod score;
pub mod serve;
pub mod step;
pub mod theory;
pub mod watch;
