//! Trains and times gradient-boosted trees on a table in a plain binary file; `bench/trees.py` and
//! `bench/trees_accuracy.py` write such files and read the answer. `read` has the format.

use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use driftline_core::Cancel;
use driftline_models::onnx::{Element, Graph};
use driftline_models::trees::{Column, Settings, Table};

struct File {
    trained: usize,
    columns: Vec<Column>,
    n_classes: usize,
    values: Vec<f32>,
    labels: Vec<u32>,
}

/// Little-endian words: rows to train on, rows to predict, columns, classes; 1 for each column of categories; the values of
/// all rows; the labels of all rows.
fn read(path: &str) -> Result<File, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let words: Vec<u32> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|&word| u32::from_le_bytes(word))
        .collect();
    let [trained, more, width, n_classes] = [0, 1, 2, 3].map(|at| words[at] as usize);
    let (kinds, rest) = words[4..].split_at(width);
    let (values, labels) = rest.split_at((trained + more) * width);
    let kind = |&kind: &u32| {
        if kind == 1 {
            Column::Category
        } else {
            Column::Number
        }
    };
    Ok(File {
        trained,
        columns: kinds.iter().map(kind).collect(),
        n_classes,
        values: values.iter().map(|&word| f32::from_bits(word)).collect(),
        labels: labels.to_vec(),
    })
}

/// `trees TABLE OUT [SETTINGS as JSON] [REPEATS] [ONNX]`: probabilities of the further rows to OUT, the model to the file
/// ONNX, times in seconds to stdout.
fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let file = read(&arguments[1])?;
    let settings: Settings = serde_json::from_str(arguments.get(3).map_or("{}", |text| text))?;
    let repeats: usize = arguments.get(4).map_or(Ok(1), |text| text.parse())?;
    let width = file.columns.len();
    let table = Table {
        values: &file.values[..file.trained * width],
        columns: &file.columns,
        labels: &file.labels[..file.trained],
        n_classes: file.n_classes,
        weights: None,
    };
    let rest = &file.values[file.trained * width..];
    warm_up(&settings, &table)?;
    // Linux forgets the peak so far; reading the file is not what is measured.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = peak();
    let mut trained = Vec::new();
    let mut model = None;
    let cpu = processor();
    for _ in 0..repeats {
        let start = now();
        model = Some(settings.fit(&table, &Cancel::new())?);
        trained.push(start.elapsed().as_secs_f64());
    }
    let model = model.ok_or("no repeats")?;
    let cpu = (processor() - cpu) / repeats as f64;
    let memory = peak() - before;
    let mut times = Vec::new();
    for rows in [1, 32, 10_000] {
        let rows = &rest[..rest.len().min(rows * width)];
        let mut best = f64::INFINITY;
        for _ in 0..repeats * 3 {
            let start = now();
            model.probabilities(rows)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        times.push(best);
    }
    let start = processor();
    for _ in 0..10 * repeats {
        model.probabilities(rest)?;
    }
    let cpu_predict = (processor() - start) / (10 * repeats) as f64;
    let out: Vec<u8> = model
        .probabilities(rest)?
        .iter()
        .flat_map(|p| p.to_le_bytes())
        .collect();
    std::fs::write(&arguments[2], out)?;
    if let Some(path) = arguments.get(5) {
        let mut graph = Graph::default();
        let input = graph.input("input", &[width]);
        let output = model.onnx(&mut graph, input);
        graph.output(&output, Element::Float, &[file.n_classes]);
        std::fs::write(path, graph.finish("bench", "gradient-boosted trees"))?;
    }
    let answer = serde_json::json!({
        "fit": trained, "predict": times, "rounds": model.n_rounds(), "calibration": model.calibration(),
        "importance": model.importance(), "memory": memory,
        "cpu": cpu, "cpu_predict": cpu_predict,
    });
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

/// Trains once on a few rows, so that code and threads are there before anything is measured, as for the peers.
fn warm_up(settings: &Settings, table: &Table<'_>) -> Result<(), Box<dyn Error>> {
    let rows = table.labels.len().min(500);
    let few = Table {
        values: &table.values[..rows * table.columns.len()],
        labels: &table.labels[..rows],
        ..*table
    };
    let settings = Settings {
        iterations: NonZeroUsize::MIN,
        ..settings.clone()
    };
    settings.fit(&few, &Cancel::new())?;
    Ok(())
}

/// Seconds of processor time so far, all threads together, on Linux: what other processes do matters less than for the clock.
fn processor() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = status.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    ticks
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

/// The most bytes that this process has had in memory, on Linux.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().split(' ').next()?.parse().ok());
    number.unwrap_or(0_u64) * 1024
}

#[expect(clippy::disallowed_methods, reason = "this program measures time")]
fn now() -> Instant {
    Instant::now()
}
