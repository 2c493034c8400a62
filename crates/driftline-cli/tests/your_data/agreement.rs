//! Fifty varied runs: the sentence, the page with its cards, JSON, the exit code, the fleet's row and the metrics of the
//! server say the same of each.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use super::files::{Place, turning};
use crate::serve::Server;

/// The streams of a fleet: slow and fast turns, jumps, streams that stand still, and short ones.
fn streams(place: &Place, folder: &str, count: u64) {
    fs::create_dir(place.at(folder)).unwrap();
    for stream in 0..count {
        let seed = 10 + stream;
        let text = match stream % 5 {
            0 => turning(300, 0.0, 0.1 * stream as f64, seed),
            1 => turning(300, 0.0, 0.0, seed),
            2 => {
                let before = turning(200, 0.0, 0.2, seed);
                let after = turning(100, 1.6, 1.6, seed + 100);
                before + after.split_once('\n').unwrap().1
            }
            3 => turning(200, 0.4, 1.2, seed),
            _ => turning(100, 0.05 * stream as f64, 0.05 * stream as f64, seed),
        };
        place.write(&format!("{folder}/s{stream}.csv"), text);
    }
}

fn per_cent(value: &Value) -> String {
    format!("{:.1}", 100.0 * value.as_f64().unwrap())
}

/// `81.0 % (75.0 to 87.0)`, as sentences have it.
fn with_interval(own: &Value) -> String {
    let [value, low, high] = ["value", "low", "high"].map(|end| per_cent(&own[end]));
    format!("{value} % ({low} to {high})")
}

/// How the first line begins.
fn todo(verdict: &Value) -> String {
    let action = &verdict["action"];
    let rows = || match (action["rows"].as_u64().unwrap(), &action["named"]) {
        (1, Value::Bool(true)) => "this row".to_owned(),
        (n, Value::Bool(true)) => format!("these {n} rows"),
        (n, _) => format!("{n} rows"),
    };
    match action["do"].as_str().unwrap() {
        "keep-serving" => "Keep serving".into(),
        "adapted" => "Adapted, nothing to do".into(),
        "label" => {
            let state = match verdict["last_step"]["kind"].as_str().unwrap() {
                "held" => "Held",
                "taken-back" => "Taken back",
                _ => "In doubt",
            };
            format!("{state}: label {}", rows())
        }
        "roll-back" if action["to"] == 0 => "Roll back to version 0".into(),
        "roll-back" => format!("Roll back to version {}", action["to"]),
        other => panic!("{other}"),
    }
}

/// The text between tags, as a reader sees it.
fn text_of(page: &str) -> String {
    let parts = page
        .split('<')
        .skip(1)
        .filter_map(|part| part.split_once('>'));
    let text: String = parts.map(|(_, text)| text).collect();
    text.replace("&#x27;", "'").replace("&amp;", "&")
}

fn check(place: &Place, key: &str, row: &Value, stream: &str) -> String {
    let view = place.json(&format!("inspect {key}"));
    let (verdict, sentence) = (&view["verdict"], view["sentence"].as_str().unwrap());
    let todo = todo(verdict);
    assert!(sentence.starts_with(&todo), "{key}: {todo}: {sentence}");
    // What the row of the fleet says.
    for part in [
        "action",
        "served",
        "unadapted",
        "difference",
        "in_use",
        "effect",
    ] {
        assert_eq!(row[part], verdict[part], "{key}: {part}");
    }
    assert_eq!(row["step"], verdict["last_step"]["kind"], "{key}");
    assert_eq!(row["version"], verdict["version"], "{key}");
    // The exit code; the run has seen these rows, so that nothing is computed.
    let output = place.run(&format!("step {key} --input {stream} --json"));
    let acts = matches!(
        verdict["action"]["do"].as_str(),
        Some("label" | "roll-back")
    );
    let code = output.status.code();
    assert_eq!(code, Some(if acts { 3 } else { 0 }), "{key}: {sentence}");
    let held = ["held", "taken-back"]
        .map(Value::from)
        .contains(&verdict["last_step"]["kind"]);
    let output = place.run(&format!(
        "step {key} --input {stream} --json --fail-on held"
    ));
    let expected = if acts || held { 3 } else { 0 };
    assert_eq!(output.status.code(), Some(expected), "{key}");
    // The page: headline, cards and badge.
    let page = place.read(&format!("{key}/report.html"));
    let told = text_of(&page);
    let plain = sentence.replace('`', "");
    let first = plain.split(". ").next().unwrap();
    assert!(told.contains(first), "{key}: {first}");
    let badge = page.split("class=\"verdict ").nth(1).unwrap();
    assert!(
        badge.split("</span>").next().unwrap().contains(&todo),
        "{key}: {badge}"
    );
    let card = |name: &str| -> String {
        let card = page.split(&format!("<dt>{name}</dt>")).nth(1);
        let card = card.unwrap_or_else(|| panic!("{key}: {name}"));
        text_of(&format!("<dd>{}", card.split("</dd>").next().unwrap()))
    };
    match &verdict["served"] {
        Value::Null => assert!(card("Accuracy as served").contains("not known"), "{key}"),
        served => {
            assert!(
                sentence.contains(&with_interval(served)),
                "{key}: {sentence}"
            );
            let card = card("Accuracy as served");
            assert!(
                card.starts_with(&format!("{} %", per_cent(&served["value"]))),
                "{key}: {card}"
            );
            let how = match served["by"].as_str().unwrap() {
                "answers" => "counted",
                _ => "estimated",
            };
            assert!(
                card.contains(how) && sentence.contains(how),
                "{key}: {card}"
            );
        }
    }
    let in_use = card("In use now");
    match verdict["version"].as_u64().unwrap() {
        0 => assert!(in_use.starts_with("the source model"), "{key}: {in_use}"),
        version => assert!(
            in_use.starts_with(&format!("version {version}")),
            "{key}: {in_use}"
        ),
    }
    if !verdict["in_use"].is_null() {
        assert!(
            in_use.contains(&with_interval(&verdict["in_use"])),
            "{key}: {in_use}"
        );
    }
    // The metrics of a server.
    let (status, metrics) = Server::start(place, key).get("/metrics");
    assert_eq!(status, 200);
    let action = verdict["action"]["do"].as_str().unwrap();
    assert!(
        metrics.contains(&format!("driftline_action{{action=\"{action}\"}} 1\n")),
        "{metrics}"
    );
    assert_eq!(metrics.matches("driftline_action{").count(), 4);
    for (of, own) in [
        ("served", "served"),
        ("unadapted", "unadapted"),
        ("in-use", "in_use"),
    ] {
        let by = match verdict[own]["by"].as_str() {
            Some("answers") => "answers",
            Some(_) => "estimate",
            None => continue,
        };
        for end in ["value", "low", "high"] {
            let name = format!("driftline_accuracy{{of=\"{of}\",end=\"{end}\",by=\"{by}\"}} ");
            let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
            let value: f64 = line
                .unwrap_or_else(|| panic!("{name}: {metrics}"))
                .parse()
                .unwrap();
            assert_eq!(value, verdict[own][end].as_f64().unwrap(), "{key}: {name}");
        }
    }
    format!(
        "{action}, {}",
        verdict["last_step"]["kind"].as_str().unwrap()
    )
}

#[test]
fn fifty_runs_are_told_alike_in_every_place() {
    let place = Place::new();
    let source = "--source source.csv --label label --exclude id --exclude day --window 100";
    let fleets = [
        ("guarded", 26, "--policy guarded"),
        ("scored", 8, "--policy guarded --truth label"),
        ("always", 8, "--policy always"),
        ("starved", 4, "--model linear --drop 0.99 --policy always"),
        ("never", 4, "--policy never"),
    ];
    let (mut seen, mut runs) = (BTreeMap::new(), 0);
    for (name, count, words) in fleets {
        streams(&place, &format!("T-{name}"), count);
        let output = place.run(&format!(
            "fleet {source} --stream T-{name}/*.csv {words} --out {name} --json"
        ));
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let rows = told["rows"].as_array().unwrap();
        assert_eq!(rows.len(), count as usize);
        let acts = rows.iter().any(|row| {
            let action = row["action"]["do"].as_str();
            matches!(action, Some("label" | "roll-back"))
        });
        assert_eq!(
            output.status.code(),
            Some(if acts { 3 } else { 0 }),
            "{name}"
        );
        // The page of the fleet has what to do in words.
        let page = place.read(&format!("{name}/report.html"));
        for row in rows {
            let (key, run) = (
                row["key"].as_str().unwrap(),
                format!("{name}-{}", row["key"].as_str().unwrap()),
            );
            place.good(&format!("fleet export {name} --key {key} --out {run}"));
            let stream = format!("T-{name}/{key}.csv");
            let what = check(&place, &run, row, &stream);
            let verdict = place.json(&format!("inspect {run}"))["verdict"].clone();
            assert!(page.contains(&todo(&verdict)), "{run}");
            *seen.entry(what).or_insert(0) += 1;
            runs += 1;
        }
    }
    assert_eq!(runs, 50);
    // They are as varied as they are meant to be.
    assert!(seen.len() >= 5, "{seen:?}");
    for action in ["keep-serving", "adapted", "label"] {
        assert!(seen.keys().any(|what| what.starts_with(action)), "{seen:?}");
    }
}
