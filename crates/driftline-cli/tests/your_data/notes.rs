//! What is said beside results: each note once, none when asked to be quiet, and none that hides an error.

use super::files::{Place, SOURCE, STREAM, error, turning};

/// Sixty columns in which every window has a gap.
fn gaps(place: &Place) -> String {
    let wide = |text: String| {
        let lines = text.lines().enumerate();
        let line = |(row, line): (usize, &str)| {
            let more = (0..60).map(|column| match row {
                0 => format!(",g{column}"),
                _ if row % 50 == 3 => ",".into(),
                _ => format!(",{}", (row * (column + 7)) % 13),
            });
            line.to_owned() + &more.collect::<String>() + "\n"
        };
        lines.map(line).collect::<String>()
    };
    place.write("source.csv", wide(turning(150, 0.0, 0.0, 1)));
    place.write("stream.csv", wide(turning(600, 0.0, 1.4, 2)));
    format!("adapt {SOURCE} {STREAM} --impute --out run")
}

#[test]
fn a_note_is_told_once_and_few_of_a_kind() {
    let place = Place::new();
    let adapt = gaps(&place);
    let told = error(&place.run(&adapt));
    let filled = told.lines().filter(|line| line.contains("were filled"));
    assert_eq!(filled.count(), 3, "{told}");
    assert!(told.contains("note: the same of 52 more: `g3`"), "{told}");
    let quiet = place.run(&format!("{adapt} --force -q"));
    assert!(quiet.status.success());
    assert_eq!(error(&quiet), "");
    for words in [
        "fit --source source.csv --label label --impute --out m.safetensors -q",
        "predict run --input stream.csv --impute --out p.csv -q",
        "step run --input stream.csv -q",
    ] {
        assert_eq!(error(&place.run(words)), "", "{words}");
    }
}

#[test]
fn an_error_stands_alone() {
    let place = Place::new();
    let adapt = gaps(&place);
    std::fs::create_dir_all(place.at("run")).unwrap();
    place.write("run/report.html", "mine");
    let told = place.bad(&format!("{adapt} --force"), 1);
    assert!(
        !told.contains("note:") && told.lines().count() <= 3,
        "{told}"
    );
}

#[test]
fn a_dry_run_tells_windows_of_one_size_in_one_line() {
    let place = Place::new();
    let plan = place.good(&format!(
        "adapt {SOURCE} --stream stream.csv --window 70 --tail keep --out run --dry-run"
    ));
    assert!(
        plan.contains("windows 1 to 8: 70 rows each\n  window 9: 40 rows"),
        "{plan}"
    );
    let uneven = format!("adapt {SOURCE} --stream stream.csv --windows 37 --out run --dry-run");
    let plan = place.good(&uneven);
    assert!(plan.contains("\n  16 to 17 rows each\n"), "{plan}");
}
