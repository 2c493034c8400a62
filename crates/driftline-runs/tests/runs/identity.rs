//! Data that come from no file are known by what they hold.

use driftline_io::ReadOptions;
use driftline_models::Runtime;
use driftline_runs::{FileRun, Start, Stepped, step};

use super::memory::{Memory, circle};

fn source(seed: u64) -> Start {
    Start::source("label", circle(90, 3, 0.0, seed))
}

fn stream(seed: u64) -> Memory {
    circle(120, 3, 0.2, seed)
}

#[test]
fn other_rows_do_not_pass_for_the_run_that_a_folder_holds() {
    let folder = tempfile::tempdir().unwrap();
    let adapt = FileRun::new(folder.path().join("run")).window(60);
    adapt.run(source(1), stream(2), &()).unwrap();
    adapt.run(source(1), stream(2), &()).unwrap();
    for (start, stream) in [(source(7), stream(2)), (source(1), stream(7))] {
        let error = adapt.run(start, stream, &()).unwrap_err().to_string();
        assert!(error.contains("another run"), "{error}");
    }
}

#[test]
fn the_same_rows_make_one_version() {
    let folder = tempfile::tempdir().unwrap();
    let adapt = FileRun::new(folder.path().join("run")).window(60);
    let mut run = adapt.run(source(1), stream(2), &()).unwrap();
    let mut arrive = |rows: &Memory| {
        let (read, runtime) = (ReadOptions::default(), Runtime::default());
        step(&mut run, rows, None, &read, &runtime).unwrap()
    };
    assert_eq!(arrive(&circle(60, 3, 0.3, 5)), Stepped::Added(3));
    assert_eq!(arrive(&circle(60, 3, 0.3, 5)), Stepped::Known(3));
    assert_eq!(arrive(&circle(60, 3, 0.3, 6)), Stepped::Added(4));
}
