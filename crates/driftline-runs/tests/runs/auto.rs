//! What `auto` compares models on: rows by time where there is one, and whole groups where rows share an identifier.

use driftline_core::random::Seed;
use driftline_io::{Column, Numbers, Table};
use driftline_runs::{Adapter, Fit, ModelFile};
use rand::RngExt;

const GROUPS: usize = 20;
const ROWS: usize = 600;

/// Rows of twenty patients in turns: what is measured, whose each row is, and its class. A patient's rows are nearly all of
/// one class, which `bed` gives away; of another patient only four weak signs tell something.
fn patients() -> (Table, Vec<String>, Vec<&'static str>) {
    let mut generator = Seed::new(4).generator();
    let (mut bed, mut patient, mut class) = (vec![], vec![], vec![]);
    let mut signs = vec![vec![]; 4];
    for row in 0..ROWS {
        let own = row % GROUPS;
        let ill = (own * 7 % 3 == 0) != (generator.random_range(0..12) == 0);
        bed.push(own as f64);
        patient.push(format!("p{own}"));
        for sign in &mut signs {
            sign.push(f64::from(u8::from(ill)) + generator.random_range(-3.0..3.0));
        }
        class.push(if ill { "ill" } else { "well" });
    }
    let numbers = |column| Column::Numbers(Numbers::Double(column));
    let mut table = Table::new().with_column("bed", numbers(bed)).unwrap();
    for (name, sign) in ["pulse", "heat", "pressure", "sugar"]
        .into_iter()
        .zip(signs)
    {
        table = table.with_column(name, numbers(sign)).unwrap();
    }
    (table, patient, class)
}

fn sentence(model: &ModelFile) -> String {
    let notes = serde_json::to_value(&model.source.notes).unwrap();
    let notes = notes.as_array().unwrap().iter();
    let said = notes.filter(|note| note["code"] == "model-chosen");
    said.map(|note| note["message"].as_str().unwrap()).collect()
}

fn fitted(time: Option<&str>, ids: &[&str]) -> ModelFile {
    let mut fit = Fit::new("label");
    fit.choice.exclude = ["day", "patient"]
        .iter()
        .filter(|name| time != Some(**name) && !ids.contains(name))
        .map(|name| name.to_string())
        .collect();
    fit.choice.time = time.map(String::from);
    fit.choice.ids = ids.iter().map(|id| id.to_string()).collect();
    let (table, patient, class) = patients();
    // The first row is the last in time.
    let days = (0..ROWS).map(|row| (ROWS - row) as f64).collect();
    let table = table.with_column("day", Column::Numbers(Numbers::Double(days)));
    let table = table.unwrap().with_texts("patient", patient).unwrap();
    fit.run(&table.with_texts("label", class).unwrap()).unwrap()
}

/// What trees had right, in percent.
fn trees(sentence: &str) -> f64 {
    let (_, after) = sentence.split_once("trees").unwrap();
    let number = after.trim_start_matches([':', ' ']);
    let end = number.find([' ', ',', ')']).unwrap();
    number[..end].parse().unwrap()
}

#[test]
fn whole_groups_are_held_out_where_an_identifier_repeats() {
    let [neighbours, groups] = [fitted(None, &[]), fitted(None, &["patient"])];
    // Neighbouring rows are of the same patients, whom trees know by heart. New patients need what is common to all.
    let found = [&neighbours, &groups].map(|model| trees(&sentence(model)));
    assert!(found[0] > found[1] + 10.0, "{found:?}");
    assert!(sentence(&neighbours).contains("blocks of source rows held out"));
    assert!(sentence(&groups).contains("source rows of other groups"));
    // An identifier that every row has for itself makes no groups.
    let alone = fitted(None, &["day"]);
    assert!(sentence(&alone).contains("blocks of source rows held out"));
}

#[test]
fn rows_are_sorted_by_time_before_anything_is_held_out() {
    let model = fitted(Some("day"), &[]);
    assert!(sentence(&model).contains("source rows of other times"));
    let notes = serde_json::to_string(&model.source.notes).unwrap();
    assert!(notes.contains("do not ascend"), "{notes}");
    let sample = model.source_sample.unwrap();
    let beds = sample.inputs().contiguous();
    let width = sample.inputs().shape().size();
    // The last row of the file is the first in time, and it is of bed 19.
    assert!(beds[0] > beds[width], "{} {}", beds[0], beds[width]);
}

#[test]
fn arrays_name_their_groups() {
    let (stream, patient, class) = patients();
    let source = stream.clone().with_texts("patient", patient).unwrap();
    let adapter = Adapter::auto().groups("patient");
    let mut adapter = adapter.fit(source, class).unwrap();
    assert!(sentence(&adapter.model()).contains("source rows of other groups"));
    // The stream need not say whose its rows are.
    let found = adapter.predict(stream.clone()).unwrap();
    assert_eq!(found.names().count(), ROWS);
    adapter.step(stream).unwrap();
}
