//! Tables as a user meets them: imported, exported to be adapted to, and named in experiment files.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

/// Runs the program in `folder`; standard output and standard error, and the exit code.
fn run(folder: &Path, words: &str) -> (String, String, i32) {
    let output = Command::cargo_bin("driftline")
        .expect("the program is built with its tests")
        .current_dir(folder)
        .env("DRIFTLINE_CACHE", folder.join("cache"))
        .args(words.split_whitespace())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    (text(output.stdout), text(output.stderr), code)
}

fn good(folder: &Path, words: &str) -> String {
    let (out, error, code) = run(folder, words);
    assert_eq!(code, 0, "{words}: {error}");
    out
}

fn bad(folder: &Path, words: &str) -> String {
    let (_, error, code) = run(folder, words);
    assert_eq!(code, 1, "{words}: {error}");
    error
}

fn gzip(path: &Path, text: &str) {
    let file = fs::File::create(path).unwrap();
    let mut encoder = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap();
}

/// Two classes whose border moves; `part` is put before each row.
fn rows(n: usize, part: impl Fn(usize) -> &'static str) -> String {
    let row = |row: usize| {
        let (class, noise) = (row % 2, (row * 37 % 11) as f64 / 10.0);
        let x = 3.0 * class as f64 + noise + row as f64 / n as f64;
        format!("{}{x:.3},{noise},c{class}\n", part(row))
    };
    (0..n).map(row).collect()
}

#[test]
fn a_table_with_parts_is_imported_packed_and_exported_to_be_adapted_to() {
    let folder = TempDir::new().unwrap();
    let part = |row| if row < 100 { "source," } else { "stream," };
    let text = "part,f0,f1,label\n".to_owned() + &rows(500, part);
    gzip(&folder.path().join("outdoor.csv.gz"), &text);
    good(folder.path(), "data fetch outdoor --from outdoor.csv.gz");
    let command = good(folder.path(), "data export outdoor out");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("out/source.csv").starts_with("f0,f1,label\n"));
    assert_eq!(read("out/source.csv").lines().count(), 101);
    assert_eq!(read("out/stream.csv").lines().count(), 401);
    good(
        folder.path(),
        &(command
            .trim()
            .strip_prefix("driftline ")
            .unwrap()
            .to_owned()
            + " --fail-on never"),
    );
    assert!(read("out/run/manifest.json").contains("\"kind\": \"run\""));
    let error = bad(folder.path(), "data export outdoor other --source-rows 9");
    assert!(error.contains("`part` says what the source"), "{error}");
    let error = bad(folder.path(), "data fetch emg");
    assert!(
        error.contains("driftline data fetch emg --from DIR"),
        "{error}"
    );
}

#[test]
fn a_stream_of_the_archive_is_cut_after_its_first_rows() {
    let folder = TempDir::new().unwrap();
    let text = "x,y,label\n".to_owned() + &rows(2_000, |_| "");
    fs::create_dir(folder.path().join("archive")).unwrap();
    gzip(&folder.path().join("archive/1CDT.csv.gz"), &text);
    fs::write(folder.path().join("archive/UG_2C_2D.csv"), &text).unwrap();
    for name in ["archive-1cdt", "archive-ug-2c-2d"] {
        good(folder.path(), &format!("data fetch {name} --from archive"));
    }
    let lines = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        text.lines().count()
    };
    let printed = good(folder.path(), "data export archive-1cdt whole");
    assert!(printed.contains("--label label") && printed.contains("--window 160"));
    // 5 % of the 16,000 rows that the real one has.
    assert_eq!(
        (lines("whole/source.csv"), lines("whole/stream.csv")),
        (801, 1_201)
    );
    good(
        folder.path(),
        "data export archive-1cdt half --source-rows 1000",
    );
    assert_eq!(
        (lines("half/source.csv"), lines("half/stream.csv")),
        (1_001, 1_001)
    );
    let error = bad(folder.path(), "data export mnist other --source-rows 5");
    assert!(error.contains("not one table"), "{error}");
    let error = bad(folder.path(), "data export census other");
    assert!(
        error.contains("keystroke, outdoor, emg, archive-…"),
        "{error}"
    );
}

const EXPERIMENT: &str = r#"
name = "own"
title = "A table of your own"
seeds = [0]
data-seeds = [0, 1]
model = "linear"
scaling = true
training = { epochs = 2, batch-size = 8 }
self-training = { labels = "hard", confidence = "spread", filter.drop = 0.1, start = "teacher", optimizer-state = "carried" }

[[datasets]]
name = "Own"
data.table = { source = "source.csv", stream = "later/*.csv", label = "label", held-out = 0.2, target-share = 0.2 }

[[methods]]
name = "Source"
curriculum = "source-only"

[[methods]]
name = "Gradual ST"
curriculum.gradual = { window = 50 }
"#;

#[test]
fn an_experiment_on_files_runs_from_any_folder_and_again_when_they_change() {
    let folder = TempDir::new().unwrap();
    let own = folder.path().join("own");
    fs::create_dir_all(own.join("later")).unwrap();
    let header = "f0,f1,label\n";
    fs::write(own.join("own.toml"), EXPERIMENT).unwrap();
    let error = bad(folder.path(), "run own/own.toml --out out");
    assert!(error.contains("no file matches this pattern"), "{error}");
    good(folder.path(), "run own/own.toml --scale smoke --out smoke");

    fs::write(
        own.join("source.csv"),
        header.to_owned() + &rows(100, |_| ""),
    )
    .unwrap();
    fs::write(
        own.join("later/1.csv"),
        header.to_owned() + &rows(200, |_| ""),
    )
    .unwrap();
    assert!(!folder.path().join("out").exists());
    good(folder.path(), "run own/own.toml --out out");
    let trials = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let first = trials("out/trials.jsonl");
    assert_eq!(first.lines().count(), 4);
    // From within its folder it is the same experiment.
    good(&own, "run own.toml --out ../inside");
    assert_eq!(trials("inside/trials.jsonl"), first);

    fs::write(
        own.join("later/2.csv"),
        header.to_owned() + &rows(50, |_| ""),
    )
    .unwrap();
    let error = bad(folder.path(), "run own/own.toml --out out");
    assert!(error.contains("another plan"), "{error}");
    good(folder.path(), "run own/own.toml --out later");
    assert_eq!(trials("later/trials.jsonl").lines().count(), 4);
    assert_eq!(trials("out/trials.jsonl"), first);
    let page = good(folder.path(), "report out");
    assert!(!page.contains("panicked"));
}

/// The committed results of `keystroke` are what this program makes of the file, where it lies beside the project.
#[test]
fn keystroke_comes_out_as_committed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap();
    let committed = fs::read_to_string(root.join("results/keystroke/trials.jsonl")).unwrap();
    let folder = TempDir::new().unwrap();
    let found = good(
        folder.path(),
        &format!(
            "reproduce --table keystroke --json --budget 0s --out {}",
            root.join("results").display()
        ),
    );
    let tables: Value = serde_json::from_str(&found).unwrap();
    let rows = tables["tables"][0]["rows"].as_array().unwrap();
    assert!(
        rows.len() == 4 && rows.iter().all(|row| row["n"] == 5),
        "{rows:?}"
    );

    let file: PathBuf = root.join("../shared/data/keystroke/keystroke.csv");
    if !file.is_file() {
        println!("skipped: no keystroke.csv in ../shared/data/keystroke");
        return;
    }
    let words = format!("data fetch keystroke --from {}", file.display());
    good(folder.path(), &words);
    let experiment = root.join("experiments/keystroke.toml");
    good(
        folder.path(),
        &format!("run {} --out out", experiment.display()),
    );
    let again = fs::read_to_string(folder.path().join("out/trials.jsonl")).unwrap();
    let outcomes = |text: &str| -> Vec<(Value, Value)> {
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|trial| (trial["id"].clone(), trial["outcome"].clone()))
            .collect()
    };
    assert_eq!(outcomes(&again), outcomes(&committed));
}
