//! ONNX files, read back by a reader of the tests' own and run operator by operator: the same probabilities as `predict`.
//! `bench/onnx.py` does the same with onnxruntime.

#[path = "onnx/evaluate.rs"]
pub mod evaluate;
#[path = "onnx/planes.rs"]
pub mod planes;
#[path = "onnx/trees.rs"]
pub mod trees;
#[path = "onnx/wire.rs"]
pub mod wire;

use std::num::NonZeroUsize;

use crate::runs::memory::{Memory, circle, corners};
use driftline_adapt::PartSpec;
use driftline_core::data::{NonNegative, Shape};
use driftline_core::random::Seed;
use driftline_io::{ColumnChoice, Notes, ReadOptions, read_all};
use driftline_models::network::layers::{Conv, Layer, MaxPool, Output, Padding};
use driftline_models::network::{Architecture, Ensemble, Network};
use driftline_models::trees::TreesLearner;
use driftline_models::{AnyModel, Learner};
use driftline_runs::method::TrainingSpec;
use driftline_runs::{FileRun, Fit, ModelFile, Start, onnx};
use wire::{Model, Tensor};

fn fit(table: &Memory, model: &str, impute: bool) -> ModelFile {
    let mut fit = Fit::new("label").model(model);
    let mut training = TrainingSpec::default();
    training.epochs = NonZeroUsize::new(20).unwrap();
    fit.settings.training = Some(training);
    fit.choice.impute = impute;
    fit.run(table).unwrap()
}

/// What the graph takes, which is the table's own numbers.
fn compare(model_file: &ModelFile, table: &Memory, input: Tensor, impute: bool) {
    let choice = ColumnChoice {
        impute,
        ..ColumnChoice::default()
    };
    let rows = read_all(
        table,
        &model_file.encoding,
        &choice,
        &ReadOptions::default(),
        &mut Notes::new(),
    )
    .unwrap();
    let (labels, probabilities) = model_file.predict(&rows).unwrap();
    let model = Model::read(&onnx(model_file).unwrap());
    assert_eq!(model.operator_set, 15);
    assert_eq!(model.outputs, ["probabilities", "class"]);
    let outputs = evaluate::run(&model, input);
    let found = &outputs["probabilities"];
    assert_eq!(
        found.dimensions,
        [rows.inputs.len(), model_file.classes().len()]
    );
    let mut worst: f64 = 0.0;
    for (found, right) in found.values.iter().zip(probabilities.iter().flatten()) {
        worst = worst.max((found - f64::from(*right)).abs());
    }
    // Trees add the same numbers in the same order; other models are rounded at every product.
    let is_trees = model_file.learner.kind() == TreesLearner::KIND;
    let allowed = if is_trees { 1e-6 } else { 1e-5 };
    assert!(worst < allowed, "{worst}");
    let spread = probabilities
        .iter()
        .flatten()
        .fold(0.0_f32, |a, &b| a.max(b));
    assert!(spread > 0.3, "the model decides nothing: {spread}");
    let classes: Vec<f64> = labels.as_slice().iter().map(|&l| f64::from(l)).collect();
    assert_eq!(outputs["class"].values, classes);
    let names: Vec<String> = serde_json::from_str(&model.properties["classes"]).unwrap();
    assert_eq!(names, model_file.classes());
}

/// x, y and the three categories as they stand, with a missing number here and there.
fn raw(table: &Memory, features: &[String]) -> Tensor {
    let mut values = vec![];
    for row in 0..table.rows {
        for name in features {
            let (column, category) = match name.split_once('=') {
                Some((column, category)) => (column, Some(category)),
                None => (&**name, None),
            };
            let place = table.fields.iter().position(|f| f.name == column).unwrap();
            values.push(match (&table.columns[place], category) {
                (driftline_io::Column::Numbers(numbers), None) => {
                    f64::from(numbers.get(row) as f32)
                }
                (driftline_io::Column::Text(texts), Some(category)) => {
                    f64::from(u8::from(texts.get(row) == Some(category)))
                }
                _ => panic!("{name}"),
            });
        }
    }
    Tensor {
        dimensions: vec![table.rows, features.len()],
        values,
    }
}

#[test]
fn tables() {
    let models = ["linear", "linear", "mlp", "margin", "knn", "trees", "trees"];
    for (model, classes) in models.into_iter().zip([3, 2, 3, 2, 3, 2, 3]) {
        let table = circle(120, classes, 0.3, 1);
        let model_file = fit(&table, model, false);
        let features = model_file.encoding.input_names();
        assert_eq!(features[..2], ["x", "y"]);
        compare(&model_file, &table, raw(&table, &features), false);
    }
}

#[test]
fn missing_numbers_are_filled_by_the_graph() {
    let mut table = circle(120, 3, 0.0, 2);
    let driftline_io::Column::Numbers(driftline_io::Numbers::Double(x)) = &mut table.columns[0]
    else {
        panic!("x holds numbers")
    };
    for row in (0..120).step_by(7) {
        x[row] = f64::NAN;
    }
    let model_file = fit(&table, "linear", true);
    let input = raw(&table, &model_file.encoding.input_names());
    compare(&model_file, &table, input, true);
}

/// Far values, which cleaning clips, and inputs that an alignment brings back, by the same numbers as `predict`.
#[test]
fn cleaning_and_alignments() {
    for alignment in ["none", "standardize", "quantiles", "correlation"] {
        let mut table = circle(120, 3, 0.3, 1).numbers("flat", vec![1.0; 120]);
        let mut fit = Fit::new("label").model("linear");
        fit.settings.alignment = Some(PartSpec::plain(alignment));
        let model_file = fit.run(&table).unwrap();
        assert_eq!(model_file.encoding.cleaning().dropped, ["flat"]);
        let driftline_io::Column::Numbers(driftline_io::Numbers::Double(x)) = &mut table.columns[0]
        else {
            panic!("x holds numbers")
        };
        x.iter_mut().for_each(|x| *x = 3.0 * *x + 1.0);
        x[5] = 1e6;
        let model_file = aligned(model_file, alignment, &table);
        let features = model_file.encoding.input_names();
        compare(&model_file, &table, raw(&table, &features), false);
    }
}

/// The version after one window that is only aligned to.
fn aligned(model_file: ModelFile, alignment: &str, window: &Memory) -> ModelFile {
    let folder = tempfile::tempdir().unwrap();
    let mut adapt = FileRun::new(folder.path().join("run")).window(window.rows);
    adapt = adapt.policy("always");
    adapt.settings.alignment = Some(PartSpec::plain(alignment));
    adapt.settings.labeler = Some(PartSpec::plain("none"));
    let path = folder.path().join("model");
    model_file.save(&path).unwrap();
    let run = adapt.run(Start::model(path).unwrap(), window.clone(), &());
    run.unwrap().model(None).unwrap()
}

fn pictures(table: &Memory, shape: Shape) -> Tensor {
    let Shape::Image {
        height,
        width,
        channels,
    } = shape
    else {
        panic!("images")
    };
    let driftline_io::Column::Images(values) = &table.columns[0] else {
        panic!("images")
    };
    Tensor {
        dimensions: vec![table.rows, height, width, channels],
        values: values.iter().map(|&v| f64::from(v)).collect(),
    }
}

/// Sides of every remainder: the zeros of "same" lie differently on each.
#[test]
fn conv_nets_with_batch_norm_and_uneven_padding() {
    for (height, width, channels) in [(12, 9, 1), (10, 7, 3)] {
        let shape = Shape::Image {
            height,
            width,
            channels,
        };
        let table = corners(64, shape, 3);
        for model in ["cnn", "linear", "mlp"] {
            let model_file = fit(&table, model, false);
            compare(&model_file, &table, pictures(&table, shape), false);
        }
    }
}

/// Layers that no built-in choice has.
#[test]
fn other_paddings_and_pooling() {
    let shape = Shape::Image {
        height: 11,
        width: 12,
        channels: 2,
    };
    let table = corners(32, shape, 4);
    let mut model_file = fit(&table, "linear", false);
    let size = |n| NonZeroUsize::new(n).unwrap();
    let none = NonNegative::new(0.0).unwrap();
    let conv = |kernel, stride, padding| {
        Layer::Conv(Conv {
            channels: size(5),
            kernel: size(kernel),
            stride: size(stride),
            padding,
            l2: none,
        })
    };
    let architecture = Architecture {
        layers: vec![
            conv(3, 1, Padding::Even(2)),
            Layer::Relu,
            Layer::MaxPool(MaxPool {
                size: size(3),
                stride: size(2),
            }),
            conv(2, 1, Padding::Valid),
            Layer::Flatten,
            Layer::Output(Output { l2: none }),
        ],
    };
    let blueprint = architecture.build(shape, 4).unwrap();
    model_file.version.model = AnyModel::new(
        "network",
        Network::initial(blueprint, Seed::new(5)).unwrap(),
    );
    let input = pictures(&table, shape);
    compare(&model_file, &table, input, false);
}

#[test]
fn residual_blocks_global_pooling_and_votes() {
    let shape = Shape::Image {
        height: 12,
        width: 10,
        channels: 1,
    };
    let table = corners(32, shape, 6);
    let mut model_file = fit(&table, "linear", false);
    let blueprint = Architecture::residual().build(shape, 4).unwrap();
    // Larger weights than at the start of training, so that something is decided.
    let initial = |seed: u64| {
        let start = Network::initial(blueprint.clone(), Seed::new(seed)).unwrap();
        let tensors = start.tensors();
        let weights = tensors.iter().flat_map(|tensor| tensor.values);
        Network::new(blueprint.clone(), weights.map(|w| 3.0 * w).collect()).unwrap()
    };
    model_file.version.model = AnyModel::new("network", initial(5));
    compare(&model_file, &table, pictures(&table, shape), false);
    let voting = Ensemble::new(vec![initial(5), initial(6), initial(7)]).unwrap();
    model_file.version.model = AnyModel::new("voting", voting);
    compare(&model_file, &table, pictures(&table, shape), false);
}

/// Images of one channel and of several, with pixels left over beside the cells.
#[test]
fn histograms_of_gradients() {
    for (height, width, channels) in [(12, 9, 1), (10, 8, 3)] {
        let shape = Shape::Image {
            height,
            width,
            channels,
        };
        let table = corners(64, shape, 3);
        let model_file = fit(&table, "gradients", false);
        compare(&model_file, &table, pictures(&table, shape), false);
    }
}
