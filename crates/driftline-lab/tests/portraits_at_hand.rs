//! The real portraits, where a copy lies beside the project: the sizes that the tables rest on.

use std::path::Path;

use driftline_core::random::Seed;
use driftline_lab::datasets::Portraits;
use driftline_lab::experiment::{Dataset, read_file};

#[test]
fn the_split_by_years_and_by_counts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("../shared/data/portraits");
    if !folder.is_dir() {
        println!("skipped: no portraits in ../shared/data/portraits");
        return;
    }
    let portraits = Portraits::read(
        &folder.join("dated-images-idx3-ubyte.gz"),
        &folder.join("dated-labels-idx1-ubyte"),
        &folder.join("dated-years-idx1-short"),
    )
    .unwrap();
    assert_eq!(portraits.len(), 27_849);

    let sizes = |experiment: &str| {
        let file = root.join("experiments").join(experiment);
        let (spec, _) = read_file(&file).unwrap();
        let Dataset::Portraits(split) = &spec.datasets[0].data else {
            panic!("{experiment}")
        };
        let drift = split.benchmark(&portraits, Seed::new(0)).unwrap();
        [
            drift.task.source.len(),
            drift.answers.held_out_source.len(),
            drift.task.intermediate.len(),
            drift.task.target_pool.domain().unwrap().len(),
            drift.answers.target.len(),
        ]
    };
    let years = sizes("table1-portraits.toml");
    assert_eq!(years, [1_000, 1_140, 11_538, 2_000, 1_406]);
    let counts = sizes("table1-portraits-by-count.toml");
    assert_eq!(counts, [1_000, 1_000, 14_000, 2_000, 1_000]);
    let further = sizes("further-portraits.toml");
    assert_eq!(further, [1_000, 1_000, 20_000, 2_000, 1_000]);
    let years = portraits.years();
    assert_eq!(
        (years[1_999], years[15_999], years[17_999]),
        (1935, 1976, 1981)
    );
}
