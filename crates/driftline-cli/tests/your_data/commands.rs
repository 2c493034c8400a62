//! The commands on your own data as a user meets them: fit, adapt, step, predict, rollback, inspect, compare, export.

use std::fs;

use super::files::{Place, SOURCE, STREAM, error, turning};
use serde_json::json;

#[test]
fn adapting_follows_the_stream_and_scores_it_by_the_answers() {
    let place = Place::new();
    let done = place.json(&format!("adapt {SOURCE} {STREAM} --truth label --out run"));
    assert_eq!((&done["windows"], &done["current"]), (&json!(6), &json!(6)));
    assert_eq!(done["verdict"]["effect"], "helped");
    let windows = place.windows("run");
    assert_eq!(windows.len(), 6);
    for (number, window) in windows.iter().enumerate() {
        assert_eq!(window["window"], number + 1);
        assert_eq!(window["seen"], 100);
        for share in [
            "accuracy_before",
            "accuracy_after",
            "accuracy_unadapted",
            "kept_fraction",
            "disagreement",
            "flips",
            "confidence_after",
        ] {
            let value = window[share].as_f64().unwrap_or_else(|| panic!("{share}"));
            assert!((0.0..=1.0).contains(&value), "{share} {value}");
        }
        let balance = window["class_balance"].as_object().unwrap();
        assert_eq!(balance.keys().collect::<Vec<_>>(), ["ant", "bee", "cat"]);
        assert_eq!(window["classes"].as_array().unwrap().len(), 3);
        assert!(window["from"].as_str().unwrap().starts_with("2000"));
    }
    let last = &windows[5];
    assert!(last["accuracy_after"].as_f64().unwrap() > 0.95);
    assert!(last["accuracy_unadapted"].as_f64().unwrap() < 0.7);
    let manifest: serde_json::Value =
        serde_json::from_str(&place.read("run/manifest.json")).unwrap();
    assert_eq!(manifest["kind"], "run");
    let method = &manifest["settings"]["method"];
    assert_eq!(method["self-training"]["filter"]["drop"], 0.1);
    assert_eq!(
        method["curriculum"]["gradual"]["windowing"]["size"][1],
        "merge"
    );
    let page = place.read("run/report.html");
    assert!(page.len() < 300_000 && page.contains("Adapting helped"));
    let predictions = place.read("run/predictions/window-0001.csv");
    assert!(predictions.starts_with("file,row,time,id,class,p_ant,p_bee,p_cat\n"));
    assert_eq!(predictions.lines().count(), 101);
}

#[test]
fn a_model_file_and_a_source_give_the_same_run() {
    let place = Place::new();
    let fit = place.json(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    assert_eq!(fit["model"]["model"], "knn");
    let validation = &fit["model"]["source"]["validation"];
    assert_eq!(validation["n"], 30);
    assert!(validation["low"].as_f64() < validation["accuracy"].as_f64());
    place.good(&format!("adapt --model m.safetensors {STREAM} --out a"));
    place.good(&format!("adapt {SOURCE} {STREAM} --out b"));
    let model =
        |run: &str| fs::read(place.at(&format!("{run}/predictions/window-0006.csv"))).unwrap();
    assert_eq!(model("a"), model("b"));
    // The label column was in the stream, was not used, and that was said.
    let output = place.run(&format!("adapt {SOURCE} {STREAM} --out c"));
    assert!(
        error(&output).contains("note: the label column `label`"),
        "{}",
        error(&output)
    );
    assert!(place.windows("c")[0].get("accuracy_after").is_none());
    let page = place.read("c/report.html");
    assert!(page.contains("there are no labels and no estimate"));
    // Every kind that suits a table.
    for kind in ["mlp", "linear", "knn", "trees"] {
        place.good(&format!(
            "fit {SOURCE} --time day --id id --model {kind} --epochs 2 --out {kind}.safetensors"
        ));
    }
    let three = place.bad(
        &format!("fit {SOURCE} --model margin --out x.safetensors"),
        1,
    );
    assert!(three.contains("2 for the model `margin`"), "{three}");
    assert!(
        place
            .bad(&format!("fit {SOURCE} --model cnn --out x.safetensors"), 1)
            .contains("needs images")
    );
    assert!(!place.at("x.safetensors").exists());
    let two = format!(
        "fit {SOURCE} --time day --id id --where label=ant --where label=bee --model margin"
    );
    place.good(&format!("{two} --out two.safetensors"));
    let again = place.bad(&format!("{two} --out two.safetensors"), 1);
    assert!(
        again.contains("exists already") && again.contains("--force"),
        "{again}"
    );
    place.good(&format!("{two} --out two.safetensors --force"));
}

#[test]
fn steps_rollback_and_predictions_by_version() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --truth label --out run"));
    place.write("next.csv", turning(100, 1.4, 1.6, 3));
    let step = place.json("step run --input next.csv");
    assert_eq!(step["windows"], 7);
    let window = &place.windows("run")[6];
    assert_eq!(window["teacher"], 6);
    assert!(window["accuracy_after"].as_f64().unwrap() > 0.95);
    // The same contents under another name.
    let before = place.contents("run");
    fs::copy(place.at("next.csv"), place.at("again.csv")).unwrap();
    let output = place.run("step run --input again.csv");
    assert!(output.status.success() && error(&output).contains("as window 7; nothing was changed"));
    assert_eq!(place.json("step run --input again.csv")["changed"], false);
    assert!(error(&place.run("step run --input stream.csv")).contains("nothing was changed"));
    assert_eq!(place.contents("run"), before);

    place.good("predict run --input next.csv --id id --id colour --out new.csv");
    place.good("predict run --version 0 --input next.csv --id id --out old.csv");
    let (new, old) = (place.read("new.csv"), place.read("old.csv"));
    assert!(
        new.starts_with("id,colour,class,p_ant,p_bee,p_cat\n3-0,red,ant,"),
        "{new}"
    );
    let right = |text: &str, column: usize| {
        let rows = text.lines().skip(1).enumerate();
        let hit = |(row, line): (usize, &str)| {
            line.split(',').nth(column) == Some(["ant", "bee", "cat"][row % 3])
        };
        rows.filter(|row| hit(*row)).count()
    };
    assert!(right(&new, 2) > 95 && right(&old, 1) < 75);
    let sum: f64 = new
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .skip(3)
        .map(|p| p.parse::<f64>().unwrap())
        .sum();
    assert!((sum - 1.0).abs() < 1e-4);

    place.good("rollback run --to 0 --dry-run");
    assert_eq!(place.contents("run"), before);
    assert_eq!(place.json("rollback run --to 0")["from"], 7);
    place.good("predict run --input next.csv --id id --out back.csv");
    assert_eq!(place.read("back.csv"), old);
    assert_eq!(
        place.contents("run").len(),
        before.len(),
        "nothing is deleted"
    );
    assert!(
        place
            .bad("rollback run --to 8", 1)
            .contains("from 0 (the source model) to 7")
    );
    assert!(
        place
            .bad("predict run --version 9 --input next.csv --out x.csv", 1)
            .contains("the version is 9")
    );
    assert!(!place.at("x.csv").exists());
}

#[test]
fn predictions_as_parquet_are_the_same() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    place.good("predict m.safetensors --input stream.csv --id id --out p.csv");
    place.good("predict m.safetensors --input stream.csv --id id --out p.parquet");
    let view = place.json("inspect p.parquet");
    assert_eq!(view["rows"], 600);
    let names: Vec<&str> = view["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["id", "class", "p_ant", "p_bee", "p_cat"]);
    // Read back as a table: a model of the probabilities knows the class.
    place.good("fit --source p.parquet --label class --id id --out back.safetensors");
    for (out, needle) in [
        ("p.txt", ".csv or .parquet"),
        ("stream.csv", "is the input itself"),
    ] {
        let message = place.bad(
            &format!("predict m.safetensors --input stream.csv --out {out} --force"),
            if out == "p.txt" { 2 } else { 1 },
        );
        assert!(message.contains(needle), "{message}");
    }
    let clash = place.bad(
        "predict m.safetensors --input p.csv --id class --out q.csv",
        1,
    );
    assert!(clash.contains("column"), "{clash}");
}

#[test]
fn looking_before_leaping() {
    let place = Place::new();
    let plan = place.json(&format!("adapt {SOURCE} {STREAM} --dry-run --out run"));
    assert_eq!(
        plan["plan"]["windows"],
        json!([100, 100, 100, 100, 100, 100])
    );
    assert_eq!(plan["plan"]["source"]["model"], "linear");
    assert!(!place.at("run").exists());
    let text = place.good(&format!(
        "adapt {SOURCE} --stream stream.csv --windows 7 --dry-run --out run"
    ));
    assert!(text.contains("windows 5 to 7: 86 rows each"), "{text}");
    place.good(&format!("fit {SOURCE} --dry-run --out m.safetensors"));
    assert!(!place.at("m.safetensors").exists());
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    let table = place.good("inspect stream.csv");
    assert!(
        table.contains("600 rows, 6 columns") && table.contains("colour"),
        "{table}"
    );
    let model = place.good("inspect m.safetensors");
    assert!(
        model.contains("ant (50), bee (50), cat (50)") && model.contains("colour=blue"),
        "{model}"
    );
    place.good(&format!("adapt --model m.safetensors {STREAM} --out run"));
    let run = place.good("inspect run");
    assert!(run.contains("versions  0 to 6, current 6"), "{run}");
    place.good("step run --input stream.csv --dry-run");
    assert_eq!(place.windows("run").len(), 6);
    // Damage is found.
    let path = place.at("run/predictions/window-0002.csv");
    fs::write(path, "changed").unwrap();
    let message = place.bad("inspect run", 1);
    assert!(
        message.contains("predictions/window-0002.csv was changed"),
        "{message}"
    );
}

#[test]
fn methods_side_by_side() {
    let place = Place::new();
    let words = format!("compare {SOURCE} {STREAM} --truth label --seeds 3");
    let found = place.json(&words);
    let methods = found["methods"].as_array().unwrap();
    let names: Vec<&str> = methods
        .iter()
        .map(|m| m["method"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "Source",
            "Target ST",
            "All ST",
            "Gradual ST",
            "Accumulate",
            "Guarded"
        ]
    );
    let last = |index: usize| methods[index]["last_window"]["mean"].as_f64().unwrap();
    assert!(last(3) > 0.95 && last(0) < 0.7, "{} {}", last(3), last(0));
    assert_eq!(
        methods[3]["last_window"]["n"], 2,
        "the third seed would be the same"
    );
    assert!(methods[1]["while_serving"].is_null());
    assert!(place.good(&words).contains("Gradual ST"));
    let no_answers = place.bad(&format!("compare {SOURCE} {STREAM}"), 2);
    assert!(no_answers.contains("--truth"), "{no_answers}");
    // The gradual row is what `adapt` makes of it.
    place.good(&format!("adapt {SOURCE} {STREAM} --truth label --out run"));
    let adapted = place.windows("run")[5]["accuracy_after"].as_f64().unwrap();
    assert_eq!(
        methods[3]["singles"][0]["last_window"].as_f64().unwrap(),
        adapted
    );
}

#[test]
fn every_method_runs_and_threads_change_nothing() {
    let place = Place::new();
    for method in ["gradual", "target", "pooled", "accumulate"] {
        let words = format!(
            "adapt {SOURCE} {STREAM} --truth label --method {method} --model mlp --epochs 2 --fail-on never"
        );
        for threads in [1, 3] {
            place.good(&format!(
                "{words} --threads {threads} --out {method}{threads}"
            ));
        }
        let files = |threads: u8| {
            let mut all = place.contents(&format!("{method}{threads}"));
            // The command that is noted differs, and nothing else.
            all.retain(|(name, _)| name != "manifest.json" && name != "report.html");
            all
        };
        assert!(files(1).iter().any(|(name, _)| name == "windows.jsonl"));
        assert_eq!(files(1), files(3), "{method}");
    }
    let soft = format!(
        "adapt {SOURCE} {STREAM} --model linear --labels soft --drop 0.2 --tail drop --out soft"
    );
    place.good(&soft);
    assert_eq!(place.windows("soft")[0]["kept"], 80);
    assert!(
        place
            .bad(
                &format!("adapt {SOURCE} {STREAM} --method sideways --out x"),
                2
            )
            .contains("gradual, target, pooled")
    );
}

#[test]
fn onnx_files_are_written_and_reports_are_told_apart() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let made = place.json("export run --onnx m.onnx");
    assert_eq!(
        made["features"],
        json!(["x", "y", "colour=blue", "colour=red"])
    );
    assert!(fs::metadata(place.at("m.onnx")).unwrap().len() > 300);
    fs::remove_file(place.at("run/report.html")).unwrap();
    assert_eq!(place.good("report run").trim(), "run/report.html");
    assert!(
        place.good("inspect run").contains("current 6"),
        "the report's checksum is noted"
    );
    place.good("report run --html page.html --markdown page.md");
    assert!(
        place
            .read("page.md")
            .contains("# Adapting along stream.csv")
    );
    assert!(place.read("page.html").contains("<svg"));
}

/// A data set of the cache as a user's files, and the command that is printed with them.
#[test]
fn data_sets_are_exported_as_files_to_adapt_to() {
    let place = Place::new();
    let mut rows = "session,f0,f1,user\n".to_owned();
    for row in 0..400 {
        let (session, user) = (1 + row / 100, 1 + row % 2);
        let (a, b) = (row % 7, row % 5);
        rows += &format!("{session},{}.{a},{b},{user}\n", 10 * user + session);
    }
    place.write("keystroke.csv", rows);
    place.good("data --cache cache fetch keystroke --from keystroke.csv");
    let command = place.good("data --cache cache export keystroke keys");
    assert!(place.read("keys/source.csv").starts_with("f0,f1,user\n"));
    assert_eq!(place.read("keys/source.csv").lines().count(), 101);
    assert_eq!(place.read("keys/stream.csv").lines().count(), 301);
    let command = command.trim().strip_prefix("driftline ").unwrap();
    place.good(&format!("{command} --fail-on never"));
    assert_eq!(
        place.windows("keys/run").len(),
        1,
        "200 rows and a tail of 100, merged"
    );
    assert!(
        place
            .bad("data --cache cache export keystroke keys", 1)
            .contains("--force")
    );
    assert!(
        place
            .bad("data --cache cache export elec2 other", 1)
            .contains("driftline data fetch elec2")
    );
    assert!(!place.at("other").exists());
    assert!(
        place
            .bad("data --cache cache export census other", 1)
            .contains("elec2, weather")
    );
}
