//! Tests of the whole tree from outside, in one program.

#[path = "tidy.rs"]
mod tidy;
