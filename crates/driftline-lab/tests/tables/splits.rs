//! What becomes source, held-out source, stream and target.

use driftline_core::data::Benchmark;

use super::{Place, days, rows};

const FILES: &str = r#"
source = "data/source.csv"
stream = "data/stream-*.csv"
label = "label"
time = "day"
held-out = 0.2
target-rows = 10
"#;

/// 40 rows of source and 60 of stream, the later file first by name.
fn place() -> Place {
    let place = Place::new();
    place.write("data/source.csv", rows(0..40));
    place.write("data/stream-1.csv", rows(70..100));
    place.write("data/stream-2.csv", rows(40..70));
    place
}

#[test]
fn files_lie_beside_the_experiment_and_the_stream_is_in_order_of_time() {
    let Benchmark { task, answers } = place().benchmark(FILES, 0).unwrap();
    assert_eq!((task.source.len(), answers.held_out_source.len()), (32, 8));
    // Two numbers and three groups: neither the day nor the label is an input, and nothing is scaled.
    assert_eq!(task.source.inputs().row(0).len(), 5);
    let stream = task.intermediate.inputs();
    assert_eq!(days(stream), (40..100).collect::<Vec<_>>());
    assert_eq!(stream.row(1), [41.5, 10.0, 0.0, 0.0, 1.0]);
    let pool = task.target_pool.domain().unwrap();
    assert_eq!(days(&pool.inputs), (90..100).collect::<Vec<_>>());
    assert_eq!(answers.target.inputs(), &pool.inputs);
    // `high` is class 0 and `low` class 1, in alphabetical order.
    let right = |day: usize| 1 - (day % 2) as u32;
    let expected: Vec<u32> = (40..100).map(right).collect();
    assert_eq!(answers.intermediate.unwrap().as_slice(), expected);
    assert_eq!(answers.target.labels().as_slice(), &expected[50..]);
}

#[test]
fn the_data_seed_draws_what_is_held_out_and_what_is_trained_on() {
    let place = place();
    let drawn = |table: &str, seed| {
        let Benchmark { task, answers } = place.benchmark(table, seed).unwrap();
        let held_out = days(answers.held_out_source.inputs());
        (days(task.source.inputs()), held_out)
    };
    let (train, held_out) = drawn(FILES, 0);
    assert!(train.is_sorted() && held_out.is_sorted());
    let mut all = [&train[..], &held_out].concat();
    all.sort_unstable();
    assert_eq!(all, (0..40).collect::<Vec<_>>());
    assert_eq!(drawn(FILES, 0), (train.clone(), held_out.clone()));
    assert_ne!(drawn(FILES, 1), (train, held_out.clone()));

    let fewer = format!("{FILES}\nsubsample = 0.5");
    let (half, same) = drawn(&fewer, 0);
    assert_eq!((half.len(), same), (20, held_out.clone()));
    assert!(half.iter().all(|day| !held_out.contains(day)));
    let (rest, _) = drawn(&format!("{FILES}\nsubsample = 0.8"), 0);
    assert_eq!(rest.len(), 32, "all that is not held out");
}

#[test]
fn one_table_is_cut_by_values_or_by_place() {
    let place = place();
    place.write("all.csv", rows(0..90));
    let common = "source = \"all.csv\"\nlabel = \"label\"\nheld-out = 0.25\ntarget-share = 0.5\n";
    let split = |cut: &str| {
        let Benchmark { task, answers } = place.benchmark(&format!("{common}{cut}"), 0).unwrap();
        let width = task.source.inputs().row(0).len();
        let source = task.source.len() + answers.held_out_source.len();
        (source, task.intermediate.len(), answers.target.len(), width)
    };
    // The group is no input where it tells source from stream; the day is one, since `time` does not name it.
    let by_value = "source-where = { group = \"a\" }\nstream-where = { group = [\"b\", \"c\"] }";
    assert_eq!(split(by_value), (30, 60, 30, 3));
    assert_eq!(split("source-rows = 20"), (20, 70, 35, 6));
    assert_eq!(split("source-share = 0.1"), (9, 81, 41, 6));
    assert_eq!(
        split("source-rows = 20\nexclude = [\"day\"]"),
        (20, 70, 35, 5)
    );
    let numbers = "source-where = { y = 0 }\nstream-where = { y = 10 }";
    let error = place
        .benchmark(&format!("{common}{numbers}"), 0)
        .unwrap_err();
    assert!(
        error.to_string().contains("only the class `low`"),
        "{error}"
    );
}

#[test]
fn a_condition_on_the_stream_alone_is_no_input_of_the_source() {
    let place = place();
    let table = format!("{FILES}\nstream-where = {{ group = [\"a\", \"b\"] }}");
    let Benchmark { task, .. } = place.benchmark(&table, 0).unwrap();
    assert_eq!(task.source.inputs().row(0).len(), 2);
    assert_eq!(task.intermediate.len(), 40);
}

#[test]
fn gaps_are_filled_from_the_source_and_numbers_may_be_categories() {
    let place = place();
    let gap = rows(70..100).replace("71.5,10", "71.5,");
    place.write("data/stream-1.csv", gap);
    let error = place.benchmark(FILES, 0).unwrap_err().to_string();
    assert!(error.contains("stream-1.csv: row 2, column `y`"), "{error}");
    let filled = place.benchmark(&format!("{FILES}\nimpute = true"), 0);
    assert_eq!(filled.unwrap().task.intermediate.inputs().row(31)[1], 5.0);
    let coded = format!("{FILES}\nimpute = true\ncategories = [\"y\"]");
    let coded = place.benchmark(&coded, 0).unwrap();
    assert_eq!(coded.task.source.inputs().row(0).len(), 6);
}

#[test]
fn what_cannot_be_scored_is_refused_left_out_or_kept() {
    let place = place();
    let strange = rows(70..100).replace("75.5,10,a,high", "75.5,10,a,new");
    let strange = strange.replace("96.5,0,a,low", "96.5,0,a,");
    place.write("data/stream-1.csv", strange);
    let error = place.benchmark(FILES, 0).unwrap_err();
    assert_eq!(
        error.to_string().rsplit("data/").next().unwrap(),
        "stream-1.csv: row 6, column `label`: the first of 1 rows of the stream without an answer and 1 of a class that the source lacks"
    );
    assert!(error.help().unwrap().to_string().contains("leave-out"));

    let with = |how: &str| place.benchmark(&format!("{FILES}\nunanswered = \"{how}\""), 0);
    let Benchmark { task, answers } = with("leave-out").unwrap();
    let expected: Vec<usize> = (40..100).filter(|day| ![75, 96].contains(day)).collect();
    assert_eq!(days(task.intermediate.inputs()), expected);
    assert_eq!(answers.intermediate.unwrap().len(), 58);
    assert_eq!(answers.target.len(), 10);

    let Benchmark { task, answers } = with("keep").unwrap();
    assert_eq!(task.intermediate.len(), 60);
    assert_eq!(task.target_pool.domain().unwrap().len(), 10);
    assert_eq!((answers.target.len(), answers.intermediate), (9, None));
}
