//! Any bytes as `t.csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftline_fuzz::read("t.csv", bytes));
