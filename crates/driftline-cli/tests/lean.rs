//! A build without features: it works on tables, and says what else it would need.

use std::fs;

fn driftline(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = assert_cmd::Command::cargo_bin("driftline")
        .expect("the program is built with its tests")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

fn assert_missing(arguments: &[&str], feature: &str) {
    let (code, _, said) = driftline(arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {said}");
    let expected =
        format!("needs the feature `{feature}`, which this build of driftline lacks\n  help: ");
    assert!(said.contains(&expected), "{arguments:?}: {said}");
    assert!(
        said.contains("cargo install --path crates/driftline-cli --features full"),
        "{said}"
    );
}

#[test]
fn a_command_that_was_left_out_is_listed_and_says_so() {
    let (code, help, _) = driftline(&["--help"]);
    assert_eq!(code, Some(0));
    for (command, feature) in [
        ("completions", "man"),
        ("fleet", "fleet"),
        ("man", "man"),
        ("schema", "schema"),
        ("serve", "serve"),
    ] {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
        assert_missing(&[command], feature);
        assert_missing(&[command, "--help"], feature);
        assert_missing(&[command, "folder", "--port", "80"], feature);
    }
    assert_missing(&["data", "fetch", "mnist", "--from", "folder"], "fetch");
}

#[test]
fn tables_are_adapted_to_and_other_formats_name_their_feature() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rows = |from: usize| -> String {
        let row = |n: usize| format!("{},{},{}\n", n % 7, n % 2 * 10 + n % 3, n % 2);
        (from..from + 60).map(row).collect()
    };
    fs::write(path("s.csv"), format!("a,b,y\n{}", rows(0))).unwrap();
    fs::write(path("t.csv"), format!("a,b,y\n{}", rows(9))).unwrap();
    fs::write(path("t.parquet"), "PAR1").unwrap();
    fs::create_dir(path("images")).unwrap();
    let adapt = |stream: &str| {
        let (source, stream, out) = (path("s.csv"), path(stream), path("run"));
        let source = format!("adapt --source {source} --label y --window 20");
        format!("{source} --stream {stream} --out {out} --force")
    };
    let (code, _, said) = driftline(&words(&adapt("t.csv")));
    assert!(matches!(code, Some(0 | 3)), "{said}");
    let (run, input, out) = (path("run"), path("t.csv"), path("p.parquet"));
    let predict = format!("predict {run} --input {input} --out {out}");
    assert_missing(&words(&predict), "parquet");
    assert_missing(&words(&adapt("t.parquet")), "parquet");
    assert_missing(&words(&adapt("images")), "images");
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}
