//! Tests of the whole tree from outside, in one program.

#[path = "banned.rs"]
mod banned;
#[path = "documents.rs"]
mod documents;
#[path = "numbers_of_the_guard.rs"]
mod numbers_of_the_guard;
#[path = "tidy.rs"]
mod tidy;
