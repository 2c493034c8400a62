//! Any bytes as `t.arff`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftline_fuzz::read("t.arff", bytes));
