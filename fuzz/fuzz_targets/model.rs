//! Any bytes as a model file: of the program, and of a network alone.
#![no_main]

use driftline::models::network::Network;
use driftline::service::Bundle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(bundle) = Bundle::from_bytes(bytes) {
        bundle.to_bytes();
    }
    let _ = Network::from_bytes(bytes);
});
