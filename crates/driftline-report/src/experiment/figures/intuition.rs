//! Figure 2 of the paper from an actual run: two classes in the plane turn, the source classifier goes stale, and a
//! classifier that self-trains step by step turns with them.

use std::num::NonZeroUsize;

use driftline_adapt::{Candidate, EachStep, Engine, Gradual, Step};
use driftline_core::Result;
use driftline_core::data::{
    Domain, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Shape, Windowing,
};
use driftline_core::random::Seed;
use driftline_models::evaluate::accuracy;
use driftline_models::linear::{FullBatch, LinearLearner, LinearModel, Penalty, Solver};
use driftline_models::{AnyModel, Classifier, Learner};

use crate::chart::Figure;
use crate::chart::plane::{self, Boundary, Panel, Point};
use crate::chart::tone::Tone;
use crate::numbers::fixed;

const STEPS: usize = 3;
/// Degrees from one step to the next: little enough that every point is still labelled rightly.
const TURN: f64 = 40.0;
const POINTS: usize = 40;
const RADIUS: f64 = 0.6;
const REACH: f64 = 1.75;

/// The classifiers of one run.
struct Run {
    domains: Vec<LabeledDomain>,
    source: LinearModel,
    /// After each step; the first is the source.
    gradual: Vec<LinearModel>,
    /// Adapted straight to the last domain, in as many steps.
    direct: LinearModel,
}

/// The two classes turned by `t` steps: discs on either side of the origin, filled evenly.
fn domain(t: usize) -> Result<LabeledDomain> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let (sin, cos) = (t as f64 * TURN).to_radians().sin_cos();
    let mut values = Vec::new();
    let mut labels = Vec::new();
    for (class, side) in [(0, -1.0), (1, 1.0)] {
        for k in 0..POINTS {
            let radius = RADIUS * ((k as f64 + 0.5) / POINTS as f64).sqrt();
            let angle = k as f64 * golden;
            values.push((side * cos + radius * angle.cos()) as f32);
            values.push((side * sin + radius * angle.sin()) as f32);
            labels.push(class);
        }
    }
    let inputs = Inputs::new(values, Shape::Vector(2))?;
    LabeledDomain::new(inputs, Labels::new(labels, 2)?)
}

fn run() -> Result<Run> {
    let solver = Solver::FullBatch(FullBatch::default());
    let learner = LinearLearner::new(solver, Penalty::L2(NonNegative::new(0.02)?));
    let seed = Seed::new(0);
    let domains = (0..=STEPS).map(domain).collect::<Result<Vec<_>>>()?;
    let source = learner.fit(&(&domains[0]).into(), seed)?;
    // The learner has no randomness of its own, so every step may have the seed of the first.
    let adapt = |domains: Vec<Domain>| -> Result<Vec<LinearModel>> {
        let gradual = Gradual::new(Windowing::Count(NonZeroUsize::MIN));
        let candidate = Candidate::paper(learner.clone(), gradual, Fraction::new(0.1)?);
        let first = AnyModel::new("linear", source.clone());
        let mut engine = Engine::new(candidate, first, seed);
        let (mut stream, mut models) = (domains, vec![source.clone()]);
        let mut sink = EachStep::new(&engine, |step: &Step| {
            let model: Option<&LinearModel> = step.version.model.downcast();
            models.push(model.unwrap_or(&source).clone());
            Ok(())
        });
        engine.run(&mut stream, &mut sink)?;
        Ok(models)
    };
    let stream = domains[1..].iter().map(LabeledDomain::unlabeled);
    let gradual = adapt(stream.collect())?;
    let direct = adapt(vec![domains[STEPS].unlabeled(); STEPS])?;
    Ok(Run {
        direct: direct[STEPS].clone(),
        domains,
        source,
        gradual,
    })
}

/// `None` only if the run failed, which a test rules out.
pub(super) fn figure(id: &str) -> Option<Figure> {
    draw(&run().ok()?, id)
}

fn draw(run: &Run, id: &str) -> Option<Figure> {
    let names = [
        ("source classifier".to_owned(), Tone::Neutral),
        ("gradual self-training".to_owned(), Tone::Series(2)),
        ("straight to the target".to_owned(), Tone::Series(3)),
    ];
    let mut panels = Vec::new();
    for (t, domain) in run.domains.iter().enumerate() {
        let mut models = vec![(0, &run.source)];
        if t > 0 {
            models.push((1, &run.gradual[t]));
        }
        if t == STEPS {
            models.push((2, &run.direct));
        }
        let line = |(name, model): (usize, &LinearModel)| {
            let margin = model.margin()?;
            let [u, v] = margin.weights[..] else {
                return None;
            };
            Boundary::across((u, v), margin.bias, REACH, name)
        };
        let places = domain.inputs().iter().zip(domain.labels().as_slice());
        let point = |(x, class): (&[f32], &u32)| Point {
            place: (f64::from(x[0]), f64::from(x[1])),
            class: *class as usize,
            radius: 0.017,
        };
        panels.push(Panel {
            title: format!("t = {t}"),
            points: places.map(point).collect(),
            boundaries: models.into_iter().filter_map(line).collect(),
            labels: Vec::new(),
        });
    }
    let last = run.domains.last()?;
    let per_cent = |model| Some(fixed(100.0 * accuracy(model, last).ok()?, 0));
    let caption = format!(
        "Two classes, squares and circles, turn by {TURN:.0}° from one step to the next; only the source (t = 0) has \
         labels. The knob of each linear classifier is on the side it takes for circles. Accuracy on the last domain: \
         source classifier {} %, self-training straight to the target {} %, gradual self-training {} %.",
        per_cent(&run.source)?,
        per_cent(&run.direct)?,
        per_cent(&run.gradual[STEPS])?,
    );
    let title = "Why go step by step";
    let chart = plane::chart(&panels, &names, REACH);
    Some(Figure::draw(id, "intuition", title, caption, "", chart))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the paper's figure shows.
    #[test]
    fn the_source_goes_stale_and_step_by_step_does_not() {
        let run = run().unwrap();
        let on_last = |model| accuracy(model, &run.domains[STEPS]).unwrap();
        assert_eq!(accuracy(&run.source, &run.domains[0]).unwrap(), 1.0);
        assert!(on_last(&run.source) < 0.3, "{}", on_last(&run.source));
        assert!(on_last(&run.direct) < 0.3, "{}", on_last(&run.direct));
        assert_eq!(on_last(&run.gradual[STEPS]), 1.0);
        let figure = draw(&run, "x").unwrap();
        assert!(roxmltree::Document::parse(&figure.svg).is_ok());
        assert_eq!(figure.svg.matches(">t = ").count(), STEPS + 1);
    }
}
