//! Results belong to what the files hold; a plan is made without them, and a smoke run finds stand-ins.

use std::num::NonZeroUsize;

use driftline_lab::datasets::{Cache, catalog};
use driftline_lab::experiment::{
    Dataset, Experiment, Resources, Runner, Scale, Selection, Store, Trial, TrialKey, schema,
};

use super::{Place, planned, rows};

const FILES: &str =
    "source = \"a.csv\"\nstream = \"b.csv\"\nlabel = \"label\"\nheld-out = 0.2\ntarget-rows = 10";
const KEYS: &str = "catalog = \"keystroke\"\nlabel = \"user\"\ntime = \"session\"\nheld-out = 0.2\ntarget-rows = 50\n\
                    source-where = { session = 1 }\nstream-where = { session = [2, 3] }";

fn id(plan: &Experiment) -> (String, String) {
    let key = TrialKey {
        dataset: 0,
        method: 0,
        data_seed: 0,
        seed: 0,
    };
    (plan.identity(), plan.trial_id(&key))
}

fn run(plan: &Experiment, place: &Place) -> Vec<Trial> {
    let mut store = Store::open(&place.at("out"), plan).unwrap();
    let runner = Runner {
        plan,
        jobs: NonZeroUsize::MIN,
        resources: Resources::default(),
    };
    runner.run(&Selection::default(), &mut store, &()).unwrap();
    store.trials().cloned().collect()
}

#[test]
fn other_contents_have_other_identities_and_other_places_have_not() {
    let (place, copy) = (Place::new(), Place::new());
    let without = id(&place.plan(FILES, Scale::Full).unwrap());
    for place in [&place, &copy] {
        place.write("a.csv", rows(0..40));
        place.write("b.csv", rows(40..100));
    }
    let with = id(&place.plan(FILES, Scale::Full).unwrap());
    assert_eq!(with, id(&copy.plan(FILES, Scale::Full).unwrap()));
    let cached = |plan: Experiment| plan.reading_from(Cache::at(place.at("cache")));
    assert_eq!(with, id(&cached(place.plan(FILES, Scale::Full).unwrap())));
    assert_ne!(with, without);
    copy.write("b.csv", rows(40..101));
    assert_ne!(with.1, id(&copy.plan(FILES, Scale::Full).unwrap()).1);
    copy.write("a.csv", rows(40..100));
    copy.write("b.csv", rows(0..40));
    assert_ne!(with.1, id(&copy.plan(FILES, Scale::Full).unwrap()).1);
}

#[test]
fn a_table_of_ones_own_is_run_and_stored() {
    let place = Place::new();
    place.write("a.csv", rows(0..40));
    place.write("b.csv", rows(40..100));
    let plan = place.plan(FILES, Scale::Full).unwrap();
    let trials = run(&plan, &place);
    assert_eq!(trials.len(), 6);
    for trial in &trials {
        assert!(trial.outcome.accuracy > 0.9, "{trial:?}");
        assert_eq!(trial.outcome.along_stream.len(), 20);
    }
    // Changed files are another experiment: their results do not mix.
    place.write("b.csv", rows(40..120));
    let other = place.plan(FILES, Scale::Full).unwrap();
    let error = Store::open(&place.at("out"), &other).unwrap_err();
    assert!(error.to_string().contains("another plan"), "{error}");
}

#[test]
fn a_smoke_run_takes_fewer_rows_or_a_stand_in() {
    let place = Place::new();
    let many = FILES.replace("target-rows = 10", "target-rows = 500");
    let absent = place.plan(&many, Scale::Smoke).unwrap();
    assert_eq!(run(&absent, &place).len(), 3);

    place.write("a.csv", rows(0..1_000));
    place.write("b.csv", rows(1_000..3_000));
    let here = place.plan(&many, Scale::Smoke).unwrap();
    let drift = here.datasets[0].data.benchmark(0, &here.raw).unwrap();
    assert_eq!(drift.task.source.len(), 20, "ten for each class at least");
    assert_eq!(drift.task.intermediate.len(), 40);
    assert_eq!(drift.answers.target.len(), 10);
    assert_ne!(id(&here).1, id(&absent).1);

    let keys = place.plan(KEYS, Scale::Smoke).unwrap();
    let keys = keys.reading_from(Cache::at(place.at("cache")));
    let drift = keys.datasets[0].data.benchmark(0, &keys.raw).unwrap();
    let sizes = keys.datasets[0].data.sizes();
    assert_eq!(drift.task.source.inputs().shape(), sizes.shape);
    assert_eq!(drift.task.source.labels().n_classes(), sizes.classes);
}

#[test]
fn a_table_of_the_catalogue_is_read_from_the_cache() {
    let place = Place::new();
    let cache = Cache::at(place.at("cache"));
    let file = place.experiment(KEYS);
    let plan = || planned(&file, Scale::Full).unwrap();
    assert_eq!(plan().datasets[0].data.files(), Some("keystroke"));
    let without = plan().reading_from(cache.clone());
    let error = without.datasets[0].data.benchmark(0, &without.raw);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("driftline data fetch keystroke"), "{error}");
    // Results of the published copy are found without the files, those of another copy are kept apart.
    assert_eq!(id(&without), id(&plan()));

    let line = |row: usize| format!("{},{row},{},{}\n", 1 + row / 50, row % 2, row % 2 + 3);
    let text = "session,f0,f1,user\n".to_owned() + &(0..200).map(line).collect::<String>();
    let keystroke = catalog::find("keystroke").unwrap();
    let files = [("keystroke.csv", text.into_bytes())];
    cache.store(keystroke, &files).unwrap();
    let with = plan().reading_from(cache);
    assert_ne!(id(&with), id(&without));
    assert!(with.notes.iter().any(|note| note.contains("another copy")));
    let drift = with.datasets[0].data.benchmark(0, &with.raw).unwrap();
    assert_eq!(
        (drift.task.source.len(), drift.task.intermediate.len()),
        (40, 100)
    );
    assert_eq!(drift.task.source.inputs().row(0).len(), 2);
    assert_eq!(run(&with, &place).len(), 6);
}

/// What is not said is not written, so that new settings leave old identities as they are.
#[test]
fn settings_are_written_as_they_were_read() {
    let place = Place::new();
    let plan = place.plan(KEYS, Scale::Full).unwrap();
    let Dataset::Table(_) = &plan.datasets[0].data else {
        panic!("not a table")
    };
    let json = serde_json::to_value(&plan.datasets[0].data).unwrap();
    let expected = serde_json::json!({ "table": {
        "catalog": "keystroke", "label": "user", "time": "session", "held-out": 0.2, "target-rows": 50,
        "source-where": { "session": ["1"] }, "stream-where": { "session": ["2", "3"] },
    }});
    assert_eq!(json, expected);
    let again: Dataset = serde_json::from_value(json).unwrap();
    assert_eq!(serde_json::to_value(&again).unwrap(), expected);
    let schema = serde_json::to_string(&schema()).unwrap();
    assert!(schema.contains("\"source-where\"") && schema.contains("\"subsample\""));
}
