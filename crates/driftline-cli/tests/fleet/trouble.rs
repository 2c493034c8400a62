//! One bad stream among good ones, streams that end held, and folders that hold something else.

use std::fs;

use super::streams::{SOURCE, WINDOWS, place};

#[test]
fn a_damaged_file_fails_alone_and_is_named() {
    let place = place(4);
    let whole = place.read("T/s2.csv");
    place.write("T/s2.csv", "x,y,colour,label\n1,oops,red,ant\n");
    let words = format!("fleet {SOURCE} --stream T/*.csv {WINDOWS} --out f");
    let output = place.run(&format!("{words} --json"));
    assert_eq!(output.status.code(), Some(1));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = ["streams", "done", "failed", "held"].map(|name| told[name].as_u64().unwrap());
    assert_eq!(counts, [4, 3, 1, 0]);
    let row = &told["rows"][2];
    assert_eq!(
        (&row["key"], &row["state"]),
        (&"s2".into(), &"failed".into())
    );
    assert!(row["error"].as_str().unwrap().contains("T/s2.csv"), "{row}");
    let alert = place.run("fleet status f --alert");
    assert_eq!(alert.status.code(), Some(1));
    let alert = String::from_utf8(alert.stdout).unwrap();
    assert!(
        alert.starts_with("s2\tfailed\t") && alert.lines().count() == 1,
        "{alert}"
    );
    // Mended, it is taken up and the others are left as they are.
    place.write("T/s2.csv", whole);
    let said = place.run(&words);
    assert!(crate::your_data::files::error(&said).contains("3 of 4 streams are finished already"));
    assert_eq!(said.status.code(), Some(0));
    assert_eq!(place.good("fleet status f --alert"), "");
}

#[test]
fn a_poisoned_stream_in_a_large_file_fails_alone() {
    let place = place(3);
    let text = place.read("mixed.csv");
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    // A number that is none, in a row of k1 near the end.
    let bad = lines
        .iter()
        .rposition(|line| line.starts_with("k1,"))
        .unwrap();
    let mut cells: Vec<&str> = lines[bad].split(',').collect();
    cells[3] = "oops";
    lines[bad] = cells.join(",");
    place.write("mixed.csv", lines.join("\n") + "\n");
    let output = place.run(&format!(
        "fleet {SOURCE} --stream mixed.csv --by sensor {WINDOWS} --out f --json"
    ));
    assert_eq!(output.status.code(), Some(1));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&told["done"], &told["failed"]), (&2.into(), &1.into()));
    let row = &told["rows"][1];
    let error = row["error"].as_str().unwrap();
    let place_named = error.contains(&format!("row {bad}")) && error.contains("oops");
    assert!(row["key"] == "k1" && place_named, "{error}");
}

#[test]
fn a_stream_that_ends_held_is_done_and_told_by_the_exit_code() {
    let place = place(2);
    // Nothing is that certain, so every window is held.
    let words = format!(
        "fleet {SOURCE} --model mlp --epochs 1 --stream T/*.csv {WINDOWS} --policy always --filter threshold=0.9999999 --fail-on held --out f"
    );
    let output = place.run(&format!("{words} --json"));
    assert_eq!(
        output.status.code(),
        Some(3),
        "{}",
        crate::your_data::files::error(&output)
    );
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let counts = ["streams", "done", "failed", "held"].map(|name| told[name].as_u64().unwrap());
    assert_eq!(counts, [2, 2, 0, 2]);
    let text = String::from_utf8(place.run("fleet status f").stdout).unwrap();
    assert!(
        text.starts_with("2 streams: 2 done (2 of them held), 0 failed\n"),
        "{text}"
    );
    let alert = place.run("fleet status f --alert --fail-on held");
    assert_eq!(String::from_utf8(alert.stdout).unwrap().lines().count(), 2);
}

/// A step that fails is remembered until one succeeds, and what the stream had come to stays.
#[test]
fn a_step_that_fails_is_remembered() {
    let place = place(2);
    place.good(&format!(
        "fleet {SOURCE} --stream T/*.csv {WINDOWS} --policy always --out f"
    ));
    fs::create_dir(place.at("next")).unwrap();
    let next = crate::your_data::files::turning(90, 1.3, 1.4, 50);
    place.write("next/s0.csv", &next);
    place.write("next/s1.csv", "x,y,colour,label\n1,oops,red,ant\n");
    place.bad("fleet step f --input next/*.csv", 1);
    for command in ["fleet status f", "fleet status f --json"] {
        assert_eq!(place.run(command).status.code(), Some(1), "{command}");
    }
    let told = crate::fleet::streams::status(&place, "f");
    let counts = ["streams", "done", "failed", "unfinished"].map(|n| told[n].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1, 0]);
    let row = &told["rows"][1];
    assert_eq!(
        (&row["state"], &row["windows"]),
        (&"failed".into(), &3.into())
    );
    assert!(row["error"].as_str().unwrap().contains("oops"), "{row}");
    let page = place.read("f/report.html");
    assert!(page.contains("2 streams: 1 done") && page.contains("1 failed"));
    // Mended, it goes on from where it stood.
    place.write(
        "next/s1.csv",
        crate::your_data::files::turning(90, 1.4, 1.5, 51),
    );
    place.run("fleet step f --input next/*.csv");
    let told = crate::fleet::streams::status(&place, "f");
    assert_eq!(
        (&told["failed"], &told["rows"][1]["windows"]),
        (&0.into(), &4.into())
    );
}

/// Far from the source is no worry where the model has followed; a verdict against the model is.
#[test]
fn adapted_streams_are_calm_and_doubtful_ones_are_told() {
    let place = place(2);
    let words = format!(
        "fleet {SOURCE} --model linear --stream T/*.csv {WINDOWS} --truth label --policy always --out f"
    );
    place.good(&words);
    let states = |fleet: &str| {
        let told = crate::fleet::streams::status(&place, fleet);
        let rows = told["rows"].as_array().unwrap().clone();
        rows.iter()
            .map(|row| row["state"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(states("f"), ["adapted", "adapted"]);
    let page = place.read("f/report.html");
    assert!(!page.contains(".state { font-weight: 600; }"));
    // Back beyond where it began: the adapted model takes each class for the next.
    fs::create_dir(place.at("back")).unwrap();
    place.write(
        "back/s0.csv",
        crate::your_data::files::turning(150, -0.2, -0.2, 60),
    );
    // Answers say that the version before is better.
    let output = place.run("fleet step f --input back/*.csv");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(states("f"), ["doubtful", "adapted"]);
    let page = place.read("f/report.html");
    assert!(page.contains("s0 – doubtful") && page.contains("2 done (1 doubtful)"));
}

#[test]
fn other_folders_and_other_fleets_are_left_alone() {
    let place = place(2);
    let words = format!("fleet {SOURCE} --stream T/*.csv {WINDOWS}");
    fs::create_dir(place.at("mine")).unwrap();
    place.write("mine/notes.txt", "precious");
    assert!(
        place
            .bad(&format!("{words} --out mine"), 1)
            .contains("not empty")
    );
    place.good(&format!("{words} --out f"));
    let refused = place.bad(&format!("{words} --seed 1 --out f"), 1);
    assert!(
        refused.contains("another fleet") && refused.contains("seed"),
        "{refused}"
    );
    place.write(
        "T/s1.csv",
        crate::your_data::files::turning(300, 0.0, 1.0, 99),
    );
    let refused = place.bad(&format!("{words} --out f"), 1);
    assert!(
        refused.contains("s1") && refused.contains("other contents"),
        "{refused}"
    );
    place.good(&format!("{words} --out f --force"));
    assert_eq!(place.json("fleet status f")["done"], 2);
    assert!(place.bad("fleet status mine", 1).contains("manifest.json"));
    assert!(place.bad("inspect f", 1).contains("fleet"));
    assert!(
        place
            .bad("fleet export f --key s9 --out x", 2)
            .contains("s9")
    );
    assert!(place.bad("fleet", 2).contains("--out"));
}

#[test]
fn a_store_that_was_damaged_is_not_believed() {
    let place = place(2);
    place.good(&format!(
        "fleet {SOURCE} --stream T/*.csv {WINDOWS} --out f"
    ));
    let path = place.at("f/packs/streams.pack");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 4;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let failed: Vec<bool> = (0..2)
        .map(|stream| {
            let output = place.run(&format!("fleet export f --key s{stream} --out x{stream}"));
            !output.status.success()
        })
        .collect();
    assert!(failed.contains(&true), "{failed:?}");
}
