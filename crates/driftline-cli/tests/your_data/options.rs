//! Options that name columns: a name that is not there, or that can change nothing, is refused; what is doubtful is noted.

use super::files::{Place, SOURCE, STREAM, error};

#[test]
fn mistyped_columns_are_refused_with_the_nearest_name() {
    let place = Place::new();
    for (option, near) in [
        ("--exclude colur", "`colour`"),
        ("--category colur", "`colour`"),
        ("--id di", "`id`"),
        ("--time dya", "`day`"),
    ] {
        let message = place.bad(&format!("fit {SOURCE} {option} --out m.safetensors"), 1);
        assert!(message.contains(near), "{option}: {message}");
    }
    // A source need not have the times of the stream.
    place.write("plain.csv", "x,label\n1,a\n2,b\n3,a\n4,b\n");
    place.write("timed.csv", "day,x\n1,1\n2,2\n3,3\n4,4\n");
    place.good(
        "adapt --source plain.csv --label label --stream timed.csv --time day --window 2 --fail-on never --out run",
    );
    let rest = "--stream stream.csv --time day --id id --window 100 --out other";
    let message = place.bad(&format!("adapt {SOURCE} {rest} --answers lable"), 1);
    assert!(message.contains("did you mean `label`"), "{message}");
    assert!(!message.contains("trained"), "{message}");
    assert!(!place.at("other").exists());
}

#[test]
fn a_model_that_is_there_cannot_be_given_other_features() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    for option in ["--exclude x", "--category y"] {
        let predict = "predict m.safetensors --input stream.csv --out p.csv";
        let message = place.bad(&format!("{predict} {option}"), 1);
        assert!(message.contains("--source"), "{option}: {message}");
    }
    assert!(!place.at("p.csv").exists());
}

#[test]
fn doubtful_features_are_noted() {
    let place = Place::new();
    let told = |words: &str| error(&place.run(words));
    let said = told("fit --source source.csv --label label --exclude day --out a.safetensors");
    assert!(said.contains("--id id"), "{said}");
    let text = place.read("source.csv").replacen(",10.", ",oops", 1);
    place.write("oops.csv", text);
    let said = told("fit --source oops.csv --label label --time day --id id --out b.safetensors");
    assert!(
        said.contains("`oops") && said.contains("--category x"),
        "{said}"
    );
    let said = told(&format!(
        "adapt {SOURCE} {STREAM} --answers colour --out run"
    ));
    assert!(
        said.contains("none of the true classes is a class"),
        "{said}"
    );
}

#[test]
fn a_dry_run_finds_the_faults_of_every_row() {
    let place = Place::new();
    let mut text = place.read("stream.csv");
    text += "2-600,200060,,0.1,red,ant\n";
    place.write("stream.csv", text);
    let message = place.bad(&format!("adapt {SOURCE} {STREAM} --out run --dry-run"), 1);
    assert!(message.contains("row 601"), "{message}");
}

/// Whoever reads the progress may have gone away; the work goes on.
#[test]
#[cfg(unix)]
fn a_closed_standard_error_stops_nothing() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let words = format!("adapt {SOURCE} {STREAM} --out run");
    let status = std::process::Command::new(assert_cmd::cargo::cargo_bin("driftline"))
        .args(words.split_whitespace())
        .current_dir(place.folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(writer)
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
    assert_eq!(place.windows("run").len(), 6);
}

#[test]
fn comparisons_need_answers_that_are_classes() {
    let place = Place::new();
    let compare = format!("compare {SOURCE} {STREAM} --seeds 1");
    let message = place.bad(&format!("{compare} --answers colour"), 1);
    assert!(
        message.contains("none of the true classes is a class"),
        "{message}"
    );
    // The last window has no answers: nothing can be said about it.
    let text = place.read("stream.csv");
    let lines = text.lines().enumerate().map(|(row, line)| match row > 500 {
        true => line.rsplit_once(',').unwrap().0.to_owned() + ",",
        false => line.to_owned(),
    });
    place.write("stream.csv", lines.collect::<Vec<_>>().join("\n"));
    let found = place.json(&format!("{compare} --answers label"));
    let method = &found["methods"][3];
    assert!(method["last_window"].is_null(), "{found}");
    assert!(
        method["whole_stream"]["mean"].as_f64().unwrap() > 0.5,
        "{found}"
    );
}

/// Every format writes truth values in its own way.
#[test]
fn truth_values_agree_however_they_are_written() {
    let place = Place::new();
    let table = |yes: &str, no: &str| {
        let row = |i: usize| format!("{},{},{}\n", i % 7, [no, yes][i % 2], ["a", "b"][i % 2]);
        "x,flag,label\n".to_owned() + &(0..60).map(row).collect::<String>()
    };
    place.write("words.csv", table("True", "False"));
    place.good("fit --source words.csv --label label --out m.safetensors");
    let predicted = |yes: &str, no: &str| {
        place.write("other.csv", table(yes, no));
        place.good("predict m.safetensors --input other.csv --out p.csv --force");
        place.read("p.csv")
    };
    let expected = predicted("True", "False");
    assert_eq!(predicted("true", "false"), expected);
    assert_eq!(predicted("1", "0"), expected);
    let some = "predict m.safetensors --input other.csv --where flag=TRUE --out p.csv --force";
    assert_eq!(place.json(some)["rows"], 30);
}

#[test]
fn an_export_writes_over_nothing_but_graphs() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    let model = std::fs::read(place.at("m.safetensors")).unwrap();
    let message = place.bad("export m.safetensors --onnx m.safetensors", 2);
    assert!(message.contains(".onnx"), "{message}");
    assert_eq!(std::fs::read(place.at("m.safetensors")).unwrap(), model);
    place.good("export m.safetensors --onnx m.onnx");
    // A model is known by what it holds, not by its name.
    place.write("model.bin", model);
    assert!(place.good("inspect model.bin").contains("classes   ant"));
}
