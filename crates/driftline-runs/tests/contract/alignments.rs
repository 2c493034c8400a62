//! What every alignment keeps to, through the door for arrays: a window like the source stays where it is, a moved one
//! comes back, small windows move less, nothing odd in a column breaks it, and it is the same from a file.

use driftline_adapt::{Aligned, PartSpec};
use driftline_core::data::{ColumnCleaning, Inputs, LabeledDomain, Labels, Shape};
use driftline_core::random::Seed;
use driftline_models::Classifier;
use driftline_runs::method::{Registry, Settings};
use driftline_runs::{Adapter, ModelFile};
use rand::RngExt;
use serde_json::json;

const NAMES: [&str; 3] = ["standardize", "quantiles", "correlation"];

/// Two classes in three columns, the second twice the first and some noise, the third nearly constant.
fn rows(n: usize, seed: u64) -> LabeledDomain {
    let mut generator = Seed::new(seed).generator();
    let mut uniform = |width: f32| generator.random_range(-width..width);
    let (mut values, mut labels) = (vec![], vec![]);
    for row in 0..n {
        let class = row % 2;
        let x = class as f32 * 4.0 + uniform(1.0);
        values.extend([
            x,
            2.0 * x + uniform(1.0),
            f32::from(u8::from(row % 20 == 0)),
        ]);
        labels.push(class as u32);
    }
    let inputs = Inputs::new(values, Shape::Vector(3)).unwrap();
    LabeledDomain::new(inputs, Labels::new(labels, 2).unwrap()).unwrap()
}

fn moved(inputs: &Inputs, map: impl Fn(&[f32]) -> [f32; 3]) -> Inputs {
    Inputs::new(inputs.iter().flat_map(map).collect(), inputs.shape()).unwrap()
}

/// Realigns only: no label is used.
fn adapter(alignment: &str, settings: serde_json::Value) -> Adapter {
    let mut own = Settings::new();
    own.alignment = Some(PartSpec::new(alignment, settings));
    own.labeler = Some(PartSpec::plain("none"));
    // Windows move further here than values are let stand out.
    own.column_cleaning = Some(ColumnCleaning::OFF);
    let source = rows(400, 1);
    let adapter = Adapter::auto().model("linear").policy("always");
    let adapter = adapter.settings(own);
    let labels = source.labels().as_slice();
    adapter.fit(source.inputs(), labels).unwrap()
}

fn accuracy(adapter: &Adapter, inputs: &Inputs, labels: &Labels) -> f64 {
    let score = adapter.score(inputs, labels.as_slice()).unwrap();
    score.estimate().unwrap()
}

#[test]
fn a_moved_window_comes_back_and_the_source_stays() {
    let window = rows(300, 2);
    let far = moved(window.inputs(), |r| {
        [3.0 * r[0] + 6.0, 0.5 * r[1] + 12.0, r[2]]
    });
    for name in NAMES {
        let mut adapter = adapter(name, json!({}));
        let before = accuracy(&adapter, &far, window.labels());
        assert!(before < 0.7, "{name}: {before}");
        let model = adapter.version().model.clone();
        let record = adapter.step(&far).unwrap();
        assert_eq!((record.kept, record.held), (0, false), "{name}");
        let after = accuracy(&adapter, &far, window.labels());
        assert!(after >= 0.95, "{name}: {after}");
        assert_eq!(adapter.version().model, model, "nothing was learned");
        assert_eq!(adapter.version().number, 1);
        // A window like the source needs hardly any map.
        let mut still = self::adapter(name, json!({}));
        still.step(window.inputs()).unwrap();
        let alike = accuracy(&still, window.inputs(), window.labels());
        assert!(alike > 0.97, "{name}: {alike}");
    }
}

#[test]
fn small_windows_are_shrunk_towards_the_last_alignment() {
    let window = rows(300, 2);
    let far = moved(window.inputs(), |r| [r[0] + 30.0, r[1] + 60.0, r[2]]);
    for name in NAMES {
        let place = |rows: usize, shrinkage: f64| {
            let mut adapter = adapter(name, json!({ "shrinkage-rows": shrinkage }));
            adapter.step(far.slice(0..rows)).unwrap();
            let version = adapter.version();
            // Where 0, the middle of the source, goes to: the further the map has moved, the lower.
            let zero = Inputs::new(vec![0.0; 3], Shape::Vector(3)).unwrap();
            version.alignment.apply(&zero).unwrap().row(0)[0]
        };
        if name != "quantiles" {
            let (few, many, own) = (place(10, 25.0), place(300, 25.0), place(300, 0.0));
            assert!(
                few > many && many > own - 1e-3,
                "{name}: {few} {many} {own}"
            );
        }
    }
}

#[test]
fn constant_and_single_rows_break_nothing() {
    for name in NAMES {
        let mut adapter = adapter(name, json!({}));
        for rows in [1, 2, 7] {
            let flat = Inputs::new(vec![5.0; 3 * rows], Shape::Vector(3)).unwrap();
            adapter.step(&flat).unwrap();
            let probabilities = adapter.predict(&flat).unwrap().probabilities;
            assert!(probabilities.iter().flatten().all(|p| p.is_finite()));
        }
    }
}

#[test]
fn a_version_is_the_same_from_a_file_and_goes_on_without_the_source() {
    let window = rows(120, 3);
    let far = moved(window.inputs(), |r| [r[0] + 3.0, 2.0 * r[1], r[2]]);
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        let mut adapter = adapter(name, json!({}));
        let first = folder.path().join(format!("{name}-first"));
        adapter.save(&first).unwrap();
        adapter.step(&far).unwrap();
        let bytes = adapter.model().to_bytes().unwrap();
        let again = ModelFile::from_bytes(&bytes, &Registry::new()).unwrap();
        assert_eq!(again, adapter.model(), "{name}");
        assert_ne!(again.version.alignment, Aligned::Identity);
        let inputs = adapter.version().alignment.apply(&far).unwrap();
        assert_eq!(inputs.len(), 120);
        // The model file alone knows enough of its source.
        let file = ModelFile::load(&first).unwrap();
        let frame = file.frame.clone().expect("the source's frame");
        assert_eq!(frame.means.len(), file.version.shape().size());
        let mut settings = Settings::new();
        settings.alignment = Some(PartSpec::plain(name));
        settings.labeler = Some(PartSpec::plain("none"));
        settings.policy = Some(PartSpec::plain("always"));
        let mut resumed = Adapter::auto().settings(settings).load(&first).unwrap();
        resumed.step(&far).unwrap();
        assert_eq!(resumed.version().alignment, adapter.version().alignment);
    }
}

#[test]
fn images_are_refused_where_columns_mean_nothing() {
    let shape = Shape::Image {
        height: 2,
        width: 2,
        channels: 1,
    };
    let values: Vec<f32> = (0..160).map(|at| (at % 7) as f32 / 7.0).collect();
    let images = Inputs::new(values, shape).unwrap();
    let labels: Vec<u32> = (0..40).map(|at| at % 2).collect();
    for (name, fits) in [
        ("standardize", true),
        ("quantiles", false),
        ("correlation", false),
    ] {
        let mut own = Settings::new();
        own.alignment = Some(PartSpec::plain(name));
        own.labeler = Some(PartSpec::plain("none"));
        let adapter = Adapter::auto()
            .settings(own)
            .policy("always")
            .model("linear");
        let mut adapter = adapter.fit(&images, &labels).unwrap();
        let step = adapter.step(&images).map(|_| ());
        assert_eq!(step.is_ok(), fits, "{name}: {step:?}");
    }
}
