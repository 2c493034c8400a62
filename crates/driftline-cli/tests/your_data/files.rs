//! A drifting table as files in a temporary folder, and the program to run on them.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with `source.csv` and `stream.csv`; commands run inside it.
pub struct Place {
    pub folder: TempDir,
}

/// A small generator, so that the tables need nothing else.
pub fn noise(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
}

/// Three classes on a circle that turns from `from` to `to` while the rows go by.
pub fn turning(rows: usize, from: f64, to: f64, seed: u64) -> String {
    let mut state = seed;
    let mut text = "id,day,x,y,colour,label\n".to_owned();
    for row in 0..rows {
        let class = row % 3;
        let turned = from + (to - from) * row as f64 / rows as f64;
        let angle = turned + std::f64::consts::TAU * class as f64 / 3.0;
        let (x, y) = (
            10.0 * angle.cos() + 3.0 * noise(&mut state),
            0.1 * angle.sin() + 0.03 * noise(&mut state),
        );
        let colour = ["red", "blue"][row % 2];
        let label = ["ant", "bee", "cat"][class];
        let day = seed as usize * 100_000 + row / 10;
        text += &format!("{seed}-{row},{day},{x:.4},{y:.5},{colour},{label}\n");
    }
    text
}

impl Place {
    pub fn new() -> Self {
        let place = Self {
            folder: TempDir::new().unwrap(),
        };
        place.write("source.csv", turning(150, 0.0, 0.0, 1));
        place.write("stream.csv", turning(600, 0.0, 1.4, 2));
        place
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        fs::write(self.at(name), contents).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The program with these words, split at spaces.
    pub fn run(&self, words: &str) -> Output {
        let mut program = Command::cargo_bin("driftline").expect("the program is built");
        program
            .current_dir(self.folder.path())
            .args(words.split_whitespace())
            .output()
            .unwrap()
    }

    /// Standard output of a run that must end well.
    pub fn good(&self, words: &str) -> String {
        let output = self.run(words);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{words}: {}{told}", error(&output));
        told
    }

    pub fn json(&self, words: &str) -> Value {
        let text = self.good(&format!("{words} --json"));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words}: {error}: {text}"))
    }

    /// Standard error of a run that must end with `code`.
    pub fn bad(&self, words: &str, code: i32) -> String {
        let output = self.run(words);
        let message = error(&output);
        assert_eq!(output.status.code(), Some(code), "{words}: {message}");
        message
    }

    /// The lines of a run's `windows.jsonl`.
    pub fn windows(&self, run: &str) -> Vec<Value> {
        let text = self.read(&format!("{run}/windows.jsonl"));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Every file below a folder but the lock, by name.
    pub fn contents(&self, folder: &str) -> Vec<(String, Vec<u8>)> {
        let root = self.at(folder);
        let (mut all, mut open) = (vec![], vec![root.clone()]);
        while let Some(place) = open.pop() {
            for entry in fs::read_dir(place).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().display().to_string();
                match path.is_dir() {
                    true => open.push(path),
                    false if name == ".lock" => {}
                    false => all.push((name, fs::read(path).unwrap())),
                }
            }
        }
        all.sort();
        all
    }
}

pub fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The usual arguments: identifiers and days are no features.
pub const SOURCE: &str = "--source source.csv --label label";
pub const STREAM: &str = "--stream stream.csv --time day --id id --window 100 --policy always";
