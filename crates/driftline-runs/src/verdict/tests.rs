//! Runs in a few made-up windows, and what must be said of them.

use std::collections::BTreeMap;

use super::super::measure::{balance, scores};
use super::super::record::{DecisionKind, Serving, Shares, WindowRecord};
use super::*;
use driftline_core::data::Labels;
use driftline_io::{Answer, Notes};

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
        first: None,
        last: None,
        from: None,
        to: None,
        rows: before.len(),
        seen: before.len(),
        kept: before.len(),
        kept_fraction: 1.0,
        held: false,
        decision: DecisionKind::Deploy,
        candidate: None,
        reason: None,
        distrusted: false,
        estimated_accuracy: None,
        estimated_low: None,
        estimated_high: None,
        estimate: None,
        estimate_before: None,
        estimate_unadapted: None,
        findings: serde_json::Value::Null,
        asked: vec![],
        labels_taken: vec![],
        moved: vec![],
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
        notes: Notes::new(),
        isa: None,
        inputs: vec![],
        files: BTreeMap::new(),
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

fn judged(records: &[WindowRecord], version: usize) -> PolicyOutcome {
    let even = Shares(CLASSES.map(|name| (name.to_owned(), 1.0 / 3.0)).to_vec());
    judge(records, 0, version, &even).unwrap()
}

fn lost(judgement: &PolicyOutcome) -> Vec<String> {
    match judgement.reasons.first() {
        Some(Reason::LostClasses { classes, .. }) => classes.clone(),
        _ => vec![],
    }
}

#[test]
fn a_version_that_follows_the_drift_helped() {
    let records = [good(1, true), good(2, true)];
    let found = judged(&records, 2);
    assert_eq!((found.verdict, found.roll_back), (RunVerdict::Helped, None));
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
    assert_eq!(found.verdict, RunVerdict::Hurt);
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
        (found.verdict, lost(&found)),
        (RunVerdict::Doubtful, vec!["bee".to_owned()])
    );
    assert_eq!(found.roll_back.unwrap().to, 0);
}

#[test]
fn without_answers_nothing_is_claimed_and_collapse_is_named() {
    // Old answers say nothing about a later version.
    let records = [good(1, true), good(2, false)];
    let found = judged(&records, 2);
    assert_eq!((found.verdict, found.newest), (RunVerdict::Unknown, None));
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
        (found.verdict, lost(&found)),
        (RunVerdict::Doubtful, vec!["cat".to_owned()])
    );
    let back = found.roll_back.unwrap();
    assert_eq!(
        (back.to, back.because),
        (2, Basis::LastBeforeTheLoss { window: 2 })
    );
    let found = judged(&[collapsed(1, false)], 1);
    assert_eq!(found.roll_back.unwrap().because, Basis::SourceModel);
}

#[test]
fn a_run_that_was_rolled_back_is_judged_by_the_version_in_use() {
    let records = [good(1, true), good(2, true), collapsed(3, true)];
    let verdict = |version| judged(&records, version).verdict;
    assert_eq!(
        (verdict(3), verdict(2)),
        (RunVerdict::Hurt, RunVerdict::Helped)
    );
    let found = judged(&records, 2).newest.unwrap();
    assert_eq!(
        (found.version, found.windows, found.accuracy),
        (2, vec![3], 1.0)
    );
    // Version 1 never saw window 3, and what it did on older windows is no verdict.
    let found = judged(&records, 1);
    assert_eq!((found.verdict, found.newest), (RunVerdict::Unknown, None));
    assert!(found.reasons.contains(&Reason::NotMeasured { window: 3 }));
    let found = judged(&records, 0);
    assert_eq!((found.verdict, found.roll_back), (RunVerdict::Same, None));
    assert!(found.reasons.contains(&Reason::SourceModel));
}

#[test]
fn three_rows_of_three_thousand_are_no_clear_difference() {
    let rows = [(1497, [0; 4]), (1500, [1; 4]), (3, [0, 0, 0, 1])];
    assert_eq!(
        judged(&[window(1, &rows, true)], 1).verdict,
        RunVerdict::Same
    );
}

#[test]
fn a_model_below_the_most_frequent_class_is_told_so() {
    let rows = [(30, [0, 1, 1, 1]), (60, [0, 0, 0, 1]), (20, [1, 1, 1, 1])];
    let found = judged(&[window(1, &rows, true)], 1);
    assert_eq!(found.verdict, RunVerdict::Helped);
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
        (found.verdict, found.roll_back.unwrap().to),
        (RunVerdict::Hurt, 5)
    );
}

#[test]
fn a_step_that_was_held_is_named_and_its_version_is_the_one_before() {
    let mut held = good(2, true);
    held.held = true;
    let records = [good(1, true), held.clone()];
    let found = judged(&records, 1);
    assert_eq!(found.verdict, RunVerdict::Helped, "version 1 is version 2");
    assert!(matches!(
        found.reasons.last(),
        Some(Reason::LastStepHeld { window: 2, .. })
    ));
    held.score = None;
    let records = [
        good(1, true),
        good(2, true),
        WindowRecord {
            window: 3,
            teacher: 2,
            ..held
        },
    ];
    assert_eq!(judged(&records, 3).verdict, RunVerdict::Held);
    // What was held is not the version that was gone back to.
    assert_eq!(judged(&records, 1).verdict, RunVerdict::Unknown);
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
    assert_eq!(found.verdict, RunVerdict::Helped);
}
