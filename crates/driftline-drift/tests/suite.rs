//! All tests of distances between distributions from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-drift --test suite NAME` runs those of one file.

#[path = "transport.rs"]
mod transport;
