//! The commands on your own data as a user meets them: fit, adapt, step, predict, rollback, inspect, compare, export;
//! input that is wrong; and runs that are killed.

#[path = "your_data/agreement.rs"]
mod agreement;
#[path = "your_data/bad_input.rs"]
mod bad_input;
#[path = "your_data/commands.rs"]
mod commands;
#[path = "your_data/doubts.rs"]
mod doubts;
#[path = "your_data/files.rs"]
pub mod files;
#[path = "your_data/first_run.rs"]
mod first_run;
#[path = "your_data/hints.rs"]
mod hints;
#[cfg(unix)]
#[path = "your_data/killed.rs"]
mod killed;
#[path = "your_data/labels.rs"]
pub mod labels;
#[path = "your_data/late.rs"]
mod late;
#[path = "your_data/left_alone.rs"]
mod left_alone;
#[path = "your_data/notes.rs"]
mod notes;
#[path = "your_data/one_voice.rs"]
mod one_voice;
#[path = "your_data/options.rs"]
mod options;
#[path = "your_data/plan.rs"]
mod plan;
#[path = "your_data/report.rs"]
mod report;
#[path = "your_data/streams.rs"]
mod streams;
#[path = "your_data/trees.rs"]
mod trees;
#[path = "your_data/verdict.rs"]
mod verdict;
