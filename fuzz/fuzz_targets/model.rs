//! Any bytes as a model file, of the program and of a network alone: what opens must predict and be written again.
#![no_main]

use driftline_runs::method::Registry;
use driftline_core::data::Inputs;
use driftline_models::Classifier;
use driftline_models::network::Network;
use driftline_runs::ModelFile;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = ModelFile::from_bytes(bytes, &Registry::default()) {
        bundle.to_bytes().expect("what was read can be written");
        predict(&bundle.version);
    }
    if let Ok(network) = Network::from_bytes(bytes) {
        predict(&network);
    }
});

/// One row of zeros: an error is fine, a hang or a panic is a finding.
fn predict(model: &impl Classifier) {
    let shape = model.shape();
    if shape.size() <= 1 << 16 {
        let zeros = Inputs::new(vec![0.0; shape.size()], shape).expect("as long as its shape");
        let _ = model.probabilities(&zeros);
    }
}
