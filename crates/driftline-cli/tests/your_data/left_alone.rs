//! Files that driftline did not write: none is deleted, replaced or followed, whatever is asked for.

use std::fs;

use super::files::{Place, SOURCE, STREAM};

const ADAPT: &str = "--out run --force";

#[test]
fn force_removes_a_run_and_nothing_else() {
    let place = Place::new();
    let adapt = format!("adapt {SOURCE} {STREAM} {ADAPT}");
    place.good(&adapt);
    let mine = [
        "run/.tmpmine",
        "run/checkpoints/.tmp-notes",
        "run/checkpoints/window-notes.txt",
        "run/predictions/window-3.xlsx",
    ];
    mine.iter().for_each(|name| place.write(name, "precious"));
    fs::create_dir(place.at("run/.tmpx")).unwrap();
    place.good("rollback run --to 2");
    place.write("next.csv", super::files::turning(90, 1.5, 1.5, 3));
    place.good("step run --input next.csv --fail-on never");
    place.good(&adapt);
    assert!(mine.iter().all(|name| place.read(name) == "precious"));
    assert!(place.at("run/.tmpx").is_dir());
}

#[test]
fn a_report_of_somebody_else_stays_and_is_named() {
    let place = Place::new();
    let adapt = format!("adapt {SOURCE} {STREAM} {ADAPT}");
    fs::create_dir(place.at("run")).unwrap();
    place.write("run/report.html", "<html>mine</html>");
    let refused = |words: &str| {
        let message = place.bad(words, 1);
        let path = std::path::Path::new("run").join("report.html");
        assert!(message.contains(&path.display().to_string()), "{message}");
        assert!(message.contains("help: move it away"), "{message}");
        assert_eq!(place.read("run/report.html"), "<html>mine</html>");
    };
    refused(&adapt);
    assert_eq!(fs::read_dir(place.at("run")).unwrap().count(), 1);
    fs::remove_file(place.at("run/report.html")).unwrap();
    place.good(&adapt);
    place.write("run/report.html", "<html>mine</html>");
    place.write("next.csv", super::files::turning(90, 1.5, 1.5, 3));
    let before = place.contents("run");
    refused("step run --input next.csv");
    refused("report run");
    refused(&adapt);
    assert_eq!(place.contents("run"), before, "refused before any work");
    // A report of ours that was damaged is written anew.
    let own = place.good("report run --html own.html");
    let page = place.read(own.trim());
    place.write("run/report.html", &page[..page.len() / 2]);
    place.good("report run");
}

#[test]
fn a_folder_of_another_kind_is_no_run_to_replace() {
    let place = Place::new();
    fs::create_dir(place.at("run")).unwrap();
    for (name, contents) in [
        ("manifest.json", "{\"name\": \"app\"}"),
        ("windows.jsonl", "1"),
    ] {
        let name = format!("run/{name}");
        place.write(&name, contents);
        let message = place.bad(&format!("adapt {SOURCE} {STREAM} {ADAPT}"), 1);
        assert!(
            message.contains("was not written by driftline"),
            "{message}"
        );
        assert_eq!(place.read(&name), contents);
        fs::remove_file(place.at(&name)).unwrap();
    }
    // A lock does not make a run of a folder.
    place.write("run/.lock", "");
    place.write("run/thesis.txt", "precious");
    let message = place.bad(&format!("adapt {SOURCE} {STREAM} --out run"), 1);
    assert!(message.contains("is not empty"), "{message}");
}

#[test]
fn outputs_replace_nothing_unasked_and_no_file_of_another_kind() {
    let place = Place::new();
    place.write("env.sh", "export A=1\n");
    place.write("p.csv", "precious");
    let fit = format!("fit {SOURCE} --time day --id id");
    let message = place.bad(&format!("{fit} --out env.sh --force"), 1);
    assert!(message.contains("env.sh was not written"), "{message}");
    assert_eq!(place.read("env.sh"), "export A=1\n");
    place.good(&format!("{fit} --out m.safetensors"));
    place.good(&format!("{fit} --out m.safetensors --force"));
    let predict = "predict m.safetensors --input stream.csv --out";
    let message = place.bad(&format!("{predict} p.csv"), 1);
    assert!(
        message.contains("exists") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(place.read("p.csv"), "precious");
    place.good(&format!("{predict} p.csv --force"));
    assert!(place.read("p.csv").starts_with("class,"));
    for words in [
        format!("{predict} none/x.csv"),
        format!("{fit} --out none/x.safetensors"),
    ] {
        let message = place.bad(&words, 1);
        assert!(
            message.contains("x.") && !message.contains("tmp"),
            "{message}"
        );
    }
}
