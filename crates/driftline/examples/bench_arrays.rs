//! Follows a stream of two number columns through the door for arrays, in windows of 150 rows, with the defaults; every row is
//! predicted by the version before its window. Says how many were right and how long it took: for `bench/archive.py`.

#![expect(clippy::disallowed_methods, reason = "a benchmark needs a clock")]

use std::time::Instant;

use driftline::prelude::*;
use driftline_core::data::{Inputs, Shape};
use driftline_io::{Files, ReadOptions, read_numbers};

fn main() -> driftline_core::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(labeled)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: bench_arrays FILE.csv LABELLED_ROWS");
        std::process::exit(2);
    };
    let labeled: usize = labeled.parse().expect("a number of rows");
    // x, y, label: all of them numbers.
    let (_, table) = read_numbers(&Files::new([path])?, &ReadOptions::default())?;
    let values = table.iter().flat_map(|row| [row[0], row[1]]).collect();
    let inputs = Inputs::new(values, Shape::Vector(2))?;
    let labels: Vec<i64> = table.iter().map(|row| row[2] as i64).collect();

    let start = Instant::now();
    let mut adapter = Adapter::auto()
        .window(150)
        .fit(inputs.slice(0..labeled), &labels[..labeled])?;
    let mut right = 0;
    for first in (labeled..inputs.len()).step_by(150) {
        let rows = first..(first + 150).min(inputs.len());
        let window = inputs.slice(rows.clone());
        let told = adapter.predict(&window)?;
        let names = told.names().zip(&labels[rows]);
        right += names
            .filter(|(name, label)| **name == label.to_string())
            .count();
        adapter.step(&window)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    let rows = inputs.len() - labeled;
    println!(r#"{{"seconds": {seconds}, "rows": {rows}, "right": {right}}}"#);
    Ok(())
}
