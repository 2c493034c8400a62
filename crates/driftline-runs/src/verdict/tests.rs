//! Runs in a few made-up windows, and what must be said of them.

use super::effect::{Judged, judge};
use super::*;
use crate::measure::{balance, scores};
use crate::record::{DecisionKind, Serving, Shares, WindowRecord};
use driftline_adapt::Estimate;
use driftline_core::data::Labels;
use driftline_io::Answer;

const CLASSES: [&str; 3] = ["ant", "bee", "cat"];

/// So many rows: their class, and what the model before, the one after and the source model take them for.
type Rows = (usize, [u32; 4]);

fn window(number: usize, rows: &[Rows], answered: bool) -> WindowRecord {
    let classes = CLASSES.map(String::from);
    let column = |place: usize| -> Vec<u32> {
        let copies = rows
            .iter()
            .map(|(n, row)| std::iter::repeat_n(row[place], *n));
        copies.flatten().collect()
    };
    let labels = |place| Labels::new(column(place), 3).unwrap();
    let (before, after, source) = (labels(1), labels(2), labels(3));
    let answers: Vec<Answer> = column(0).into_iter().map(Answer::Class).collect();
    let answers = answered.then_some(&answers[..]);
    let (score, (gained, lost)) = scores(&before, &after, &source, answers, &classes);
    let share = |a: &Labels, b: &Labels| 1.0 - a.agreement(b).estimate().unwrap();
    WindowRecord {
        window: number,
        teacher: number - 1,
        rows: before.len(),
        seen: before.len(),
        kept: before.len(),
        kept_fraction: 1.0,
        confidence_before: 1.0,
        confidence_after: 1.0,
        confidence_unadapted: 1.0,
        disagreement: share(&before, &after),
        flips: share(&source, &after),
        class_balance: balance(&after, &classes),
        class_balance_unadapted: balance(&source, &classes),
        serving: Some(Serving {
            class_balance: balance(&before, &classes),
            gained,
            lost,
        }),
        score,
        ..WindowRecord::default()
    }
}

/// Everything right but by the source model, which takes a third of the cats for bees.
fn good(number: usize, answered: bool) -> WindowRecord {
    let rows = [
        (50, [0, 0, 0, 0]),
        (50, [1, 1, 1, 1]),
        (40, [2, 2, 2, 2]),
        (20, [2, 2, 2, 1]),
    ];
    window(number, &rows, answered)
}

/// Every cat is a bee to the new version; to the source model it is so for a third, to the one before for none.
fn collapsed(number: usize, answered: bool) -> WindowRecord {
    let rows = [
        (50, [0, 0, 0, 0]),
        (50, [1, 1, 1, 1]),
        (40, [2, 2, 1, 2]),
        (20, [2, 2, 1, 1]),
    ];
    window(number, &rows, answered)
}

fn judged(records: &[WindowRecord], version: usize) -> Judged {
    let even = Shares(CLASSES.map(|name| (name.to_owned(), 1.0 / 3.0)).to_vec());
    judge(records, 0, version, &even).unwrap()
}

fn lost(judgement: &Judged) -> Vec<String> {
    match judgement.reasons.first() {
        Some(Reason::LostClasses { classes, .. }) => classes.clone(),
        _ => vec![],
    }
}

#[test]
fn a_version_that_follows_the_drift_helped() {
    let records = [good(1, true), good(2, true)];
    let found = judged(&records, 2);
    assert_eq!((found.effect, found.roll_back), (Effect::Helped, None));
    let newest = found.newest.unwrap();
    assert_eq!((newest.windows, newest.rows), (vec![2], 160));
    assert_eq!((newest.accuracy, newest.balanced_accuracy), (1.0, 1.0));
    assert!((newest.balanced_accuracy_unadapted - (1.0 + 1.0 + 2.0 / 3.0) / 3.0).abs() < 1e-12);
}

/// Four windows that gained 20 rows each, and a newest that lost 40: the mean over the stream says "helped".
#[test]
fn old_gains_do_not_hide_that_the_newest_version_lost_a_class() {
    let mut records: Vec<_> = (1..=4).map(|number| good(number, true)).collect();
    records.push(collapsed(5, true));
    let found = judged(&records, 5);
    assert_eq!(found.effect, Effect::Hurt);
    assert_eq!(lost(&found), ["cat"]);
    let back = found.roll_back.unwrap();
    assert_eq!(back.to, 4, "it was right about every row of window 5");
    assert!(matches!(
        back.because,
        Basis::BestOnNewest { window: 5, .. }
    ));
}

/// Where most rows are ants, taking everything for one raises the accuracy and loses the others.
#[test]
fn a_lost_class_vetoes_a_gain_in_accuracy() {
    let rows = [
        (80, [0, 0, 0, 0]),
        (20, [0, 1, 0, 1]),
        (10, [1, 1, 0, 1]),
        (10, [2, 2, 2, 2]),
    ];
    let found = judged(&[window(1, &rows, true)], 1);
    let newest = found.newest.as_ref().unwrap();
    assert!(newest.gain > 0.08 && newest.p_value < 0.1, "{newest:?}");
    assert!(newest.balanced_accuracy < newest.balanced_accuracy_unadapted);
    assert_eq!(
        (found.effect, lost(&found)),
        (Effect::Doubtful, vec!["bee".to_owned()])
    );
    assert_eq!(found.roll_back.unwrap().to, 0);
}

#[test]
fn without_answers_nothing_is_claimed_and_collapse_is_named() {
    // Old answers say nothing about a later version.
    let records = [good(1, true), good(2, false)];
    let found = judged(&records, 2);
    assert_eq!((found.effect, found.newest), (Effect::Unknown, None));
    let last = Reason::NoAnswers {
        last_scored: Some(1),
    };
    assert_eq!(found.reasons, [last]);
    let records = [
        good(1, true),
        good(2, false),
        collapsed(3, false),
        collapsed(4, false),
    ];
    let found = judged(&records, 4);
    assert_eq!(
        (found.effect, lost(&found)),
        (Effect::Doubtful, vec!["cat".to_owned()])
    );
    // It is unknown how earlier versions do on this window.
    assert_eq!(found.roll_back, None);
}

#[test]
fn a_run_that_was_rolled_back_is_judged_by_the_version_in_use() {
    let records = [good(1, true), good(2, true), collapsed(3, true)];
    let effect = |version| judged(&records, version).effect;
    assert_eq!((effect(3), effect(2)), (Effect::Hurt, Effect::Helped));
    let found = judged(&records, 2).newest.unwrap();
    assert_eq!(
        (found.version, found.windows, found.accuracy),
        (2, vec![3], 1.0)
    );
    // Version 1 never saw window 3, and what it did on older windows is no verdict.
    let found = judged(&records, 1);
    assert_eq!((found.effect, found.newest), (Effect::Unknown, None));
    assert!(found.reasons.contains(&Reason::NotMeasured { window: 3 }));
    let found = judged(&records, 0);
    assert_eq!((found.effect, found.roll_back), (Effect::Same, None));
    assert!(found.reasons.contains(&Reason::SourceModel));
}

#[test]
fn three_rows_of_three_thousand_are_no_clear_difference() {
    let rows = [(1497, [0; 4]), (1500, [1; 4]), (3, [0, 0, 0, 1])];
    assert_eq!(judged(&[window(1, &rows, true)], 1).effect, Effect::Same);
}

#[test]
fn a_model_below_the_most_frequent_class_is_told_so() {
    let rows = [(30, [0, 1, 1, 1]), (60, [0, 0, 0, 1]), (20, [1, 1, 1, 1])];
    let found = judged(&[window(1, &rows, true)], 1);
    assert_eq!(found.effect, Effect::Helped);
    let majority = Reason::BelowMajority {
        class: "ant".into(),
        share: 90.0 / 110.0,
    };
    assert!(found.reasons.contains(&majority), "{:?}", found.reasons);
}

/// Windows of 30 answers are too few by themselves; a class is lost all the same when the newest version lost it.
#[test]
fn small_windows_are_judged_together() {
    let small = |number, cat| {
        window(
            number,
            &[(10, [0; 4]), (10, [1; 4]), (10, [2, 2, cat, 2])],
            true,
        )
    };
    let mut records: Vec<_> = (1..=5).map(|number| small(number, 2)).collect();
    records.push(small(6, 1));
    let found = judged(&records, 6);
    assert_eq!(found.newest.as_ref().unwrap().windows, [3, 4, 5, 6]);
    assert_eq!(lost(&found), ["cat"]);
    assert_eq!(
        (found.effect, found.roll_back.unwrap().to),
        (Effect::Hurt, 5)
    );
}

#[test]
fn a_class_that_nothing_ever_predicted_is_named_but_not_lost() {
    let rows = [(80, [0, 0, 0, 1]), (80, [1; 4]), (10, [2, 0, 0, 0])];
    let found = judged(&[window(1, &rows, true)], 1);
    let never = Reason::NeverPredicted {
        window: 1,
        classes: vec!["cat".into()],
    };
    assert!(found.reasons.contains(&never));
    assert_eq!(found.effect, Effect::Helped);
}

/// With what the guard says of the version in use and of the source model, and of the recall of cats.
fn estimated(mut record: WindowRecord, accuracy: f64, unadapted: f64, cats: f64) -> WindowRecord {
    let estimate = |accuracy: f64| {
        let mut own = Estimate::new(accuracy, accuracy - 0.05, accuracy + 0.05);
        let recall = |own: f64| Some([own, own - 0.05, own + 0.05]);
        own.recalls = vec![recall(0.9), recall(0.9), recall(cats)];
        Some(own)
    };
    record.estimate = estimate(accuracy);
    record.estimate_unadapted = estimate(unadapted);
    record
}

#[test]
fn the_guards_own_estimates_say_whether_a_class_was_lost() {
    // The source model takes half of the rows for cats, which is what drift does to it.
    let rows = [(80, [0, 0, 0, 0]), (80, [0, 0, 0, 2])];
    let drifted = |cats| estimated(window(1, &rows, false), 0.98, 0.5, cats);
    let found = judged(&[drifted(0.9)], 1);
    assert_eq!(found.effect, Effect::Unknown, "{:?}", found.reasons);
    assert_eq!(found.roll_back, None);
    let found = judged(&[drifted(0.1)], 1);
    assert_eq!(lost(&found), ["cat"]);
    assert_eq!(found.effect, Effect::Doubtful);
}

#[test]
fn an_estimate_below_the_source_models_is_doubtful() {
    let found = judged(&[estimated(good(1, false), 0.6, 0.9, 0.9)], 1);
    assert_eq!(found.effect, Effect::Doubtful);
    let said = |reason: &Reason| matches!(reason, Reason::Estimated { window: 1, .. });
    assert!(found.reasons.iter().any(said), "{:?}", found.reasons);
}

/// What is said of a run under a policy, with these labels of the rows that were asked for.
fn said(policy: &str, records: &[WindowRecord], labels: &[&str]) -> Verdict {
    let mut method = crate::method::Settings::new();
    method.policy = Some(driftline_adapt::PartSpec::plain(policy));
    let choice = driftline_io::ColumnChoice::default();
    let settings = crate::settings::RunSettings::new(0, choice, method);
    let origin = crate::folder::Origin::Source(vec![]);
    let classes = CLASSES.map(String::from);
    let mut manifest = RunManifest::new(String::new(), settings, origin, &classes);
    (manifest.windows, manifest.current) = (records.len(), records.len());
    let mut asked = AskedRows::of(records, &classes);
    for (line, label) in asked.lines.iter_mut().zip(labels) {
        line.label = (*label).into();
    }
    Verdict::of(&manifest, records, &source(), &asked).unwrap()
}

fn source() -> SourceRecord {
    SourceRecord {
        model: "linear".into(),
        rows: 300,
        class_counts: vec![100; 3],
        seed: 0,
        validation: serde_json::from_value(serde_json::json!({
            "accuracy": 0.9, "low": 0.85, "high": 0.95, "n": 100, "folds": 1, "confidence": 0.9,
        }))
        .unwrap(),
        inputs: vec![],
        choice: driftline_io::ColumnChoice::default(),
        detected: String::new(),
        notes: driftline_io::Notes::new(),
    }
}

/// A window that was held, with the estimates of the guard; `stake` asks about two rows.
fn held(number: usize, teacher: usize, stake: Option<f64>) -> WindowRecord {
    let mut record = estimated(good(number, false), 0.8, 0.8, 0.9);
    record.teacher = teacher;
    record.decision = DecisionKind::Hold;
    record.reason = Some("no candidate is sure to gain".into());
    record.estimate_before = record.estimate.clone();
    let Some(stake) = stake else {
        return record;
    };
    record.findings = serde_json::json!({ "question": { "candidate": "plain", "stake": stake } });
    let row = |row| crate::asked::AskedRecord {
        asked: driftline_adapt::AskedRow {
            row,
            weight: 1.0,
            decided: std::collections::BTreeMap::new(),
            likely: vec![],
            from_all: true,
            class: None,
        },
        place: crate::record::Place {
            file: "t.csv".into(),
            row: row as u64,
        },
        id: String::new(),
    };
    record.asked = vec![row(3), row(7)];
    record
}

#[test]
fn there_is_one_thing_to_do_and_a_hold_names_what_ends_it() {
    let deployed = |number| estimated(good(number, false), 0.95, 0.6, 0.9);
    let named = |rows| Action::Label { rows, named: true };
    let found = said("guarded", &[deployed(1)], &[]);
    assert_eq!((&found.action, found.version), (&Action::Adapted, 1));
    assert!(found.last_step.ends.is_empty());
    // Held windows are no versions of their own, and nothing is at stake.
    let found = said(
        "guarded",
        &[deployed(1), held(2, 1, None), held(3, 2, None)],
        &[],
    );
    assert_eq!(
        (&found.action, found.version, found.held),
        (&Action::KeepServing, 1, 2)
    );
    assert_eq!(found.last_step.kind, StepKind::Held);
    assert!(found.last_step.ends.contains(&WayOut::Refit));
    assert!(!found.fails(FailOn::Action) && found.fails(FailOn::Held));
    // Something is.
    let asking = [deployed(1), held(2, 1, Some(0.1))];
    let found = said("guarded", &asking, &[]);
    assert_eq!(found.action, named(2));
    assert_eq!(found.last_step.ends[0], WayOut::Label);
    assert!(found.fails(FailOn::Action) && !found.fails(FailOn::Never));
    assert_eq!(said("guarded", &asking, &["ant"]).action, named(1));
    let found = said("guarded", &asking, &["ant", "bee"]);
    assert_eq!(found.action, Action::KeepServing);
    assert!(found.reasons.contains(&Reason::LabelsWait { rows: 2 }));
    // Told to deploy nothing, it holds nothing.
    let found = said("never", &[held(1, 0, None)], &[]);
    assert_eq!(found.last_step.kind, StepKind::Watched);
    assert!(!found.fails(FailOn::Held));
    let mut starved = good(1, false);
    starved.held = true;
    let found = said("guarded", &[starved], &[]);
    assert_eq!(found.last_step.ends, [WayOut::DropLess, WayOut::MoreRows]);
    // Signs of going wrong: an audit names rows.
    let found = said("always", &[collapsed(1, false)], &[]);
    assert!(matches!(found.action, Action::Label { named: false, .. }));
    assert_eq!(found.lost_classes, ["cat"]);
}

#[test]
fn advice_never_names_the_model_that_is_in_use() {
    let mut again = held(3, 2, None);
    (again.decision, again.taken_back_to) = (DecisionKind::RollBack, Some(0));
    let found = said("guarded", &[good(1, false), good(2, false), again], &[]);
    assert_eq!(
        (found.version, found.last_step.kind),
        (0, StepKind::TakenBack)
    );
    // Held windows of answers: the version before has the same bytes, the source model is better.
    let mut records = vec![collapsed(1, true), collapsed(2, true)];
    (records[1].decision, records[1].teacher) = (DecisionKind::Hold, 1);
    let found = said("guarded", &records, &[]);
    assert_eq!(found.version, 1);
    let Action::RollBack(back) = &found.action else {
        panic!("{:?}", found.action);
    };
    assert_eq!(back.to, 0);
}

#[test]
fn numbers_are_of_what_served_and_the_same_models_have_the_same() {
    let found = said("guarded", &[held(1, 0, None)], &[]);
    assert_eq!(found.served, found.unadapted);
    assert_eq!(found.in_use, found.served);
    let none = found.difference.unwrap();
    assert_eq!((none.value, none.low, none.high), (0.0, 0.0, 0.0));
    assert_eq!(found.served.unwrap().by, By::Estimate);
    // By answers: served is the version before.
    let rows = [(50, [0, 0, 0, 0]), (30, [1, 1, 1, 0]), (20, [1, 0, 1, 0])];
    let found = said(
        "guarded",
        &[window(1, &rows, true), window(2, &rows, true)],
        &[],
    );
    let value = |own: Option<Quantity>| own.unwrap().value;
    assert!((value(found.served) - 0.8).abs() < 1e-12);
    assert!((value(found.unadapted) - 0.5).abs() < 1e-12);
    assert!((value(found.difference) - 0.3).abs() < 1e-12);
    assert!((value(found.in_use) - 1.0).abs() < 1e-12);
    assert_eq!(found.effect, Effect::Helped);
}

/// The source model is in use, is right about a third of the rows, and nothing is better: to keep serving would be no advice.
#[test]
fn a_fall_that_answers_show_is_not_kept_serving() {
    let rows = [(40, [0, 0, 0, 0]), (40, [1, 0, 0, 0]), (40, [2, 0, 0, 0])];
    let mut fallen = window(1, &rows, true);
    fallen.decision = DecisionKind::Hold;
    let found = said("guarded", &[fallen], &[]);
    assert!(matches!(found.action, Action::Label { named: false, .. }));
    assert!(found.reasons.contains(&Reason::Fallen { held_out: 0.9 }));
    assert!(found.fails(FailOn::Action));
    let found = said(
        "guarded",
        &[window(1, &[(80, [0; 4]), (80, [1; 4])], true)],
        &[],
    );
    assert_eq!(found.action, Action::Adapted);
}
