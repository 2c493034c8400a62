//! The plain twin of the fast program: a whole network in double precision, layer by layer, image by image, straight from
//! the formulas. Slow, and what the tests compare everything with.

use super::architecture::Blueprint;
use super::layers::{
    Layer, batch_norm, channels_of, conv, dense, dropout, global_pool, max_pool, relu, residual,
    volume,
};

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
    /// Mean and biased variance that each batch norm saw.
    pub statistics: Vec<(Vec<f64>, Vec<f64>)>,
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
    let partners = residual::partners(&blueprint.architecture().layers)
        .expect("the blueprint has checked the residual blocks");
    for (index, (layer, before, after)) in blueprint.layers().enumerate() {
        let x = &activations[index];
        let own = &tensors[index];
        let each = |f: &dyn Fn(&[f64]) -> Vec<f64>| x.iter().map(|x| f(x)).collect::<Vec<_>>();
        let (y, memo) = match layer {
            Layer::Conv(settings) => {
                let reference = conv_reference(settings, before);
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
                let channels = channels_of(before);
                (each(&|x| global_pool::forward(x, channels)), Memo::None)
            }
            Layer::Dropout(_) => match factors_of(batch, index) {
                Some(factors) => (apply(x, factors), Memo::None),
                None => (x.clone(), Memo::None),
            },
            Layer::MaxPool(pool) => {
                let winners =
                    |x: &Vec<f64>| max_pool::winners(*pool, x, volume(before), volume(after));
                let winners: Vec<Vec<usize>> = x.iter().map(winners).collect();
                let take = |(x, winners): (&Vec<f64>, &Vec<usize>)| {
                    winners.iter().map(|&at| x[at]).collect()
                };
                let y = x.iter().zip(&winners).map(take).collect();
                (y, Memo::Winners(winners))
            }
            Layer::BatchNorm(norm) => {
                let channels = channels_of(before);
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
                let reference = conv_reference(settings, before);
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
    for (_, spec) in blueprint.learned() {
        for (g, w) in gradient[at..at + spec.len()].iter_mut().zip(&weights[at..]) {
            loss += spec.l2 * w * w;
            *g += 2.0 * spec.l2 * w;
        }
        at += spec.len();
    }
    let statistics = memos.into_iter().filter_map(|memo| match memo {
        Memo::Norm(seen) => Some((seen.mean, seen.variance)),
        _ => None,
    });
    ReferenceResult {
        loss,
        gradient,
        inputs: dy,
        statistics: statistics.collect(),
    }
}

fn conv_reference(settings: &super::layers::Conv, before: crate::data::Shape) -> conv::Reference {
    conv::Reference {
        conv: *settings,
        input: volume(before),
    }
}

fn factors_of<'a>(batch: &'a ReferenceBatch, layer: usize) -> Option<&'a [Vec<f32>]> {
    let entry = batch.factors.iter().find(|(index, _)| *index == layer);
    entry.map(|(_, factors)| &factors[..])
}

fn apply(x: &[Vec<f64>], factors: &[Vec<f32>]) -> Vec<Vec<f64>> {
    let pairs = x.iter().zip(factors);
    pairs.map(|(x, m)| dropout::apply(x, m)).collect()
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
    for (layer, spec) in blueprint.learned() {
        ends[layer] += spec.len();
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
    for (layer, spec) in blueprint.learned() {
        let (own, others) = rest.split_at(spec.len());
        tensors[layer].push(own);
        rest = others;
    }
    tensors
}
