//! The commands on one's own data as a user meets them: fit, adapt, step, predict, rollback, inspect, compare, export;
//! input that is wrong; and runs that are killed.

#[path = "own_data/bad_input.rs"]
mod bad_input;
#[path = "own_data/commands.rs"]
mod commands;
#[path = "own_data/files.rs"]
mod files;
#[cfg(unix)]
#[path = "own_data/killed.rs"]
mod killed;
#[path = "own_data/options.rs"]
mod options;
