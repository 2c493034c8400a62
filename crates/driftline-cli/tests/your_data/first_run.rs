//! A first run on a messy file: what is in the way is told at once, with the command that mends it; what can be read is read.

use super::files::{Place, error, noise};

/// Three states, four columns, an order number, a date with points, gaps, and letters of western Europe.
fn messy(
    rows: usize,
    first: usize,
    drift: f64,
    change: impl Fn(usize, String) -> String,
) -> Vec<u8> {
    let mut state = 11 + first as u64;
    let mut text = "order;datum;machine;temp;druck;status\r\n".to_owned();
    for row in 0..rows {
        let class = row % 3;
        let day = (first + row) / 10;
        let machine = ["Fräse", "Presse"][row % 2];
        let temp = [60.0, 66.0, 72.0][class] + 2.0 * noise(&mut state) + drift;
        let druck = [100.0, 104.0, 92.0][class] + 2.0 * noise(&mut state);
        let status = ["ok", "wear", "jam"][class];
        let line = format!(
            "A-{:05};{:02}.{:02}.2024;{machine};{temp:.2};{druck:.1};{status}\r\n",
            first + row,
            day % 28 + 1,
            day / 28 + 1
        );
        text += &change(row, line);
    }
    // Latin-1 has the numbers of these characters.
    text.chars().map(|letter| letter as u8).collect()
}

fn gaps(row: usize, line: String) -> String {
    match row % 40 {
        7 => {
            let mut cells: Vec<&str> = line.split(';').collect();
            cells[3] = ["NA", "n/a", ""][row / 40 % 3];
            cells.join(";")
        }
        _ => line,
    }
}

fn place() -> Place {
    let place = Place::new();
    place.write("s.csv", messy(600, 0, 0.0, gaps));
    place.write("t.csv", messy(900, 600, 1.0, gaps));
    place
}

const FIRST: &str = "adapt --source s.csv --label status --stream t.csv --window 300 --policy always --fail-on never --out run";

#[test]
fn all_that_is_in_the_way_is_told_in_one_message_with_one_corrected_command() {
    let place = place();
    let message = place.bad(FIRST, 1);
    for needle in [
        "`order`",
        "`datum` holds dates such as 01.01.2024",
        "`temp`",
    ] {
        assert!(message.contains(needle), "{needle}: {message}");
    }
    let command = message
        .lines()
        .find_map(|line| line.trim().strip_prefix("try:"));
    let command = command.expect("a corrected command").trim();
    assert!(
        command.ends_with("--id order --time datum --impute"),
        "{command}"
    );
    // The second try is the last.
    let words = command.strip_prefix("driftline ").unwrap();
    let output = place.run(words);
    let told = error(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("s.csv is not UTF-8 and was read as cp1252"),
        "{told}"
    );
    assert!(told.contains("are read as day, month, year"), "{told}");
    assert_eq!(place.windows("run")[0]["from"], "2024-03-05");
    let predictions = place.read("run/predictions/window-0001.csv");
    assert!(
        predictions.starts_with("file,row,time,order,class"),
        "{predictions}"
    );
}

/// A running number is told with the rest, and the grammar is that of several columns.
#[test]
fn a_running_number_is_told_with_the_rest() {
    let place = Place::new();
    let mut text = "number;temp;druck;status\n".to_owned();
    for row in 0..200 {
        let (temp, druck) = (row * 7 % 11, row * 5 % 13);
        text += &format!(
            "{};6{temp},5;9{druck},25;{}\n",
            9000 + row,
            ["ok", "jam"][row % 2]
        );
    }
    text = text.replacen(";61,5;", ";;", 3);
    place.write("s.csv", &text);
    let message = place.bad("fit --source s.csv --label status --out m.safetensors", 1);
    for needle in [
        "`number` identifies the rows",
        "`temp`, `druck` have decimal commas",
        "--id number --decimal , --impute",
    ] {
        assert!(message.contains(needle), "{needle}: {message}");
    }
}

#[test]
fn what_was_detected_can_be_overruled() {
    let place = place();
    let all = format!("{FIRST} --id order --time datum --impute");
    let refused = place.bad(&format!("{all} --encoding utf-8"), 1);
    assert!(
        refused.contains("not UTF-8") && refused.contains("--encoding cp1252"),
        "{refused}"
    );
    // The thirteenth month.
    let refused = place.bad(&format!("{all} --dates month-first --encoding latin-1"), 1);
    assert!(refused.contains("`13.03.2024` is not a time"), "{refused}");
    // Dates with slashes are ambiguous.
    for name in ["s.csv", "t.csv"] {
        let text = std::fs::read(place.at(name)).unwrap();
        let text = String::from_utf8(text.iter().filter(|b| b.is_ascii()).copied().collect());
        let dates = text.unwrap().replace(".2024;", "/2024;");
        let slashed: Vec<String> = dates
            .lines()
            .map(|line| match line.split_once('/') {
                Some((before, after)) => {
                    let at = before.rfind('.').unwrap();
                    format!("{}/{}/{after}", &before[..at], &before[at + 1..])
                }
                None => line.to_owned(),
            })
            .collect();
        place.write(name, slashed.join("\n") + "\n");
    }
    let unknown = place.bad(&all, 1);
    assert!(
        unknown.contains("may begin with the day or with the month"),
        "{unknown}"
    );
    place.good(&format!("{all} --dates day-first --force"));
    assert_eq!(place.windows("run")[0]["from"], "2024-03-05");
}

#[test]
fn a_header_in_the_middle_classes_alike_and_a_lone_number_of_nines_are_noted() {
    let place = Place::new();
    let odd = |row: usize, line: String| match row {
        300 => line.clone() + "order;datum;machine;temp;druck;status\r\n",
        311 => line.replace(";jam", ";JAM"),
        312 => line.replace(";ok", ";ok "),
        320 => {
            let mut cells: Vec<&str> = line.split(';').collect();
            cells[4] = "-9999";
            cells.join(";")
        }
        _ => line,
    };
    place.write("s.csv", messy(600, 0, 0.0, odd));
    place.write(
        "t.csv",
        messy(900, 600, 1.0, |row, line| match row {
            450 => line + "order;datum;machine;temp;druck;status\r\n",
            _ => line,
        }),
    );
    let output = place.run(&format!("{FIRST} --id order --time datum"));
    let told = error(&output);
    assert!(output.status.success(), "{told}");
    for needle in [
        "s.csv repeats its header",
        "t.csv repeats its header",
        "classes `JAM`, `jam` differ only in how they are written",
        "column `druck` holds -9999 in 1 row",
    ] {
        assert!(told.contains(needle), "{needle}: {told}");
    }
    assert!(!told.contains("`ok `"), "{told}");
    let rows: u64 = place
        .windows("run")
        .iter()
        .map(|w| w["rows"].as_u64().unwrap())
        .sum();
    assert_eq!(rows, 900, "the header is no row");
    // Too late to be seen coming, it is refused in plain words.
    assert_eq!(place.json("inspect s.csv")["rows"], 600);
}

#[test]
fn steps_on_the_source_are_refused_and_old_rows_noted() {
    let place = place();
    let all = format!("{FIRST} --id order --time datum --impute");
    place.good(&all);
    let before = place.contents("run");
    let refused = place.bad("step run --input s.csv", 1);
    assert!(
        refused.contains("is the labelled source that the run began with"),
        "{refused}"
    );
    assert_eq!(place.contents("run"), before);
    place.write("old.csv", messy(300, 700, 1.0, gaps));
    let told = error(&place.run("step run --input old.csv --fail-on never"));
    assert!(
        told.contains("300 of 300 rows are dated before 2024-"),
        "{told}"
    );
}

/// Numbers and a category that both have `NA` for what is not known.
#[test]
fn what_is_missing_in_the_source_is_missing_in_the_stream_and_for_predictions() {
    let place = Place::new();
    let rows = |rows: usize, shift: usize| {
        let mut text = "a,colour,y\n".to_owned();
        for row in 0..rows {
            let colour = match row % 10 {
                3 => ["NA", "n/a", "null", ""][row / 10 % 4],
                n => ["red", "blue"][n % 2],
            };
            text += &format!(
                "{},{colour},{}\n",
                row % 7 + 10 * (row % 2) + shift,
                row % 2
            );
        }
        text
    };
    place.write("s.csv", rows(200, 0));
    place.write("t.csv", rows(200, 1));
    let adapt = "adapt --source s.csv --label y --stream t.csv --window 100 --policy always --fail-on never --out run";
    let output = place.run(&format!("{adapt} --impute"));
    let told = error(&output);
    assert!(output.status.success(), "{told}");
    assert!(!told.contains("categories that the source lacks"), "{told}");
    assert!(
        told.contains("column `colour`: missing values were filled"),
        "{told}"
    );
    let told = error(&place.run("predict run --input t.csv --out p.csv"));
    assert!(
        told.contains("column `colour`: missing values were filled") && !told.contains("lacks"),
        "{told}"
    );
    // A model that takes none refuses them, whatever they are called.
    place.write(
        "whole.csv",
        rows(200, 0)
            .replace("NA", "red")
            .replace("n/a", "red")
            .replace("null", "red")
            .replace(",,", ",red,"),
    );
    place.good("fit --source whole.csv --label y --out m.safetensors");
    let refused = place.bad("predict m.safetensors --input t.csv --out q.csv", 1);
    assert!(
        refused.contains("column `colour`: the value is missing"),
        "{refused}"
    );
}

#[test]
fn a_model_hands_on_how_values_are_filled_in_and_written() {
    let place = Place::new();
    let rows = |rows: usize| {
        let mut text = "a;b;y\n".to_owned();
        for row in 0..rows {
            let gap = if row % 20 == 3 {
                String::new()
            } else {
                format!("{},5", row % 7)
            };
            text += &format!("{gap};{},25;{}\n", row % 2 * 10, row % 2);
        }
        text
    };
    place.write("s.csv", rows(200));
    place.write("t.csv", rows(400));
    place.good("fit --source s.csv --label y --impute --decimal , --out m.safetensors");
    place.good("adapt --model m.safetensors --stream t.csv --window 200 --policy always --out run");
    // As it does for predictions and steps.
    place.good("predict m.safetensors --input t.csv --out p.csv");
    place.write("next.csv", rows(100).replace(",5;", ",75;"));
    place.good("step run --input next.csv --fail-on never");
    place.good("predict run --input next.csv --out q.csv");
}
