//! What every curriculum promises: stages of the right examples, in stream order, with nothing left out in silence.

use std::num::NonZeroUsize;

use driftline_adapt::{
    Accumulate, Bridge, Curriculum, DomainOrder, Goat, Gradual, MemoryWindows, OrderBy, Ordered,
    Overlapping, Pooled, SourceOnly, Stage, TargetOnly, Version, Windows,
};
use driftline_core::data::{
    Domain, Inputs, LabeledDomain, Labels, Remainder, Shape, Stream, Tail, Task, Windowing,
};
use driftline_models::AnyModel;
use driftline_models::linear::LinearModel;
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

/// The model that the stages are for: any will do.
fn version() -> Version {
    let weights = [vec![1.0], vec![-1.0]];
    let model = LinearModel::new(Shape::Vector(1), &weights, &[0.0; 2]).unwrap();
    Version::source(AnyModel::new("linear", model))
}

fn stream(curriculum: &dyn Curriculum, task: &Task) -> MemoryWindows {
    MemoryWindows::of_task(task, curriculum.windowing()).unwrap()
}

fn numbers_of(domain: &Option<Domain>) -> Option<Vec<f32>> {
    let rows = |domain: &Domain| domain.inputs.iter().map(|row| row[0]).collect();
    domain.as_ref().map(rows)
}

/// The laws for all of them: the source is never a stage, no stage is empty, each is in order and without repeats, what
/// arrives is what is learned from or a part of it, and there are as many as were announced. It keeps no state: a stage
/// that is asked for alone, as a run does that goes on, is the same, and after the end there is none.
fn curriculum_contract(curriculum: &dyn Curriculum, task: &Task) -> Seen {
    let model = version();
    let mut windows = stream(curriculum, task);
    let remainder = windows.remainder();
    let mut all: Vec<Stage> = vec![];
    while let Some(stage) = curriculum.next(all.len(), &mut windows, &model).unwrap() {
        all.push(stage);
    }
    assert_eq!(all.len(), curriculum.stages(windows.count()));
    for after in [all.len(), all.len() + 1] {
        let end = curriculum.next(after, &mut windows, &model).unwrap();
        assert!(end.is_none(), "a stage after the end");
    }
    let stages: Vec<Vec<f32>> = all
        .iter()
        .filter_map(|stage| numbers_of(&stage.learn))
        .collect();
    assert_eq!(curriculum.learns(), !stages.is_empty());
    for stage in &stages {
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
    for (done, stage) in all.iter().enumerate().rev() {
        let (learn, arrived) = (numbers_of(&stage.learn), numbers_of(&stage.arrived));
        if let (Some(learn), Some(arrived)) = (&learn, &arrived) {
            assert!(arrived.iter().all(|row| learn.contains(row)));
        }
        let alone = curriculum.next(done, &mut stream(curriculum, task), &model);
        let alone = alone.unwrap().expect("the same stage");
        assert_eq!(
            (numbers_of(&alone.learn), numbers_of(&alone.arrived)),
            (learn, arrived)
        );
    }
    Seen { stages, remainder }
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
        let seen = curriculum_contract(&SourceOnly::new(), &task(stream, pool));
        prop_assert!(seen.stages.is_empty());
        prop_assert_eq!(seen.remainder, Remainder::None);
    }

    #[test]
    fn source_only_watches_windows_without_learning(stream in 1usize..50, windows in 1usize..9) {
        prop_assume!(windows <= stream);
        let watching = SourceOnly::watching(Windowing::Count(some(windows)));
        let seen = curriculum_contract(&watching, &task(stream, 3));
        prop_assert!(seen.stages.is_empty());
        prop_assert_eq!(watching.stages(windows), windows);
    }

    #[test]
    fn repeats_are_as_many_as_windows_where_nothing_is_said(stream in 1usize..50, pool in 1usize..50, windows in 1usize..9) {
        prop_assume!(windows <= stream);
        let windowing = || Windowing::Count(some(windows));
        let target = curriculum_contract(&TargetOnly::once_a_window(windowing()), &task(stream, pool));
        let named = curriculum_contract(&TargetOnly::new(some(windows)), &task(stream, pool));
        prop_assert_eq!(target.stages, named.stages);
        let pooled = curriculum_contract(&Pooled::once_a_window(windowing()), &task(stream, pool));
        prop_assert_eq!(pooled.stages, vec![numbers(0..stream); windows]);
    }

    #[test]
    fn the_target_comes_last_where_the_papers_text_is_followed(stream in 1usize..50, pool in 1usize..50, windows in 1usize..9) {
        prop_assume!(windows <= stream);
        let target: Vec<f32> = (0..pool).map(|i| 1e6 + i as f32).collect();
        let windowing = Windowing::Count(some(windows));
        let gradual = curriculum_contract(&Gradual::new(windowing).then_target(), &task(stream, pool));
        prop_assert_eq!(gradual.stages.len(), windows + 1);
        prop_assert_eq!(gradual.stages.last().unwrap(), &target);
        let pooled = curriculum_contract(&Pooled::new(some(2)).and_target(), &task(stream, pool));
        prop_assert_eq!(pooled.stages, vec![[numbers(0..stream), target].concat(); 2]);
    }

    #[test]
    fn target_only_repeats_the_pool_and_nothing_else(stream in 1usize..50, pool in 1usize..50, repeats in 1usize..9) {
        let seen = curriculum_contract(&TargetOnly::new(some(repeats)), &task(stream, pool));
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
    fn overlapping_windows_are_the_last_rows_after_every_stride(
        stream in 1usize..200, window in 1usize..40, stride in 1usize..40,
    ) {
        prop_assume!(stride <= window && stride <= stream);
        let overlapping = Overlapping::new(some(window), some(stride), Tail::Keep).unwrap();
        let seen = curriculum_contract(&overlapping, &task(stream, 3));
        prop_assert_eq!(seen.stages.len(), stream.div_ceil(stride));
        for (t, stage) in seen.stages.iter().enumerate() {
            let end = stream.min((t + 1) * stride);
            // A short last stride still brings whole windows.
            prop_assert_eq!(stage, &numbers(end.saturating_sub(window)..end));
        }
        prop_assert!(Overlapping::new(some(stride), some(window + 1), Tail::Keep).is_err());
    }

    #[test]
    fn generated_walks_as_gradual_does_and_bridges_every_step(stream in 1usize..100, windows in 1usize..9) {
        prop_assume!(windows <= stream);
        let windowing = Windowing::Count(some(windows));
        let bridge = Bridge { domains: Some(some(3)), ..Bridge::default() };
        let generated = Goat::new(windowing.clone(), bridge).then_target();
        let task = task(stream, 5);
        let gradual = curriculum_contract(&Gradual::new(windowing).then_target(), &task);
        prop_assert_eq!(curriculum_contract(&generated, &task).stages, gradual.stages);
        let mut windows = self::stream(&generated, &task);
        for done in 0..generated.stages(windows.count()) {
            let stage = generated.next(done, &mut windows, &version()).unwrap().unwrap();
            prop_assert_eq!(stage.bridge, Some(bridge));
        }
    }

    /// The farther from the source, the larger the numbers: the order of the stream is found again.
    #[test]
    fn ordered_windows_come_by_their_distance_from_the_source(stream in 1usize..100, windows in 1usize..9) {
        prop_assume!(windows <= stream);
        for by in [OrderBy::Distance, OrderBy::Chain] {
            let order = DomainOrder { by, ..DomainOrder::default() };
            let ordered = Ordered::new(Windowing::Count(some(windows)), order);
            let seen = curriculum_contract(&ordered, &task(stream, 3));
            prop_assert_eq!(seen.stages.len(), windows);
            prop_assert_eq!(seen.stages.concat(), numbers(0..stream));
        }
    }

    #[test]
    fn accumulate_keeps_what_came_before(
        stream in 1usize..200, windows in 1usize..20,
    ) {
        prop_assume!(windows <= stream);
        let windowing = Windowing::Count(some(windows));
        let gradual = curriculum_contract(&Gradual::new(windowing.clone()), &task(stream, 3));
        let seen = curriculum_contract(&Accumulate::new(windowing), &task(stream, 3));
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
        let accumulate = Accumulate::new(windowing);
        for curriculum in [&gradual as &dyn Curriculum, &accumulate] {
            assert!(MemoryWindows::of_task(&task(10, 1), curriculum.windowing()).is_err());
        }
    }
}
