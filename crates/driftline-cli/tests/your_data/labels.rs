//! Labels that are asked for: one store in the run, filled by the truth, a file, a terminal or HTTP, and the same versions
//! whichever of them it was.

use std::collections::BTreeMap;
use std::process::Command;

use super::files::{Place, SOURCE, error, turning};
use driftline_runs::method::Registry;
use driftline_runs::resume_state_from_bytes;
use serde_json::Value;

const STREAM: &str = "--time day --id id --window 100 --model linear --fail-on never";

/// The class of every row, by the file and the row.
pub fn truth(place: &Place, files: &[&str]) -> BTreeMap<(String, String), String> {
    let mut all = BTreeMap::new();
    for file in files {
        for (at, line) in place.read(file).lines().skip(1).enumerate() {
            let class = line.rsplit(',').next().unwrap();
            all.insert((file.to_string(), (at + 1).to_string()), class.to_owned());
        }
    }
    all
}

/// The lines of a table of labels, cell by cell, the first with the names.
pub fn cells(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').map(String::from).collect();
    text.lines().map(cells).collect()
}

fn text(cells: &[Vec<String>]) -> String {
    cells.iter().map(|line| line.join(",") + "\n").collect()
}

/// The same with every label filled in.
pub fn filled(place: &Place, table: &str, files: &[&str]) -> String {
    let known = truth(place, files);
    let mut cells = cells(table);
    for line in &mut cells[1..] {
        let place = (line[3].clone(), line[4].clone());
        line[7].clone_from(&known[&place]);
    }
    text(&cells)
}

/// A run that has asked about at most 5 rows in each of two windows, of which it knows no label: how many.
pub fn asking(place: &Place) -> usize {
    place.write("first.csv", turning(200, 0.7, 1.1, 2));
    place.write("next.csv", turning(100, 1.1, 1.3, 3));
    let words =
        format!("adapt {SOURCE} --stream first.csv {STREAM} --labels-per-window 5 --out run");
    let told = error(&place.run(&words));
    let asked = labels(place, "run").len();
    let next = format!("{asked} rows wait for a label: driftline label run\n");
    assert!(told.contains(&next), "{told}");
    copy(place, "run", "untouched");
    asked
}

pub fn copy(place: &Place, from: &str, to: &str) {
    for (name, bytes) in place.contents(from) {
        let path = place.at(to).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Everything that the versions are made of, and the labels.
pub fn made(place: &Place, run: &str) -> Vec<(String, Vec<u8>)> {
    let mut all = place.contents(run);
    all.retain(|(name, _)| {
        ["checkpoints", "chains", "labels"]
            .iter()
            .any(|own| name.starts_with(own))
    });
    assert!(all.iter().any(|(name, _)| name == "labels/asked.csv"));
    all
}

/// What the judge knows by labels, after the last window.
fn evidence(place: &Place, run: &str) -> Value {
    let files = place.contents(run);
    let chains = files.iter().find(|(name, _)| name.starts_with("chains"));
    let state = resume_state_from_bytes(&chains.unwrap().1, &Registry::default()).unwrap();
    let heard = state.policy.value("heard").cloned().unwrap_or_default();
    // What is said of the version in use depends on when it came into use.
    heard["candidates"].clone()
}

fn labels(place: &Place, run: &str) -> Vec<String> {
    let table = cells(&place.read(&format!("{run}/labels/asked.csv")));
    table[1..].iter().map(|line| line[7].clone()).collect()
}

#[test]
fn the_truth_and_a_file_give_the_same_versions() {
    let place = Place::new();
    let adapt = format!("adapt {SOURCE} --stream stream.csv {STREAM} --labels-per-window 5");
    place.good(&format!("{adapt} --truth label --out truth"));
    let known = truth(&place, &["stream.csv"]);
    let mut all = "file,row,label\n".to_owned();
    for ((file, row), class) in known {
        all += &format!("{file},{row},{class}\n");
    }
    place.write("all.csv", all);
    place.good(&format!("{adapt} --labels all.csv --out file"));
    assert!(made(&place, "truth") == made(&place, "file"));
    let windows = place.windows("file");
    let asked = |window: &Value| window["asked"].as_array().map_or(0, Vec::len);
    assert!(
        windows
            .iter()
            .all(|window| (1..=5).contains(&asked(window)))
    );
    let all: usize = windows.iter().map(asked).sum();
    assert_eq!(labels(&place, "file").len(), all);
    assert!(all > 15, "{all}");
    assert!(labels(&place, "file").iter().all(|label| !label.is_empty()));
    // Weights say how many rows of the window each stands for.
    for window in &windows {
        let asked = window["asked"].as_array().unwrap().iter();
        let sum: f64 = asked.map(|row| row["weight"].as_f64().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1e-6, "{sum}");
    }
    place.good("inspect file");
}

#[test]
fn late_labels_by_file_terminal_and_step_give_the_same_versions() {
    let place = Place::new();
    let asked = asking(&place);
    let files = ["first.csv", "next.csv"];
    for run in ["by-file", "by-step", "by-hand", "not"] {
        copy(&place, "run", run);
    }
    place.bad("label run --out rows.csv", 3);
    place.write("rows.csv", filled(&place, &place.read("rows.csv"), &files));

    let told = place.good("label by-file --labels rows.csv");
    assert!(
        told.contains(&format!("{asked} labels are new; 0 rows are open")),
        "{told}"
    );
    place.good("step by-file --input next.csv --fail-on never");
    place.good("step by-step --input next.csv --labels rows.csv --fail-on never");
    // In place, with a spreadsheet that ends its lines otherwise.
    let own = place.read("by-hand/labels/asked.csv");
    let own = filled(&place, &own, &files).replace('\n', "\r\n");
    place.write("by-hand/labels/asked.csv", own);
    place.good("step by-hand --input next.csv --fail-on never");
    place.good("step not --input next.csv --fail-on never");

    let whole = made(&place, "by-file");
    for run in ["by-step", "by-hand"] {
        assert!(made(&place, run) == whole, "{run}");
        assert_eq!(
            place.read(&format!("{run}/windows.jsonl")),
            place.read("by-file/windows.jsonl")
        );
    }
    assert!(made(&place, "not") != whole);
    let taken = &place.windows("by-file")[2]["labels_taken"];
    assert_eq!(taken.as_array().unwrap().len(), asked, "{taken}");
    assert_ne!(evidence(&place, "by-file"), evidence(&place, "not"));

    // They are taken once, and cannot be changed afterwards.
    let before = evidence(&place, "by-file");
    let mut again = cells(&place.read("rows.csv"));
    let other = if again[1][7] == "ant" { "bee" } else { "ant" };
    again[1][7] = other.into();
    place.write("again.csv", text(&again));
    let wrong = place.bad("label by-file --labels again.csv", 1);
    assert!(
        wrong.contains("used in the decision about window 3"),
        "{wrong}"
    );
    assert_eq!(evidence(&place, "by-file"), before);
    place.good("inspect by-file");
}

/// Windows that come one by one: labels at once, by the truth, or after each decision and before the next one.
#[test]
fn labels_before_the_next_decision_are_the_same_evidence() {
    let place = Place::new();
    let windows = ["w1.csv", "w2.csv", "w3.csv"];
    for (at, window) in windows.iter().enumerate() {
        let from = 0.25 * at as f64;
        place.write(window, turning(100, from, from + 0.25, 10 + at as u64));
    }
    let last = turning(100, 0.75, 1.0, 20);
    let unlabelled: Vec<&str> = last
        .lines()
        .map(|l| l.rsplit_once(',').unwrap().0)
        .collect();
    place.write("w4.csv", unlabelled.join("\n"));
    let adapt = format!("adapt {SOURCE} --stream w1.csv {STREAM} --labels-per-window 5");
    place.good(&format!("{adapt} --truth label --out now"));
    place.good(&format!("{adapt} --out late"));
    for (at, window) in ["w2.csv", "w3.csv", "w4.csv"].iter().enumerate() {
        place.good(&format!("step now --input {window} --fail-on never"));
        place.bad(&format!("label late --out rows-{at}.csv"), 3);
        let rows = filled(&place, &place.read(&format!("rows-{at}.csv")), &windows);
        place.write("rows.csv", rows);
        place.good("label late --labels rows.csv");
        place.good(&format!("step late --input {window} --fail-on never"));
    }
    assert_eq!(evidence(&place, "now"), evidence(&place, "late"));
    assert!(evidence(&place, "now").as_object().unwrap().len() > 1);
    // The same rows were asked about, and the last version is the same.
    assert_eq!(
        place.read("now/labels/asked.csv"),
        place.read("late/labels/asked.csv")
    );
    let version =
        |run: &str| std::fs::read(place.at(run).join("checkpoints/window-0004.safetensors"));
    assert!(version("now").unwrap() == version("late").unwrap());
}

#[test]
fn off_a_terminal_the_rows_are_printed_and_it_exits_with_3() {
    let place = Place::new();
    let asked = asking(&place);
    let output = place.run("label run");
    assert_eq!(output.status.code(), Some(3));
    let table = String::from_utf8(output.stdout).unwrap();
    let head =
        "window,window_row,id,file,row,weight,asked_by,label,its id,day,x,y,colour,its label\n";
    assert!(table.starts_with(head), "{table}");
    let rows = cells(&table);
    assert_eq!(rows.len(), asked + 1);
    let stream = cells(&place.read("first.csv"));
    for row in &rows[1..] {
        let number: usize = row[4].parse().unwrap();
        assert_eq!(row[2], stream[number][0], "the id");
        assert_eq!(row[8..13], stream[number][..5], "the row itself");
    }
    let json = place.run("label run --json");
    assert_eq!(json.status.code(), Some(3));
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["open"].as_array().unwrap().len(), asked);
    assert_eq!(json["open"][0]["columns"]["x"], rows[1][10]);
    assert!(place.contents("run") == place.contents("untouched"));

    // With the truth at hand its column is not shown.
    let adapt = format!("adapt {SOURCE} --stream first.csv {STREAM} --labels-per-window 5");
    place.write("none.csv", "id,label\nnobody,ant\n");
    place.good(&format!(
        "{adapt} --truth label --labels none.csv --out hidden"
    ));
    let shown = String::from_utf8(place.run("label hidden").stdout).unwrap();
    assert!(
        shown.starts_with("window,") && !shown.contains("its label"),
        "{shown}"
    );

    // Nothing is asked without a budget or a question.
    place.good(&format!(
        "adapt {SOURCE} --stream first.csv {STREAM} --policy always --out quiet"
    ));
    place.good("label quiet");
    assert!(!place.at("quiet/labels").exists());
}

#[test]
fn files_of_labels_that_are_wrong_change_nothing() {
    let place = Place::new();
    asking(&place);
    place.bad("label run --out rows.csv", 3);
    let rows = cells(&place.read("rows.csv"));
    let with = |change: &dyn Fn(&mut Vec<Vec<String>>)| {
        let mut rows = rows.clone();
        rows[1][7] = "ant".into();
        change(&mut rows);
        text(&rows)
    };
    let unasked = (1..=100).find(|row: &usize| {
        let row = row.to_string();
        rows[1..]
            .iter()
            .all(|line| line[0] != "1" || line[1] != row)
    });
    let unasked = unasked.unwrap().to_string();
    for (file, words) in [
        (
            with(&|rows| rows[2][7] = "antt".into()),
            vec![
                "row 2",
                "column `label`",
                "`antt` is not a class",
                "`ant`, `bee`, `cat`",
                "another class",
            ],
        ),
        (
            with(&|rows| {
                rows[2] = rows[1].clone();
                rows[2][7] = "bee".into();
            }),
            vec![
                "row 2",
                "differently",
                "`ant` there, `bee` here",
                "keep one of the two",
            ],
        ),
        (
            with(&|rows| {
                rows[1][1].clone_from(&unasked);
                rows[1][4] = "999".into();
            }),
            vec!["row 1", "was not asked for", "driftline label RUN --out"],
        ),
        (
            with(&|rows| rows[1][1] = "seven".into()),
            vec![
                "row 1",
                "column `window_row`",
                "`seven` is not the number of a row",
            ],
        ),
        (
            "window,label\n1,ant\n".into(),
            vec!["does not say which rows", "`file` and `row`"],
        ),
        (
            "id,label\nnobody,ant\n".into(),
            vec![
                "row 1",
                "`nobody` is not the `id` of a row that was asked for",
            ],
        ),
        (text(&rows[1..]), vec!["has no column `label`"]),
    ] {
        place.write("bad.csv", file);
        for command in [
            "label run --labels bad.csv",
            "step run --input next.csv --labels bad.csv",
        ] {
            let wrong = place.bad(command, 1);
            assert!(wrong.contains("bad.csv"), "{wrong}");
            for word in &words {
                assert!(wrong.contains(word), "`{word}` is not in {wrong}");
            }
            assert!(
                place.contents("run") == place.contents("untouched"),
                "{command}"
            );
        }
    }
    // A class that the source lacks, and a row by its own name.
    place.write(
        "good.csv",
        format!("id,label\n{},another class\n{},\n", rows[1][2], rows[2][2]),
    );
    place.good("label run --labels good.csv");
    assert_eq!(labels(&place, "run")[0], "another class");
    assert_eq!(labels(&place, "run")[1], "");
    place.good("step run --input next.csv --fail-on never");
    assert!(place.windows("run")[2]["labels_taken"][0]["class"].is_null());
}

#[test]
fn a_damaged_store_is_told_and_nothing_is_lost() {
    let place = Place::new();
    asking(&place);
    let good = place.read("run/labels/asked.csv");
    let mut rows = cells(&good);
    rows[1][7] = "dog".into();
    place.write("run/labels/asked.csv", text(&rows));
    let wrong = place.bad("step run --input next.csv", 1);
    for word in [
        "asked.csv",
        "row 1",
        "column `label`",
        "`dog` is not a class",
        "`ant`, `bee`, `cat`",
    ] {
        assert!(wrong.contains(word), "{wrong}");
    }
    let checked = place.run("inspect run --json");
    let checked = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(
        checked.contains("labels/asked.csv") && checked.contains("changed"),
        "{checked}"
    );
    rows[1][7] = String::new();
    rows[1][1] = "99999".into();
    place.write("run/labels/asked.csv", text(&rows));
    let wrong = place.bad("label run --json", 1);
    assert!(
        wrong.contains("row 99999 of window 1 was not asked for"),
        "{wrong}"
    );
    // A window that does not count yet was on its way when its writer was killed.
    let killed = format!("{good}3,1,x,next.csv,1,20,judge,\n");
    place.write("run/labels/asked.csv", killed);
    place.good("step run --input next.csv --fail-on never");
    place.good("step untouched --input next.csv --fail-on never");
    assert!(made(&place, "run") == made(&place, "untouched"));
    // A run in its place takes the labels away.
    place.good(&format!(
        "adapt {SOURCE} --stream first.csv {STREAM} --policy always --force --out run"
    ));
    assert!(!place.at("run/labels/asked.csv").exists());
}

/// In a pseudo-terminal, as somebody would: labels are kept one by one, whatever ends it.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_asks_row_by_row_and_keeps_every_answer() {
    let place = Place::new();
    let asked = asking(&place);
    let Ok(version) = Command::new("script").arg("--version").output() else {
        return;
    };
    assert!(version.status.success());
    let program = assert_cmd::cargo::cargo_bin("driftline");
    let typed = |keys: &str| {
        let command = format!(
            "{keys} | timeout 60 script -qec '{} label run' /dev/null",
            program.display()
        );
        let mut shell = Command::new("sh");
        let shell = shell
            .args(["-c", &command])
            .current_dir(place.folder.path());
        let output = shell.output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let shown = typed("printf 12u3sq");
    assert!(shown.contains(&format!("row 1 of {asked}")), "{shown}");
    assert!(
        shown.contains("1 ant, 2 bee, 3 cat, 0 another class"),
        "{shown}"
    );
    assert_eq!(labels(&place, "run")[..4], ["ant", "cat", "", ""]);
    // Ctrl-C after two more answers loses neither.
    typed("(sleep 2; printf 20; sleep 2; printf '\\003'; sleep 1)");
    assert_eq!(
        labels(&place, "run")[..5],
        ["ant", "cat", "bee", "another class", ""]
    );
    place.good("step run --input next.csv --fail-on never");
    assert_eq!(
        place.windows("run")[2]["labels_taken"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}
