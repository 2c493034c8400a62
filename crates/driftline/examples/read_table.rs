//! Reads the number columns of a table into one array, row after row, and says how long that took: what `bench/parquet.py`
//! compares with pandas.

#![expect(clippy::disallowed_methods, reason = "a benchmark needs a clock")]

use std::time::Instant;

use driftline_io::{Files, ReadOptions, read_numbers};

fn main() -> driftline_core::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: read_table FILE [ROUNDS]");
        std::process::exit(2);
    };
    let rounds = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let files = Files::new([path])?;
    for _ in 0..rounds {
        let start = Instant::now();
        let (names, inputs) = read_numbers(&files, &ReadOptions::default())?;
        let seconds = start.elapsed().as_secs_f64();
        let sum: f64 = inputs
            .contiguous()
            .iter()
            .map(|&value| f64::from(value))
            .sum();
        println!(
            r#"{{"seconds": {seconds}, "rows": {}, "columns": {}, "sum": {sum}}}"#,
            inputs.len(),
            names.len()
        );
    }
    Ok(())
}
