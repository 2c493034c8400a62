//! All tests of the readers from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-io --test suite NAME` runs those of one file.

#[path = "reading.rs"]
mod reading;
