//! All tests of the engine from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-adapt --test suite NAME` runs those of one file.

#[path = "driver.rs"]
mod driver;
#[path = "generated.rs"]
mod generated;
