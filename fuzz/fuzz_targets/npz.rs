//! Any bytes as `t.npz`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftline_fuzz::read("t.npz", bytes));
