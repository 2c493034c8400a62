//! Model files: every kind comes back whole, and no damage is believed or makes reading panic.

use driftline_core::data::Shape;
use driftline_core::random::Seed;
use driftline_runs::method::Registry;
use driftline_runs::{Fit, ModelFile, onnx};
use rand::RngExt;

use super::epochs;
use super::memory::{Memory, circle, corners};

fn fitted(table: &Memory, model: &str) -> ModelFile {
    let mut fit = Fit::new("label").model(model);
    fit.settings.training = epochs(1);
    fit.run(table).unwrap()
}

fn every_kind() -> Vec<ModelFile> {
    let shape = Shape::Image {
        height: 8,
        width: 8,
        channels: 1,
    };
    vec![
        fitted(&circle(60, 3, 0.0, 1), "auto"),
        fitted(&circle(60, 3, 0.0, 1), "linear"),
        fitted(&circle(60, 3, 0.0, 1), "mlp"),
        fitted(&circle(60, 3, 0.0, 1), "trees"),
        fitted(&circle(60, 2, 0.0, 1), "margin"),
        fitted(&corners(40, shape, 1), "auto"),
    ]
}

#[test]
fn every_kind_of_model_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = every_kind();
    let names: Vec<String> = kinds.iter().map(|b| b.source.model.to_string()).collect();
    assert_eq!(names, ["knn", "linear", "mlp", "trees", "margin", "cnn"]);
    for model_file in kinds {
        let path = folder.path().join("model.safetensors");
        model_file.save(&path).unwrap();
        assert_eq!(ModelFile::load(&path).unwrap(), model_file);
        assert_eq!(
            ModelFile::load(&path).unwrap().to_bytes().unwrap(),
            model_file.to_bytes().unwrap()
        );
        let found = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(found, 1, "nothing is left beside the file");
    }
}

#[test]
fn faults_are_told_apart() {
    let sampled = fitted(&circle(60, 3, 0.0, 1), "linear");
    let good = sampled.clone().without_source_sample().to_bytes().unwrap();
    let refused = |bytes: &[u8]| ModelFile::from_bytes(bytes, &Registry::default()).unwrap_err();
    let replaced = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len(), "the header's length must stay");
        let at = good
            .windows(from.len())
            .position(|w| w == from.as_bytes())
            .unwrap_or_else(|| panic!("no `{from}`"));
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        refused(&bytes)
    };
    // Rows that stand for the source are believed no more than the rest.
    let bytes = sampled.to_bytes().unwrap();
    let at = bytes.windows(8).position(|w| w == br#"card\":6"#).unwrap();
    let mut more = bytes.clone();
    more[at + 7] = b'7';
    assert!(refused(&more).contains("card.inputs"), "{}", refused(&more));
    let last = *sampled
        .source_sample
        .as_ref()
        .unwrap()
        .labels()
        .as_slice()
        .last()
        .unwrap() as f32;
    let at = bytes
        .windows(4)
        .rposition(|w| w == last.to_le_bytes() && last != 0.0);
    for bad in [0.5f32, 3.0, -1.0] {
        let mut other = bytes.clone();
        other[at.unwrap()..][..4].copy_from_slice(&bad.to_le_bytes());
        assert!(
            refused(&other).contains("source sample"),
            "{bad}: {}",
            refused(&other)
        );
    }
    for cut in [0, 7, 100, good.len() / 2, good.len() - 1] {
        assert!(refused(&good[..cut]).contains("not a whole safetensors file"));
    }
    let newer = replaced(r#"\"format\":3"#, r#"\"format\":7"#);
    assert!(newer.contains("newer version"), "{newer}");
    let kind = replaced(r#"{\"linear\":{\"input\""#, r#"{\"lineal\":{\"input\""#);
    assert!(
        kind.contains("of the kind `lineal`, which is not known"),
        "{kind}"
    );
    let shape = replaced(r#"{\"vector\":4}"#, r#"{\"vector\":5}"#);
    assert!(shape.contains("must be F32 [3, 5]"), "{shape}");
    let mut nan = good.clone();
    let end = nan.len();
    nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(refused(&nan).contains("holds NaN"));
    assert!(refused(b"PK\x03\x04").contains("not a whole safetensors file"));
}

/// Damage of every sort, half of it in the header: an error or a model that can be used, never a panic.
#[test]
fn damaged_files_are_refused_or_harmless() {
    let mut generator = Seed::new(11).generator();
    let registry = Registry::default();
    for model_file in every_kind() {
        let good = model_file.to_bytes().unwrap();
        let header = 8 + usize::from(good[0]) + 256 * usize::from(good[1]);
        for round in 0..600 {
            let mut bytes = good.clone();
            for _ in 0..generator.random_range(1..4) {
                let end = if round % 2 == 0 { header } else { bytes.len() };
                let at = generator.random_range(0..end.min(bytes.len()).max(1));
                match generator.random_range(0..5) {
                    0 => bytes[at] ^= 1 << generator.random_range(0..8),
                    1 => bytes[at] = generator.random(),
                    2 => bytes.truncate(at),
                    3 => bytes.insert(at, generator.random()),
                    _ => {
                        let digit = bytes[at..].iter().position(u8::is_ascii_digit);
                        let at = at + digit.unwrap_or(0);
                        bytes[at] = b"0123456789"[generator.random_range(0..10)];
                    }
                }
                if bytes.is_empty() {
                    break;
                }
            }
            if let Ok(found) = ModelFile::from_bytes(&bytes, &registry) {
                found.to_bytes().unwrap();
                onnx(&found).unwrap();
            }
        }
    }
}
