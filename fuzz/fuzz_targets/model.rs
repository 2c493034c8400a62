//! Any bytes as a model file.
#![no_main]

use driftline::models::network::Network;
use driftline::service::{Bundle, onnx};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Network::from_bytes(bytes);
    if let Ok(bundle) = Bundle::from_bytes(bytes) {
        onnx::export(&bundle);
    }
});
