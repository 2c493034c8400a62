//! The rules of the source tree: layers, headers, file sizes, and what must be absent. An exception needs an entry in
//! `EXCEPTIONS`, with its reason; one that is no longer needed fails too.

#[path = "tidy/public_names.rs"]
mod public_names;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// (rule, file, reason). Keep it short.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "headers",
    "crates/driftline/src/lib.rs",
    "the documentation of the whole crate, with its example",
)];

/// The modules of the library from the lowest layer to the highest; modules of one layer do not use each other, except
/// within `PEERS`.
const LAYERS: &[&[&str]] = &[
    &["advice"],
    &["error"],
    &["files", "random", "math", "kernels", "matrix", "cancel"],
    &["data"],
    &["models", "reading", "transport"],
    &["drift"],
    &["adapt"],
    &["evaluate", "datasets"],
    &["theory", "experiment", "runs"],
    &["fleet"],
    &["prelude"],
];

/// Pairs of one layer of which the first may use the second.
const PEERS: &[(&str, &str)] = &[];

/// What the library never does, and why.
const FORBIDDEN: &[(&str, &str)] = &[
    ("println!", "the library prints nothing"),
    ("print!", "the library prints nothing"),
    ("eprintln!", "the library prints nothing"),
    ("eprint!", "the library prints nothing"),
    ("dbg!", "the library prints nothing"),
    ("std::env", "the library reads no environment"),
    ("Instant", "the library reads no clock"),
    ("SystemTime", "the library reads no clock"),
    ("thread_rng", "all randomness comes from a seed"),
    ("from_entropy", "all randomness comes from a seed"),
    ("from_os_rng", "all randomness comes from a seed"),
    ("RandomState", "its order differs from run to run"),
    ("process::exit", "the library ends nothing but itself"),
    (
        "mul_add",
        "fused multiply-add changes the bits, outside the network's kernels",
    ),
    ("static mut", "nothing is global"),
];

struct Source {
    /// With `/`, from the root of the project.
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every file below `folder` that ends in `extension`.
fn files(folder: &str, extension: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != "target") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|e| e == extension) {
                let relative = path.strip_prefix(root()).unwrap();
                found.push(Source {
                    path: relative.to_str().unwrap().replace('\\', "/"),
                    text: fs::read_to_string(&path).unwrap(),
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn library() -> Vec<Source> {
    let files = files("crates/driftline/src", "rs");
    assert!(files.len() > 40, "the tree was not found");
    files
}

impl Source {
    /// The lines that are code, with their numbers; comments are cut off.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let cut = |line: &'_ str| line.find("//").unwrap_or(line.len());
        self.text
            .lines()
            .enumerate()
            .map(move |(number, line)| (number + 1, &line[..cut(line)]))
    }

    /// The same without the unit tests, which stand at the end of a file.
    fn code_without_tests(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code()
            .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
    }
}

/// Fails with all faults of a rule at once, less the exceptions; and where an exception is not needed.
fn judge(rule: &str, faults: Vec<(String, String)>) {
    let allowed: BTreeSet<&str> = EXCEPTIONS
        .iter()
        .filter(|(r, ..)| *r == rule)
        .map(|(_, file, _)| *file)
        .collect();
    let faulty: BTreeSet<&str> = faults.iter().map(|(file, _)| &**file).collect();
    let unused: Vec<_> = allowed.difference(&faulty).collect();
    assert!(
        unused.is_empty(),
        "exceptions that are not needed: {unused:?}"
    );
    let rest: Vec<String> = faults
        .iter()
        .filter(|(file, _)| !allowed.contains(&**file))
        .map(|(file, fault)| format!("{file}: {fault}"))
        .collect();
    assert!(rest.is_empty(), "{rule}:\n{}", rest.join("\n"));
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// The modules that `crate::…` paths in a line speak of; `crate::{a, b}` is taken apart.
fn modules_used(line: &str) -> Vec<String> {
    let identifier = |text: &str| {
        text.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect::<String>()
    };
    let mut modules = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let own = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let after = &line[at + "crate::".len()..];
        match after.strip_prefix('{') {
            _ if !own => {}
            Some(list) => modules.extend(list.split(',').map(|item| identifier(item.trim()))),
            None => modules.push(identifier(after)),
        }
    }
    modules
}

#[test]
fn a_module_uses_only_lower_layers() {
    let mut faults = Vec::new();
    for source in library() {
        let inside = source.path.strip_prefix("crates/driftline/src/").unwrap();
        let module = inside.split(['/', '.']).next().unwrap();
        if module == "lib" {
            continue;
        }
        let Some(own) = layer(module) else {
            faults.push((
                source.path.clone(),
                format!("`{module}` has no layer: add it to LAYERS"),
            ));
            continue;
        };
        for (number, line) in source.code() {
            for used in modules_used(line) {
                // `crate::Result` and `crate::Error` are of the lowest layer.
                let Some(other) = layer(&used) else { continue };
                let peer = PEERS.contains(&(module, &*used));
                if used != module && other >= own && !peer {
                    faults.push((
                        source.path.clone(),
                        format!("line {number}: `{module}` must not use `{used}`"),
                    ));
                }
            }
        }
    }
    judge("layers", faults);
}

#[test]
fn paths_are_taken_apart() {
    assert_eq!(modules_used("use crate::data::{Inputs, Labels};"), ["data"]);
    assert_eq!(
        modules_used("use crate::{Error, models};"),
        ["Error", "models"]
    );
    assert_eq!(
        modules_used("fn f(a: crate::adapt::X, b: crate::math::Y)"),
        ["adapt", "math"]
    );
    assert!(
        modules_used("$crate::data mycrate::data")
            .iter()
            .all(|m| m == "data")
    );
}

#[test]
fn every_file_opens_with_a_short_header() {
    let mut faults = Vec::new();
    for source in files("crates", "rs") {
        let header = source
            .text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .count();
        if !(1..=5).contains(&header) {
            faults.push((
                source.path,
                format!("opens with {header} lines of `//!` instead of 1 to 5"),
            ));
        }
    }
    judge("headers", faults);
}

/// The tests of a crate are one program: a file that it does not name would never run.
#[test]
fn every_file_of_tests_is_run() {
    for krate in ["driftline", "driftline-cli"] {
        let folder = root().join("crates").join(krate).join("tests");
        let suite = fs::read_to_string(folder.join("suite.rs")).unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let own = name.ends_with(".rs") && name != "suite.rs";
            let named = suite.contains(&format!("#[path = \"{name}\"]"));
            assert!(
                !own || named,
                "crates/{krate}/tests/suite.rs must name {name}"
            );
        }
    }
}

#[test]
fn no_file_is_long() {
    let long = |source: &Source| source.text.lines().count() > 500;
    let fault = |source: Source| {
        (
            source.path,
            format!("{} lines", source.text.lines().count()),
        )
    };
    judge(
        "length",
        files("crates", "rs")
            .into_iter()
            .filter(long)
            .map(fault)
            .collect(),
    );
}

#[test]
fn the_libraries_do_nothing_that_they_promise_not_to() {
    let mut faults = Vec::new();
    let report = files("crates/driftline-report/src", "rs");
    for source in library().into_iter().chain(report) {
        for (number, line) in source.code_without_tests() {
            for (what, why) in FORBIDDEN {
                let found = line.match_indices(what).any(|(at, _)| {
                    let word = |c: char| c.is_alphanumeric() || c == '_';
                    !line[..at].ends_with(word) && !line[at + what.len()..].starts_with(word)
                });
                // Networks are fast by fused multiply-add, and their results record the instruction set.
                let network_kernel = source.path.contains("/network/kernels/");
                if found && !(*what == "mul_add" && network_kernel) {
                    faults.push((
                        source.path.clone(),
                        format!("line {number}: `{what}`: {why}"),
                    ));
                }
            }
        }
    }
    judge("forbidden", faults);
}

#[test]
fn unsafe_code_lives_in_kernels() {
    let mut faults = Vec::new();
    for source in files("crates", "rs") {
        let kernel = source
            .path
            .split(['/', '.'])
            .any(|part| part == "kernel" || part == "kernels");
        for (number, line) in source.code() {
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            // Built from two halves, so that this file does not break its own rule.
            let word = concat!("un", "safe");
            if !kernel && words.into_iter().any(|found| found == word) {
                faults.push((source.path.clone(), format!("line {number}")));
            }
        }
    }
    judge("kernels", faults);
}

#[test]
fn adaptation_never_sees_an_answer_key() {
    let mut faults = Vec::new();
    for source in library() {
        if !source.path.starts_with("crates/driftline/src/adapt/") {
            continue;
        }
        for (number, line) in source.code() {
            if line.contains("AnswerKey") || line.contains("Benchmark") {
                faults.push((source.path.clone(), format!("line {number}")));
            }
        }
    }
    judge("answers", faults);
}

#[test]
fn nothing_names_a_place_on_one_machine() {
    let mut faults = Vec::new();
    let kinds = ["rs", "toml", "md", "py", "sh", "csv"];
    let folders = ["crates", "experiments", "docs", "bench"];
    for source in folders
        .iter()
        .flat_map(|folder| kinds.iter().flat_map(|kind| files(folder, kind)))
    {
        for (number, line) in source.text.lines().enumerate() {
            for root in ["home", "root", "Users", "work", "tmp"] {
                let place = format!("/{root}/");
                if line.contains(&place) {
                    faults.push((source.path.clone(), format!("line {}: {place}", number + 1)));
                }
            }
        }
    }
    judge("places", faults);
}

/// Every path in backticks in the map from the paper to the code exists.
#[test]
fn the_paper_map_names_files_that_exist() {
    let Ok(map) = fs::read_to_string(root().join("docs/paper-map.md")) else {
        return;
    };
    let mut faults = Vec::new();
    for (number, line) in map.lines().enumerate() {
        for name in line.split('`').skip(1).step_by(2) {
            let path = name.split("::").next().unwrap().trim_end_matches(':');
            let is_file = [".rs", ".toml", ".csv", ".md", ".py"]
                .iter()
                .any(|end| path.ends_with(end));
            let places = [
                path.to_owned(),
                format!("crates/driftline/{path}"),
                format!("crates/driftline/src/{path}"),
            ];
            if is_file && !places.iter().any(|place| root().join(place).is_file()) {
                faults.push((
                    "docs/paper-map.md".into(),
                    format!("line {}: there is no `{path}`", number + 1),
                ));
            }
        }
    }
    judge("paper map", faults);
}
