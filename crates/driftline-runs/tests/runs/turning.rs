//! Classes that the source keeps apart, turning a little from window to window: a model that is sure of itself must move
//! all the same.

use driftline::prelude::*;
use driftline_core::data::Shape;
use driftline_io::NoteCode;
use driftline_runs::WindowRecord;
use rand::RngExt;

const ROWS: usize = 500;

/// Two Gaussians of deviation 1, `apart` from the origin to either side, in a direction of so many degrees.
fn gaussians(generator: &mut impl RngExt, apart: f64, degrees: f64) -> (Inputs, Vec<u32>) {
    let mut normal = || {
        let (u, v) = (
            generator.random_range(1e-12..1.0),
            generator.random_range(0.0..1.0),
        );
        f64::sqrt(-2.0 * f64::ln(u)) * f64::cos(std::f64::consts::TAU * v)
    };
    let labels: Vec<u32> = (0..ROWS as u32).map(|row| row % 2).collect();
    let (sin, cos) = degrees.to_radians().sin_cos();
    let values = labels.iter().flat_map(|&label| {
        let side = apart * (2.0 * f64::from(label) - 1.0);
        [
            (normal() + side * cos) as f32,
            (normal() + side * sin) as f32,
        ]
    });
    let inputs = Inputs::new(values.collect(), Shape::Vector(2)).unwrap();
    (inputs, labels)
}

/// The accuracy after ten windows of 12 degrees each, and whether the run says that somebody should look.
fn after_ten_windows(draw: u64, apart: f64) -> (f64, bool) {
    let generator = &mut Seed::new(draw).named("turning").generator();
    let (inputs, labels) = gaussians(generator, apart, 0.0);
    let mut adapter = Adapter::auto().fit(&inputs, &labels).unwrap();
    let mut told = false;
    for window in 1..=10 {
        let (inputs, _) = gaussians(generator, apart, 12.0 * f64::from(window));
        told = adapter.step(&inputs).unwrap().distrusted;
    }
    let (inputs, labels) = gaussians(generator, apart, 120.0);
    let accuracy = adapter.score(&inputs, &labels).unwrap();
    (accuracy.estimate().unwrap(), told)
}

/// Of thirty draws one at most is held back, because a stretch explains its windows as well as a turn does; that run asks.
#[test]
fn no_draw_of_turning_gaussians_is_left_behind_unnoticed() {
    for apart in [2.0, 3.0, 4.0] {
        let draws = (0..30).map(|draw| after_ten_windows(draw, apart));
        let behind: Vec<(f64, bool)> = draws.filter(|(accuracy, _)| *accuracy <= 0.9).collect();
        let noticed = behind.iter().all(|(_, told)| *told);
        assert!(
            behind.len() <= 1 && noticed,
            "{behind:?} with classes {apart} deviations apart"
        );
    }
}

/// The same rows again and again, and a model that has learned all there is: the step is told to be an empty one.
#[test]
fn a_step_that_changes_nothing_says_so() {
    let generator = &mut Seed::new(3).generator();
    let (inputs, labels) = gaussians(generator, 4.0, 0.0);
    let linear = Adapter::auto().model("linear").policy("always");
    let mut adapter = linear.fit(&inputs, &labels).unwrap();
    let noted = |record: &WindowRecord| record.notes.with(NoteCode::NothingLearned).count() == 1;
    let (turned, _) = gaussians(generator, 4.0, 12.0);
    assert!(!noted(adapter.step(&turned).unwrap()));
    assert!((0..20).any(|_| noted(adapter.step(&turned).unwrap())));
}
