//! A rehearsal: a drift made from the labelled source of another benchmark, and from nothing else of it. Its images are
//! dealt out anew; the first part is the source, the next turns or moves towards other classes little by little, `rounds` times
//! over in ever another order, and the last is scored at the far end. Every label on the way is known, and none of the
//! benchmark's stream or target is.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, RawData};
use crate::datasets::image::rotation::rotate;
use driftline_core::data::{
    AnswerKey, Benchmark, Domain, Fraction, Inputs, LabeledDomain, Labels, Shape, Stream, Task,
};
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};

/// How the labelled source images (those held out included) are dealt out and turned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rehearsed {
    /// This many are the labelled source of the rehearsal.
    pub source: usize,
    /// This many more, each `rounds` times, are its stream.
    pub stream: usize,
    pub rounds: usize,
    /// At the end of the stream images are turned by this many degrees, counter-clockwise if positive; what is left over
    /// after source and stream is turned as far and scored.
    pub turn: f64,
    /// How far each class has moved towards another at the end of the stream: an image x has become (1 − m)·x + m·x', with
    /// x' an image of another class and m this part of its class, grown evenly from 0. Classes may move at unequal speeds;
    /// none moves if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub toward: Vec<Fraction>,
    pub data: Box<Dataset>,
}

impl Rehearsed {
    pub fn benchmark(&self, data_seed: u64, raw: &RawData) -> Result<Benchmark> {
        let Benchmark { task, answers } = self.data.benchmark(data_seed, raw)?;
        let labeled = joined(&task.source, &answers.held_out_source)?;
        let classes = labeled.labels().n_classes();
        if !self.toward.is_empty() && self.toward.len() != classes {
            let expected = format!("one number for each of {classes} classes");
            return Err(Error::mismatch("`toward`", expected, self.toward.len()));
        }
        let seed = Seed::new(data_seed).named("rehearsal");
        if self.source + self.stream + 2 > labeled.len() {
            return Err(Error::mismatch(
                "the labelled source",
                format!(
                    "more than the {} images asked for",
                    self.source + self.stream + 1
                ),
                labeled.len(),
            ));
        }
        let order = permutation(labeled.len(), seed.named("order"));
        let (source, rest) = order.split_at(self.source);
        let (stream, last) = rest.split_at(self.stream);
        let (held_out, target) = last.split_at(last.len() / 5);
        let round = |round: usize| permutation(stream.len(), seed.named("round").nth(round));
        let stream: Vec<usize> = (0..self.rounds)
            .flat_map(|index| round(index).into_iter().map(|at| stream[at]))
            .collect();
        let way = |at: usize| (at + 1) as f64 / stream.len() as f64;
        let ways: Vec<f64> = (0..stream.len()).map(way).collect();
        let far = vec![1.0; target.len()];
        let moved = self.moved(&labeled, &stream, &ways, seed.named("stream-partners"))?;
        let end = moved.slice(moved.len() - self.stream..moved.len());
        Benchmark::new(
            Task {
                source: labeled.pick(source),
                intermediate: Stream::new(moved.inputs().clone()),
                target_pool: Domain::new(end.inputs().clone()).into(),
            },
            AnswerKey {
                held_out_source: labeled.pick(held_out),
                intermediate: Some(moved.labels().clone()),
                target: self.moved(&labeled, target, &far, seed.named("target-partners"))?,
            },
        )
    }

    /// The images `indices`, each that part of the way to where the drift ends.
    fn moved(
        &self,
        images: &LabeledDomain,
        indices: &[usize],
        ways: &[f64],
        seed: Seed,
    ) -> Result<LabeledDomain> {
        let angles: Vec<f64> = ways.iter().map(|way| self.turn * way).collect();
        if self.toward.is_empty() {
            return turned(images, indices, &angles);
        }
        let mixed = mixed(images, indices, ways, &self.toward, seed)?;
        turned(&mixed, &(0..indices.len()).collect::<Vec<_>>(), &angles)
    }

    /// Refuses what cannot be rehearsed.
    pub fn check(&self) -> Result<()> {
        let positive = [self.source, self.stream, self.rounds];
        if positive.contains(&0) {
            return Err(Error::out_of_range(
                "`rehearsed`",
                0,
                "at least 1 source image, 1 of the stream and 1 round",
            ));
        }
        if !self.turn.is_finite() {
            return Err(Error::out_of_range(
                "`rehearsed.turn`",
                self.turn,
                "a finite number",
            ));
        }
        self.data.check()
    }

    /// The same rehearsal with about one image in `divisor`.
    pub fn scaled_down(&self, divisor: usize) -> Self {
        let less = |n: usize| (n / divisor.max(1)).max(1);
        Self {
            source: less(self.source),
            stream: less(self.stream),
            data: Box::new(self.data.scaled_down(divisor)),
            ..self.clone()
        }
    }
}

fn joined(a: &LabeledDomain, b: &LabeledDomain) -> Result<LabeledDomain> {
    let labels = [a.labels().as_slice(), b.labels().as_slice()].concat();
    let labels = Labels::new(labels, a.labels().n_classes())?;
    LabeledDomain::new(a.inputs().followed_by(b.inputs())?, labels)
}

/// The images `indices`, each mixed with another of them, of another class, by its class's part of `toward` and of its way.
fn mixed(
    images: &LabeledDomain,
    indices: &[usize],
    ways: &[f64],
    toward: &[Fraction],
    seed: Seed,
) -> Result<LabeledDomain> {
    let class = |index: usize| images.labels().as_slice()[index] as usize;
    let mut partners = seed.generator();
    let mut values = Vec::with_capacity(indices.len() * images.inputs().shape().size());
    for (&index, way) in indices.iter().zip(ways) {
        let others: Vec<usize> = indices
            .iter()
            .copied()
            .filter(|&other| class(other) != class(index))
            .collect();
        if others.is_empty() {
            return Err(Error::empty(
                "the set of images of another class to move towards",
            ));
        }
        let other = others[partners.random_range(0..others.len())];
        let part = (toward[class(index)].get() * way) as f32;
        let pair = images
            .inputs()
            .row(index)
            .iter()
            .zip(images.inputs().row(other));
        values.extend(pair.map(|(own, other)| (1.0 - part) * own + part * other));
    }
    let labels = images.labels().pick(indices);
    LabeledDomain::new(Inputs::new(values, images.inputs().shape())?, labels)
}

/// The images `indices`, each turned by its angle.
fn turned(images: &LabeledDomain, indices: &[usize], angles: &[f64]) -> Result<LabeledDomain> {
    let shape = images.inputs().shape();
    let Shape::Image {
        height,
        width,
        channels: 1,
    } = shape
    else {
        return Err(Error::mismatch("a rehearsal", "grey images to turn", shape));
    };
    let mut values = Vec::with_capacity(indices.len() * shape.size());
    for (&index, &angle) in indices.iter().zip(angles) {
        values.extend(rotate(images.inputs().row(index), height, width, angle)?);
    }
    let labels = images.labels().pick(indices);
    LabeledDomain::new(Inputs::new(values, shape)?, labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datasets::RotatingDigits;

    fn rehearsed(turn: f64) -> Rehearsed {
        let digits = RotatingDigits::paper().scaled_down(100);
        Rehearsed {
            source: 15,
            stream: 20,
            rounds: 3,
            turn,
            toward: vec![],
            data: Box::new(Dataset::RotatingMnist(digits)),
        }
    }

    /// Without a turn every image is one of the labelled source, with its label.
    #[test]
    fn a_rehearsal_is_made_of_the_labelled_source_alone() {
        let rehearsal = rehearsed(0.0).benchmark(0, &RawData::StandIns).unwrap();
        let plain = rehearsed(0.0)
            .data
            .benchmark(0, &RawData::StandIns)
            .unwrap();
        let labeled = joined(&plain.task.source, &plain.answers.held_out_source).unwrap();
        let known = |row: &[f32], label: u32| {
            let alike = |at: usize| {
                labeled.labels().as_slice()[at] == label
                    && labeled
                        .inputs()
                        .row(at)
                        .iter()
                        .zip(row)
                        .all(|(a, b)| (a - b).abs() < 1e-4)
            };
            (0..labeled.len()).any(alike)
        };
        let stream = &rehearsal.task.intermediate;
        let labels = rehearsal.answers.intermediate.as_ref().unwrap();
        assert_eq!((stream.len(), rehearsal.answers.target.len()), (60, 20));
        for (row, &label) in stream.inputs().iter().zip(labels.as_slice()) {
            assert!(known(row, label));
        }
        let target = &rehearsal.answers.target;
        for (row, &label) in target.inputs().iter().zip(target.labels().as_slice()) {
            assert!(known(row, label));
        }
        let turned = rehearsed(-60.0).benchmark(0, &RawData::StandIns).unwrap();
        assert_eq!(turned.task.source, rehearsal.task.source);
        assert_ne!(turned.answers.target, rehearsal.answers.target);
    }

    /// A class that does not move stays as it is; one that moves has gone nearly all its way at the end.
    #[test]
    fn classes_move_towards_each_other_at_their_own_speeds() {
        let still = rehearsed(0.0).benchmark(0, &RawData::StandIns).unwrap();
        let mut meeting = rehearsed(0.0);
        meeting.toward = vec![Fraction::new(0.0).unwrap(); 10];
        meeting.toward[3] = Fraction::new(0.4).unwrap();
        let moved = meeting.benchmark(0, &RawData::StandIns).unwrap();
        assert_eq!(moved.task.source, still.task.source);
        let (was, now) = (&still.answers.target, &moved.answers.target);
        let classes = was.labels().as_slice();
        assert!(classes.contains(&3), "the test needs a digit that moves");
        for (at, &class) in classes.iter().enumerate() {
            let pairs = was.inputs().row(at).iter().zip(now.inputs().row(at));
            let furthest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert_eq!(furthest > 0.1, class == 3, "class {class} by {furthest}");
        }
        meeting.toward.pop();
        let error = meeting.benchmark(0, &RawData::StandIns).unwrap_err();
        assert!(error.to_string().contains("each of 10 classes"), "{error}");
    }

    #[test]
    fn more_images_than_there_are_are_refused() {
        let mut greedy = rehearsed(10.0);
        greedy.stream = 50;
        let error = greedy.benchmark(0, &RawData::StandIns).unwrap_err();
        assert!(error.to_string().contains("the labelled source"), "{error}");
        greedy.rounds = 0;
        assert!(greedy.check().is_err());
    }
}
