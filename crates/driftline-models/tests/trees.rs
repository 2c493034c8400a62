//! Gradient-boosted trees from outside: threads, categories, missing values, weights, early stopping, files.

use std::num::NonZeroUsize;

use driftline_core::Cancel;
use driftline_core::random::Seed;
use driftline_models::Runtime;
use driftline_models::onnx::{Element, Graph};
use driftline_models::trees::{Column, Model, Settings, Table};
use rand::RngExt;

const COLUMNS: [Column; 6] = [
    Column::Number,
    Column::Category,
    Column::Number,
    Column::Number,
    Column::Category,
    Column::Number,
];

/// The class depends on a number, on a category without order and on whether a value is missing.
fn rows(n: usize, n_classes: u32, seed: u64) -> (Vec<f32>, Vec<u32>) {
    let mut generator = Seed::new(seed).generator();
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let category = generator.random_range(0..12_u32);
        let missing = generator.random_range(0..4) == 0;
        let x: f32 = generator.random_range(-1.0..1.0);
        let third = if missing {
            f32::NAN
        } else {
            generator.random_range(0..3) as f32
        };
        let noise = generator.random_range(0..300) as f32;
        values.extend([
            x,
            category as f32,
            third,
            generator.random_range(0.0..1.0),
            noise,
            x * x,
        ]);
        let class = u32::from(x > 0.2) + category * 5 % 3 + u32::from(missing);
        let random = generator.random_range(0..20) == 0;
        labels.push(if random {
            generator.random_range(0..n_classes)
        } else {
            class % n_classes
        });
    }
    (values, labels)
}

fn settings(json: &str) -> Settings {
    serde_json::from_str(json).unwrap()
}

fn fit(
    settings: &Settings,
    rows: &(Vec<f32>, Vec<u32>),
    n_classes: usize,
    weights: Option<&[f32]>,
) -> Model {
    let table = Table {
        values: &rows.0,
        columns: &COLUMNS,
        labels: &rows.1,
        n_classes,
        weights,
    };
    settings.fit(&table, &Cancel::new()).unwrap()
}

fn accuracy(model: &Model, rows: &(Vec<f32>, Vec<u32>)) -> f64 {
    let p = model.probabilities(&rows.0).unwrap();
    let best = |p: &[f32]| (0..p.len()).max_by(|&a, &b| p[a].total_cmp(&p[b])).unwrap() as u32;
    let right = p
        .chunks(model.n_classes())
        .zip(&rows.1)
        .filter(|(p, label)| best(p) == **label);
    right.count() as f64 / rows.1.len() as f64
}

const STOPPING: &str = r#"{"iterations": 40, "early-stopping": {"min-rows": 100, "patience": 5}}"#;

#[test]
fn trees_learn_numbers_categories_and_missing_values() {
    for n_classes in [2, 4] {
        let (train, test) = (rows(4000, n_classes, 1), rows(2000, n_classes, 2));
        let model = fit(&Settings::default(), &train, n_classes as usize, None);
        let found = accuracy(&model, &test);
        assert!(found > 0.93, "{n_classes} classes: {found}");
        let importance = model.importance();
        assert!((importance.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(
            importance[0] + importance[1] + importance[2] > 0.7,
            "{importance:?}"
        );
    }
}

#[test]
fn threads_change_no_bit() {
    for n_classes in [2, 3] {
        let train = rows(3000, n_classes, 3);
        let mut found = Vec::new();
        for threads in [1, 2, 16] {
            let runtime = Runtime::default().with_threads(NonZeroUsize::new(threads).unwrap());
            let model =
                runtime.install(|| fit(&settings(STOPPING), &train, n_classes as usize, None));
            let bits: Vec<u32> = runtime
                .install(|| model.probabilities(&train.0).unwrap())
                .iter()
                .map(|p| p.to_bits())
                .collect();
            found.push((model.store(), bits));
        }
        assert!(found.iter().all(|other| *other == found[0]));
    }
}

/// Trees have two ways to compute, AVX2 and plain code; a processor with AVX-512 takes the former, whatever networks take.
#[test]
fn instruction_sets_change_no_bit() {
    use driftline_core::kernels::in_plain_code;
    use driftline_models::network::Isa;
    for n_classes in [2, 3] {
        let train = rows(6000, n_classes, 13);
        let with = |isa: Isa, threads: usize| {
            let threads = NonZeroUsize::new(threads).unwrap();
            let runtime = Runtime::default().with_threads(threads).with_isa(isa);
            runtime.install(|| {
                let model = fit(&settings(STOPPING), &train, n_classes as usize, None);
                let p = model.probabilities(&train.0).unwrap();
                let bits: Vec<u32> = p.iter().map(|p| p.to_bits()).collect();
                (model.store(), bits)
            })
        };
        let first = with(Isa::detect(), 2);
        for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
            for threads in [1, 2] {
                assert!(with(isa, threads) == first, "{isa}, {threads} threads");
            }
        }
        for threads in [1, 2] {
            let plain = in_plain_code(|| with(Isa::Portable, threads));
            assert!(plain == first, "plain code, {threads} threads");
        }
    }
}

#[test]
fn a_row_has_the_same_scores_alone_and_among_others() {
    let (train, test) = (rows(1000, 3, 4), rows(203, 3, 5));
    let model = fit(&settings(r#"{"iterations": 11}"#), &train, 3, None);
    let all = model.scores(&test.0).unwrap();
    for (row, scores) in test.0.chunks(COLUMNS.len()).zip(all.chunks(3)) {
        assert_eq!(model.scores(row).unwrap(), scores);
    }
    assert!(model.scores(&test.0[..7]).is_err());
    assert!(model.scores(&[]).unwrap().is_empty());
}

#[test]
fn what_is_stored_comes_back() {
    let train = rows(1500, 3, 6);
    let model = fit(&settings(STOPPING), &train, 3, None);
    let stored = model.store();
    let back = Model::restore(&stored).unwrap();
    assert_eq!(back.store(), stored);
    assert_eq!(
        back.probabilities(&train.0).unwrap(),
        model.probabilities(&train.0).unwrap()
    );
    // Whatever word is changed, the result is refused or walks come to an end.
    for array in 0..stored.words.len() {
        for at in (0..stored.words[array].1.len()).step_by(97) {
            let mut damaged = stored.clone();
            damaged.words[array].1[at] ^= 0x55;
            if let Ok(model) = Model::restore(&damaged) {
                model.scores(&train.0[..COLUMNS.len() * 16]).unwrap();
            }
        }
        let mut damaged = stored.clone();
        damaged.words[array].1.push(7);
        let _ = Model::restore(&damaged);
    }
}

#[test]
fn unseen_categories_are_missing_values() {
    let train = rows(2000, 2, 7);
    let model = fit(&Settings::default(), &train, 2, None);
    let row = |category: f32| [0.5, category, 1.0, 0.5, 3.0, 0.25];
    let missing = model.scores(&row(f32::NAN)).unwrap();
    for unseen in [12.0, 1e9, -1.0, 2.5, f32::INFINITY] {
        assert_eq!(model.scores(&row(unseen)).unwrap(), missing, "{unseen}");
    }
}

#[test]
fn rows_of_weight_0_teach_nothing() {
    let (mut train, more) = (rows(1500, 2, 8), rows(1500, 2, 9));
    let weights = [vec![1.0; 1500], vec![0.0; 1500]].concat();
    train.0.extend(&more.0);
    train.1.extend(more.1.iter().map(|label| 1 - label));
    let weighted = fit(&Settings::default(), &train, 2, Some(&weights));
    let test = rows(1000, 2, 10);
    assert!(accuracy(&weighted, &test) > 0.9);
    assert!(accuracy(&fit(&Settings::default(), &train, 2, None), &test) < 0.8);
}

#[test]
fn balanced_classes_find_the_rare_one() {
    let mut train = rows(4000, 2, 11);
    let mut generator = Seed::new(12).generator();
    // Nearly all labels of class 1 are lost.
    train
        .1
        .iter_mut()
        .for_each(|label| *label &= u32::from(generator.random_range(0..10) == 0));
    let test = rows(1000, 2, 19);
    let found = |settings: &str| {
        let p = fit(&self::settings(settings), &train, 2, None).probabilities(&test.0);
        p.unwrap().chunks(2).filter(|p| p[1] > 0.5).count()
    };
    let equal = found(r#"{"iterations": 20}"#);
    let balanced = found(r#"{"iterations": 20, "class-weights": "balanced"}"#);
    assert!(balanced > 10 * equal.max(1), "{balanced} {equal}");
}

#[test]
fn early_stopping_stops_and_calibrates() {
    let mut train = rows(2000, 2, 13);
    let mut generator = Seed::new(14).generator();
    // Half of the labels are drawn: trees overfit soon.
    for label in &mut train.1 {
        if generator.random_range(0..2) == 0 {
            *label = generator.random_range(0..2);
        }
    }
    let stopping = r#"{"iterations": 300, "early-stopping": {"held-out": 0.3, "min-rows": 100, "patience": 5}}"#;
    let stopped = fit(&settings(stopping), &train, 2, None);
    assert!(stopped.n_rounds() < 150, "{}", stopped.n_rounds());
    let all = fit(
        &settings(r#"{"iterations": 300, "early-stopping": null}"#),
        &train,
        2,
        None,
    );
    assert_eq!(all.n_rounds(), 300);
    assert_eq!(all.calibration(), Default::default());
}

/// The newest tenth is of one class where a source is sorted by class: training would stop in the first round.
#[test]
fn a_source_sorted_by_class_is_learned() {
    for n_classes in [2, 4] {
        let test = rows(1000, n_classes, 21);
        let (values, labels) = rows(3000, n_classes, 20);
        let mut order: Vec<usize> = (0..3000).collect();
        order.sort_by_key(|&row| labels[row]);
        let width = COLUMNS.len();
        let row = |&at: &usize| values[at * width..(at + 1) * width].to_vec();
        let sorted = (
            order.iter().flat_map(row).collect(),
            order.iter().map(|&at| labels[at]).collect(),
        );
        let model = fit(&settings(STOPPING), &sorted, n_classes as usize, None);
        let found = accuracy(&model, &test);
        assert!(found > 0.9, "{n_classes} classes: {found}");
        assert!(model.n_rounds() > 10, "{} rounds", model.n_rounds());
    }
}

#[test]
fn bins_of_the_source_serve_later_rows() {
    let (source, later) = (rows(2000, 2, 15), rows(1000, 2, 16));
    let first = fit(&Settings::default(), &source, 2, None);
    let table = Table {
        values: &later.0,
        columns: &COLUMNS,
        labels: &later.1,
        n_classes: 2,
        weights: None,
    };
    let second = Settings::default()
        .fit_in(first.binning().clone(), &table, &Cancel::new())
        .unwrap();
    assert_eq!(first.binning(), second.binning());
    assert!(accuracy(&second, &source) > 0.9);
}

#[test]
fn faults_are_named() {
    let train = rows(50, 2, 17);
    let table = Table {
        values: &train.0,
        columns: &COLUMNS,
        labels: &train.1,
        n_classes: 2,
        weights: None,
    };
    let message = |settings: &str, table: &Table<'_>| {
        self::settings(settings)
            .fit(table, &Cancel::new())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        message(r#"{"max-bins": 256}"#, &table),
        "max-bins is 256, but must be 2 to 255"
    );
    let few = r#"{"class-weights": {"given": [1.0]}}"#;
    assert_eq!(
        message(few, &table),
        "class-weights should have one for each of the 2 classes, but has 1 weights"
    );
    assert_eq!(
        message(
            "{}",
            &Table {
                n_classes: 1,
                ..table
            }
        ),
        "the number of classes is 1, but must be at least 2"
    );
    assert!(
        message(
            "{}",
            &Table {
                labels: &[5; 50],
                ..table
            }
        )
        .contains("row 0 has label 5")
    );
    assert!(
        message(
            "{}",
            &Table {
                weights: Some(&[-1.0; 50]),
                ..table
            }
        )
        .contains("a weight is -1")
    );
    assert!(
        message(
            "{}",
            &Table {
                weights: Some(&[0.0; 50]),
                ..table
            }
        )
        .contains("is empty")
    );
    assert!(
        message(
            "{}",
            &Table {
                values: &train.0[1..],
                ..table
            }
        )
        .contains("50 × 6 values")
    );
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(Settings::default().fit(&table, &cancel).is_err());
}

#[test]
fn one_class_one_row_and_constant_columns_are_no_trouble() {
    let columns = [Column::Number, Column::Category];
    for n in [1, 30, 100] {
        let values = [7.0, f32::NAN].repeat(n);
        let table = Table {
            values: &values,
            columns: &columns,
            labels: &vec![1; n],
            n_classes: 3,
            weights: None,
        };
        let model = Settings::default().fit(&table, &Cancel::new()).unwrap();
        let p = model.probabilities(&values[..2]).unwrap();
        assert!(p[1] > 0.4 && p.iter().all(|p| p.is_finite()), "{p:?}");
        assert_eq!(model.importance(), [0.0, 0.0]);
    }
}

#[test]
fn an_onnx_file_names_its_operators() {
    let train = rows(500, 3, 18);
    let model = fit(&settings(r#"{"iterations": 3}"#), &train, 3, None);
    let mut graph = Graph::default();
    let input = graph.input("input", &[COLUMNS.len()]);
    let output = model.onnx(&mut graph, input);
    graph.output(&output, Element::Float, &[3]);
    let bytes = graph.finish("0", "trees");
    let contains = |text: &str| {
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    };
    assert!(
        [
            "ai.onnx.ml",
            "TreeEnsembleClassifier",
            "BRANCH_LEQ",
            "BRANCH_EQ"
        ]
        .into_iter()
        .all(contains)
    );
}
