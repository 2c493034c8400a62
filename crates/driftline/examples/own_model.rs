//! A model of your own, adapted along a stream: nearest class mean. `cargo run --release --example own_model`

use driftline::Result;
use driftline::data::{Examples, Probabilities};
use driftline::models::{Array, Arrays, Learner, Stored};
use driftline::prelude::*;
use driftline_lab::datasets::gaussian::MovingGaussians;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The mean of each class.
#[derive(Clone, Debug)]
struct Means {
    shape: Shape,
    means: Vec<Vec<f32>>,
}

/// How they are learned; there is nothing to set.
#[derive(Clone, Debug, Serialize, Deserialize)]
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

    fn store(&self) -> Result<Stored> {
        let dimensions = [self.means.len(), self.shape.size()];
        let means = Array::single("means", &dimensions, &self.means.concat());
        Ok(Stored {
            description: json!({ "shape": self.shape, "classes": self.means.len() }),
            arrays: vec![means],
        })
    }
}

impl Learner for NearestMean {
    const KIND: &'static str = "nearest-mean";

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

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Means, String> {
        let wrong = |error: serde_json::Error| error.to_string();
        let shape: Shape = serde_json::from_value(description["shape"].clone()).map_err(wrong)?;
        let classes: usize =
            serde_json::from_value(description["classes"].clone()).map_err(wrong)?;
        let means = arrays.single("means", &[classes, shape.size()])?;
        let means = means.chunks(shape.size().max(1)).map(<[f32]>::to_vec);
        Ok(Means {
            shape,
            means: means.collect(),
        })
    }
}

fn main() -> Result<()> {
    let drift = MovingGaussians::paper().draw(Seed::new(0))?;
    let (source, target) = (&drift.task.source, &drift.answers.target);
    let mut adapter = Adapter::auto()
        .registry(Registry::new().with_model::<NearestMean>())
        .model("nearest-mean")
        .window(500)
        .fit(source.inputs(), source.labels().as_slice())?;
    let score = |adapter: &Adapter| {
        let right = adapter.score(target.inputs(), target.labels().as_slice());
        right.map(|right| right.estimate().unwrap_or(0.0))
    };
    let unadapted = score(&adapter)?;
    for record in adapter.adapt(drift.task.intermediate.inputs())? {
        println!(
            "window {:2}: {} of {} used for training, {:.1} % changed vs last, {:.1} % changed vs source",
            record.window,
            record.kept,
            record.seen,
            100.0 * record.disagreement,
            100.0 * record.flips
        );
    }
    println!(
        "on the target: {unadapted:.3} unadapted, {:.3} adapted",
        score(&adapter)?
    );
    Ok(())
}
