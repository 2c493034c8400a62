//! Streams of a fleet as files, one for each or all in one, their rows taking turns.

use std::fs;

use serde_json::Value;

use crate::your_data::files::{Place, turning};

pub const SOURCE: &str = "--source source.csv --label label --exclude id --exclude day";
pub const WINDOWS: &str = "--window 100";

/// `T/s0.csv` and so on, and the same rows in `mixed.csv` with the column `sensor`.
pub fn place(streams: usize) -> Place {
    let place = Place::new();
    fs::create_dir(place.at("T")).unwrap();
    let all: Vec<String> = (0..streams)
        .map(|stream| turning(300, 0.0, 1.2 + 0.1 * stream as f64, stream as u64 + 3))
        .collect();
    for (stream, text) in all.iter().enumerate() {
        place.write(&format!("T/s{stream}.csv"), text);
    }
    place.write("mixed.csv", mixed(&all));
    place
}

/// Tables of the same columns in one, row by row.
pub fn mixed(all: &[String]) -> String {
    let tables: Vec<Vec<&str>> = all.iter().map(|text| text.lines().collect()).collect();
    let mut text = format!("sensor,{}\n", tables[0][0]);
    for row in 1..tables[0].len() {
        for (stream, table) in tables.iter().enumerate() {
            text += &format!("k{stream},{}\n", table[row]);
        }
    }
    text
}

/// The files of a run that its data and settings decide: all but the report, and of the manifest all but who wrote it.
pub fn decided(place: &Place, run: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = place.contents(run);
    files.retain(|(name, _)| name != "report.html");
    for (name, bytes) in &mut files {
        if name == "manifest.json" {
            let mut manifest: Value = serde_json::from_slice(bytes).unwrap();
            manifest["command"].take();
            manifest["files"]
                .as_object_mut()
                .unwrap()
                .remove("report.html");
            *bytes = manifest.to_string().into_bytes();
        }
    }
    files
}

/// The same without the manifest: versions, lines and predictions.
pub fn results(place: &Place, run: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = decided(place, run);
    files.retain(|(name, _)| name != "manifest.json");
    assert!(files.len() > 5, "{run}");
    files
}

/// How a fleet stands, whatever the exit code.
pub fn status(place: &Place, fleet: &str) -> Value {
    let output = place.run(&format!("fleet status {fleet} --json"));
    serde_json::from_slice(&output.stdout).unwrap()
}
