//! The proving ground: random streams in the likeness of what people have, on which policies are developed and tested. Half
//! of the families are for design, half for the test; nobody looks at the test half while designing.

mod effects;
mod families;
mod score;
mod source;
mod trial;

pub use families::{FAMILIES, Family, Half};
pub use trial::{Judged, Trial};

use rand::RngExt;

use self::effects::Effects;
use self::source::Source;
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Labels, Shape};
use driftline_core::random::Seed;

/// Windows of a stream.
pub const WINDOWS: usize = 20;
/// Rows of a window, and of the source: drawn between these.
const WINDOW_ROWS: (usize, usize) = (300, 1000);
const SOURCE_ROWS: (usize, usize) = (500, 3000);

/// One stream of a family, with the answers that only an evaluator may see.
#[derive(Clone, Debug)]
pub struct ProvingStream {
    pub source: LabeledDomain,
    pub windows: Vec<Inputs>,
    /// The classes of each window's rows; a class that the source lacks is the number of its classes.
    pub truth: Vec<Vec<u32>>,
    /// The kind of model: half of all streams are linear, a quarter trees, the rest nearest neighbours and networks.
    pub model: &'static str,
}

const MODELS: [&str; 8] = [
    "linear", "linear", "trees", "knn", "linear", "linear", "trees", "mlp",
];

/// Stream `number` of a family.
pub fn draw(family: &Family, number: usize) -> Result<ProvingStream> {
    let seed = Seed::new(number as u64).named(family.name);
    let mut random = seed.named("sizes").generator();
    let rows = random.random_range(WINDOW_ROWS.0..=WINDOW_ROWS.1);
    let from_source = random.random_range(SOURCE_ROWS.0..=SOURCE_ROWS.1);
    let source = Source::draw(family, seed.named("source"));
    let effects = Effects::draw(family, &source, seed.named("effects"));
    let still = effects.at(0.0, &source);
    let mut random = seed.named("source rows").generator();
    let first: Vec<_> = (0..from_source)
        .map(|_| source.row(&still, &mut random))
        .collect();
    let fill = source.means(&first);
    let n_classes = source.classes();
    let size = Shape::Vector(source.inputs());
    let inputs = |rows: &[source::Row]| {
        let values = rows.iter().flat_map(|row| row.filled(&fill));
        Inputs::new(values.collect(), size)
    };
    let labels = first.iter().map(|row| row.class).collect();
    let labeled = LabeledDomain::new(inputs(&first)?, Labels::new(labels, n_classes)?)?
        .with_one_hot(source.one_hot());
    let (mut windows, mut truth) = (vec![], vec![]);
    for window in 0..WINDOWS {
        let mut random = seed.named("window").nth(window).generator();
        let drawn: Vec<_> = (0..rows)
            .map(|row| {
                let progress = (window as f64 + row as f64 / rows as f64) / WINDOWS as f64;
                source.row(&effects.at(progress, &source), &mut random)
            })
            .collect();
        windows.push(inputs(&drawn)?);
        truth.push(drawn.iter().map(|row| row.class).collect());
    }
    Ok(ProvingStream {
        source: labeled,
        windows,
        truth,
        model: MODELS[number % MODELS.len()],
    })
}
