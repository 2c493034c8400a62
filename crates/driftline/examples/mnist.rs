//! Trains the paper's conv net on 5,000 MNIST digits for 10 epochs and prints the accuracy on the 10,000 test digits, for
//! seeds 0 to 4. The folder holds the four IDX files, unpacked: `cargo run --release --example mnist -- FOLDER`.

use std::num::NonZeroUsize;
use std::path::Path;

use driftline_core::data::{Examples, Inputs, Labels, Shape, Targets};
use driftline_core::random::Seed;
use driftline_models::network::{Architecture, NetworkLearner};
use driftline_models::training::Training;
use driftline_models::{Classifier, Learner};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = std::env::args()
        .nth(1)
        .ok_or("give the folder of the IDX files")?;
    let folder = Path::new(&folder);
    let train = digits(folder, "train", 5_000)?;
    let test = digits(folder, "t10k", 10_000)?;
    let Targets::Hard(truth) = test.targets() else {
        return Err("the test digits have hard labels".into());
    };
    let epochs = NonZeroUsize::new(10).ok_or("10 is not 0")?;
    let learner = NetworkLearner::new(Architecture::paper_conv(), Training::paper(epochs));
    for seed in 0..5 {
        let network = learner.fit(&train, Seed::new(seed))?;
        let predicted = network.predict(test.inputs())?;
        let right = predicted.as_slice().iter().zip(truth.as_slice());
        let right = right.filter(|(a, b)| a == b).count();
        println!(
            "seed {seed}: {:.2} %",
            100.0 * right as f64 / test.len() as f64
        );
    }
    Ok(())
}

/// The first `n` digits of one part, scaled to [0, 1].
fn digits(folder: &Path, part: &str, n: usize) -> Result<Examples, Failure> {
    let read = |kind: &str, header: usize, size: usize| -> Result<Vec<u8>, Failure> {
        let names = [
            format!("{part}-{kind}"),
            format!("{part}-{}", kind.replacen("-idx", ".idx", 1)),
        ];
        let path = names
            .iter()
            .map(|name| folder.join(name))
            .find(|path| path.exists());
        let path = path.ok_or_else(|| format!("no {} in {}", names[0], folder.display()))?;
        let bytes = std::fs::read(path)?;
        let numbers = bytes
            .get(header..header + n * size)
            .ok_or("the file is too short")?;
        Ok(numbers.to_vec())
    };
    let shape = Shape::Image {
        height: 28,
        width: 28,
        channels: 1,
    };
    let pixels = read("images-idx3-ubyte", 16, shape.size())?;
    let labels = read("labels-idx1-ubyte", 8, 1)?;
    let values = pixels
        .iter()
        .map(|&pixel| f32::from(pixel) / 255.0)
        .collect();
    let labels = Labels::new(labels.iter().map(|&label| u32::from(label)).collect(), 10)?;
    Ok(Examples::new(
        Inputs::new(values, shape)?,
        Targets::Hard(labels),
    )?)
}
