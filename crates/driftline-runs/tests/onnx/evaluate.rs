//! The few operators that our graphs use, by the ONNX specification, in double precision.

use std::collections::BTreeMap;

use super::wire::{Model, Node, Tensor};
use super::{planes, trees};

/// The outputs by name.
pub fn run(model: &Model, input: Tensor) -> BTreeMap<String, Tensor> {
    let mut values = model.constants.clone();
    values.insert(model.inputs[0].clone(), input);
    for node in &model.nodes {
        let inputs: Vec<&Tensor> = node.inputs.iter().map(|name| &values[name]).collect();
        let special = trees::apply(node, &inputs).or_else(|| planes::apply(node, &inputs));
        let output = special.unwrap_or_else(|| apply(node, &inputs));
        values.insert(node.output.clone(), output);
    }
    let outputs = model.outputs.iter();
    outputs
        .map(|name| (name.clone(), values[name].clone()))
        .collect()
}

fn apply(node: &Node, inputs: &[&Tensor]) -> Tensor {
    let x = inputs[0];
    let each = |f: &dyn Fn(f64) -> f64| Tensor {
        dimensions: x.dimensions.clone(),
        values: x.values.iter().map(|&v| f(v)).collect(),
    };
    // Our second operands are rows that every row of the first meets; where the first has one number for each of a row of
    // the second's, it meets them all.
    let across = |f: &dyn Fn(f64, f64) -> f64, other: &Tensor| {
        if x.dimensions.last() == Some(&1) && other.dimensions.len() == 2 {
            let [columns, each] = other.dimensions[..] else {
                panic!("a table")
            };
            let value = |i: usize| f(x.values[i / each], other.values[i % (columns * each)]);
            return Tensor {
                dimensions: vec![x.dimensions[0], columns, each],
                values: (0..x.values.len() * each).map(value).collect(),
            };
        }
        Tensor {
            dimensions: x.dimensions.clone(),
            values: x
                .values
                .iter()
                .enumerate()
                .map(|(i, &v)| f(v, other.values[i % other.values.len()]))
                .collect(),
        }
    };
    match &*node.operator {
        "Cast" if node.ints["to"] == [1] => each(&|v| f64::from(v as f32)),
        "Cast" | "Identity" => x.clone(),
        "IsNaN" => each(&|v| f64::from(u8::from(v.is_nan()))),
        "Where" => Tensor {
            dimensions: x.dimensions.clone(),
            values: (0..x.values.len())
                .map(|i| match x.values[i] != 0.0 {
                    true => inputs[1].values[i % inputs[1].values.len()],
                    false => inputs[2].values[i],
                })
                .collect(),
        },
        "Add" => across(&|a, b| a + b, inputs[1]),
        "Sub" => across(&|a, b| a - b, inputs[1]),
        "Mul" => across(&|a, b| a * b, inputs[1]),
        "Div" if inputs[1].dimensions[1..] == [1] => Tensor {
            dimensions: x.dimensions.clone(),
            values: (0..x.values.len())
                .map(|i| x.values[i] / inputs[1].values[i / x.dimensions[1]])
                .collect(),
        },
        "Div" => across(&|a, b| a / b, inputs[1]),
        "Max" => across(&f64::max, inputs[1]),
        "Min" => across(&f64::min, inputs[1]),
        "Clip" => each(&|v| v.clamp(inputs[1].values[0], inputs[2].values[0])),
        "Unsqueeze" => {
            assert_eq!(inputs[1].values, [2.0]);
            Tensor {
                dimensions: [&x.dimensions[..], &[1]].concat(),
                values: x.values.clone(),
            }
        }
        "ReduceSum" if inputs.get(1).is_some_and(|axes| axes.values == [2.0]) => {
            assert_eq!(node.ints["keepdims"], [0]);
            Tensor {
                dimensions: x.dimensions[..2].to_vec(),
                values: x
                    .values
                    .chunks(x.dimensions[2])
                    .map(|part| part.iter().sum())
                    .collect(),
            }
        }
        "Neg" => each(&|v| -v),
        "Abs" => each(&f64::abs),
        "Sqrt" => each(&f64::sqrt),
        "Relu" => each(&|v| v.max(0.0)),
        "Sigmoid" => each(&|v| 1.0 / (1.0 + (-v).exp())),
        "MatMul" => product(x, inputs[1]),
        "Softmax" => softmax(x),
        "ArgMax" => argmax(x),
        "TopK" if node.ints["largest"] == [0] => smallest(x, inputs[1].values[0] as usize),
        "Gather" => gathered(x, inputs[1]),
        "ReduceSum" => summed(x, node.ints["keepdims"] == [1]),
        "Concat" => beside(x, inputs[1]),
        "Flatten" => {
            let rows = x.dimensions[0];
            Tensor {
                dimensions: vec![rows, x.values.len() / rows],
                values: x.values.clone(),
            }
        }
        "Transpose" => turned(x, &node.ints["perm"]),
        "Conv" => conv(node, x, inputs[1], inputs[2]),
        "BatchNormalization" => normalized(node, inputs),
        "MaxPool" => pooled(node, x),
        "GlobalAveragePool" => {
            let pixels: usize = x.dimensions[2..].iter().product();
            let mean = |plane: &[f64]| plane.iter().sum::<f64>() / pixels as f64;
            Tensor {
                dimensions: vec![x.dimensions[0], x.dimensions[1], 1, 1],
                values: x.values.chunks_exact(pixels).map(mean).collect(),
            }
        }
        "Mean" => {
            let sum = |at: usize| inputs.iter().map(|input| input.values[at]).sum::<f64>();
            let mean = |at: usize| sum(at) / inputs.len() as f64;
            Tensor {
                dimensions: x.dimensions.clone(),
                values: (0..x.values.len()).map(mean).collect(),
            }
        }
        other => panic!("operator {other}"),
    }
}

fn product(a: &Tensor, b: &Tensor) -> Tensor {
    let (rows, inner, columns) = (a.dimensions[0], a.dimensions[1], b.dimensions[1]);
    assert_eq!(inner, b.dimensions[0]);
    let mut values = vec![0.0; rows * columns];
    for i in 0..rows {
        for j in 0..columns {
            let terms = (0..inner).map(|k| a.values[i * inner + k] * b.values[k * columns + j]);
            values[i * columns + j] = terms.sum();
        }
    }
    Tensor {
        dimensions: vec![rows, columns],
        values,
    }
}

fn softmax(x: &Tensor) -> Tensor {
    let mut values = x.values.clone();
    for row in values.chunks_exact_mut(x.dimensions[1]) {
        let top = row.iter().copied().fold(f64::MIN, f64::max);
        row.iter_mut().for_each(|v| *v = (*v - top).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|v| *v /= sum);
    }
    Tensor {
        dimensions: x.dimensions.clone(),
        values,
    }
}

fn argmax(x: &Tensor) -> Tensor {
    let first_of_most = |row: &[f64]| {
        let top = row.iter().copied().fold(f64::MIN, f64::max);
        row.iter().position(|&v| v == top).unwrap() as f64
    };
    Tensor {
        dimensions: vec![x.dimensions[0]],
        values: x
            .values
            .chunks_exact(x.dimensions[1])
            .map(first_of_most)
            .collect(),
    }
}

fn beside(a: &Tensor, b: &Tensor) -> Tensor {
    let (n, m) = (a.dimensions[1], b.dimensions[1]);
    let rows = a.values.chunks_exact(n).zip(b.values.chunks_exact(m));
    Tensor {
        dimensions: vec![a.dimensions[0], n + m],
        values: rows.flat_map(|(a, b)| [a, b].concat()).collect(),
    }
}

fn turned(x: &Tensor, order: &[i64]) -> Tensor {
    let order: Vec<usize> = order.iter().map(|&o| o as usize).collect();
    let dimensions: Vec<usize> = order.iter().map(|&o| x.dimensions[o]).collect();
    let mut strides = vec![1; x.dimensions.len()];
    for axis in (0..strides.len() - 1).rev() {
        strides[axis] = strides[axis + 1] * x.dimensions[axis + 1];
    }
    let value = |mut index: usize| {
        let mut place = 0;
        for axis in (0..dimensions.len()).rev() {
            place += index % dimensions[axis] * strides[order[axis]];
            index /= dimensions[axis];
        }
        x.values[place]
    };
    let values = (0..x.values.len()).map(value).collect();
    Tensor { dimensions, values }
}

/// x: rows × channels × height × width, kernel: outputs × channels × side × side.
fn conv(node: &Node, x: &Tensor, kernel: &Tensor, bias: &Tensor) -> Tensor {
    let [n, channels, height, width] = x.dimensions[..] else {
        panic!("not images")
    };
    let [outputs, _, kh, kw] = kernel.dimensions[..] else {
        panic!("not a kernel")
    };
    let strides = &node.ints["strides"];
    let [top, left, bottom, right] = node.ints["pads"][..] else {
        panic!("four pads")
    };
    let out = |size: usize, before: i64, after: i64, k: usize, stride: i64| {
        (size as i64 + before + after - k as i64) / stride + 1
    };
    let rows = out(height, top, bottom, kh, strides[0]);
    let columns = out(width, left, right, kw, strides[1]);
    let mut values = vec![];
    for picture in 0..n {
        for o in 0..outputs {
            for i in 0..rows {
                for j in 0..columns {
                    let mut sum = bias.values[o];
                    for c in 0..channels {
                        for u in 0..kh {
                            for v in 0..kw {
                                let y = i * strides[0] + u as i64 - top;
                                let z = j * strides[1] + v as i64 - left;
                                let inside = (0..height as i64).contains(&y)
                                    && (0..width as i64).contains(&z);
                                if inside {
                                    let at = ((picture * channels + c) * height + y as usize)
                                        * width
                                        + z as usize;
                                    let w = ((o * channels + c) * kh + u) * kw + v;
                                    sum += x.values[at] * kernel.values[w];
                                }
                            }
                        }
                    }
                    values.push(sum);
                }
            }
        }
    }
    Tensor {
        dimensions: vec![n, outputs, rows as usize, columns as usize],
        values,
    }
}

fn normalized(node: &Node, inputs: &[&Tensor]) -> Tensor {
    let [x, scale, shift, mean, variance] = inputs else {
        panic!("five inputs")
    };
    let (channels, epsilon) = (x.dimensions[1], f64::from(node.floats["epsilon"]));
    let inner: usize = x.dimensions[2..].iter().product();
    let value = |(index, v): (usize, &f64)| {
        let c = index / inner % channels;
        let rate = scale.values[c] / (variance.values[c] + epsilon).sqrt();
        (v - mean.values[c]) * rate + shift.values[c]
    };
    Tensor {
        dimensions: x.dimensions.clone(),
        values: x.values.iter().enumerate().map(value).collect(),
    }
}

fn pooled(node: &Node, x: &Tensor) -> Tensor {
    let [n, channels, height, width] = x.dimensions[..] else {
        panic!("not images")
    };
    let (size, stride) = (
        node.ints["kernel_shape"][0] as usize,
        node.ints["strides"][0] as usize,
    );
    let (rows, columns) = ((height - size) / stride + 1, (width - size) / stride + 1);
    let mut values = vec![];
    for plane in x.values.chunks_exact(height * width) {
        for i in 0..rows {
            for j in 0..columns {
                let window = (0..size * size)
                    .map(|k| plane[(i * stride + k / size) * width + j * stride + k % size]);
                values.push(window.fold(f64::MIN, f64::max));
            }
        }
    }
    Tensor {
        dimensions: vec![n, channels, rows, columns],
        values,
    }
}

/// The numbers of the k smallest of each row, of equals the first.
fn smallest(x: &Tensor, k: usize) -> Tensor {
    let of = |row: &[f64]| {
        let mut numbers: Vec<usize> = (0..row.len()).collect();
        numbers.sort_by(|&a, &b| row[a].total_cmp(&row[b]));
        numbers[..k].iter().map(|&n| n as f64).collect::<Vec<_>>()
    };
    Tensor {
        dimensions: vec![x.dimensions[0], k],
        values: x
            .values
            .chunks_exact(x.dimensions[1])
            .flat_map(of)
            .collect(),
    }
}

/// For each number the row of `x` that has it.
fn gathered(x: &Tensor, numbers: &Tensor) -> Tensor {
    let size = x.dimensions[1];
    let row = |&number: &f64| &x.values[number as usize * size..(number as usize + 1) * size];
    Tensor {
        dimensions: [&numbers.dimensions[..], &[size]].concat(),
        values: numbers.values.iter().flat_map(row).copied().collect(),
    }
}

/// Sums over the second dimension.
fn summed(x: &Tensor, keep: bool) -> Tensor {
    let (rows, inner): (usize, usize) = (x.dimensions[0], x.dimensions[2..].iter().product());
    let mut values = vec![0.0; rows * inner];
    for (place, value) in x.values.iter().enumerate() {
        values[place / (inner * x.dimensions[1]) * inner + place % inner] += value;
    }
    let kept = if keep { &[1][..] } else { &[] };
    Tensor {
        dimensions: [&[rows], kept, &x.dimensions[2..]].concat(),
        values,
    }
}
