//! Any bytes as `t.parquet`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftline_fuzz::read("t.parquet", bytes));
