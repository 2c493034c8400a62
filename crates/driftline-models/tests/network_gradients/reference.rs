//! The plain twin of the fast program: a whole network in double precision, layer by layer, image by image, straight from
//! the formulas. Slow, and what the tests compare everything with.

use super::formulas::{Convolution, batch_norm, dense, drop_out, global_pool, relu, winners};
use driftline_core::data::Shape;
use driftline_models::network::Blueprint;
use driftline_models::network::layers::{Conv, Layer};

/// A batch for the reference: inputs, target distributions, and what each example counts.
#[derive(Clone, Debug)]
pub struct ReferenceBatch<'a> {
    pub inputs: &'a [Vec<f64>],
    pub targets: &'a [Vec<f64>],
    pub shares: &'a [f64],
    /// Per layer and example, the factors of dropout; layers without an entry drop nothing.
    pub factors: &'a [(usize, Vec<Vec<f32>>)],
}

/// What training makes of a batch.
#[derive(Clone, Debug)]
pub struct ReferenceResult {
    pub loss: f64,
    /// Laid out like the weights.
    pub gradient: Vec<f64>,
    /// With respect to the inputs.
    pub inputs: Vec<Vec<f64>>,
}

/// What a layer's backward pass needs besides its input.
enum Memo {
    None,
    Norm(batch_norm::Reference),
    Winners(Vec<Vec<usize>>),
}

/// Loss (penalties included) and gradient of a batch in training.
pub fn loss_and_gradient(
    blueprint: &Blueprint,
    weights: &[f64],
    batch: &ReferenceBatch,
) -> ReferenceResult {
    let tensors = split(blueprint, weights);
    let mut activations = vec![batch.inputs.to_vec()];
    let mut memos = vec![];
    let partners = partners(blueprint);
    for (index, (layer, before, after)) in blueprint.layers().enumerate() {
        let x = &activations[index];
        let own = &tensors[index];
        let each = |f: &dyn Fn(&[f64]) -> Vec<f64>| x.iter().map(|x| f(x)).collect::<Vec<_>>();
        let (y, memo) = match layer {
            Layer::Conv(settings) => {
                let reference = convolution(settings, before);
                (each(&|x| reference.forward(x, own[0], own[1])), Memo::None)
            }
            Layer::Dense(_) | Layer::Output(_) => {
                (each(&|x| dense::forward(x, own[0], own[1])), Memo::None)
            }
            Layer::Relu => (each(&relu::forward), Memo::None),
            Layer::Flatten | Layer::Remember => (x.clone(), Memo::None),
            Layer::Add => {
                let remembered = &activations[partners[index].expect("an `add` has a partner")];
                (sums(x, remembered), Memo::None)
            }
            Layer::GlobalPool => {
                let [.., channels] = volume(before);
                (each(&|x| global_pool::forward(x, channels)), Memo::None)
            }
            Layer::Dropout(_) => match factors_of(batch, index) {
                Some(factors) => (apply(x, factors), Memo::None),
                None => (x.clone(), Memo::None),
            },
            Layer::MaxPool(pool) => {
                let winners = |x: &Vec<f64>| winners(*pool, x, volume(before), volume(after));
                let winners: Vec<Vec<usize>> = x.iter().map(winners).collect();
                let take = |(x, winners): (&Vec<f64>, &Vec<usize>)| {
                    winners.iter().map(|&at| x[at]).collect()
                };
                let y = x.iter().zip(&winners).map(take).collect();
                (y, Memo::Winners(winners))
            }
            Layer::BatchNorm(norm) => {
                let [.., channels] = volume(before);
                let all = x.concat();
                let seen = batch_norm::Reference::of(&all, channels, norm.epsilon.get());
                let affine =
                    |(at, x): (usize, &f64)| own[0][at % channels] * x + own[1][at % channels];
                let y: Vec<f64> = seen.normalized.iter().enumerate().map(affine).collect();
                let y = y.chunks(before.size()).map(<[f64]>::to_vec).collect();
                (y, Memo::Norm(seen))
            }
        };
        activations.push(y);
        memos.push(memo);
    }
    let (mut loss, mut dy) = compare(&activations[activations.len() - 1], batch);
    let mut gradient = vec![0.0; weights.len()];
    let ends = ends(blueprint);
    // What went round a block, by the layer that remembered it.
    let mut around: Vec<Option<Vec<Vec<f64>>>> = vec![None; memos.len()];
    for (index, (layer, before, _)) in blueprint
        .layers()
        .enumerate()
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
    {
        let x = &activations[index];
        let own = &tensors[index];
        let start = if index == 0 { 0 } else { ends[index - 1] };
        let (first, second) =
            gradient[start..ends[index]].split_at_mut(own.first().map_or(0, |t| t.len()));
        dy = match (layer, &memos[index]) {
            (Layer::Conv(settings), _) => {
                let reference = convolution(settings, before);
                let back = |(x, dy): (&Vec<f64>, &Vec<f64>)| {
                    reference.backward(x, own[0], dy, first, second)
                };
                x.iter().zip(&dy).map(back).collect()
            }
            (Layer::Dense(_) | Layer::Output(_), _) => {
                let back =
                    |(x, dy): (&Vec<f64>, &Vec<f64>)| dense::backward(x, own[0], dy, first, second);
                x.iter().zip(&dy).map(back).collect()
            }
            (Layer::Relu, _) => x
                .iter()
                .zip(&dy)
                .map(|(x, dy)| relu::backward(x, dy))
                .collect(),
            (Layer::Dropout(_), _) => match factors_of(batch, index) {
                Some(factors) => apply(&dy, factors),
                None => dy,
            },
            (Layer::BatchNorm(norm), Memo::Norm(seen)) => {
                let all = dy.concat();
                let dx = seen.backward(&all, own[0], norm.epsilon.get(), first, second);
                dx.chunks(before.size()).map(<[f64]>::to_vec).collect()
            }
            (Layer::MaxPool(_), Memo::Winners(winners)) => {
                let back = |(winners, dy): (&Vec<usize>, &Vec<f64>)| {
                    let mut dx = vec![0.0; before.size()];
                    for (&at, d) in winners.iter().zip(dy) {
                        dx[at] += d;
                    }
                    dx
                };
                winners.iter().zip(&dy).map(back).collect()
            }
            (Layer::Add, _) => {
                around[partners[index].expect("an `add` has a partner")] = Some(dy.clone());
                dy
            }
            (Layer::Remember, _) => match around[index].take() {
                Some(other) => sums(&dy, &other),
                None => dy,
            },
            (Layer::GlobalPool, _) => {
                let back = |dy: &Vec<f64>| global_pool::backward(before.size(), dy);
                dy.iter().map(back).collect()
            }
            _ => dy,
        };
    }
    let mut at = 0;
    for (_, numbers, l2) in learned(blueprint) {
        for (g, w) in gradient[at..at + numbers].iter_mut().zip(&weights[at..]) {
            loss += l2 * w * w;
            *g += 2.0 * l2 * w;
        }
        at += numbers;
    }
    ReferenceResult {
        loss,
        gradient,
        inputs: dy,
    }
}

fn convolution(settings: &Conv, before: Shape) -> Convolution {
    Convolution {
        conv: *settings,
        input: volume(before),
    }
}

/// Height, width, channels; a vector is one pixel.
fn volume(shape: Shape) -> [usize; 3] {
    match shape {
        Shape::Vector(features) => [1, 1, features],
        Shape::Image {
            height,
            width,
            channels,
        } => [height, width, channels],
    }
}

/// For every `add`, the `remember` that it belongs to: the last that is still open.
fn partners(blueprint: &Blueprint) -> Vec<Option<usize>> {
    let mut open = vec![];
    let partner = |(index, (layer, ..)): (usize, (&Layer, Shape, Shape))| match layer {
        Layer::Remember => {
            open.push(index);
            None
        }
        Layer::Add => open.pop(),
        _ => None,
    };
    blueprint.layers().enumerate().map(partner).collect()
}

/// Numbers and penalty of everything learned, with the layer.
fn learned(blueprint: &Blueprint) -> Vec<(usize, usize, f64)> {
    let mut all = vec![];
    for (index, (layer, before, after)) in blueprint.layers().enumerate() {
        let (inputs, outputs) = (before.size(), after.size());
        let [.., channels] = volume(before);
        let [first, second] = match layer {
            Layer::Conv(conv) => {
                let (area, units) = (conv.kernel.get().pow(2), conv.channels.get());
                [(area * channels * units, conv.l2.get()), (units, 0.0)]
            }
            Layer::Dense(dense) => [(inputs * outputs, dense.l2.get()), (outputs, 0.0)],
            Layer::Output(last) => [(inputs * outputs, last.l2.get()), (outputs, 0.0)],
            Layer::BatchNorm(_) => [(channels, 0.0); 2],
            _ => continue,
        };
        all.extend([first, second].map(|(numbers, l2)| (index, numbers, l2)));
    }
    all
}

fn factors_of<'a>(batch: &'a ReferenceBatch, layer: usize) -> Option<&'a [Vec<f32>]> {
    let entry = batch.factors.iter().find(|(index, _)| *index == layer);
    entry.map(|(_, factors)| &factors[..])
}

fn apply(x: &[Vec<f64>], factors: &[Vec<f32>]) -> Vec<Vec<f64>> {
    let pairs = x.iter().zip(factors);
    pairs.map(|(x, m)| drop_out(x, m)).collect()
}

fn sums(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let sum = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| a + b).collect();
    a.iter().zip(b).map(sum).collect()
}

/// Softmax cross-entropy and its gradient p − t, each example with its share.
fn compare(scores: &[Vec<f64>], batch: &ReferenceBatch) -> (f64, Vec<Vec<f64>>) {
    let mut loss = 0.0;
    let mut gradient = vec![];
    for ((scores, target), share) in scores.iter().zip(batch.targets).zip(batch.shares) {
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = scores.iter().map(|s| (s - top).exp()).sum();
        let log_p = |s: &f64| s - top - sum.ln();
        let pairs = || scores.iter().zip(target);
        loss -= share * pairs().map(|(s, t)| t * log_p(s)).sum::<f64>();
        gradient.push(pairs().map(|(s, t)| share * (log_p(s).exp() - t)).collect());
    }
    (loss, gradient)
}

/// Where the tensors of each layer end.
fn ends(blueprint: &Blueprint) -> Vec<usize> {
    let mut ends = vec![0; blueprint.layers().len()];
    for (layer, numbers, _) in learned(blueprint) {
        ends[layer] += numbers;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    ends
}

/// The tensors of each layer.
fn split<'a>(blueprint: &Blueprint, weights: &'a [f64]) -> Vec<Vec<&'a [f64]>> {
    let mut tensors = vec![vec![]; blueprint.layers().len()];
    let mut rest = weights;
    for (layer, numbers, _) in learned(blueprint) {
        let (own, others) = rest.split_at(numbers);
        tensors[layer].push(own);
        rest = others;
    }
    tensors
}
