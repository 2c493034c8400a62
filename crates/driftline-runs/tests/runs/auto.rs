//! What `auto` compares models on: rows by time where there is one, and whole groups where rows share an identifier.

use driftline_core::random::Seed;
use driftline_io::{Column, Numbers, Table};
use driftline_runs::{Adapter, Fit, ModelFile};
use rand::RngExt;

const GROUPS: usize = 20;
const ROWS: usize = 600;

/// Rows of twenty patients in turns. A patient's rows are nearly all of one class, which `bed` gives away; of another
/// patient only `pulse`, `heat` and `pressure` tell something. `day` runs backward.
fn patients() -> (Table, Vec<String>) {
    let mut generator = Seed::new(4).generator();
    let (mut bed, mut day, mut patient, mut class) = (vec![], vec![], vec![], vec![]);
    let mut signs = vec![vec![]; 3];
    for row in 0..ROWS {
        let own = row % GROUPS;
        let ill = (own * 7 % 3 == 0) != (generator.random_range(0..12) == 0);
        bed.push(own as f64);
        day.push((ROWS - row) as f64);
        patient.push(format!("p{own}"));
        for sign in &mut signs {
            sign.push(f64::from(u8::from(ill)) + generator.random_range(-1.3..1.3));
        }
        class.push(if ill { "ill" } else { "well" }.to_string());
    }
    let mut table = Table::new()
        .with_column("bed", Column::Numbers(Numbers::Double(bed)))
        .unwrap();
    for (name, sign) in ["pulse", "heat", "pressure"].into_iter().zip(signs) {
        table = table
            .with_column(name, Column::Numbers(Numbers::Double(sign)))
            .unwrap();
    }
    let table = table
        .with_column("day", Column::Numbers(Numbers::Double(day)))
        .unwrap();
    let table = table.with_texts("patient", patient).unwrap();
    (table.with_texts("label", &class).unwrap(), class)
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
    fit.run(&patients().0).unwrap()
}

#[test]
fn whole_groups_are_held_out_where_an_identifier_repeats() {
    let [neighbours, groups] = [fitted(None, &[]), fitted(None, &["patient"])];
    // Neighbouring rows are of the same patients: what learns them by heart wins. New patients need what is common to all.
    assert_eq!(
        neighbours.source.model,
        "trees",
        "{}",
        sentence(&neighbours)
    );
    assert_eq!(groups.source.model, "linear", "{}", sentence(&groups));
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
    let (table, _) = patients();
    let mut choice = driftline_io::ColumnChoice::default();
    choice.exclude = vec!["day".into()];
    let adapter = Adapter::auto().choice(choice).groups("patient");
    let mut adapter = adapter.fit_from(&table, "label").unwrap();
    assert!(sentence(&adapter.model()).contains("source rows of other groups"));
    // The stream need not say whose its rows are.
    let stream = [[3.0_f32, 0.5, 0.5, 0.5], [4.0, -0.5, 0.5, 0.5]].repeat(30);
    let stream = Table::from_rows(&stream.concat(), 4).unwrap();
    assert_eq!(adapter.predict(stream.clone()).unwrap().names().len(), 60);
    adapter.step(stream).unwrap();
}
