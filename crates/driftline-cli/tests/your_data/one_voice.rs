//! What the program tells a person: exit codes, help, reasons, and plain words where something is not what it should be.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::files::{Place, SOURCE, STREAM, error, turning};

/// Without a policy of its own.
const PLAIN: &str = "--stream stream.csv --time day --id id --window 100";

#[test]
fn a_window_that_was_held_for_any_reason_ends_with_three() {
    let place = Place::new();
    place.run(&format!(
        "adapt {SOURCE} {PLAIN} --policy guarded --out run"
    ));
    let three: Vec<String> = turning(3, 1.4, 1.4, 7).lines().map(String::from).collect();
    place.write("three.csv", three.join("\n") + "\n");
    let output = place.run("step run --input three.csv --json --fail-on held");
    let told = error(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("exit code 3: the last window was held"),
        "{told}"
    );
    let done: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(done["last"]["decision"], "hold");
    assert_eq!(done["last"]["reason"], "there is too little to learn from");
    assert_eq!(done["verdict"]["last_step"]["kind"], "held");
    assert_eq!(done["verdict"]["action"]["do"], "keep-serving");
    // Nothing is to be done about it: by default that is no failure.
    place.good("step run --input three.csv");
    place.good("step run --input three.csv --fail-on never");
    // To be told to deploy nothing is no failure.
    place.good(&format!(
        "adapt {SOURCE} {PLAIN} --policy never --fail-on held --out watched"
    ));
}

/// A stream on which nothing drifts is held, and nothing is to be done: the exit code says so, and so does the first line.
#[test]
fn a_stream_that_stands_still_is_no_failure() {
    let place = Place::new();
    place.write("still.csv", turning(300, 0.0, 0.0, 8));
    let words = format!(
        "adapt {SOURCE} --stream still.csv --time day --id id --window 100 --policy guarded --out run"
    );
    let told = place.good(&words);
    assert!(
        told.starts_with("Keep serving. The source model is in use, unchanged.\n"),
        "{told}"
    );
    assert!(told.contains("Ways to end the hold: "), "{told}");
    // The numbers of windows that were held are no news.
    let told = error(&place.run("predict run --input still.csv --out p.csv"));
    assert!(
        told.contains("rows by the source model, unchanged: "),
        "{told}"
    );
    place.good(&words);
    place.bad(&format!("{words} --fail-on held"), 3);
}

/// Every hold has a way out, and labelling is one that works.
#[test]
fn a_question_names_the_command_that_answers_it() {
    let place = Place::new();
    // A leap, by which the classes can no longer be traced.
    let before = turning(200, 0.0, 0.1, 2);
    let after = turning(100, 1.3, 1.3, 3);
    place.write("leap.csv", before + after.split_once('\n').unwrap().1);
    let words = format!(
        "adapt {SOURCE} --stream leap.csv --id id --exclude day --window 100 --policy guarded --out run"
    );
    let output = place.run(&words);
    let (said, told) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        error(&output),
    );
    assert_eq!(output.status.code(), Some(3), "{said}{told}");
    let asked = place.read("run/labels/asked.csv");
    let rows = asked.lines().filter(|line| line.starts_with("3,")).count();
    let first = said.lines().next().unwrap();
    assert!(
        first.starts_with(&format!(
            "Held: label these {rows} rows: `driftline label run --window 3`."
        )),
        "{first}"
    );
    assert!(
        told.contains("next: driftline label run --window 3\n"),
        "{told}"
    );
    assert!(
        said.contains("Ways to end the hold: labels (`driftline label run --window 3`)"),
        "{said}"
    );
    // The labels come: now the next step decides, and until then there is nothing to do.
    let truth: Vec<String> = place
        .read("leap.csv")
        .lines()
        .map(|line| line.rsplit(',').next().unwrap().to_owned())
        .collect();
    let asked = place.read("run/labels/asked.csv");
    let mut lines = asked.lines();
    let mut filled = lines.next().unwrap().to_owned() + "\n";
    let column = |name: &str| {
        filled
            .trim()
            .split(',')
            .position(|own| own == name)
            .unwrap()
    };
    let (row, label) = (column("row"), column("label"));
    for line in lines {
        let mut cells: Vec<String> = line.split(',').map(String::from).collect();
        let number: usize = cells[row].parse().unwrap();
        cells[label].clone_from(&truth[number]);
        filled += &(cells.join(",") + "\n");
    }
    place.write("rows.csv", filled);
    place.good("label run --labels rows.csv");
    let view = place.json("inspect run");
    assert_eq!(view["verdict"]["action"]["do"], "keep-serving", "{view}");
    let reasons = view["verdict"]["reasons"].as_array().unwrap();
    assert!(
        reasons.iter().any(|own| own["code"] == "labels-wait"),
        "{reasons:?}"
    );
    place.good("score run --learn");
    assert_eq!(
        place.json("inspect run")["verdict"]["last_step"]["kind"],
        "deployed"
    );
}

#[test]
fn signs_of_going_wrong_end_with_three_unless_told_otherwise() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    place.write("back.csv", turning(150, 0.0, 0.0, 5));
    let output = place.run("step run --input back.csv");
    assert_eq!(output.status.code(), Some(3));
    let told = error(&output);
    assert!(
        told.contains("exit code 3: In doubt: label 20 rows"),
        "{told}"
    );
    assert!(
        told.contains("next: driftline audit run --budget 10 --agreeing 10"),
        "{told}"
    );
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("shows signs of going wrong"), "{said}");
    place.good("step run --input back.csv --fail-on never");
}

#[test]
fn help_fits_one_screen_and_begins_with_what_matters() {
    let place = Place::new();
    let help = place.good("adapt -h");
    assert!(
        help.lines().count() <= 40,
        "{} lines:\n{help}",
        help.lines().count()
    );
    assert!(
        help.lines().all(|line| line.chars().count() <= 80),
        "{help}"
    );
    let flags: Vec<&str> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--"))
        .map(|line| line.split([' ', '[', '=']).next().unwrap())
        .collect();
    let first = [
        "source", "label", "stream", "time", "id", "window", "impute", "out",
    ];
    let mut eight = flags[..8].to_vec();
    eight.sort_unstable();
    let mut expected = first.to_vec();
    expected.sort_unstable();
    assert_eq!(eight, expected, "{help}");
    for heading in ["Data:", "Windows:", "Method:", "Networks:", "Output:"] {
        assert_eq!(help.matches(&format!("\n{heading}\n")).count(), 1, "{help}");
    }
    for once in ["--quiet", "--verbose"] {
        assert_eq!(help.matches(once).count(), 1, "{help}");
    }
    for knob in ["--sharpness", "--optimizer-state", "--labeler", "--average"] {
        assert!(!help.contains(knob), "{knob}: {help}");
    }
    let all = place.good("adapt --help");
    for value in [
        "standardize",
        "quantiles",
        "coral",
        "subspace",
        "label-shift",
        "moved-source",
        "clusters",
        "always",
        "never",
        "guarded",
    ] {
        assert!(all.contains(value), "{value}: {all}");
    }
    assert!(all.contains("--sharpness") && all.contains("auto: cnn for images; for tables trees"));
    // Names of old are understood, and wrong ones named.
    let old = format!("adapt {SOURCE} {PLAIN} --alignment correlation --dry-run --out run");
    place.good(&old);
    let wrong = place.bad(&old.replace("correlation", "corall"), 2);
    assert!(wrong.contains("'coral'"), "{wrong}");
}

#[test]
fn commands_are_grouped_by_what_they_are_for() {
    let help = Place::new().good("-h");
    let places: Vec<usize> = ["\nUse:\n", "\nLook:\n", "\nOperate:\n", "\nResearch:\n"]
        .iter()
        .map(|heading| {
            help.find(heading)
                .unwrap_or_else(|| panic!("{heading}: {help}"))
        })
        .collect();
    assert!(places.is_sorted());
    let group = |command: &str| {
        let at = help.find(&format!("\n  {command} ")).unwrap();
        places.iter().filter(|place| **place < at).count()
    };
    assert_eq!(
        ["adapt", "plan", "fleet", "reproduce"].map(group),
        [1, 2, 3, 4]
    );
}

#[test]
fn verbose_tells_why_windows_were_held_and_knn_is_a_model() {
    let place = Place::new();
    let words =
        format!("adapt {SOURCE} {PLAIN} --model knn --policy guarded --fail-on never --out run");
    let told = error(&place.run(&format!("{words} -v")));
    assert!(told.contains("trained knn"), "{told}");
    let windows = place.windows("run");
    let reasons = windows
        .iter()
        .filter_map(|window| window["reason"].as_str());
    for reason in reasons {
        assert!(told.contains(reason), "{reason}: {told}");
    }
    assert!(told.contains("  window 1: "), "{told}");
    let told = error(&place.run(&format!("{words} --force")));
    assert!(!told.contains("  window 1: "), "{told}");
}

/// What is said of the share that is left out is what is done.
#[test]
fn the_share_that_is_learned_from_is_one_truth() {
    let place = Place::new();
    let help = place.good("adapt --help");
    assert!(
        !help.contains("the least confident tenth of each window is left out of training"),
        "{help}"
    );
    let words = format!("adapt {SOURCE} {PLAIN} --model linear --fail-on never");
    let told = error(&place.run(&format!("{words} --policy always --out a")));
    assert!(told.contains("90 of 100 used"), "{told}");
    // Nearest neighbours on few columns follow clusters, which take all: the help says so.
    let knn = words.replace("--model linear", "--model knn");
    let told = error(&place.run(&format!("{knn} --policy always --out b")));
    assert!(told.contains("100 of 100 used"), "{told}");
    let said = help.replace("\n", " ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("clusters (used by knn on at most four inputs) and mixtures keep all rows"),
        "{said}"
    );
}

#[test]
fn a_step_tells_decision_reason_and_estimate_as_json() {
    let place = Place::new();
    place.run(&format!(
        "adapt {SOURCE} {PLAIN} --policy guarded --out run"
    ));
    place.write("next.csv", turning(100, 1.4, 1.5, 3));
    let output = place.run("step run --input next.csv --json --fail-on never");
    let done: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let last = &done["last"];
    assert_eq!(last["window"], 7);
    assert!(
        last["decision"].is_string() && last["reason"].is_string(),
        "{done}"
    );
    let estimate = &last["estimate"];
    let [low, mean, high] = ["low", "accuracy", "high"].map(|end| estimate[end].as_f64().unwrap());
    assert!(low <= mean && mean <= high, "{done}");
}

#[test]
fn an_export_replaces_nothing_unless_told_to() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    place.write("m.onnx", "mine");
    let refused = place.bad("export run --onnx m.onnx", 1);
    assert!(
        refused.contains("exists already") && refused.contains("--force"),
        "{refused}"
    );
    assert_eq!(place.read("m.onnx"), "mine");
    place.good("export run --onnx m.onnx --force");
    let told = place.bad("inspect m.onnx", 1);
    assert!(
        told.contains("graph for other software") && !told.contains("zero bytes"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn watching_ends_quietly() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("driftline"))
        .current_dir(place.folder.path())
        .args(["watch", "run", "--port", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let id = child.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut told = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut told)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{told}");
    assert_eq!(told.trim(), "Ctrl-C ends it");
}

#[test]
fn what_is_not_there_is_told_in_plain_words() {
    let place = Place::new();
    for words in [
        "step nosuch --input stream.csv",
        "rollback nosuch --to 1",
        "watch nosuch",
    ] {
        let told = place.bad(words, 1);
        assert!(told.contains("nosuch: there is no such folder"), "{told}");
        assert!(
            told.contains("with `driftline adapt --source") && !told.contains("os error"),
            "{told}"
        );
    }
    let told = place.bad("predict source.csv --input stream.csv --out p.csv", 1);
    assert!(
        told.contains("source.csv: is not a driftline model") && told.contains("driftline fit"),
        "{told}"
    );
    let told = place.bad("adapt --stream stream.csv --out run", 2);
    assert!(
        told.contains("no labelled source and no model")
            && told.contains("--source FILE --label COL"),
        "{told}"
    );
    let told = place.bad(
        "adapt --model none.safetensors --stream stream.csv --out run",
        1,
    );
    assert!(
        told.contains("there is no model file `none.safetensors`"),
        "{told}"
    );
}

#[test]
fn words_agree_in_number() {
    let place = Place::new();
    std::fs::create_dir_all(place.at("pictures")).unwrap();
    let settings = "alignment = 3\n";
    place.write("wrong.toml", settings);
    let told = place.bad(
        &format!("adapt {SOURCE} {PLAIN} --settings wrong.toml --out run"),
        1,
    );
    assert!(told.contains("an alignment by its name"), "{told}");
    let shape = driftline_core::data::Shape::Image {
        height: 2,
        width: 3,
        channels: 1,
    };
    assert_eq!(shape.to_string(), "2×3 pixels with 1 channel");
}

#[test]
fn a_comparison_ends_with_a_recommendation_and_runs_no_seed_for_nothing() {
    let place = Place::new();
    let words = format!("compare {SOURCE} {STREAM} --model linear --truth label");
    let output = place.run(&words);
    let (text, told) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        error(&output),
    );
    assert!(text.contains("\nRecommended: "), "{text}");
    assert!(
        text.contains("Two seeds gave the same predictions"),
        "{text}"
    );
    assert_eq!(told.matches("trained linear").count(), 1, "{told}");
    assert!(
        told.contains("seed 1: done") && !told.contains("seed 2"),
        "{told}"
    );
    let found = place.json(&words);
    assert_eq!(found["seeds"], serde_json::json!([0, 1]));
    let advice = &found["recommendation"];
    assert!(
        advice["clear"].as_bool().unwrap() && advice["gain"].as_f64().unwrap() > 0.05,
        "{advice}"
    );
    // A network does depend on its seed.
    let nets = place.json(&format!(
        "compare {SOURCE} {STREAM} --model mlp --epochs 1 --truth label --seeds 3"
    ));
    assert_eq!(nets["seeds"].as_array().unwrap().len(), 3);
}

#[test]
fn a_stream_that_is_too_fast_for_its_windows_is_sent_to_plan() {
    let place = Place::new();
    // The whole turn in two windows.
    let words = format!(
        "adapt {SOURCE} --stream stream.csv --time day --id id --window 300 --policy guarded --fail-on never --out run"
    );
    let told = error(&place.run(&words));
    let expected = "driftline plan --source source.csv --label label --stream stream.csv --time day --id id --window 300 --policy guarded";
    assert!(told.contains(expected), "{told}");
    assert!(!told.contains(&format!("{expected} --out")), "{told}");
    let plan = place.good(expected.strip_prefix("driftline ").unwrap());
    assert!(
        plan.contains("rows per window  windows  drift from one to the next, where 100 %"),
        "{plan}"
    );
    // Slowly it says nothing of the kind.
    place.write("slow.csv", turning(600, 0.0, 0.05, 2));
    let slow = words
        .replace("stream.csv", "slow.csv")
        .replace("--out run", "--out slow");
    assert!(!error(&place.run(&slow)).contains("driftline plan"));
}
