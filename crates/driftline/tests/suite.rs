//! All tests of the library's public face in one program, so that they are compiled and linked once and run side by side.
//! `cargo test --test suite golden` runs those of one file.

#[path = "assumptions.rs"]
mod assumptions;
#[path = "batches.rs"]
mod batches;
#[path = "cancel.rs"]
mod cancel;
#[path = "contract.rs"]
mod contract;
#[path = "experiment.rs"]
mod experiment;
#[path = "generated.rs"]
mod generated;
#[path = "golden.rs"]
mod golden;
#[path = "guarded.rs"]
mod guarded;
#[path = "identities.rs"]
mod identities;
#[path = "margin_models.rs"]
mod margin_models;
#[path = "network_gradients.rs"]
mod network_gradients;
#[path = "network_learner.rs"]
mod network_learner;
#[path = "network_parity.rs"]
mod network_parity;
#[path = "network_steps.rs"]
mod network_steps;
#[path = "one_loop.rs"]
mod one_loop;
#[path = "onnx.rs"]
mod onnx;
#[path = "own_parts.rs"]
mod own_parts;
#[path = "paper_gaussian.rs"]
mod paper_gaussian;
#[path = "portraits_at_hand.rs"]
mod portraits_at_hand;
#[path = "reading.rs"]
mod reading;
#[path = "rotation_reference.rs"]
mod rotation_reference;
#[path = "runs.rs"]
mod runs;
#[path = "self_training.rs"]
mod self_training;
#[path = "tables.rs"]
mod tables;
#[path = "theory.rs"]
mod theory;
#[path = "tidy.rs"]
mod tidy;
#[path = "transport.rs"]
mod transport;
#[path = "version_0_1.rs"]
mod version_0_1;
