//! Standard streams in place of files, and what a look at a table tells.

use assert_cmd::Command;

use super::files::{Place, SOURCE};

#[test]
fn predictions_go_from_standard_input_to_standard_output() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    let predict = "predict m.safetensors --id id";
    place.good(&format!("{predict} --input stream.csv --out p.csv"));
    let run = |words: &str| {
        let mut program = Command::cargo_bin("driftline").unwrap();
        program
            .current_dir(place.folder.path())
            .args(words.split(' '));
        program
            .write_stdin(place.read("stream.csv"))
            .output()
            .unwrap()
    };
    let output = run(&format!("{predict} --input - --out -"));
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        place.read("p.csv")
    );
    assert!(!place.at("-").exists());
    let looked = String::from_utf8(run("inspect -").stdout).unwrap();
    assert!(looked.contains("600 rows, 6 columns"), "{looked}");
    place.bad(&format!("{predict} --input stream.csv --out - --json"), 2);
}

#[test]
fn a_look_at_a_table_tells_what_is_missing_and_what_there_is() {
    let place = Place::new();
    let names = (0..30).map(|at| format!("{at},n{at},b\n"));
    let rows = names.collect::<String>() + "-2.5,,a\n,x,a\n";
    place.write("t.csv", format!("x,name,label\n{rows}"));
    let text = place.good("inspect t.csv");
    let line = |name: &str| {
        let found = text
            .lines()
            .find(|line| line.trim_start().starts_with(name));
        found
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(line("x "), "x numbers 1 -2.5 to 29");
    assert_eq!(line("name "), "name text 1 more than 20 different");
    assert_eq!(line("label "), "label text 0 a, b");
    let columns = &place.json("inspect t.csv")["columns"];
    assert_eq!(
        (&columns[0]["missing"], &columns[0]["range"][1]),
        (&1.into(), &"29".into())
    );
    assert_eq!(columns[2]["values"], serde_json::json!(["a", "b"]));
}
