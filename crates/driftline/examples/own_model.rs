//! A model of your own, adapted along a stream: nearest class mean. `cargo run --release --example own_model`

use driftline::Result;
use driftline::data::{Domain, Examples, Inputs, Probabilities, Shape, Targets};
use driftline::datasets::gaussian::MovingGaussians;
use driftline::evaluate::accuracy;
use driftline::models::{Classifier, Learner};
use driftline::random::Seed;
use driftline::service::{AdaptSettings, Walk};

/// The mean of each class.
#[derive(Clone, Debug)]
struct Means {
    shape: Shape,
    means: Vec<Vec<f32>>,
}

/// How they are learned; there is nothing to set.
#[derive(Clone, Debug)]
struct NearestMean;

impl Classifier for Means {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.means.len()
    }

    /// Closer is more probable: p ∝ 1 / distance.
    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape)?;
        let mut values = vec![];
        for row in inputs.iter() {
            let distance = |mean: &Vec<f32>| {
                let squares = row.iter().zip(mean).map(|(a, b)| (a - b) * (a - b));
                squares.sum::<f32>().sqrt().max(1e-6)
            };
            let closeness: Vec<f32> = self.means.iter().map(|mean| 1.0 / distance(mean)).collect();
            let sum: f32 = closeness.iter().sum();
            values.extend(closeness.iter().map(|c| c / sum));
        }
        Probabilities::new(values, self.n_classes())
    }
}

impl Learner for NearestMean {
    type Model = Means;

    fn fit(&self, examples: &Examples, _: Seed) -> Result<Means> {
        examples.expect_trainable()?;
        let shape = examples.inputs().shape();
        let mut sums = vec![vec![0.0; shape.size()]; examples.n_classes()];
        let mut weights = vec![0.0; examples.n_classes()];
        let mut target = vec![0.0; examples.n_classes()];
        for (index, row) in examples.inputs().iter().enumerate() {
            examples.targets().write_row(index, &mut target);
            for (class, t) in target.iter().enumerate() {
                weights[class] += t;
                sums[class]
                    .iter_mut()
                    .zip(row)
                    .for_each(|(s, x)| *s += t * x);
            }
        }
        for (sum, weight) in sums.iter_mut().zip(&weights) {
            sum.iter_mut().for_each(|s| *s /= weight.max(1e-6));
        }
        Ok(Means { shape, means: sums })
    }

    fn refit(&self, _: &Means, examples: &Examples, seed: Seed) -> Result<Means> {
        self.fit(examples, seed)
    }
}

fn main() -> Result<()> {
    let drift = MovingGaussians::paper().draw(Seed::new(0))?;
    let task = &drift.task;
    let labels = Targets::Hard(task.source.labels().clone());
    let source = Examples::new(task.source.inputs().clone(), labels)?;
    let source = NearestMean.fit(&source, Seed::new(0))?;

    let method = AdaptSettings::default().self_training(NearestMean);
    let mut walk = Walk::new(method, source.clone(), Seed::new(0));
    let classes = ["first".to_owned(), "second".to_owned()];
    for (index, start) in (0..task.intermediate.len()).step_by(500).enumerate() {
        let window: Domain = task.intermediate.window(start..start + 500);
        walk.step(index + 1, &window)?;
        let record = walk.measure(&window.inputs, None, &classes)?.record;
        println!(
            "window {:2}: {} of {} kept, {:.1} % relabelled, {:.1} % unlike the source model",
            record.window,
            record.kept,
            record.seen,
            100.0 * record.disagreement,
            100.0 * record.flips
        );
    }
    println!(
        "on the target: {:.3} unadapted, {:.3} adapted",
        accuracy(&source, &drift.answers.target)?,
        accuracy(walk.current(), &drift.answers.target)?
    );
    Ok(())
}
