//! Somebody else's crate: a model, a curriculum, an alignment, a labeler and a policy of its own, each known by one line,
//! through every door. Nothing of the library is touched.

#[path = "own_parts/chains.rs"]
mod chains;
#[path = "../../driftline-runs/tests/onnx/evaluate.rs"]
mod evaluate;
#[path = "own_parts/experiment.rs"]
mod experiment;
#[path = "own_parts/model.rs"]
mod model;
#[path = "../../driftline-runs/tests/onnx/planes.rs"]
mod planes;
#[path = "own_parts/run.rs"]
mod run;
#[path = "own_parts/seams.rs"]
mod seams;
#[path = "../../driftline-runs/tests/onnx/trees.rs"]
mod trees;
#[path = "own_parts/unstored.rs"]
mod unstored;
#[path = "../../driftline-runs/tests/onnx/wire.rs"]
mod wire;
