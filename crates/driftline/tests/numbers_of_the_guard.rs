//! The guard decides by its settings alone.

use std::collections::BTreeSet;

use super::tidy::library;

/// Where the guard may have a number of its own that is not 0, 1, 2 or ½, beside its settings: tolerances of arithmetic, and
/// limits of how much is looked at.
const NUMBERS_OF_THE_GUARD: &[(&str, &str)] = &[
    ("alarm.rs", "BETS"),
    ("baselines/shares.rs", "ROUNDS"),
    ("baselines/shares.rs", "EM_ROUNDS"),
    ("baselines/shares.rs", "TOLERANCE"),
    ("baselines/shares.rs", "LEAST"),
    ("baselines/weighted.rs", "LEAST_WINDOW"),
    ("baselines/weighted.rs", "LEAST_SOURCE"),
    ("baselines/weighted.rs", "TOLERANCE"),
    ("baselines/weighted.rs", "ITERATIONS"),
    ("calibration.rs", "LEAST"),
    ("calibration.rs", "STEPS"),
    ("calibration.rs", "STEP"),
    ("calibration.rs", "HALVINGS"),
    ("correction.rs", "HALF_OF_90"),
    ("correction.rs", "LEAST_VARIANCE"),
    ("history.rs", "LEAST_PROBABILITY"),
    ("lib.rs", "LEAST_SAMPLE"),
    ("lib.rs", "ROWS"),
    ("lib.rs", "LEAST_WINDOW"),
    ("profile.rs", "DISTANCE_ROWS"),
    ("profile.rs", "LEAST_SHARE"),
    ("rehearsal.rs", "BLOCKS"),
    ("rehearsal.rs", "LEAST_ROWS"),
    ("scenario/follow.rs", "BETTER"),
    ("scenario/follow.rs", "POINTS"),
    ("scenario/mod.rs", "SAFE_STEP"),
    ("scenario/chain.rs", "LEAST_DOUBT"),
    ("scenario/trace.rs", "JUMP"),
    ("score.rs", "LEAST_ROWS"),
    ("space.rs", "LEAST_PROBABILITY"),
    ("theory.rs", "ROWS"),
    ("weighed.rs", "MOST_CONFUSED"),
    ("weighed.rs", "PARTS"),
    ("window.rs", "NAMED_ROWS"),
    ("window.rs", "PERCENT"),
];

/// What the guard decides by is in its settings, where it is documented and can be changed.
#[test]
fn the_guard_has_no_numbers_beside_its_settings() {
    let folder = "crates/driftline-guard/src/";
    let mut faults = vec![];
    let mut unused: BTreeSet<(&str, &str)> = NUMBERS_OF_THE_GUARD.iter().copied().collect();
    for source in library() {
        let Some(file) = source.path.strip_prefix(folder) else {
            continue;
        };
        let code = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|_| file != "config.rs") {
            let code = line.split("//").next().unwrap_or_default();
            if numbers(code)
                .iter()
                .all(|own| [0.0, 0.5, 1.0, 2.0].contains(own))
            {
                continue;
            }
            let entry = NUMBERS_OF_THE_GUARD
                .iter()
                .find(|(own, name)| *own == file && code.contains(&format!("const {name}:")));
            match entry {
                Some(entry) => drop(unused.remove(entry)),
                None => faults.push(format!("{file}: {}", line.trim())),
            }
        }
    }
    assert!(
        faults.is_empty(),
        "numbers outside the settings:\n{}",
        faults.join("\n")
    );
    assert!(unused.is_empty(), "no longer needed: {unused:?}");
}

/// The literals of a line of code that are numbers, outside strings; not the digits within names.
fn numbers(code: &str) -> Vec<f64> {
    let outside: String = code.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let word = |c: char| c.is_alphanumeric() || c == '.' || c == '_';
    outside
        .split(|c| !word(c))
        .flat_map(|word| word.split(".."))
        .map(|word| word.trim_start_matches('=').replace('_', ""))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .filter_map(|word| {
            let end = word.find(|c: char| c.is_alphabetic() && c != 'e');
            word[..end.unwrap_or(word.len())].parse().ok()
        })
        .collect()
}
