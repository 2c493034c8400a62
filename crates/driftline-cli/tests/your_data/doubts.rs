//! Tables that are hardly meant as they are taken: regressions, numbers of rows, decimal commas, windows of a few rows.

use super::files::{Place, SOURCE, error, turning};

#[test]
fn a_class_per_row_is_refused_before_anything_is_trained() {
    let place = Place::new();
    let rows = (0..445).map(|at| format!("{},{}\n", at % 7, f64::from(at) * 1.5));
    place.write(
        "prices.csv",
        format!("x,price\n{}", rows.collect::<String>()),
    );
    let message = place.bad(
        "fit --source prices.csv --label price --out m.safetensors",
        1,
    );
    for needle in [
        "`price`",
        "445 different labels in 445 rows",
        "regression target?",
        "--label",
    ] {
        assert!(message.contains(needle), "{needle}: {message}");
    }
}

#[test]
fn windows_of_a_few_rows_are_noted() {
    let place = Place::new();
    let adapt = |window: usize| {
        let output = place.run(&format!(
            "adapt {SOURCE} --stream stream.csv --time day --id id --window {window} --dry-run --out run"
        ));
        error(&output)
    };
    let told = adapt(5);
    assert!(
        told.contains("120 of 120 windows have fewer than 20 rows"),
        "{told}"
    );
    assert!(told.contains("--window"), "{told}");
    assert!(!adapt(20).contains("have fewer than"));
    place.good(&format!(
        "adapt {SOURCE} --stream stream.csv --time day --id id --policy always --fail-on never --out run"
    ));
    place.write("five.csv", turning(5, 0.0, 0.0, 9));
    let told = error(&place.run("step run --input five.csv"));
    assert!(told.contains("fewer than 20 rows"), "{told}");
}

/// `id` 0…n−1 is noted as a feature; an index without a name is left out, unless somebody asks for it.
#[test]
fn numbers_of_rows_are_noted_or_left_out() {
    let place = Place::new();
    let numbered = |name: &str, from: usize| {
        let text = turning(150, 0.0, 0.0, 1);
        let lines = text.lines().enumerate();
        let line = |(at, line): (usize, &str)| match at {
            0 => format!("{name},{line}\n"),
            at => format!("{},{line}\n", from + at),
        };
        lines.map(line).collect::<String>()
    };
    place.write("numbered.csv", numbered("number", 0));
    place.write("index.csv", numbered("", 7000));
    let fit = "--label label --time day --id id --out m.safetensors --force";
    let told = error(&place.run(&format!("fit --source numbered.csv {fit}")));
    assert!(
        told.contains("`number` has a different whole number in every row"),
        "{told}"
    );
    assert!(told.contains("--exclude number"), "{told}");
    let output = place.run(&format!("fit --source index.csv {fit}"));
    assert!(
        output.status.success() && !error(&output).contains("c0"),
        "{}",
        error(&output)
    );
    let model = place.json("inspect m.safetensors");
    assert_eq!(model["features"].as_array().unwrap().len(), 4);
    assert!(
        model["source"]["stated"]
            .as_str()
            .unwrap()
            .contains("unnamed index left out")
    );
    place.good("predict m.safetensors --input index.csv --id c0 --out p.csv");
    assert!(place.read("p.csv").starts_with("c0,class") && place.read("p.csv").contains("\n7001,"));
    place.good(&format!("fit --source index.csv --exclude c0 {fit}"));
}

#[test]
fn decimal_commas_are_told_and_read() {
    let place = Place::new();
    let german = |rows, from, to, seed| {
        let text = turning(rows, from, to, seed);
        text.replace(',', ";").replace('.', ",")
    };
    place.write("source.csv", german(150, 0.0, 0.0, 1));
    place.write("stream.csv", german(300, 0.0, 0.7, 2));
    let adapt = "adapt --source source.csv --label label --stream stream.csv --time day --id id --window 100";
    let message = place.bad(&format!("{adapt} --out run"), 1);
    assert!(
        message.contains("a decimal comma, such as `") && message.contains("--decimal ,"),
        "{message}"
    );
    place.good(&format!(
        "{adapt} --truth label --fail-on never --decimal , --out run"
    ));
    let manifest = place.read("run/manifest.json");
    assert!(
        manifest.contains("`;` between fields, decimal commas"),
        "{manifest}"
    );
    // The same numbers with points: the same predictions.
    place.write("source.csv", turning(150, 0.0, 0.0, 1));
    place.write("stream.csv", turning(300, 0.0, 0.7, 2));
    place.good(&format!(
        "{adapt} --truth label --fail-on never --out points"
    ));
    let last = "predictions/window-0003.csv";
    assert_eq!(
        place.read(&format!("run/{last}")),
        place.read(&format!("points/{last}"))
    );
    place.bad(&format!("{adapt} --decimal ; --out run"), 2);
}

#[test]
fn a_column_that_only_a_later_file_of_the_source_has_is_noted() {
    let place = Place::new();
    let more = turning(60, 0.0, 0.0, 4).replace("label\n", "label,extra\n");
    place.write(
        "more.csv",
        more.replace("ant\n", "ant,1\n")
            .replace("bee\n", "bee,2\n")
            .replace("cat\n", "cat,3\n"),
    );
    let fit =
        "fit --source source.csv more.csv --label label --time day --id id --out m.safetensors";
    let told = error(&place.run(fit));
    assert!(
        told.contains("column `extra` of more.csv is not used"),
        "{told}"
    );
    let told = error(&place.run(&format!("{fit} --force --id extra")));
    assert!(!told.contains("is not used"), "{told}");
}

#[test]
fn a_number_that_is_too_large_is_told_with_its_own_row() {
    let place = Place::new();
    let text = turning(60, 0.0, 0.0, 4);
    let lines: Vec<&str> = text.lines().collect();
    let mut huge: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
    huge[42] = "4-41,400004,1e300,0.1,red,ant".into();
    place.write("huge.csv", huge.join("\n"));
    let fit = "fit --source huge.csv --label label --time day --id id --out m.safetensors";
    let message = place.bad(fit, 1);
    assert!(message.contains("row 42, column `x`: 1e300"), "{message}");
}

/// What `step` would refuse, a dry run refuses.
#[test]
fn a_dry_step_on_an_unfinished_run_says_so() {
    let place = Place::new();
    place.good(&format!(
        "adapt {SOURCE} --stream stream.csv --time day --id id --window 100 --out run"
    ));
    let manifest = place.read("run/manifest.json");
    place.write(
        "run/manifest.json",
        manifest.replacen("\"planned\": 6", "\"planned\": 9", 1),
    );
    place.write("next.csv", turning(60, 1.4, 1.5, 3));
    let dry = place.bad("step run --input next.csv --dry-run", 1);
    assert!(dry.contains("6 of 9 windows"), "{dry}");
    assert_eq!(dry, place.bad("step run --input next.csv", 1));
}
