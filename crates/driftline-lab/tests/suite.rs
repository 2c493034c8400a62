//! All tests of experiments and whole methods from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-lab --test suite NAME` runs those of one file.

#[path = "cancel.rs"]
mod cancel;
#[path = "experiment.rs"]
mod experiment;
#[path = "golden.rs"]
mod golden;
#[path = "identities.rs"]
mod identities;
#[path = "margin_models.rs"]
mod margin_models;
#[path = "one_loop.rs"]
mod one_loop;
#[path = "own_parts.rs"]
mod own_parts;
#[path = "paper_gaussian.rs"]
mod paper_gaussian;
#[path = "portraits_at_hand.rs"]
mod portraits_at_hand;
#[path = "rotation_reference.rs"]
mod rotation_reference;
#[path = "self_training.rs"]
mod self_training;
#[path = "stand_ins.rs"]
mod stand_ins;
#[path = "tables.rs"]
mod tables;
