//! The experiment files and printed numbers, built into the program: `reproduce` needs nothing beside it.

use driftline_lab::experiment::{Expected, Experiment, Scale, read_text};

use crate::failure::{Failure, Result};

/// (name, contents) of each file.
type Files = &'static [(&'static str, &'static str)];

macro_rules! files {
    ($folder:literal, $end:literal: $($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../../experiments/", $folder, $name, $end)),
        )),+]
    };
}

/// In the order in which tables and rows are shown.
const EXPERIMENTS: Files = files!["", ".toml":
    "table1-gaussian",
    "table1-rot-mnist",
    "table1-portraits",
    "table2-gaussian",
    "table2-rot-mnist",
    "table2-portraits",
    "table3-rot-mnist",
    "table4-gaussian",
    "table4-rot-mnist",
    "table4-portraits",
    "table5-gaussian",
    "table5-rot-mnist",
    "table5-portraits",
    "mixing-rot-mnist",
    "more-epochs-gaussian",
    "more-epochs-portraits",
    "further-portraits",
    "further-portraits-by-years",
    "table1-gaussian-draws",
    "table1-rot-mnist-draws",
    "table1-portraits-draws",
    "mixing-rot-mnist-draws",
    "table2-gaussian-draws",
    "table3-rot-mnist-draws",
    "table1-portraits-by-count",
    "as-printed-gaussian",
    "as-printed-rot-mnist",
    "architectures-rot-mnist",
    "covertype",
    "color-shift-mnist",
    "keystroke",
    "baselines-gaussian",
    "baselines-keystroke",
    "baselines-elec2",
    "baselines-weather",
    "baselines-covertype",
    "baselines-census",
    "baselines-rot-mnist",
    "baselines-portraits",
    "archive-50-labels",
    "archive-5-percent",
    "beyond-rot-mnist",
    "beyond-portraits",
    "generated-rot-mnist",
    "order-rot-mnist",
    "record-rot-mnist",
    "record-portraits",
    "record-second-rot-mnist",
    "record-third-rot-mnist",
];

/// Whether a policy may be trusted: the tuning half, then the test half (docs/trust.md).
const TRUST: Files = files!["trust/", ".toml":
    "trust-keystroke",
    "trust-elec2",
    "trust-outdoor",
    "trust-covertype-by-distance",
    "trust-gaussian",
    "trust-rot-mnist",
    "trust-mixing-fashion",
    "trust-archive-tuning",
    "trust-constructed-tuning",
    "trust-weather",
    "trust-census",
    "trust-emg",
    "trust-covertype-by-order",
    "trust-portraits",
    "trust-rot-fashion",
    "trust-mixing-mnist",
    "trust-archive-test",
    "trust-constructed-test",
];

const PRINTED: Files = files!["expected/", ".csv":
    "further",
    "mixing",
    "more-epochs",
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
];

/// Every experiment of the project, as its file says.
pub fn plans() -> Result<Vec<Experiment>> {
    EXPERIMENTS
        .iter()
        .chain(TRUST)
        .map(|(_, text)| plan(text))
        .collect()
}

fn plan(text: &str) -> Result<Experiment> {
    let spec = read_text(text)?;
    let printed = match &spec.expected {
        None => Expected::default(),
        Some(name) => {
            let mut files = PRINTED.iter();
            let file = files.find(|(known, _)| format!("expected/{known}.csv") == *name);
            let (_, text) =
                file.ok_or_else(|| Failure::told(format!("{}: no {name}", spec.name)))?;
            Expected::parse(text)?
        }
    };
    Ok(Experiment::new(&spec, printed, Scale::Full)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new file that is not in the list would silently not be reproduced.
    #[test]
    fn the_lists_are_the_folders() {
        let lists = [
            ("", ".toml", EXPERIMENTS),
            ("trust", ".toml", TRUST),
            ("expected", ".csv", PRINTED),
        ];
        for (folder, end, list) in lists {
            let folder =
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/").to_owned() + folder;
            let entries = std::fs::read_dir(folder).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut found: Vec<String> = names
                .filter_map(|name| name.strip_suffix(end).map(str::to_owned))
                .collect();
            let mut listed: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
            found.sort_unstable();
            listed.sort_unstable();
            assert_eq!(found, listed);
        }
    }

    #[test]
    fn every_file_has_a_plan_of_its_name_with_its_printed_numbers() {
        let files = EXPERIMENTS.iter().chain(TRUST);
        for (plan, (name, text)) in plans().unwrap().iter().zip(files) {
            assert_eq!(plan.name, *name);
            assert_eq!(
                plan.expected.cells.is_empty(),
                !text.contains("\nexpected = ")
            );
        }
    }
}
