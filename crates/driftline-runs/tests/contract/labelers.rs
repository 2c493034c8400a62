//! What every labeler that follows a drift by itself promises, on two classes of two heaps each that move past each other.

use std::num::NonZeroUsize;

use driftline_adapt::{
    Candidate, EachStep, Engine, MemoryWindows, PartSpec, Stage, Step, Version, Windows,
};
use driftline_core::data::{Examples, Inputs, LabeledDomain, Labels, Shape, Tail, Windowing};
use driftline_core::random::Seed;
use driftline_models::{AnyModel, Classifier, Learner, Runtime};
use driftline_runs::method::{Registry, Settings};
use rand::RngExt;
use serde_json::{Value, json};

const WINDOW: usize = 120;

/// Rows in the order of time: heaps of radius 1 that drift by `speed` a row, class 0 up and class 1 down.
fn drift(from: usize, n: usize, speed: f32) -> LabeledDomain {
    let mut generator = Seed::new(5).nth(from).generator();
    let mut values = vec![];
    let mut labels = vec![];
    for at in from..from + n {
        let heap = generator.random_range(0..4_u32);
        let (class, side) = (heap % 2, heap / 2);
        let moved = at as f32 * speed * if class == 0 { 1.0 } else { -1.0 };
        values.push(if side == 0 { -6.0 } else { 6.0 } + class as f32 * 3.5);
        values.push(moved);
        let end = values.len();
        for value in &mut values[end - 2..] {
            *value += generator.random_range(-1.0_f32..1.0);
        }
        labels.push(class);
    }
    let inputs = Inputs::new(values, Shape::Vector(2)).unwrap();
    LabeledDomain::new(inputs, Labels::new(labels, 2).unwrap()).unwrap()
}

fn candidate(labeler: &Value) -> Candidate {
    let text = json!({ "labeler": labeler, "model": { "knn": { "k": 3 } } });
    let mut settings: Settings = serde_json::from_value(text).unwrap();
    settings = settings.with_window(WINDOW).or(&Settings::for_own_data());
    let plan = settings.resolve("law", &Registry::default(), None);
    plan.unwrap().candidate
}

fn source_model(candidate: &Candidate, source: &LabeledDomain) -> AnyModel {
    let learner = &candidate.learner;
    learner.fit(&Examples::from(source), Seed::new(0)).unwrap()
}

fn windows(stream: &LabeledDomain) -> MemoryWindows {
    let windowing = Windowing::Size(NonZeroUsize::new(WINDOW).unwrap(), Tail::Merge);
    MemoryWindows::new(stream.inputs().clone(), Some(&windowing)).unwrap()
}

/// All versions, the first included.
fn follow(labeler: &Value, with_source: bool, threads: usize) -> Vec<Version> {
    let (source, stream) = (drift(0, 80, 0.01), drift(80, 10 * WINDOW, 0.01));
    let candidate = candidate(labeler);
    let model = source_model(&candidate, &source);
    let runtime = Runtime::default().with_threads(NonZeroUsize::new(threads).unwrap());
    let mut adaptation = Engine::new(candidate, model, Seed::new(3)).with_runtime(runtime.clone());
    if with_source {
        adaptation = adaptation.with_source(source);
    }
    runtime.install(|| {
        let mut stream = windows(&stream);
        let mut versions = vec![adaptation.first().clone()];
        let mut sink = EachStep::new(&adaptation, |step: &Step| {
            versions.push(step.version.clone());
            Ok(())
        });
        adaptation.run(&mut stream, &mut sink).unwrap();
        versions
    })
}

fn contract(labeler: Value) {
    let versions = follow(&labeler, true, 1);
    assert_eq!(versions.len(), 11, "{labeler}");
    for threads in [2, 3] {
        assert_eq!(
            follow(&labeler, true, threads),
            versions,
            "{labeler}: {threads} threads"
        );
    }
    // It follows: the last version is right where the first is not.
    let now = drift(80 + 10 * WINDOW, 200, 0.01);
    let right = |version: &Version| {
        let found = version.predict(now.inputs()).unwrap();
        found.agreement(now.labels()).estimate().unwrap()
    };
    assert!(
        right(&versions[10]) > 0.95,
        "{labeler}: {}",
        right(&versions[10])
    );
    // What a model of nearest neighbours holds is as good as the source.
    assert_eq!(
        follow(&labeler, false, 1),
        versions,
        "{labeler}: without the source"
    );
    // What is remembered is all there is: a run that goes on from a version gives the same.
    let stream = drift(80, 10 * WINDOW, 0.01);
    let candidate = candidate(&labeler);
    let model = source_model(&candidate, &drift(0, 80, 0.01));
    let mut resumed =
        Engine::new(candidate, model, Seed::new(3)).resumed(versions[4].clone(), 4, None, None);
    let window = windows(&stream).window(4).unwrap();
    let step = resumed.process(Stage::window(window), (), &versions);
    assert_eq!(step.unwrap().version, versions[5], "{labeler}: resumed");
    assert!(
        !versions[5].labeler.is_empty(),
        "{labeler}: nothing remembered"
    );
    // Its settings say all that decides what it does.
    let chosen = PartSpec::new(labeler_name(&labeler), labeler_settings(&labeler));
    let chosen = Registry::default().labeler(&chosen).unwrap();
    let value = serde_json::to_value(&chosen).unwrap();
    assert_eq!(follow(&value, true, 1), versions, "{labeler}: as {value}");
}

fn labeler_name(labeler: &Value) -> String {
    match labeler {
        Value::String(name) => name.clone(),
        Value::Object(named) => named.keys().next().unwrap().clone(),
        other => panic!("{other}"),
    }
}

fn labeler_settings(labeler: &Value) -> Value {
    match labeler {
        Value::Object(named) => named.values().next().unwrap().clone(),
        _ => Value::Null,
    }
}

#[test]
fn clusters() {
    contract(json!("clusters"));
    contract(json!({ "clusters": { "turn": 0.0, "ahead": 0.0 } }));
}

#[test]
fn transport() {
    contract(json!("transport"));
    contract(json!({ "transport": { "exact": 50, "neighbours": 5 } }));
}

#[test]
fn cores_of_another() {
    contract(json!({ "cores": { "of": "transport", "keep": 0.8 } }));
}

#[test]
fn agreement_of_two() {
    contract(json!("agreement"));
    contract(json!({ "agreement": { "first": "transport", "second": "teacher" } }));
}

#[test]
fn cores_of_the_teacher_remember_nothing() {
    let versions = follow(&json!("cores"), true, 1);
    assert!(versions.iter().all(|version| version.labeler.is_empty()));
}

#[test]
fn unknown_names_inside_are_told() {
    let text = json!({ "labeler": { "agreement": { "first": "nobody" } } });
    let settings: Result<Settings, _> = serde_json::from_value(text);
    let message = match settings {
        Err(error) => error.to_string(),
        Ok(settings) => {
            let settings = settings.or(&Settings::for_own_data());
            let plan = settings.resolve("law", &Registry::default(), None);
            plan.unwrap_err().to_string()
        }
    };
    assert!(message.contains("no labeler `nobody`"), "{message}");
}
