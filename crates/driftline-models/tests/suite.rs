//! All tests of the models from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-models --test suite NAME` runs those of one file.

#[path = "batches.rs"]
mod batches;
#[path = "network_gradients.rs"]
mod network_gradients;
#[path = "network_learner.rs"]
mod network_learner;
#[path = "network_parity.rs"]
mod network_parity;
#[path = "network_steps.rs"]
mod network_steps;
#[path = "trees.rs"]
mod trees;
