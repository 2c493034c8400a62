//! Every protocol deals out its rows as it did when the committed results were made: the bytes of what it makes of the
//! made-up data are compared with a digest. Another digest means other results for the real data too.

use driftline_core::data::{Benchmark, Inputs, LabeledDomain, Labels};
use driftline_lab::experiment::{Dataset, RawData};
use expect_test::expect;

/// One of each protocol, small.
const PROTOCOLS: [(&str, &str); 16] = [
    (
        "census",
        "census = { source = 60, held-out-source = 20, intermediate = 100, target = 30 }",
    ),
    (
        "covertype, source",
        "covertype = { source = 30, held-out-source = 20, intermediate = 90, target = 40, scored = 25, target-pool = 35, \
         standardization = 'source' }",
    ),
    (
        "covertype, whole file",
        "covertype = { source = 30, held-out-source = 20, intermediate = 90, target = 40, scored = 25, target-pool = 35, \
         standardization = 'whole-file' }",
    ),
    (
        "portraits by years",
        "portraits = { split = 'time', source = 20, source-until = 1930, intermediate-until = 1960, target-until = 1970, \
         target-pool = 30, one-in = 200 }",
    ),
    (
        "portraits back in time",
        "portraits = { split = 'back', source = 10, source-until = 1980, source-from = 1970, intermediate-from = 1940, \
         target-from = 1930, target-pool = 12, one-in = 200 }",
    ),
    (
        "portraits by rank",
        "portraits = { split = 'count', source = 20, held-out-source = 10, intermediate = 60, target = 30, scored = 20, \
         target-pool = 25 }",
    ),
    (
        "digits by angle",
        "rotating-mnist = { source = 30, held-out-source = 10, intermediate = 40, target = 20, source-angles = [0, 5], \
         target-angles = [55, 60], drift = 'angle' }",
    ),
    (
        "digits by mixture",
        "rotating-mnist = { source = 30, held-out-source = 10, intermediate = 40, target = 20, source-angles = [0, 5], \
         target-angles = [55, 60], drift = 'mixture' }",
    ),
    (
        "clothing by stops",
        "rotating-fashion-mnist = { source = 30, held-out-source = 10, intermediate = 40, target = 20, \
         source-angles = [0, 5], target-angles = [55, 60], drift.stops = 2 }",
    ),
    (
        "the same digits",
        "same-mnist = { images = 20, held-out-source = 10, step = 3.0, domains = 4 }",
    ),
    (
        "brighter digits",
        "color-shift-mnist = { source = 30, held-out-source = 10, intermediate = 40, target = 20, shift = 1.0, domains = 4 }",
    ),
    (
        "rehearsed with classes that meet",
        "rehearsed = { source = 15, stream = 20, rounds = 2, turn = 0.0, toward = [0.4, 0.1], data.portraits = { split = 'count', \
         source = 30, held-out-source = 10, intermediate = 40, target = 20, scored = 20, target-pool = 10 } }",
    ),
    (
        "a table",
        "table = { catalog = 'keystroke', label = 'user', source-where.session = 1, stream-where.session = [2, 3], \
         held-out = 0.3, target-rows = 50, one-in = 3 }",
    ),
    (
        "scored on unused images",
        "scored = { on = 'unused-target', data.rotating-mnist = { source = 30, held-out-source = 10, intermediate = 40, \
         target = 20, source-angles = [0, 5], target-angles = [55, 60], drift = 'angle' } }",
    ),
    (
        "scored on the held-out source",
        "scored = { on = 'held-out-source', data.census = { source = 60, held-out-source = 20, intermediate = 100, \
         target = 30 } }",
    ),
    (
        "rehearsed",
        "rehearsed = { source = 15, stream = 20, rounds = 2, turn = -60.0, data.rotating-mnist = { source = 40, \
         held-out-source = 10, intermediate = 40, target = 20, source-angles = [0, 5], target-angles = [55, 60], \
         drift = 'angle' } }",
    ),
];

fn digest(benchmark: &Benchmark) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut inputs = |inputs: &Inputs| {
        for value in inputs.iter().flatten() {
            hasher.update(&value.to_le_bytes());
        }
        hasher.update(&(inputs.len() as u64).to_le_bytes());
    };
    let Benchmark { task, answers } = benchmark;
    inputs(task.source.inputs());
    inputs(task.intermediate.inputs());
    inputs(&task.target_pool.domain().unwrap().inputs);
    inputs(answers.held_out_source.inputs());
    inputs(answers.target.inputs());
    let of = |domain: &LabeledDomain| domain.labels().clone();
    let labels: [Option<Labels>; 4] = [
        Some(of(&task.source)),
        answers.intermediate.clone(),
        Some(of(&answers.held_out_source)),
        Some(of(&answers.target)),
    ];
    for label in labels.iter().flatten().flat_map(Labels::as_slice) {
        hasher.update(&label.to_le_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

#[test]
fn every_protocol_deals_out_the_same_rows() {
    let mut found = String::new();
    for (name, settings) in PROTOCOLS {
        let data: Dataset = toml::from_str(settings).unwrap_or_else(|error| panic!("{error}"));
        let benchmark = data.benchmark(3, &RawData::StandIns).unwrap();
        found += &format!("{} {name}\n", digest(&benchmark));
    }
    expect![[r#"
        518cef57fd38d886 census
        88f1b83c9dbfdb74 covertype, source
        ff0beafe1ef6d5a7 covertype, whole file
        2cc17ed29c14fd12 portraits by years
        80f6d7d8c909ba89 portraits back in time
        95f81a6dcd131ef0 portraits by rank
        179efd4471dd0bfc digits by angle
        865fabfafaef1f6f digits by mixture
        ae97c04656c5ab88 clothing by stops
        98dc1ed5f121c818 the same digits
        3227b53b7a8934cc brighter digits
        86b406d3cadeeea0 rehearsed with classes that meet
        4c24b09174ddb09c a table
        9c69088633b68ba6 scored on unused images
        966dcfeb993fca8b scored on the held-out source
        6162995ab09daa60 rehearsed
    "#]]
    .assert_eq(&found);
}
