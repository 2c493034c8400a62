//! A model of your own: the class whose mean is nearest. It trains on, can be stored and exported, and has settings.

use driftline_core::Result;
use driftline_core::data::{Examples, Inputs, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_models::onnx::{Attribute, Graph, Node};
use driftline_models::{Array, Arrays, Classifier, Learner, Stored};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How means are learned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NearestMean {
    /// How far a mean that is trained on moves to the new one.
    pub rate: f32,
    /// How fast probabilities fall with the distance.
    pub sharpness: f32,
}

impl Default for NearestMean {
    fn default() -> Self {
        Self {
            rate: 0.5,
            sharpness: 0.7,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Means {
    shape: Shape,
    /// One row for each class.
    means: Vec<f32>,
    sharpness: f32,
}

impl Means {
    fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.means.chunks(self.shape.size())
    }

    /// The score of class c is s·(2·x·m − m·m): what is left of −s·|x − m|² where classes are compared.
    fn scores(&self, row: &[f32]) -> Vec<f32> {
        let score = |mean: &[f32]| {
            let both = |a: &[f32]| -> f32 { a.iter().zip(mean).map(|(a, b)| a * b).sum() };
            self.sharpness * (2.0 * both(row) - both(mean))
        };
        self.rows().map(score).collect()
    }
}

impl Classifier for Means {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn n_classes(&self) -> usize {
        self.means.len() / self.shape.size()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        inputs.expect_shape(self.shape)?;
        let mut values = vec![];
        for row in inputs.iter() {
            let scores = self.scores(row);
            let most = scores.iter().copied().fold(f32::MIN, f32::max);
            let powers: Vec<f32> = scores.iter().map(|score| (score - most).exp()).collect();
            let sum: f32 = powers.iter().sum();
            values.extend(powers.iter().map(|power| power / sum));
        }
        Probabilities::new(values, self.n_classes())
    }

    fn store(&self) -> Result<Stored> {
        let dimensions = [self.n_classes(), self.shape.size()];
        Ok(Stored {
            description: json!({
                "shape": self.shape, "classes": self.n_classes(), "sharpness": self.sharpness,
            }),
            arrays: vec![Array::single("means", &dimensions, &self.means)],
        })
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let (size, classes) = (self.shape.size(), self.n_classes());
        let mut weights = vec![0.0; size * classes];
        let mut biases = vec![0.0; classes];
        for (class, mean) in self.rows().enumerate() {
            for (at, m) in mean.iter().enumerate() {
                weights[at * classes + class] = 2.0 * self.sharpness * m;
                biases[class] -= self.sharpness * m * m;
            }
        }
        let weights = graph.floats("means.weights", &[size, classes], &weights);
        let biases = graph.floats("means.biases", &[classes], &biases);
        let product = graph.node("MatMul", &[&input, &weights], &[]);
        let scores = graph.node("Add", &[&product, &biases], &[]);
        Ok(graph.node("Softmax", &[&scores], &[("axis", Attribute::Int(1))]))
    }

    fn n_parameters(&self) -> usize {
        self.means.len()
    }
}

impl Learner for NearestMean {
    const KIND: &'static str = "nearest-mean";

    type Model = Means;

    fn fit(&self, examples: &Examples, _: Seed) -> Result<Means> {
        examples.expect_trainable()?;
        let shape = examples.inputs().shape();
        let (size, classes) = (shape.size(), examples.n_classes());
        let mut means = vec![0.0; size * classes];
        let mut weights = vec![0.0_f32; classes];
        let mut target = vec![0.0; classes];
        for (index, row) in examples.inputs().iter().enumerate() {
            examples.targets().write_row(index, &mut target);
            for (class, t) in target.iter().enumerate() {
                weights[class] += t;
                let mean = &mut means[class * size..(class + 1) * size];
                mean.iter_mut().zip(row).for_each(|(m, x)| *m += t * x);
            }
        }
        for (mean, weight) in means.chunks_mut(size).zip(&weights) {
            mean.iter_mut().for_each(|m| *m /= weight.max(1e-6));
        }
        Ok(Means {
            shape,
            means,
            sharpness: self.sharpness,
        })
    }

    /// A class of which nothing came stays where it is.
    fn refit(&self, start: &Means, examples: &Examples, seed: Seed) -> Result<Means> {
        let new = self.fit(examples, seed)?;
        let mut means = start.means.clone();
        let rows = means.chunks_mut(start.shape.size()).zip(new.rows());
        for (mean, new) in rows.filter(|(_, new)| new.iter().any(|x| *x != 0.0)) {
            let columns = mean.iter_mut().zip(new);
            columns.for_each(|(mean, new)| *mean += self.rate * (new - *mean));
        }
        Ok(Means { means, ..new })
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Means, String> {
        #[derive(Deserialize)]
        struct Description {
            shape: Shape,
            classes: usize,
            sharpness: f32,
        }
        let wrong = |error: serde_json::Error| error.to_string();
        let found: Description = serde_json::from_value(description.clone()).map_err(wrong)?;
        Ok(Means {
            shape: found.shape,
            means: arrays.single("means", &[found.classes, found.shape.size()])?,
            sharpness: found.sharpness,
        })
    }
}
