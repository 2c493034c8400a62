//! Faults in experiment files, each with its message; and the files that the project ships.

use std::path::{Path, PathBuf};

use driftline_lab::experiment::{
    Experiment, Resources, Runner, Scale, Selection, Store, read_file, schema,
};

use super::{SMALL, plan_of};

/// The message for the small experiment with `old` replaced by `new`.
fn message(old: &str, new: &str) -> String {
    assert_eq!(SMALL.matches(old).count(), 1, "`{old}` must stand once");
    plan_of(&SMALL.replace(old, new))
        .expect_err(new)
        .to_string()
}

/// The line of the small experiment on which `text` stands.
fn line_of(text: &str) -> String {
    let before = &SMALL[..SMALL.find(text).unwrap()];
    format!("line {}", before.matches('\n').count() + 1)
}

fn assert_mentions(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[test]
fn a_misspelt_key_is_named_with_its_line_and_the_likely_one() {
    let found = message("epochs = 3", "epoch = 3");
    assert_mentions(
        &found,
        &[
            &line_of("epochs = 3"),
            "unknown field `epoch`",
            "did you mean `epochs`?",
        ],
    );
    let found = message("optimizer-state", "optimiser-state");
    assert_mentions(
        &found,
        &[
            &line_of("optimizer-state"),
            "did you mean `optimizer-state`?",
        ],
    );
    let found = message("curriculum.gradual", "curriculum.gradul");
    assert_mentions(
        &found,
        &[
            "methods[1]",
            "no curriculum `gradul`",
            "did you mean `gradual`?",
        ],
    );
    let found = message("[model.linear]\nl2 = 0.02", "[model.linaer]\nl2 = 0.02");
    assert_mentions(
        &found,
        &["methods[0]", "no model `linaer`", "did you mean `linear`?"],
    );
    assert!(!found.contains("curriculum"), "{found}");
    for (key, part) in [
        ("alignment", "none"),
        ("labeler", "teacher"),
        ("policy", "always"),
    ] {
        let own = format!("{key} = \"{part}s\"\n\n[[datasets]]");
        let found = message("[[datasets]]", &own);
        let missing = format!("no {key} `{part}s`");
        let meant = format!("did you mean `{part}`?");
        assert_mentions(&found, &["methods[0]", &missing, &meant]);
    }
    let found = message("batch-size = 16", "batch-size = 16\nxyzzy = 1");
    assert!(
        !found.contains("did you mean"),
        "nothing is like it: {found}"
    );
}

#[test]
fn a_wrong_type_is_named_with_its_line() {
    let found = message("epochs = 3", "epochs = \"three\"");
    assert_mentions(&found, &[&line_of("epochs = 3"), "invalid type", "three"]);
    let found = message("seeds = [0, 1, 2]", "seeds = 0");
    assert_mentions(&found, &[&line_of("seeds = [0, 1, 2]"), "invalid type"]);
}

#[test]
fn numbers_out_of_range_are_named_with_their_line() {
    for bad in ["1.5", "-0.1", "nan"] {
        let found = message("filter.drop = 0.1", &format!("filter.drop = {bad}"));
        assert_mentions(&found, &[&line_of("filter.drop"), "in [0, 1]"]);
    }
    assert_mentions(
        &message("l2 = 0.02", "l2 = -1"),
        &[&line_of("l2 = "), "at least 0"],
    );
    for zero in ["epochs = 3", "batch-size = 16", "window = 40"] {
        let name = zero.split(' ').next().unwrap();
        let found = message(zero, &format!("{name} = 0"));
        assert_mentions(&found, &[&line_of(zero), "nonzero"]);
    }
}

#[test]
fn windows_that_do_not_fit_the_stream_are_named_with_their_method() {
    let found = message("window = 40", "window = 121");
    assert_mentions(
        &found,
        &["methods[1].curriculum", "`Gaussian`", "121", "120"],
    );
    let found = message("window = 40", "window = 50");
    assert_mentions(
        &found,
        &["methods[1].curriculum", "20 would be left over", "`forbid`"],
    );
    assert!(plan_of(&SMALL.replace("window = 40", "window = 50, tail = \"merge\"")).is_ok());
    let found = message("window = 40", "window = 40, windows = 3");
    assert_mentions(
        &found,
        &["exactly one of `window`, `windows` and `boundaries`"],
    );
    assert_mentions(&message("{ window = 40 }", "{}"), &["exactly one of"]);
    assert_mentions(
        &message("window = 40", "boundaries = [60, 30]"),
        &["30 follows 60"],
    );
}

#[test]
fn names_and_seeds_stand_once() {
    assert_mentions(
        &message("seeds = [0, 1, 2]", "seeds = [0, 1, 0]"),
        &["`seeds`", "only once"],
    );
    assert_mentions(
        &message("seeds = [0, 1, 2]", "seeds = []"),
        &["`seeds`", "at least one"],
    );
    assert_mentions(
        &message("data-seeds = [0]", "data-seeds = [4, 4]"),
        &["`data-seeds`", "only once"],
    );
    let twice = message("name = \"Source\"", "name = \"Gradual ST\"");
    assert_mentions(&twice, &["`methods`", "`Gradual ST`", "twice"]);
    assert_mentions(
        &message("name = \"Gaussian\"", "name = \" \""),
        &["`datasets`", "empty"],
    );
    assert_mentions(
        &message("name = \"small\"", "name = \"../small\""),
        &["letters, digits and hyphens"],
    );
}

#[test]
fn what_decides_results_must_be_given() {
    for line in [
        "labels = \"hard\"",
        "confidence = \"spread\"",
        "filter.drop = 0.1",
        "start = \"teacher\"",
        "optimizer-state = \"carried\"",
    ] {
        let key = line.split([' ', '.']).next().unwrap();
        assert_mentions(
            &message(line, ""),
            &[
                "methods[1].self-training",
                &format!("`{key}` must be given"),
            ],
        );
    }
    assert_mentions(&message("l2 = 0.02", ""), &["exactly one of `l2`"]);
    assert_mentions(
        &message("l2 = 0.02", "l2 = 0.02\ncross-validate = { folds = 5 }"),
        &["exactly one of `l2`"],
    );
    // A method's own setting stands in for the shared one.
    let own = "curriculum.gradual = { window = 40 }\nself-training.labels = \"soft\"";
    assert!(
        plan_of(
            &SMALL
                .replace("labels = \"hard\"", "")
                .replace("curriculum.gradual = { window = 40 }", own)
        )
        .is_ok()
    );
}

#[test]
fn checks_speak_of_known_methods_and_say_one_thing() {
    let check = "method = \"Gradual ST\"\nat-least = 0";
    let found = message(check, "method = \"Gradual\"\nat-least = 0");
    assert_mentions(
        &found,
        &[
            "checks[0]",
            "no method `Gradual`",
            "did you mean `Gradual ST`?",
        ],
    );
    let found = message(check, "method = \"Source\"\nabove = \"Gradul ST\"");
    assert_mentions(
        &found,
        &["no method `Gradul ST`", "did you mean `Gradual ST`?"],
    );
    let found = message(
        check,
        "method = \"Source\"\ndataset = \"Gauss\"\nat-least = 0",
    );
    assert_mentions(&found, &["no data set `Gauss`"]);
    for bad in ["", "at-least = 1\nat-most = 2", "at-least = 1\nby = 2"] {
        let found = message(check, &format!("method = \"Source\"\n{bad}"));
        assert_mentions(
            &found,
            &["exactly one of `at-least`, `at-most` and `above`"],
        );
    }
}

#[test]
fn a_file_that_is_missing_or_broken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing.toml");
    assert_mentions(
        &read_file(&path).unwrap_err().to_string(),
        &["missing.toml"],
    );
    let path = folder.path().join("broken.toml");
    std::fs::write(&path, "name = \n").unwrap();
    assert_mentions(
        &read_file(&path).unwrap_err().to_string(),
        &["broken.toml", "line 1"],
    );
    std::fs::write(&path, format!("expected = \"numbers.csv\"\n{SMALL}")).unwrap();
    assert_mentions(&read_file(&path).unwrap_err().to_string(), &["numbers.csv"]);
    std::fs::write(
        folder.path().join("numbers.csv"),
        "dataset,method,mean,half_width\na,b,c,d\n",
    )
    .unwrap();
    assert_mentions(
        &read_file(&path).unwrap_err().to_string(),
        &["numbers.csv", "line 2"],
    );
}

/// The experiment files of the project, those of finished searches among them.
fn committed() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let paths = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut files = paths(&root.join("experiments"));
    files.extend(paths(&root.join("experiments/trust")));
    let archived = paths(&root.join("results/archive"));
    files.extend(archived.iter().flat_map(|folder| paths(folder)));
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    files
}

#[test]
fn every_committed_file_has_a_plan_and_runs_at_smoke_scale() {
    for path in committed() {
        let (spec, expected) = read_file(&path).unwrap();
        let archived = path.file_name().unwrap() == "experiment.toml";
        let named = if archived {
            path.parent().unwrap()
        } else {
            &path
        };
        let stem = named.file_stem().unwrap().to_str().unwrap();
        assert_eq!(spec.name, stem, "a file and its experiment have one name");
        Experiment::new(&spec, expected.clone(), Scale::Full).unwrap();
        let plan = Experiment::new(&spec, expected, Scale::Smoke).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path(), &plan).unwrap();
        let runner = Runner {
            plan: &plan,
            jobs: 2.try_into().unwrap(),
            resources: Resources::default(),
        };
        // One seed shows that everything runs.
        let once = Selection {
            seeds: Some(vec![plan.seeds[0]]),
            datasets: Some(of_every_form(&plan)),
            ..Selection::default()
        };
        runner.run(&once, &mut store, &()).unwrap();
        let planned = plan.trials(&once).unwrap().len();
        assert_eq!(store.trials().count(), planned, "{stem}");
    }
}

/// The data sets of a plan, one of each form: the same settings but for numbers and the names of tables, and as many columns
/// and classes. All of them are made; training on more rows of the same form runs no other code.
fn of_every_form(plan: &Experiment) -> Vec<String> {
    let mut forms = Vec::new();
    let mut names = Vec::new();
    for dataset in &plan.datasets {
        let settings = without_numbers(serde_json::to_value(&dataset.data).unwrap());
        let source = dataset.data.benchmark(0, &plan.raw).unwrap().task.source;
        let (columns, classes) = (source.inputs().shape().size(), source.labels().n_classes());
        let form = (settings, columns, classes);
        if !forms.contains(&form) {
            forms.push(form);
            names.push(dataset.name.clone());
        }
    }
    names
}

/// Settings of data without their numbers, in which a table of the catalogue says what is set, and not to what.
fn without_numbers(settings: serde_json::Value) -> serde_json::Value {
    use serde_json::Value::{Null, Number, Object};
    let Object(all) = settings else {
        return if matches!(settings, Number(_)) {
            Null
        } else {
            settings
        };
    };
    let one = |(key, value): (String, serde_json::Value)| {
        let value = match value {
            Object(table) if key == "table" && table.contains_key("catalog") => {
                table.keys().cloned().collect()
            }
            other => without_numbers(other),
        };
        (key, value)
    };
    Object(all.into_iter().map(one).collect())
}

/// Every key that a committed file uses is in the schema, and so is every key that this suite knows of.
#[test]
fn the_schema_mentions_every_key() {
    let schema = serde_json::to_value(schema()).unwrap();
    let mut known = Vec::new();
    collect_properties(&schema, &mut known);
    let mut used: Vec<String> = [
        "on-empty-window",
        "replay",
        "cross-validate",
        "full-batch",
        "tolerance",
        "boundaries",
        "windows",
        "tail",
        "dataset",
        "at-most",
        "above",
        "by",
    ]
    .map(String::from)
    .into();
    for path in committed() {
        let text = std::fs::read_to_string(path).unwrap();
        collect_keys(&text.parse::<toml::Table>().unwrap().into(), &mut used);
    }
    for key in used {
        assert!(known.contains(&key), "`{key}` is not in the schema");
    }
}

fn collect_keys(value: &toml::Value, keys: &mut Vec<String>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                keys.push(key.clone());
                // Below a condition stand names of the data's columns.
                if !key.ends_with("where") {
                    collect_keys(value, keys);
                }
            }
        }
        toml::Value::Array(values) => values.iter().for_each(|value| collect_keys(value, keys)),
        _ => {}
    }
}

fn collect_properties(schema: &serde_json::Value, keys: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(|p| p.as_object()) {
        keys.extend(properties.keys().cloned());
    }
    match schema {
        serde_json::Value::Object(object) => object
            .values()
            .for_each(|value| collect_properties(value, keys)),
        serde_json::Value::Array(values) => values
            .iter()
            .for_each(|value| collect_properties(value, keys)),
        _ => {}
    }
}
