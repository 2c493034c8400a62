//! Any bytes as the one picture of a folder.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| driftline_fuzz::read_pictures(bytes));
