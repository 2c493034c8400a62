//! A curriculum of your own: windows that overlap by half, so that every row is learned from twice.
//! `cargo run --release --example own_curriculum`

use std::num::NonZeroUsize;

use driftline::Result;
use driftline::data::{Domain, Tail, Windowing};
use driftline::parts::{Curriculum, Stage, Version, Windows};
use driftline::prelude::*;
use driftline_lab::datasets::gaussian::MovingGaussians;
use serde::{Deserialize, Serialize};

/// What a file says of it: `curriculum.overlapping = { window = 500 }`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Size {
    window: NonZeroUsize,
}

/// Windows of `window` rows, each beginning in the middle of the one before. The stream is cut into halves of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Size", into = "Size")]
struct Overlapping {
    size: Size,
    halves: Windowing,
}

impl From<Size> for Overlapping {
    fn from(size: Size) -> Self {
        let half = NonZeroUsize::new(size.window.get() / 2).unwrap_or(NonZeroUsize::MIN);
        Self {
            size,
            halves: Windowing::Size(half, Tail::Merge),
        }
    }
}

impl From<Overlapping> for Size {
    fn from(overlapping: Overlapping) -> Self {
        overlapping.size
    }
}

impl Curriculum for Overlapping {
    fn next(&self, done: usize, stream: &mut dyn Windows, _: &Version) -> Result<Option<Stage>> {
        if done >= self.stages(stream.count()) {
            return Ok(None);
        }
        let before = stream.window(done)?;
        let arrived = stream.window(done + 1)?;
        let both = before.inputs.followed_by(&arrived.inputs)?;
        Ok(Some(Stage {
            learn: Some(Domain::new(both)),
            ..Stage::window(arrived)
        }))
    }

    fn windowing(&self) -> Option<&Windowing> {
        Some(&self.halves)
    }

    fn stages(&self, windows: usize) -> usize {
        windows.saturating_sub(1)
    }
}

fn main() -> Result<()> {
    let drift = MovingGaussians::paper().draw(Seed::new(0))?;
    let (source, target) = (&drift.task.source, &drift.answers.target);
    let registry = Registry::new().with_curriculum::<Overlapping>("overlapping");
    for name in ["gradual", "overlapping"] {
        let mut adapter = Adapter::auto()
            .registry(registry.clone())
            .window(500)
            .method(name)
            .fit(source.inputs(), source.labels().as_slice())?;
        let steps = adapter.adapt(drift.task.intermediate.inputs())?.len();
        let right = adapter.score(target.inputs(), target.labels().as_slice())?;
        println!(
            "{name}: {steps} steps, {:.1} % of the target right",
            100.0 * right.estimate().unwrap_or(0.0)
        );
    }
    Ok(())
}
