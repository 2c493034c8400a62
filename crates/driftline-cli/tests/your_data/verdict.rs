//! What the program says of a run: the verdict on the version in use, in words, JSON and exit codes; answers that come
//! later; predictions with answers beside them.

use super::files::{Place, SOURCE, STREAM, error, turning};
use serde_json::json;

/// The stream turns by 80°; then the data are back where they began, which the source model knows and the run does not.
fn turned_back() -> Place {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --truth label --out run"));
    place.write("back.csv", turning(150, 0.0, 0.0, 5));
    place
}

#[test]
fn a_step_that_hurts_is_judged_by_itself_and_names_the_way_back() {
    let place = turned_back();
    let output = place.run("step run --input back.csv --json");
    assert_eq!(output.status.code(), Some(3));
    let next = error(&output);
    assert!(
        next.contains("next: driftline rollback run --to 0"),
        "{next}"
    );
    let done: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let summary = &done["verdict"];
    assert!(
        summary["along"]["gain"].as_f64().unwrap()
            < summary["newest"]["accuracy_unadapted"].as_f64().unwrap()
    );
    assert_eq!(summary["effect"], "hurt");
    assert_eq!(
        (&summary["version"], &summary["newest"]["windows"]),
        (&json!(7), &json!([7]))
    );
    assert_eq!(summary["reasons"][0]["code"], "accuracy");
    assert_eq!(summary["action"]["do"], "roll-back");
    assert_eq!(summary["action"]["to"], 0);
    assert_eq!(done["command"], "driftline rollback run --to 0");
    let sentence = done["sentence"].as_str().unwrap();
    assert!(
        sentence.starts_with(
            "Roll back to version 0, the source model: `driftline rollback run --to 0`."
        ) && sentence.contains("Adapting hurt: on window 7, version 7"),
        "{sentence}"
    );
    assert!(sentence.contains("balanced accuracy"), "{sentence}");
    // The same everywhere.
    assert!(place.good("inspect run").contains(sentence));
    let view = place.json("inspect run");
    assert_eq!(
        (&view["verdict"], &view["sentence"]),
        (summary, &done["sentence"])
    );
    place.good("report run --html page.html --markdown page.md");
    for page in ["page.html", "page.md", "run/report.html"] {
        let page = place.read(page);
        assert!(page.contains("Adapting hurt") && page.contains("go back to version 0"));
    }
    assert!(place.read("page.html").contains(">majority class</text>"));
    // Back at the source model there is nothing to be said against it.
    place.good("rollback run --to 0");
    assert_eq!(place.json("inspect run")["verdict"]["effect"], "same");
}

/// A model that is surer of the larger class with every window, by rows without noise: the border moves until the smaller
/// class is gone, which costs little accuracy.
#[test]
fn a_class_that_self_training_loses_is_named_first() {
    let place = Place::new();
    let rows = |rows: usize, smaller: usize| {
        let mut text = "a,y\n".to_owned();
        for row in 0..rows {
            let (class, middle) = if row % smaller == 0 {
                ("pos", 1.5)
            } else {
                ("neg", 0.0)
            };
            // Evenly spread quantiles, mixed up by a step that no period shares.
            let spread = 5.0 * ((row * 37 % 101) as f64 / 101.0 - 0.5);
            text += &format!("{:.4},{class}\n", middle + spread);
        }
        text
    };
    place.write("s.csv", rows(400, 4));
    place.write("t.csv", rows(3000, 8));
    let words = "adapt --source s.csv --label y --stream t.csv --window 300 --model linear --drop 0.3 --policy always --fail-on never";
    for answers in ["", " --truth y"] {
        let done = place.json(&format!("{words}{answers} --out run"));
        let summary = &done["verdict"];
        assert_eq!(summary["reasons"][0]["code"], "lost-classes", "{summary}");
        assert_eq!(summary["lost_classes"], json!(["pos"]));
        assert_eq!(summary["reasons"][0]["classes"], json!(["pos"]));
        assert!(["doubtful", "hurt"].contains(&summary["effect"].as_str().unwrap()));
        let sentence = done["sentence"].as_str().unwrap();
        assert!(sentence.contains("Adapting lost class pos: "), "{sentence}");
    }
}

#[test]
fn exit_codes_for_schedulers() {
    let place = turned_back();
    place.bad("step run --input back.csv --fail-on doubtful", 3);
    place.bad("step run --input back.csv --fail-on doubtful", 3);
    // Answers say that another version is better: that is an action.
    place.bad("step run --input back.csv --fail-on held", 3);
    place.bad("step run --input back.csv", 3);
    place.good("step run --input back.csv --fail-on never");
    let starved = format!("adapt {SOURCE} {STREAM} --model linear --drop 0.99 --out held");
    place.bad(&format!("{starved} --fail-on held"), 3);
    place.bad(&format!("{starved} --fail-on doubtful"), 3);
    // By default only what a person has to do is a failure.
    place.good(&format!("{starved} --fail-on action"));
    let told = place.json(&starved);
    assert_eq!(told["verdict"]["last_step"]["kind"], "held");
    assert_eq!(
        told["verdict"]["last_step"]["ends"],
        json!(["drop-less", "more-rows"])
    );
    place.bad(&format!("{starved} --fail-on sometimes"), 2);
}

#[test]
fn answers_that_come_later_score_the_run() {
    let place = Place::new();
    let blind = format!("adapt {SOURCE} {STREAM} --out run");
    assert_eq!(place.json(&blind)["verdict"]["effect"], "unknown");
    let scored = place.json(&format!("{blind} --truth label"));
    assert_eq!(scored["verdict"]["effect"], "helped");
    assert!(place.windows("run")[5]["accuracy_after"].as_f64().unwrap() > 0.95);
    let other = place.bad(&format!("{blind} --seed 1"), 1);
    assert!(other.contains("`seed` is 0 there and 1 here"), "{other}");
}

#[test]
fn predictions_carry_the_answer_and_the_unadapted_class() {
    let place = turned_back();
    let words = "predict run --input back.csv --id id --truth label --unadapted";
    let done = place.json(&format!("{words} --out p.csv"));
    let text = place.read("p.csv");
    let mut lines = text.lines();
    let head = "id,answer,class_unadapted,class,p_ant,p_bee,p_cat";
    assert_eq!(lines.next(), Some(head));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let agree = |column: usize| rows.iter().filter(|row| row[1] == row[column]).count();
    assert!(agree(2) > 140, "the source model knows these rows");
    assert!(agree(3) < agree(2));
    assert_eq!(done["scored"], 150);
    assert_eq!(done["accuracy"], agree(3) as f64 / 150.0);
    place.good(&format!("{words} --out p.parquet"));
    let view = place.json("inspect p.parquet");
    assert_eq!(view["columns"][2]["name"], "class_unadapted");
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    let one = place.bad(
        "predict m.safetensors --unadapted --input back.csv --out q.csv",
        2,
    );
    assert!(one.contains("only one version"), "{one}");
}

#[test]
fn predictions_of_a_run_that_fills_in_missing_values_do_so_too() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --impute --out run"));
    let text = turning(20, 1.4, 1.4, 7);
    let mut rows: Vec<String> = text.lines().map(String::from).collect();
    rows[3] = "7-2,700000,,0.05,red,ant".into();
    place.write("gap.csv", rows.join("\n") + "\n");
    place.good("predict run --input gap.csv --out p.csv");
    place.good("predict run/checkpoints/window-0006.safetensors --input gap.csv --out q.csv");
    assert_eq!(place.read("p.csv"), place.read("q.csv"));
}

#[test]
fn seeds_that_agree_do_not_make_a_comparison_certain() {
    let place = Place::new();
    let words = format!("compare {SOURCE} {STREAM} --truth label --seeds 2");
    let found = place.json(&words);
    for method in found["methods"].as_array().unwrap() {
        let half = method["last_window"]["half_width"].as_f64().unwrap();
        assert!(half > 0.005, "{method}");
    }
}
