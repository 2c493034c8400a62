//! The commands, one per file.

pub mod adapt;
pub mod audit;
pub mod bench_network;
pub mod compare;
#[cfg(feature = "man")]
pub mod completions;
pub mod data;
pub mod demo;
pub mod export;
pub mod fit;
#[cfg(feature = "fleet")]
pub mod fleet;
#[cfg(feature = "serve")]
pub mod follow;
pub mod inspect;
pub mod join;
pub mod label;
#[cfg(not(feature = "full"))]
mod left_out;
#[cfg(feature = "man")]
pub mod man;
pub mod order;
pub mod plan;
pub mod predict;
pub mod report;
pub mod reproduce;
pub mod rollback;
pub mod run;
#[cfg(feature = "schema")]
pub mod schema;
pub mod score;
#[cfg(feature = "serve")]
pub mod serve;
pub mod step;
pub mod theory;
pub mod watch;

#[cfg(not(feature = "full"))]
pub use left_out::*;
