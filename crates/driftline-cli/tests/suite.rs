//! All tests of the program in one, so that they are compiled and linked once and run side by side. `cargo test --test suite
//! your_data` runs those of one file.

#[path = "cli.rs"]
mod cli;
#[path = "fleet.rs"]
mod fleet;
#[path = "report_in_browser.rs"]
mod report_in_browser;
#[path = "reproduce.rs"]
mod reproduce;
#[path = "serve.rs"]
mod serve;
#[path = "tables.rs"]
mod tables;
#[path = "theory.rs"]
mod theory;
#[path = "your_data.rs"]
mod your_data;
