//! The rules of the source tree: layers, headers, file sizes, and what must be absent. An exception needs an entry in
//! `EXCEPTIONS`, with its reason; one that is no longer needed fails too.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// (rule, file, reason). Keep it short.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "headers",
    "crates/driftline/src/lib.rs",
    "the documentation of the whole crate, with its example",
)];

/// The crates of the library from the lowest to the highest, and which of the others each may depend on. Cargo enforces
/// the order; this list keeps a new dependency from slipping in unnoticed.
const CRATES: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("models", &["core"]),
    ("io", &["core"]),
    ("drift", &["core"]),
    ("adapt", &["core", "models", "drift"]),
    ("guard", &["core", "models", "drift", "adapt"]),
    ("runs", &["core", "models", "io", "drift", "adapt", "guard"]),
    ("lab", &["core", "models", "io", "adapt", "guard", "runs"]),
    ("theory", &["core", "models", "drift", "adapt"]),
    ("fleet", &["core", "models", "io", "adapt", "runs"]),
];

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

pub(crate) struct Source {
    /// With `/`, from the root of the project.
    pub path: String,
    pub text: String,
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

pub(crate) fn library() -> Vec<Source> {
    let own = files("crates/driftline/src", "rs").into_iter();
    let parts = CRATES
        .iter()
        .map(|(name, _)| format!("crates/driftline-{name}/src"));
    let files: Vec<Source> = own
        .chain(parts.flat_map(|folder| files(&folder, "rs")))
        .collect();
    assert!(files.len() > 400, "the tree was not found");
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

#[test]
fn a_crate_depends_only_on_those_below_it() {
    let mut faults = Vec::new();
    for (name, allowed) in CRATES {
        let path = format!("crates/driftline-{name}/Cargo.toml");
        let manifest = fs::read_to_string(root().join(&path)).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        let dependencies = dependencies.split("\n[").next().unwrap();
        for line in dependencies.lines() {
            let Some(other) = line.strip_prefix("driftline-") else {
                continue;
            };
            let other = other.split(['.', ' ']).next().unwrap();
            if !allowed.contains(&other) {
                faults.push((
                    path.clone(),
                    format!("must not depend on driftline-{other}"),
                ));
            }
        }
    }
    judge("layers", faults);
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
    let mut suites = 0;
    for krate in fs::read_dir(root().join("crates")).unwrap() {
        let folder = krate.unwrap().path().join("tests");
        let Ok(suite) = fs::read_to_string(folder.join("suite.rs")) else {
            continue;
        };
        suites += 1;
        for entry in fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let own = name.ends_with(".rs") && name != "suite.rs";
            let named = suite.contains(&format!("#[path = \"{name}\"]"));
            assert!(
                !own || named,
                "{}/suite.rs must name {name}",
                folder.display()
            );
        }
    }
    assert!(suites > 5, "{suites} suites");
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

/// All doors come through one loop, and the step it drives reads on a screen or two.
#[test]
fn one_file_drives_the_engine() {
    let driver = "crates/driftline-adapt/src/engine/drive.rs";
    let crates = fs::read_dir(root().join("crates")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let sources = crates.flat_map(|name| files(&format!("crates/{name}/src"), "rs"));
    let mut loops = 0;
    let mut faults = Vec::new();
    for source in sources {
        for (number, line) in source.code_without_tests() {
            let looped =
                line.contains("while let") || line.contains("for ") || line.contains("loop ");
            let steps = [".next_step(", ".process(stage", ".process(Stage"];
            let drives = looped && steps.iter().any(|call| line.contains(call));
            loops += usize::from(drives);
            if source.path != driver && (drives || line.contains(".next_step(")) {
                faults.push((source.path.clone(), format!("line {number}")));
            }
        }
    }
    judge("one loop", faults);
    assert_eq!(loops, 1, "{driver} has the loop");
    let step = fs::read_to_string(root().join("crates/driftline-adapt/src/engine/step.rs"));
    assert!(step.unwrap().lines().count() <= 150);
}

#[test]
fn adaptation_never_sees_an_answer_key() {
    let mut faults = Vec::new();
    for source in library() {
        let adapts = ["adapt", "guard", "drift", "models"];
        let adapts = adapts.map(|name| format!("crates/driftline-{name}/src/"));
        if !adapts.iter().any(|folder| source.path.starts_with(folder)) {
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

/// What a Rust user meets fits on a page: types and functions that the facade hands on, in every place where it does.
#[test]
fn the_facade_hands_on_few_names() {
    let mut names = 0;
    for source in files("crates/driftline/src", "rs") {
        for statement in source.text.split("pub use ").skip(1) {
            let path: String = statement.chars().take_while(|&c| c != ';').collect();
            let list = path.rsplit_once("::").map_or(&*path, |(_, last)| last);
            let list = path.split_once('{').map_or(list, |(_, list)| list);
            let items = list
                .split(',')
                .map(|item| item.trim_matches(['}', ' ', '\n']));
            names += items.filter(|item| !item.is_empty()).count();
        }
    }
    assert!((100..=150).contains(&names), "{names} names");
}

/// How names in backticks begin that are meant as places in this repository; the last ones are how they began once.
const PLACES: [&str; 16] = [
    "crates/",
    "driftline-",
    "docs/",
    "bench/",
    "experiments/",
    "results/",
    "fuzz/",
    "tests/",
    "adapt/",
    "models/",
    "datasets/",
    "experiment/",
    "commands/",
    "drift/",
    "theory/",
    "reading/",
];

/// The path that a name in backticks means, if it means one: without what follows it, and without patterns.
fn named_path(name: &str) -> Option<&str> {
    let path = name.split([' ', ':']).next().unwrap();
    let is_file = [".rs", ".py"].iter().any(|end| path.ends_with(end));
    let is_place = path.contains('/') && PLACES.iter().any(|start| path.starts_with(start));
    // What a run makes is no part of the repository, and capitals stand for a name.
    let made = path.starts_with("driftline-out/") || path.contains("NAME");
    let pattern = path.contains(['*', '{', '<', '…']);
    ((is_file || is_place) && !pattern && !made).then_some(path)
}

/// Every path in backticks exists, from the root, from `crates`, or on the page about networks from their folder.
#[test]
fn documents_name_files_that_exist() {
    let bases = ["", "crates", "crates/driftline-models/src/network"].map(|base| root().join(base));
    let mut pages = files("docs", "md");
    for page in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let path = page.to_owned();
        pages.push(Source { path, text });
    }
    let (mut faults, mut found) = (Vec::new(), 0);
    for Source { path: page, text } in pages {
        let bases = if page == "docs/network.md" {
            &bases
        } else {
            &bases[..2]
        };
        for (number, line) in text.lines().enumerate() {
            for path in line.split('`').skip(1).step_by(2).filter_map(named_path) {
                found += 1;
                if !bases.iter().any(|base| base.join(path).exists()) {
                    let fault = format!("line {}: there is no `{path}`", number + 1);
                    faults.push((page.clone(), fault));
                }
            }
        }
    }
    assert!(found > 150, "{found} paths");
    judge("paths in documents", faults);
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert!(
        architecture.lines().count() <= 120,
        "ARCHITECTURE.md is one page"
    );
}
