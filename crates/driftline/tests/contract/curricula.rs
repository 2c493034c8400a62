//! What every curriculum promises: stages of the right examples, in stream order, with nothing left out in silence.

use std::num::NonZeroUsize;

use driftline::adapt::{Accumulate, Curriculum, Gradual, Pooled, SourceOnly, TargetOnly};
use driftline::data::{
    Domain, Inputs, LabeledDomain, Labels, Remainder, Shape, Stream, Tail, Task, Windowing,
};
use driftline::random::Seed;
use proptest::prelude::*;

/// Every example says where it comes from: source −1, −2, …; stream 0, 1, …; pool 10⁶, 10⁶ + 1, …
fn task(stream: usize, pool: usize) -> Task {
    let numbered = |from: f32, step: f32, n: usize| {
        Inputs::new(
            (0..n).map(|i| from + step * i as f32).collect(),
            Shape::Vector(1),
        )
        .unwrap()
    };
    Task {
        source: LabeledDomain::new(
            numbered(-1.0, -1.0, 4),
            Labels::new(vec![0, 1, 0, 1], 2).unwrap(),
        )
        .unwrap(),
        intermediate: Stream::new(numbered(0.0, 1.0, stream)),
        target_pool: Domain::new(numbered(1e6, 1.0, pool)).into(),
    }
}

struct Seen {
    stages: Vec<Vec<f32>>,
    remainder: Remainder,
}

/// The laws for all of them: the source is never a stage, no stage is empty, each is in order and without repeats, and
/// the same seed gives the same stages.
fn curriculum_contract(curriculum: &dyn Curriculum, task: &Task) -> Seen {
    let run = |seed| {
        let stages = curriculum.stages(task, seed).unwrap();
        let remainder = stages.remainder;
        let stages = stages
            .map(|stage| stage.unwrap().inputs.iter().map(|row| row[0]).collect())
            .collect();
        Seen { stages, remainder }
    };
    let seen = run(Seed::new(5));
    for stage in &seen.stages {
        assert!(!stage.is_empty());
        assert!(
            stage.iter().all(|&v| v >= 0.0),
            "a source example in a stage"
        );
        assert!(
            stage.is_sorted_by(|a, b| a < b),
            "out of order, or twice: {stage:?}"
        );
    }
    let again = run(Seed::new(5));
    assert_eq!(
        (&again.stages, again.remainder),
        (&seen.stages, seen.remainder)
    );
    seen
}

fn some(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap()
}

fn numbers(range: std::ops::Range<usize>) -> Vec<f32> {
    range.map(|i| i as f32).collect()
}

proptest! {
    #[test]
    fn source_only_has_no_stage(stream in 1usize..50, pool in 1usize..50) {
        let seen = curriculum_contract(&SourceOnly, &task(stream, pool));
        prop_assert!(seen.stages.is_empty());
        prop_assert_eq!(seen.remainder, Remainder::None);
    }

    #[test]
    fn target_only_repeats_the_pool_and_nothing_else(stream in 1usize..50, pool in 1usize..50, repeats in 1usize..9) {
        let seen = curriculum_contract(&TargetOnly { repeats: some(repeats) }, &task(stream, pool));
        let whole: Vec<f32> = (0..pool).map(|i| 1e6 + i as f32).collect();
        prop_assert_eq!(seen.stages, vec![whole; repeats]);
        prop_assert_eq!(seen.remainder, Remainder::None);
    }

    #[test]
    fn pooled_repeats_the_stream_and_nothing_else(stream in 1usize..50, pool in 1usize..50, repeats in 1usize..9) {
        let seen = curriculum_contract(&Pooled::new(some(repeats)), &task(stream, pool));
        prop_assert_eq!(seen.stages, vec![numbers(0..stream); repeats]);
        prop_assert_eq!(seen.remainder, Remainder::None);
    }

    #[test]
    fn gradual_walks_through_the_stream_once(
        stream in 1usize..200, window in 1usize..40,
        tail in prop::sample::select(vec![Tail::Drop, Tail::Keep, Tail::Merge]),
    ) {
        prop_assume!(window <= stream);
        let windowing = Windowing::Size(some(window), tail);
        let seen = curriculum_contract(&Gradual::new(windowing), &task(stream, 3));
        let rest = stream % window;
        let expected = match tail {
            _ if rest == 0 => (stream / window, Remainder::None, stream),
            Tail::Drop => (stream / window, Remainder::Dropped(rest), stream - rest),
            Tail::Keep => (stream / window + 1, Remainder::Kept(rest), stream),
            _ => (stream / window, Remainder::Merged(rest), stream),
        };
        prop_assert_eq!((seen.stages.len(), seen.remainder), (expected.0, expected.1));
        prop_assert!(seen.stages[..seen.stages.len() - 1].iter().all(|stage| stage.len() == window));
        prop_assert_eq!(seen.stages.concat(), numbers(0..expected.2));
    }

    #[test]
    fn accumulate_keeps_what_came_before(
        stream in 1usize..200, windows in 1usize..20,
    ) {
        prop_assume!(windows <= stream);
        let windowing = Windowing::Count(some(windows));
        let gradual = curriculum_contract(&Gradual::new(windowing.clone()), &task(stream, 3));
        let seen = curriculum_contract(&Accumulate { windowing }, &task(stream, 3));
        prop_assert_eq!(seen.stages.len(), windows);
        for (t, stage) in seen.stages.iter().enumerate() {
            prop_assert_eq!(stage, &gradual.stages[..=t].concat());
        }
        prop_assert_eq!(seen.stages.last().unwrap(), &numbers(0..stream));
    }
}

#[test]
fn a_stream_that_cannot_be_cut_is_refused_before_the_first_stage() {
    let too_large = Windowing::Size(some(11), Tail::Keep);
    let uneven = Windowing::Size(some(3), Tail::Forbid);
    for windowing in [too_large, uneven] {
        let gradual = Gradual::new(windowing.clone());
        assert!(gradual.stages(&task(10, 1), Seed::new(0)).is_err());
        assert!(
            Accumulate { windowing }
                .stages(&task(10, 1), Seed::new(0))
                .is_err()
        );
    }
}
