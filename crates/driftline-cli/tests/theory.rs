//! `driftline theory` as a user meets it.

use assert_cmd::Command;
use serde_json::Value;

fn theory(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("driftline").expect("the program is built with its tests");
    command.arg("theory").args(args);
    command
}

#[test]
fn one_statement_with_all_its_parts_as_json() {
    let output = theory(&["3.4", "--json"]).assert().success();
    let value: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let claims = value["claims"].as_array().unwrap();
    let ids: Vec<&str> = claims.iter().map(|c| c["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["3.4-printed", "3.4-two-step", "3.4-three-step"]);
    for claim in claims {
        assert_eq!(claim["holds"], true);
        assert!(claim["title"].is_string());
    }
    assert_eq!(claims[0]["predicted"], "fails");
    assert_eq!(claims[0]["computed"], "fails");
}

#[test]
fn explained_in_words() {
    let output = theory(&["3.4-printed", "--explain"]).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("4/17") && text.contains("*repairs*"),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 110),
        "{text}"
    );
}

#[test]
fn charts_and_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("theory.html");
    let charts = folder.path().join("charts");
    theory(&["3.1", "A.8", "3.4-two-step", "--quiet"])
        .args([
            "--html".as_ref(),
            page.as_os_str(),
            "--figures".as_ref(),
            charts.as_os_str(),
        ])
        .assert()
        .success();
    for id in [
        "3.1",
        "3.1-max-margin",
        "3.1-samples",
        "A.8",
        "3.4-two-step",
    ] {
        let svg = std::fs::read_to_string(charts.join(format!("{id}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{id}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{id}");
    }
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.contains("3.4-two-step") && html.contains("<svg"));
    assert!(!html.contains("src=") && html.len() < 300_000);
}

#[test]
fn an_unknown_statement_is_an_error_with_the_known_ones() {
    let output = theory(&["7.7"]).assert().code(1);
    let text = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(
        text.contains("7.7") && text.contains("3.4-printed"),
        "{text}"
    );
}
