//! A reader of your own: a log in a format that driftline does not know, fitted and adapted to like any other table.
//! `cargo run --release --example own_reader`

use driftline::Result;
use driftline_core::random::Seed;
use driftline_io::{Batch, Batches, Column, Field, Head, Kind, Numbers, ReadOptions, Texts};
use driftline_runs::{FileRun, Start};
use rand::RngExt;

/// Lines such as `t=17 temp=21.5 load=0.30 state=busy`, some hundred at a time.
struct Log {
    lines: Vec<String>,
    next: usize,
    head: Head,
}

impl Log {
    fn open(lines: Vec<String>) -> Box<dyn Batches> {
        let fields = vec![
            Field::new("t", Kind::Number),
            Field::new("temp", Kind::Number),
            Field::new("load", Kind::Number),
            Field::new("state", Kind::Text),
        ];
        Box::new(Log {
            lines,
            next: 0,
            head: Head::new("machine.log", fields, "a log of name=value pairs"),
        })
    }
}

impl Batches for Log {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let end = self.lines.len().min(self.next + 100);
        let lines = &self.lines[self.next..end];
        if lines.is_empty() {
            return Ok(None);
        }
        let value = |line: &str, name: &str| -> Option<String> {
            let parts = line.split(' ').filter_map(|part| part.split_once('='));
            let found = parts.into_iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.to_owned())
        };
        let columns = self.head.fields.iter().map(|field| {
            let values = lines.iter().map(|line| value(line, &field.name));
            match field.kind {
                // What is missing or unreadable becomes NaN, which is refused later with its row and column.
                Kind::Number => Column::Numbers(Numbers::Double(
                    values
                        .map(|v| v.and_then(|v| v.parse().ok()).unwrap_or(f64::NAN))
                        .collect(),
                )),
                _ => {
                    let values: Vec<Option<String>> = values.collect();
                    Column::Text(values.iter().map(Option::as_deref).collect::<Texts>())
                }
            }
        });
        let first_row = self.next as u64 + 1;
        let frame = Batch::new(first_row, columns.collect(), lines.len());
        self.next = end;
        Ok(Some(frame))
    }
}

/// A machine whose sensor runs warmer and warmer.
fn log(from: usize, to: usize) -> Vec<String> {
    let mut generator = Seed::new(from as u64).generator();
    let line = |t: usize| {
        let busy = generator.random_range(0..2) == 1;
        let mut noise = || generator.random_range(-1.0..1.0);
        let drift = t as f64 / 1500.0;
        let temperature = 20.0 + drift + if busy { 3.0 } else { 0.0 } + noise();
        let load = if busy { 0.7 } else { 0.3 } + 0.25 * noise();
        let state = if busy { "busy" } else { "idle" };
        format!("t={t} temp={temperature:.3} load={load:.3} state={state}")
    };
    (from..to).map(line).collect()
}

fn main() -> Result<()> {
    // Any closure that opens a reader is a source, as often as it is asked.
    let data = |from: usize, to: usize| move |_: &ReadOptions| Ok(Log::open(log(from, to)));
    let folder = tempfile::tempdir().map_err(driftline_core::Error::io("a temporary folder"))?;
    let mut adapt = FileRun::new(folder.path().join("run"))
        .window(250)
        .answers("state");
    adapt.choice.time = Some("t".into());
    let run = adapt.run(Start::source("state", data(0, 500)), data(500, 4000), &())?;
    for record in run.records() {
        if let Some(score) = &record.score {
            println!(
                "window {:2}, t = {} to {}: {:.3} unadapted, {:.3} adapted",
                record.window,
                record.from.as_deref().unwrap_or("?"),
                record.to.as_deref().unwrap_or("?"),
                score.accuracy_unadapted,
                score.accuracy_after
            );
        }
    }
    Ok(())
}
