//! How far the shares of pseudo-labels may move: a window of one class, to which the others are held.

use driftline_adapt::labeler::{Balanced, ShareInertia};

use super::*;

fn holding(share_inertia: Option<ShareInertia>) -> PseudoLabeling {
    PseudoLabeling {
        filter: Filter::ClassBalanced(Fraction::new(0.1).unwrap()),
        share_inertia,
        ..labeling(LabelKind::Hard, at_least(0.0), OnEmptyWindow::Proceed)
    }
}

/// The rows of the first window that the source model calls 0.
fn one_sided(task: &Task) -> Domain {
    let window = first_window(task);
    let predicted = source_model(task).predict(&window.inputs).unwrap();
    let zeros: Vec<usize> = (0..window.len())
        .filter(|&row| predicted.as_slice()[row] == 0)
        .collect();
    Domain::new(window.inputs.pick(&zeros))
}

fn engine(candidate: Candidate, task: &Task) -> Engine {
    start(candidate, source_model(task)).with_source(task.source.clone())
}

fn shares(step: &Step) -> Vec<f32> {
    let (_, shares) = step.version.labeler.get("shares").unwrap();
    shares.to_vec()
}

#[test]
fn a_bound_holds_shares_window_after_window() {
    let task = task();
    let window = one_sided(&task);
    let source: Vec<f32> = task
        .source
        .labels()
        .counts()
        .iter()
        .map(|&count| count as f32 / task.source.len() as f32)
        .collect();
    let bound = ShareInertia::Bound(Fraction::new(0.05).unwrap());
    let mut held = engine(candidate().with_labeler(holding(Some(bound))), &task);
    let mut last = source;
    for _ in 0..2 {
        let step = one_step(&mut held, window.clone()).unwrap();
        let moved = shares(&step);
        for (now, before) in moved.iter().zip(&last) {
            assert!((now - before).abs() < 0.05 + 1e-4, "{last:?} to {moved:?}");
        }
        assert!(moved[0] > last[0], "it moves as far as it may: {moved:?}");
        last = moved;
    }
    let mut free = engine(candidate().with_labeler(holding(None)), &task);
    let step = one_step(&mut free, window).unwrap();
    assert_eq!(step.labeling.unwrap().only_class(), Some(0));
    assert!(
        step.version.labeler.is_empty(),
        "without inertia nothing is remembered"
    );
}

#[test]
fn the_last_windows_shares_draw_the_next() {
    let task = task();
    let last = ShareInertia::LastWindow(Fraction::new(0.5).unwrap());
    let mut drawn = engine(candidate().with_labeler(holding(Some(last))), &task);
    let first = shares(&one_step(&mut drawn, first_window(&task)).unwrap());
    let second = shares(&one_step(&mut drawn, one_sided(&task)).unwrap());
    assert!(
        second[0] > first[0] && second[0] < 1.0,
        "{first:?} then {second:?}"
    );
}

/// `prior-strength` is short for inertia towards the source: one mechanism, the same weights.
#[test]
fn teacher_and_balanced_hold_shares_alike() {
    let task = task();
    let half = Fraction::new(0.5).unwrap();
    let given = |share_inertia, prior_strength| Balanced {
        prior_strength,
        share_inertia,
        ..Balanced::default()
    };
    let source = Some(ShareInertia::Source(half));
    let versions: Vec<LinearModel> = [
        candidate().with_labeler(given(None, half)),
        candidate().with_labeler(given(source, Fraction::new(1.0).unwrap())),
        candidate().with_labeler(holding(source)),
        candidate().with_labeler(holding(None)),
    ]
    .into_iter()
    .map(|candidate| {
        linear(
            &one_step(&mut engine(candidate, &task), first_window(&task))
                .unwrap()
                .version,
        )
    })
    .collect();
    assert_eq!(versions[0], versions[1]);
    assert_eq!(versions[0], versions[2]);
    assert_ne!(versions[0], versions[3]);
}
