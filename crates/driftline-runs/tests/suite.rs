//! All tests of runs from outside in one program, so that they are compiled and linked once and run side by side.
//! `cargo test -p driftline-runs --test suite NAME` runs those of one file.

#[path = "contract.rs"]
mod contract;
#[path = "follow.rs"]
mod follow;
#[path = "guarded.rs"]
mod guarded;
#[path = "labels.rs"]
mod labels;
#[path = "onnx.rs"]
mod onnx;
#[path = "runs.rs"]
mod runs;
#[path = "version_0_1.rs"]
mod version_0_1;
