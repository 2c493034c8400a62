//! `driftline reproduce` as a user meets it: committed results are found without data, missing trials are run, and a
//! finished one is verified.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs the command on `results` with an empty cache.
fn reproduce(results: &Path, arguments: &[&str]) -> Output {
    assert_cmd::Command::cargo_bin("driftline")
        .expect("the program is built with its tests")
        .arg("reproduce")
        .args(arguments)
        .arg("--out")
        .arg(results)
        .arg("--cache")
        .arg(results.join("no-cache"))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

/// A copy of committed results, whose files may be changed.
fn copy(experiment: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let to = folder.path().join(experiment);
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(root().join("results").join(experiment)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    folder
}

fn trials(folder: &TempDir) -> PathBuf {
    folder.path().join("table1-gaussian/trials.jsonl")
}

#[test]
fn committed_results_fill_the_table_and_nothing_is_run_or_written() {
    let folder = copy("table1-gaussian");
    let names = |path: &Path| fs::read_dir(path).unwrap().count();
    let experiment = folder.path().join("table1-gaussian");
    let before = (names(&experiment), fs::read(trials(&folder)).unwrap());
    let output = reproduce(
        folder.path(),
        &["--table", "1", "--dataset", "gaussian", "--json"],
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(before.1, fs::read(trials(&folder)).unwrap());
    assert_eq!(before.0, names(&experiment), "not even a lock");
    let tables = json(&output);
    let table = &tables["tables"][0];
    assert_eq!(table["table"], "1");
    let rows = table["rows"].as_array().unwrap();
    let methods: Vec<_> = rows
        .iter()
        .map(|row| row["method"].as_str().unwrap())
        .collect();
    assert_eq!(methods, ["Source", "Target ST", "All ST", "Gradual ST"]);
    for row in rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "dataset",
                "half_width",
                "mean",
                "method",
                "n",
                "paper",
                "paper_half_width"
            ]
        );
        assert_eq!(
            (&row["dataset"], &row["n"]),
            (&"Gaussian".into(), &5.into())
        );
        assert!(row["mean"].is_f64() && row["half_width"].is_f64() && row["paper"].is_f64());
    }
    // As printed: 98.8 ± 0.0.
    assert_eq!(
        (&rows[3]["paper"], &rows[3]["paper_half_width"]),
        (&98.8.into(), &0.0.into())
    );
}

#[test]
fn trials_whose_data_are_absent_are_named_and_their_cells_are_empty() {
    let folder = copy("table1-gaussian");
    let output = reproduce(folder.path(), &["--table", "1", "--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let complaint = text(&output.stderr);
    assert!(
        complaint.contains("20 trials cannot be run without MNIST"),
        "{complaint}"
    );
    assert!(
        complaint.contains("driftline data fetch portraits --from DIR"),
        "{complaint}"
    );
    let tables = json(&output);
    let rows = tables["tables"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    let empty = rows
        .iter()
        .find(|row| row["dataset"] == "Rot MNIST")
        .unwrap();
    assert_eq!((&empty["n"], &empty["mean"]), (&0.into(), &Value::Null));
    assert_eq!(empty["paper"], 31.9);
    let notes = tables["tables"][0]["notes"].to_string();
    assert!(
        notes.contains("10,072"),
        "portraits are not the identical benchmark: {notes}"
    );
    assert!(!folder.path().join("table1-rot-mnist").exists());

    let nothing = TempDir::new().unwrap();
    let output = reproduce(nothing.path(), &["--dataset", "Rot MNIST"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("help: `driftline data list`"));
}

#[test]
fn missing_trials_are_run_to_the_same_bytes_and_a_budget_of_nothing_runs_none() {
    let folder = copy("table1-gaussian");
    let whole = fs::read_to_string(trials(&folder)).unwrap();
    let kept = whole
        .lines()
        .filter(|line| !(line.contains("Gradual ST") && line.contains("\"seed\":4")))
        .filter(|line| !(line.contains("\"Source\"") && line.contains("\"seed\":0")));
    let kept: String = kept.map(|line| format!("{line}\n")).collect();
    assert_eq!(kept.lines().count(), 18);
    fs::write(trials(&folder), &kept).unwrap();

    let only = ["--table", "1", "--dataset", "Gaussian"];
    let output = reproduce(folder.path(), &[&only[..], &["--budget", "0s"]].concat());
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("2 trials are left, about"), "{said}");
    assert_eq!(kept, fs::read_to_string(trials(&folder)).unwrap());

    let output = reproduce(folder.path(), &only);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("18 trials are finished already, 2 to run"),
        "{said}"
    );
    let order: Vec<_> = said
        .lines()
        .filter(|line| line.contains(" % in "))
        .collect();
    assert!(
        order[0].contains("Source") && order[1].contains("Gradual"),
        "seed 0 first: {said}"
    );
    assert_eq!(whole, fs::read_to_string(trials(&folder)).unwrap());
    assert!(text(&output.stdout).contains("98.8 ± 0.0"));
}

/// Exit code 3 comes with its reason, and only where the claim is about what was asked for.
#[test]
fn a_claim_that_does_not_hold_is_named() {
    let folder = copy("table1-gaussian");
    let whole = fs::read_to_string(trials(&folder)).unwrap();
    let low = whole.replace("\"accuracy\":0.99", "\"accuracy\":0.19");
    assert_ne!(whole, low);
    fs::write(trials(&folder), low).unwrap();
    let only = ["--table", "1", "--dataset", "Gaussian", "--json"];
    let output = reproduce(folder.path(), &only);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let checks = json(&output)["tables"][0]["checks"].clone();
    let failed = checks.as_array().unwrap().iter();
    let failed: Vec<&Value> = failed.filter(|check| check["holds"] == false).collect();
    assert_eq!(failed.len(), 1);
    let claim = failed[0]["claim"].as_str().unwrap();
    assert!(
        claim.starts_with("Gradual ST, Gaussian: at least"),
        "{claim}"
    );
    let output = reproduce(
        folder.path(),
        &[&only[..], &["--method", "Source"]].concat(),
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_line_that_cannot_be_read_is_told() {
    let folder = copy("table1-gaussian");
    let whole = fs::read_to_string(trials(&folder)).unwrap();
    fs::write(trials(&folder), whole.replacen("{\"id\"", "{id", 1)).unwrap();
    let only = ["--table", "1", "--dataset", "Gaussian", "--budget", "0s"];
    let said = text(&reproduce(folder.path(), &only).stderr);
    assert!(
        said.contains("trials.jsonl: line 1 cannot be read"),
        "{said}"
    );
    assert!(said.contains("1 trials are left"), "{said}");
}

/// Results from other portraits than the published ones stand beside those, in a folder of their own.
#[test]
fn another_copy_of_the_data_has_results_of_its_own() {
    let folder = copy("table1-portraits");
    let faces = folder.path().join("faces");
    for (name, level) in [("F/1910_a.png", 9), ("M/1909_b.png", 200)] {
        let path = faces.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let encoder = png::Encoder::new(fs::File::create(path).unwrap(), 40, 36);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[level; 40 * 36]).unwrap();
    }
    let fetched = assert_cmd::Command::cargo_bin("driftline")
        .expect("the program is built with its tests")
        .args(["data", "fetch", "portraits", "--from"])
        .arg(&faces)
        .arg("--cache")
        .arg(folder.path().join("no-cache"))
        .output()
        .unwrap();
    assert!(fetched.status.success(), "{}", text(&fetched.stderr));
    let only = ["--table", "1", "--dataset", "Portraits", "--budget", "0s"];
    let output = reproduce(folder.path(), &[&only[..], &["--json"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = &json(&output)["tables"][0];
    assert_eq!(table["rows"][0]["n"], 0);
    assert!(
        table["notes"].to_string().contains("another copy"),
        "{table}"
    );
}

#[test]
fn a_finished_trial_is_verified_and_a_changed_one_is_not() {
    let folder = copy("table1-gaussian");
    let only = [
        "--table",
        "1",
        "--method",
        "Gradual ST",
        "--seeds",
        "3",
        "--verify",
    ];
    let output = reproduce(folder.path(), &only);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("seed 3: identical"),
        "{}",
        text(&output.stdout)
    );

    let whole = fs::read_to_string(trials(&folder)).unwrap();
    fs::write(
        trials(&folder),
        whole.replace("\"target\":0.99", "\"target\":0.98"),
    )
    .unwrap();
    let output = reproduce(folder.path(), &[&only[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!(json(&output)["verified"]["identical"], false);

    // Nothing verified is no success.
    let output = reproduce(folder.path(), &["--dataset", "Portraits", "--verify"]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("cannot verify here: none of these trials is finished"),
        "{said}"
    );
}

/// No trial of at most two minutes is left by the filters: the shortest is run all the same.
#[test]
fn a_long_trial_is_verified_where_it_is_named() {
    let folder = copy("table1-gaussian");
    let timings = folder.path().join("table1-gaussian/timings.jsonl");
    let long = fs::read_to_string(&timings).unwrap();
    let long = long.replace("\"seconds\":", "\"seconds\":900");
    fs::write(&timings, long).unwrap();
    let named = ["--method", "Source", "--seeds", "2", "--verify"];
    let output = reproduce(folder.path(), &named);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        said.contains("Source · data 0 · seed 2: identical"),
        "{said}"
    );
}

#[test]
fn unknown_names_are_refused_with_the_list() {
    let folder = TempDir::new().unwrap();
    for (arguments, list) in [
        (["--table", "9"], "there are: 1, 2, 3, 4, 5, mixing"),
        (["--dataset", "CIFAR"], "Rot MNIST N=2000"),
        (["--method", "Magic"], "Soft Labels"),
    ] {
        let output = reproduce(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains(list),
            "{}",
            text(&output.stderr)
        );
    }
    let output = reproduce(folder.path(), &["--budget", "soon"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("30m"));
}

/// Stopped by Ctrl-C: exit code 130, finished trials kept whole, and the rest is found missing.
#[test]
#[cfg(unix)]
fn ctrl_c_ends_in_order() {
    let folder = TempDir::new().unwrap();
    let program = assert_cmd::cargo::cargo_bin("driftline");
    let mut child = std::process::Command::new(program)
        .args(["reproduce", "--table", "2-draws", "--jobs", "1", "--out"])
        .arg(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The first line says that trials are about to run, and Ctrl-C is listened to before it.
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut String::new()).unwrap();
    let id = child.id().to_string();
    let killed = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let stored = fs::read_to_string(folder.path().join("table2-gaussian-draws/trials.jsonl"));
    assert!(
        stored
            .unwrap()
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
}

/// README and every page of `docs/`, by name.
fn documents() -> Vec<(String, String)> {
    let pages = fs::read_dir(root().join("docs")).unwrap();
    let mut names: Vec<String> = pages
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()))
        .filter(|name| name.ends_with(".md"))
        .chain(["README.md".into()])
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let text = fs::read_to_string(root().join(&name)).unwrap();
            (name, text)
        })
        .collect()
}

/// Numbers in the documents come from the committed results and nowhere else (`docs/fill` renews them).
#[test]
fn the_documents_show_the_committed_results() {
    let folder = TempDir::new().unwrap();
    let mut fill = vec!["--budget".to_owned(), "0s".into(), "--quiet".into()];
    let mut compared = Vec::new();
    for (name, committed) in documents() {
        // A page may also show the marker itself, in a line that does not begin with it.
        if committed
            .lines()
            .any(|line| line.starts_with("<!-- driftline: "))
        {
            let copy = folder.path().join(name.replace('/', "-"));
            fs::write(&copy, &committed).unwrap();
            fill.extend(["--fill".into(), copy.to_str().unwrap().into()]);
            compared.push((name, copy, committed));
        }
    }
    assert!(compared.len() > 4);
    let fill: Vec<&str> = fill.iter().map(String::as_str).collect();
    let output = reproduce(&root().join("results"), &fill);
    assert!(output.status.code() != Some(1), "{}", text(&output.stderr));
    for (name, copy, committed) in compared {
        let filled = fs::read_to_string(copy).unwrap();
        for (now, then) in filled.lines().zip(committed.lines()) {
            assert_eq!(now, then, "{name} is not up to date: run docs/fill");
        }
        assert_eq!(filled.len(), committed.len(), "{name}");
    }
}

/// What other programs gave is marked where it stands, and the mark is explained.
#[test]
fn numbers_from_elsewhere_are_marked() {
    let documents: String = documents().into_iter().map(|(_, text)| text).collect();
    let paragraphs = documents.split("\n\n");
    let about = |what: &str| -> Vec<&str> {
        let paragraphs = paragraphs.clone();
        paragraphs.filter(|text| text.contains(what)).collect()
    };
    for text in about("authors' own code") {
        assert!(text.matches('†').count() >= 3, "{text}");
    }
    assert!(about("come from elsewhere")[0].contains("a † marks"));
}

/// Every experiment of the project has its place in the document.
#[test]
fn no_experiment_is_left_out_of_the_document() {
    let documents: String = documents().into_iter().map(|(_, text)| text).collect();
    for entry in fs::read_dir(root().join("experiments")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(name) = name.strip_suffix(".toml") {
            let block = |kind: &str| {
                let mark = format!("<!-- driftline: {kind} {name} -->");
                documents.contains(&mark)
            };
            let named = documents.contains(&format!("`{name}.toml`"));
            assert!(named || block("results") || block("contrast"), "{name}");
        }
    }
}
