//! All tests of the program in one, so that they are compiled and linked once and run side by side. `cargo test --test suite
//! --features full your_data` runs those of one file; without the features there is only `lean`.

#[cfg(feature = "full")]
#[path = "cli.rs"]
mod cli;
#[cfg(feature = "full")]
#[path = "documents.rs"]
mod documents;
#[cfg(feature = "full")]
#[path = "fleet.rs"]
mod fleet;
#[cfg(not(feature = "full"))]
#[path = "lean.rs"]
mod lean;
#[cfg(feature = "full")]
#[path = "report_in_browser.rs"]
mod report_in_browser;
#[cfg(feature = "full")]
#[path = "reproduce.rs"]
mod reproduce;
#[cfg(feature = "full")]
#[path = "serve.rs"]
mod serve;
#[cfg(feature = "full")]
#[path = "tables.rs"]
mod tables;
#[cfg(feature = "full")]
#[path = "theory.rs"]
mod theory;
#[cfg(feature = "full")]
#[path = "your_data.rs"]
mod your_data;
