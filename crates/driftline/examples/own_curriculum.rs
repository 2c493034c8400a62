//! A curriculum of your own: windows that overlap by half, so that every row is learned from twice.
//! `cargo run --release --example own_curriculum`

use driftline::Result;
use driftline::adapt::{Curriculum, Gradual, Stages};
use driftline::data::{Remainder, Tail, Task, Windowing};
use driftline::datasets::gaussian::MovingGaussians;
use driftline::evaluate::accuracy;
use driftline::models::Learner;
use driftline::models::linear::{FullBatch, LinearLearner, Penalty, Solver};
use driftline::random::Seed;
use driftline::service::AdaptSettings;

/// Windows of `size` rows, each beginning in the middle of the one before.
struct Overlapping {
    size: usize,
}

impl Curriculum for Overlapping {
    fn stages<'a>(&self, task: &'a Task, _: Seed) -> Result<Stages<'a>> {
        let (size, stream) = (self.size, &task.intermediate);
        let starts = (0..=stream.len().saturating_sub(size)).step_by(size / 2);
        let left_over = (stream.len() - size) % (size / 2);
        let remainder = match left_over {
            0 => Remainder::None,
            rows => Remainder::Dropped(rows),
        };
        let domains = starts.map(move |start| Ok(stream.window(start..start + size)));
        Ok(Stages::new(domains, remainder))
    }
}

fn main() -> Result<()> {
    let drift = MovingGaussians::paper().draw(Seed::new(0))?;
    let learner = LinearLearner {
        solver: Solver::FullBatch(FullBatch::default()),
        penalty: Penalty::L2(driftline::data::NonNegative::new(0.02)?),
    };
    let source = learner.fit(&(&drift.task.source).into(), Seed::new(0))?;
    let method = AdaptSettings::default().self_training(learner);

    let size = std::num::NonZeroUsize::new(500).expect("500 is not 0");
    let curricula: [(&str, Box<dyn Curriculum>); 2] = [
        (
            "side by side",
            Box::new(Gradual::new(Windowing::Size(size, Tail::Merge))),
        ),
        ("overlapping", Box::new(Overlapping { size: 500 })),
    ];
    for (name, curriculum) in curricula {
        let stages = curriculum.stages(&drift.task, Seed::new(0))?;
        let mut steps = 0;
        let mut adapted = source.clone();
        for step in method.models(&source, stages, Seed::new(0)) {
            adapted = step?.model;
            steps += 1;
        }
        let right = accuracy(&adapted, &drift.answers.target)?;
        println!(
            "{name}: {steps} steps, {:.1} % of the target right",
            100.0 * right
        );
    }
    Ok(())
}
