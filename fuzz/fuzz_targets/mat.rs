//! Any bytes as `t.mat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftline_fuzz::read("t.mat", bytes));
