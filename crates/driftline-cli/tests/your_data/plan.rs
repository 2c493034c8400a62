//! Advice before anything is adapted: windows, methods and what to expect, from a source that is moved along the stream.

use super::files::{self, Place};

/// Two classes, 4 apart in `x`; all rows are moved by `shift(part)` along it, `part` going from 0 to 1.
fn moving(rows: usize, seed: u64, shift: impl Fn(f64) -> f64) -> String {
    let mut state = seed;
    let mut noise = || files::noise(&mut state);
    let mut text = "x,y,label\n".to_owned();
    for row in 0..rows {
        let class = if noise() > 0.0 { 1.0 } else { -1.0 };
        let x = 2.0 * class + 1.5 * noise() + shift(row as f64 / rows as f64);
        let label = if class > 0.0 { "up" } else { "down" };
        text += &format!("{x:.4},{:.4},{label}\n", noise());
    }
    text
}

fn place(shift: impl Fn(f64) -> f64) -> Place {
    let place = Place::new();
    place.write("source.csv", moving(600, 3, |_| 0.0));
    place.write("stream.csv", moving(6000, 4, shift));
    place
}

const PLAN: &str = "plan --source source.csv --label label --stream stream.csv";

#[test]
fn a_drift_that_can_be_rehearsed_has_a_window_a_method_and_an_expected_accuracy() {
    let place = place(|part| 3.0 * part);
    let plan = place.json(PLAN);
    assert!(plan["pace"]["window"].as_u64().is_some(), "{plan}");
    let outlook = &plan["outlook"];
    assert_eq!(outlook["explained"], outlook["windows"], "{outlook}");
    let preferred = outlook["preferred"].as_str().expect("one that gains");
    let prospects = outlook["prospects"].as_array().unwrap();
    let end = |name: &str| {
        let own = prospects.iter().find(|own| own["name"] == name).unwrap();
        own["at_end"]["accuracy"].as_f64().unwrap()
    };
    // The source model takes the lower class for the upper one once it has moved by more than half their distance.
    assert!(end("hold") < 0.8, "{outlook}");
    assert!(end(preferred) > 0.9, "{outlook}");
    assert!(plan["seconds"].as_f64().unwrap() > 0.0);

    let told = place.good(PLAN);
    assert!(told.contains(&format!("best is `{preferred}`")), "{told}");
    assert!(told.contains("expected at the end"), "{told}");
    // What it says comes true.
    let window = plan["pace"]["window"].as_u64().unwrap();
    place.good(&format!(
        "adapt --source source.csv --label label --stream stream.csv --truth label --window {window} --out run"
    ));
    let windows = place.windows("run");
    let last = windows.last().unwrap()["accuracy_after"].as_f64().unwrap();
    assert!((last - end(preferred)).abs() < 0.1, "{last} {outlook}");
}

/// Beside trees stand linear candidates, with a model of their own.
#[test]
fn trees_are_rehearsed() {
    let place = place(|part| 3.0 * part);
    let plan = place.json(&format!("{PLAN} --model trees"));
    let prospects = plan["outlook"]["prospects"].as_array().unwrap();
    let own = |name: &str| prospects.iter().any(|own| own["name"] == name);
    assert!(own("realign") && own("linear-realign"), "{plan}");
}

#[test]
fn without_drift_it_advises_to_hold() {
    let plan = place(|_| 0.0).json(PLAN);
    assert!(plan["outlook"]["preferred"].is_null(), "{plan}");
    let told = place(|_| 0.0).good(PLAN);
    assert!(told.contains("best is to hold"), "{told}");
    let sizes = told.split("Rehearsed").next().unwrap();
    assert!(!sizes.contains("  -"), "no drift is below 0: {sizes}");
}

#[test]
fn no_window_is_safe_where_the_stream_jumps() {
    let place = place(|part| if part < 0.5 { 0.0 } else { 5.0 });
    let before = place.contents(".");
    let told = place.good(PLAN);
    assert!(told.contains("No window is safe"), "{told}");
    assert_eq!(place.contents("."), before, "nothing is written");
}
