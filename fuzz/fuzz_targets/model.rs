//! Any bytes as a model file.
#![no_main]

use driftline::models::network::Network;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = Network::from_bytes(bytes);
});
