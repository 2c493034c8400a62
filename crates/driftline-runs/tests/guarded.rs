//! The policy `guarded` on drifts whose truth is known: it follows what can be followed, goes nowhere where nothing can be
//! known, and says how accurate the model is without having seen an answer.

use driftline::prelude::*;
use driftline_adapt::{Context, Decision, Policy, PolicyOutcome, Proposal, State};
use driftline_core::Result;
use driftline_core::data::{Inputs, Shape};
use driftline_models::AnyLearner;
use driftline_runs::method::Registry;
use driftline_runs::{DecisionKind, WindowRecord};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Rows of two clouds around ±2.5·(cos a, sin a); the second class has this share of them.
fn clouds(angle: f64, share: f64, rows: usize, seed: u64) -> (Vec<f32>, Vec<u32>) {
    let mut draw = Seed::new(seed).generator();
    let mut bell = || (0..12).map(|_| draw.random::<f64>()).sum::<f64>() - 6.0;
    let (mut values, mut labels) = (vec![], vec![]);
    for row in 0..rows {
        let second = (row * 7919 % rows) as f64 + 0.5 < share * rows as f64;
        let sign = if second { 2.5 } else { -2.5 };
        values.push((sign * angle.cos() + bell()) as f32);
        values.push((sign * angle.sin() + bell()) as f32);
        labels.push(u32::from(second));
    }
    (values, labels)
}

fn inputs(values: &[f32]) -> Inputs {
    Inputs::new(values.to_vec(), Shape::Vector(2)).unwrap()
}

fn walk(windows: &[(f64, f64)]) -> Vec<(WindowRecord, Option<f64>, f64, f64)> {
    walk_by(300, windows)
}

/// Steps through windows of so many rows and gives, for each, whether something was deployed or kept, the estimate, and the
/// true accuracy of the version in use.
fn walk_by(rows: usize, windows: &[(f64, f64)]) -> Vec<(WindowRecord, Option<f64>, f64, f64)> {
    let (values, labels) = clouds(0.0, 0.5, 600, 1);
    let mut adapter = Adapter::auto()
        .policy("guarded")
        .window(rows)
        .fit(inputs(&values), &labels)
        .unwrap();
    let source = adapter
        .score(inputs(&values), &labels)
        .unwrap()
        .estimate()
        .unwrap();
    assert!(source > 0.97, "{source}");
    let mut seen = vec![];
    for (at, &(angle, share)) in windows.iter().enumerate() {
        let (values, answers) = clouds(angle, share, rows, 10 + at as u64);
        let before = adapter
            .score(inputs(&values), &answers)
            .unwrap()
            .estimate()
            .unwrap();
        let record = adapter.step(inputs(&values)).unwrap().clone();
        let estimate = record.estimated_accuracy;
        let after = adapter
            .score(inputs(&values), &answers)
            .unwrap()
            .estimate()
            .unwrap();
        seen.push((record, estimate, before, after));
    }
    seen
}

#[test]
fn a_turn_is_followed_while_a_class_vanishes_and_the_estimates_are_right() {
    let windows: Vec<(f64, f64)> = (1..=12)
        .map(|step| (f64::from(step) * 0.2, 0.5 - 0.035 * f64::from(step)))
        .collect();
    let seen = walk(&windows);
    for (at, (_, estimate, _, after)) in seen.iter().enumerate() {
        assert!(*after > 0.95, "window {at}: {after}");
        let estimate = estimate.expect("clouds can be followed");
        assert!(
            (estimate - after).abs() < 0.05,
            "window {at}: {estimate}, {after}"
        );
    }
}

/// What takes long learns from a thousand rows of a window of more than 2,500, spread over all of it.
#[test]
fn some_rows_of_a_large_window_are_enough_to_follow_it() {
    let turn = |step: i32| (f64::from(step) * 0.2, 0.5);
    let seen = walk_by(3000, &(1..=10).map(turn).collect::<Vec<_>>());
    let mut some = 0;
    for (at, (record, estimate, _, after)) in seen.iter().enumerate() {
        assert!(*after > 0.95, "window {at}: {after}");
        let estimate = estimate.expect("clouds can be followed");
        assert!((estimate - after).abs() < 0.05, "window {at}: {estimate}");
        if let Some("mixture" | "clusters") = record.candidate.as_deref() {
            assert_eq!((record.seen, record.kept), (3000, 1000));
            some += 1;
        }
    }
    assert!(some > 0, "neither was deployed");
}

#[test]
fn shares_alone_change_nothing() {
    let windows: Vec<(f64, f64)> = (1..=5)
        .map(|step| (0.0, 0.5 + 0.08 * f64::from(step)))
        .collect();
    for (record, _, _, after) in walk(&windows) {
        assert!(after > 0.97, "{after}");
        assert!(
            matches!(record.decision, DecisionKind::Hold),
            "{:?}",
            record.reason
        );
    }
}

/// Also where the classes, exchanged, come near to where they were.
#[test]
fn after_a_jump_it_holds_and_gives_no_number() {
    for angle in [2.1, 2.4] {
        let mut windows = vec![(0.0, 0.5); 4];
        windows.extend(vec![(angle, 0.5); 3]);
        let seen = walk(&windows);
        for (record, estimate, _, _) in &seen[..4] {
            assert!(estimate.is_some() && !record.distrusted);
        }
        for (record, estimate, before, after) in &seen[4..] {
            assert_eq!((estimate, before), (&None, after));
            assert!(record.distrusted, "{angle}: {:?}", record.reason);
        }
    }
}

/// Nobody can follow the leap, but the clouds were here before: the version of that time is taken up again.
#[test]
fn a_jump_back_to_a_place_on_the_way_is_known_again() {
    let mut windows: Vec<(f64, f64)> = (1..=12).map(|step| (f64::from(step) * 0.2, 0.5)).collect();
    windows.extend([(0.6, 0.5), (0.8, 0.5), (1.0, 0.5), (-0.1, 0.5)]);
    let seen = walk(&windows);
    let (record, estimate, before, after) = &seen[12];
    assert!(
        matches!(record.decision, DecisionKind::RollBack),
        "{:?}",
        record.reason
    );
    assert!(*before < 0.7 && *after > 0.95, "{before} {after}");
    assert!((estimate.unwrap() - after).abs() < 0.05 && !record.distrusted);
    for (at, (record, estimate, _, after)) in seen.iter().enumerate().skip(13) {
        assert!(*after > 0.95, "window {at}: {after} {:?}", record.reason);
        assert!(estimate.is_some(), "window {at}");
    }
}

/// Deploys what the first of two candidates makes of every window.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct TheCautious {}

impl Policy for TheCautious {
    fn candidates(&self, _: &AnyLearner) -> Option<Vec<String>> {
        Some(["cautious", "plain"].map(String::from).into())
    }

    fn decide(&self, _: &Context<'_>, state: &State, _: &[Proposal<'_>]) -> Result<PolicyOutcome> {
        Ok(PolicyOutcome::new(Decision::Deploy(0), state.clone()))
    }
}

/// Beside others, what replays the source learns from five thousand rows of a larger window, less the least confident tenth.
#[test]
fn five_thousand_rows_are_enough_beside_the_source() {
    let (values, labels) = clouds(0.0, 0.5, 600, 1);
    let mut adapter = Adapter::auto()
        .registry(Registry::new().with_policy::<TheCautious>("the-cautious"))
        .model("linear")
        .policy("the-cautious")
        .window(6000)
        .fit(inputs(&values), &labels)
        .unwrap();
    let record = adapter.step(inputs(&clouds(0.1, 0.5, 6000, 2).0)).unwrap();
    assert_eq!(record.candidate.as_deref(), Some("cautious"));
    assert_eq!(record.seen, 6000);
    assert!((4490..=4510).contains(&record.kept), "{}", record.kept);
}
