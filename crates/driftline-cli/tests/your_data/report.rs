//! The report of a run: what is drawn and told on its page beside the verdict.

use super::files::{Place, turning};

/// `turning`, with days in place of numbers, a column that hardly varies and a category.
fn dated(rows: usize, from: f64, to: f64, seed: u64, awake: bool) -> String {
    let text = turning(rows, from, to, seed);
    let mut lines = text.lines();
    let mut dated = format!("{},valve\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        let mut cells: Vec<String> = line.split(',').map(String::from).collect();
        cells[1] = format!("2024-{:02}-{:02}", 1 + row / 280, 1 + row / 10 % 28);
        let valve = if awake && row % 3 == 0 { 7.5 } else { 2.0 };
        dated += &format!("{},{valve}\n", cells.join(","));
    }
    dated
}

fn page(words: &str) -> (Place, String) {
    let place = Place::new();
    place.write("source.csv", dated(150, 0.0, 0.0, 1, false));
    place.write("stream.csv", dated(400, 0.0, 0.5, 2, true));
    place.run(&format!(
        "adapt --source source.csv --label label --stream stream.csv --time day --id id --window 100 --policy guarded {words} --out run"
    ));
    let page = place.read("run/report.html");
    (place, page)
}

#[test]
fn without_answers_the_unadapted_estimate_stands_beside_the_adapted_one() {
    let (_, page) = page("");
    assert!(
        page.contains("Estimated accuracy along the stream"),
        "{page}"
    );
    for name in ["adapted", "unadapted", "as served"] {
        assert!(page.contains(&format!(">{name}</text>")), "{name}");
    }
    assert!(
        page.matches("class=\"band\"").count() >= 2,
        "both have an interval"
    );
    // Estimated, and it says so.
    for told in [
        "Classes, 2024-",
        ", estimated without labels",
        "Confusion matrix",
        "Precision %",
    ] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn windows_are_told_by_their_dates() {
    let (_, page) = page("");
    assert!(page.contains("first date of the window"));
    assert!(page.contains(">2024-01-01</text>"), "on the axes");
    assert!(
        page.contains("on 2024-02-03 to 2024-02-12 (window 4)"),
        "in the sentence"
    );
    for title in [
        "Classes, 2024-02-03 to 2024-02-12",
        "Explanations of the drift in 2024-02-03 to 2024-02-12",
    ] {
        assert!(page.contains(title), "{title}");
    }
    assert!(
        !page.contains("T00:00") && !page.contains('`'),
        "one format, and no marks of code"
    );
}

#[test]
fn columns_are_drawn_as_they_were_and_are() {
    let (_, page) = page("");
    assert!(page.contains("Columns, source and newest window"));
    for column in ["x", "y", "colour", "valve"] {
        assert!(page.contains(&format!(">{column}</text>")), "{column}");
    }
    // A column that the model does not use because it did not vary.
    assert!(
        page.contains("valve (constant in the source, not used)"),
        "told in the table"
    );
    assert!(
        page.contains("hardly varies in the source (2)"),
        "and noted"
    );
    assert!(
        page.contains("other values: source 0.0 %, newest 34.0 %"),
        "and drawn"
    );
    // Categories have a bar each.
    assert!(
        page.contains("blue: source 50.0 %, newest 50.0 %"),
        "{page}"
    );
}

#[test]
fn with_answers_precision_recall_and_confusion_are_counted() {
    let (place, page) = page("--truth label");
    for told in [", counted", "Confusion matrix", "as ant", "Precision %"] {
        assert!(page.contains(told), "{told}");
    }
    let last = place.windows("run").pop().unwrap();
    let matrix = last["confusion"].as_array().unwrap();
    let rows: u64 = matrix
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(rows, 100);
    let right: u64 = (0..3).map(|at| matrix[at][at].as_u64().unwrap()).sum();
    assert_eq!(
        right as f64 / 100.0,
        last["accuracy_after"].as_f64().unwrap()
    );
    // A window without answers leaves a gap in the lines of those that have some.
    place.write(
        "more.csv",
        dated(100, 0.5, 0.5, 3, false).replace(",label,", ",kind,"),
    );
    place.run("step run --input more.csv --fail-on never");
    place.write("last.csv", dated(100, 0.5, 0.5, 4, false));
    place.run("step run --input last.csv --truth label --fail-on never");
    let page = place.read("run/report.html");
    // Named in the heading, and in the chart itself.
    let accuracy = page.split("Accuracy along the stream").nth(2).unwrap();
    let chart = accuracy.split("</svg>").next().unwrap();
    assert!(
        chart.contains("class=\"mean\""),
        "the last window stands alone: {chart}"
    );
}
