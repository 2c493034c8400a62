//! The program as a user meets it: commands, exit codes, and what is left on disk.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

fn driftline() -> Command {
    Command::cargo_bin("driftline").expect("the program is built with its tests")
}

fn experiment(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../experiments")
        .join(name)
}

/// A small experiment in `folder`, changed by replacing text.
fn small(folder: &TempDir, change: &[(&str, &str)]) -> PathBuf {
    let mut text = include_str!("data/small.toml").to_owned();
    for (from, to) in change {
        assert!(text.contains(from), "nothing to replace: {from}");
        text = text.replace(from, to);
    }
    let path = folder.path().join("small.toml");
    fs::write(&path, text).unwrap();
    path
}

fn run_into(file: &Path, out: &Path, more: &[&str]) -> String {
    driftline()
        .arg("run")
        .arg(file)
        .arg("--out")
        .arg(out)
        .args(more)
        .assert()
        .success();
    fs::read_to_string(out.join("trials.jsonl")).unwrap()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// From an empty folder that is no repository.
#[test]
fn demo_shows_the_product_and_what_it_names_next_works() {
    let folder = TempDir::new().unwrap();
    let demo = |more: &[&str]| {
        let output = driftline()
            .current_dir(folder.path())
            .arg("demo")
            .args(more)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let told = demo(&[]);
    for needle in [
        "A plant: four drifting sensors",
        "estimated % right (90 %)",
        "paper:  driftline demo --paper",
        "report: driftline-out/demo/run/report.html",
    ] {
        assert!(told.contains(needle), "{needle}: {told}");
    }
    let lines = told
        .lines()
        .filter_map(|line| line.split_once("driftline "));
    let commands: Vec<&str> = lines.map(|(_, words)| words).collect();
    let next = commands
        .iter()
        .find(|words| words.starts_with("predict"))
        .unwrap();
    driftline()
        .current_dir(folder.path())
        .args(next.split(' '))
        .assert()
        .success();
    let again = commands
        .iter()
        .find(|words| words.starts_with("adapt"))
        .unwrap();
    let again = again.replace("demo/run", "again");
    let done = driftline()
        .current_dir(folder.path())
        .args(again.split(' '))
        .output()
        .unwrap();
    assert!(
        matches!(done.status.code(), Some(0 | 3)),
        "{}",
        stderr(&done)
    );
    // The same data by the same way: the same run.
    let lines = |run: &str| {
        fs::read(
            folder
                .path()
                .join("driftline-out")
                .join(run)
                .join("windows.jsonl"),
        )
        .unwrap()
    };
    assert!(lines("demo/run") == lines("again"));
    let json: Value = serde_json::from_str(&demo(&["--json", "--quiet"])).unwrap();
    assert_eq!(json["windows"], 8);
    assert_eq!(json["verdict"]["newest"]["rows"], 500);
    // Every window has a number, with its interval.
    let text =
        fs::read_to_string(folder.path().join("driftline-out/demo/run/windows.jsonl")).unwrap();
    for line in text.lines() {
        let window: Value = serde_json::from_str(line).unwrap();
        assert!(
            window["estimated_low"].as_f64().unwrap() <= window["estimated_high"].as_f64().unwrap()
        );
    }
}

#[test]
fn demo_of_the_paper_prints_one_json_object_and_writes_the_report() {
    let folder = TempDir::new().unwrap();
    let output = driftline()
        .args(["demo", "--paper", "--json", "--quiet", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let methods: Vec<_> = rows
        .iter()
        .map(|row| row["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["Source", "Target ST", "All ST", "Gradual ST"]);
    for row in rows {
        assert_eq!(row["dataset"], "Gaussian");
        assert_eq!(row["n"], 5);
        assert!(row["half_width"].as_f64().unwrap() >= 0.0);
        assert!(row["paper"].is_f64());
    }
    let mean = |index: usize| rows[index]["mean"].as_f64().unwrap();
    assert!(mean(3) >= 98.0, "Gradual ST {}", mean(3));
    assert!((15.0..=80.0).contains(&mean(0)), "Source {}", mean(0));
    assert!(
        fs::metadata(folder.path().join("report.html"))
            .unwrap()
            .len()
            > 1000
    );
}

#[test]
fn threads_shards_and_resuming_change_no_byte() {
    let folder = TempDir::new().unwrap();
    let file = small(&folder, &[]);
    let at = |name: &str| folder.path().join(name);
    let whole = run_into(&file, &at("one"), &["--jobs", "1"]);
    assert_eq!(whole.lines().count(), 8);
    assert_eq!(whole, run_into(&file, &at("two"), &["--jobs", "2"]));
    for shard in ["1/3", "2/3", "3/3"] {
        run_into(&file, &at(&shard.replace('/', "of")), &["--shard", shard]);
    }
    let parts = ["1of3", "2of3", "3of3"].map(at);
    driftline()
        .arg("join")
        .args(&parts)
        .arg("--out")
        .arg(at("joined"))
        .assert()
        .success();
    assert_eq!(
        whole,
        fs::read_to_string(at("joined").join("trials.jsonl")).unwrap()
    );
    // A second call finds everything finished.
    let before = fs::read_to_string(at("one").join("timings.jsonl")).unwrap();
    assert_eq!(whole, run_into(&file, &at("one"), &[]));
    assert_eq!(
        before,
        fs::read_to_string(at("one").join("timings.jsonl")).unwrap()
    );
}

#[test]
fn a_half_written_line_is_warned_about_and_run_again() {
    let folder = TempDir::new().unwrap();
    let file = small(&folder, &[]);
    let out = folder.path().join("out");
    let whole = run_into(&file, &out, &[]);
    fs::write(out.join("trials.jsonl"), &whole[..whole.len() - 40]).unwrap();
    let output = driftline()
        .arg("run")
        .arg(&file)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(
        stderr(&output).contains("line 8 cannot be read"),
        "{}",
        stderr(&output)
    );
    assert_eq!(whole, fs::read_to_string(out.join("trials.jsonl")).unwrap());
}

/// Killed at several moments, then run to the end: the same bytes as an undisturbed run.
#[test]
#[cfg(unix)]
fn a_killed_run_goes_on_where_it_stopped() {
    let folder = TempDir::new().unwrap();
    let file = small(&folder, &[("epochs = 2", "epochs = 60")]);
    let whole = run_into(&file, &folder.path().join("undisturbed"), &[]);
    let out = folder.path().join("out");
    for milliseconds in [30, 60, 90] {
        let program = assert_cmd::cargo::cargo_bin("driftline");
        let mut child = std::process::Command::new(program)
            .args(["run", "--quiet", "--out"])
            .args([&out, &file])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(whole, run_into(&file, &out, &[]));
}

#[test]
fn faults_of_a_file_are_named_and_nothing_is_written() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "batch-size",
            "batchsize",
            &[
                "line",
                "unknown field `batchsize`",
                "did you mean `batch-size`",
            ],
        ),
        ("epochs = 2", "epochs = \"two\"", &["line", "invalid type"]),
        ("epochs = 2", "epochs = 0", &["line", "nonzero"]),
        (
            "filter.drop = 0.1",
            "filter.drop = 1.5",
            &["1.5", "in [0, 1]"],
        ),
        (
            "window = 50 }",
            "window = 5000 }",
            &["methods[1].curriculum", "larger than the stream"],
        ),
        (
            "window = 50 }",
            "window = 70 }",
            &["do not divide", "forbid"],
        ),
        (
            "labels = \"hard\"",
            "labels = \"harsh\"",
            &["unknown variant `harsh`", "did you mean `hard`"],
        ),
        ("labels = \"hard\"\n", "", &["`labels` must be given"]),
        ("seeds = [0, 1]", "seeds = [0, 0]", &["only once"]),
        ("classes = 2", "classes = 1", &["classes", "at least 2"]),
        (
            "method = \"Gradual ST\"",
            "method = \"Gradul ST\"",
            &["did you mean `Gradual ST`"],
        ),
        (
            "name = \"small\"",
            "name = \"../up\"",
            &["letters, digits and hyphens"],
        ),
    ];
    for (from, to, needles) in cases {
        let folder = TempDir::new().unwrap();
        let file = small(&folder, &[(from, to)]);
        let out = folder.path().join("out");
        let output = driftline()
            .arg("run")
            .arg(&file)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{to}: {message}");
        assert!(message.contains("small.toml"), "{to}: {message}");
        for needle in *needles {
            assert!(
                message.contains(needle),
                "{to}: `{needle}` is missing in: {message}"
            );
        }
        assert!(!out.exists(), "{to}: something was written");
    }
}

#[test]
fn another_plans_folder_is_left_alone() {
    let folder = TempDir::new().unwrap();
    let file = small(&folder, &[]);
    let out = folder.path().join("out");
    let before = run_into(&file, &out, &[]);
    let other = small(&folder, &[("epochs = 2", "epochs = 3")]);
    let output = driftline()
        .arg("run")
        .arg(other)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("another plan") && stderr(&output).contains("help:"),
        "{}",
        stderr(&output)
    );
    assert_eq!(
        before,
        fs::read_to_string(out.join("trials.jsonl")).unwrap()
    );
}

#[test]
fn a_check_that_does_not_hold_ends_with_three() {
    let folder = TempDir::new().unwrap();
    let file = small(&folder, &[("at-least = 0", "at-least = 101")]);
    let output = driftline()
        .arg("run")
        .arg(file)
        .arg("--out")
        .arg(folder.path().join("out"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("FAILS"));
}

#[test]
fn usage_errors_end_with_two() {
    for arguments in [
        &["run"][..],
        &["run", "x.toml", "--shard", "4/3"],
        &["dance"],
        &["demo", "--seeds"],
    ] {
        driftline().args(arguments).assert().code(2);
    }
    let missing = driftline()
        .args(["run", "no-such-file.toml"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(1));
    assert!(stderr(&missing).contains("no-such-file.toml"));
    let unknown = driftline()
        .arg("run")
        .arg(experiment("table1-gaussian.toml"))
        .args(["--method", "Gradual"])
        .output();
    assert!(stderr(&unknown.unwrap()).contains("did you mean `Gradual ST`"));
}

#[test]
fn reports_are_written_as_a_page_and_as_markdown() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    run_into(&small(&folder, &[]), &out, &[]);
    let (page, text) = (
        folder.path().join("page.html"),
        folder.path().join("page.md"),
    );
    driftline()
        .arg("report")
        .arg(&out)
        .arg("--html")
        .arg(&page)
        .arg("--markdown")
        .arg(&text)
        .assert()
        .success();
    assert!(fs::read_to_string(page).unwrap().contains("<svg"));
    assert!(fs::read_to_string(text).unwrap().contains("Gradual ST"));
    let empty = driftline()
        .arg("report")
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(empty.status.code(), Some(1));
    assert!(stderr(&empty).contains("manifest.json"));
}

#[test]
fn schema_completions_man_and_version() {
    let schema = driftline().arg("schema").output().unwrap();
    let schema: Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert!(schema["properties"]["self-training"].is_object());
    driftline().args(["completions", "bash"]).assert().success();
    let man = driftline().arg("man").output().unwrap();
    assert!(String::from_utf8_lossy(&man.stdout).contains("driftline"));
    driftline().arg("--version").assert().success();
}
