//! All tests of the theory from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-theory --test suite NAME` runs those of one file.

#[path = "assumptions.rs"]
mod assumptions;
#[path = "theory.rs"]
mod theory;
