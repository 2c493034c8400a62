//! What the documents say about the program: README's commands are executed, flags and commands that a page names exist, and
//! no banned phrase is in the help or the schema. `docs/run` executes the other pages.

#[path = "../../driftline/tests/banned.rs"]
mod banned;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

/// Flags of other programs that the documents name.
const OTHERS: &[&str] = &[
    "--update",
    "--release",
    "--nocapture",
    "--features",
    "--test",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn driftline(folder: &Path, arguments: &[&str]) -> Output {
    assert_cmd::Command::cargo_bin("driftline")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn said(arguments: &[&str]) -> String {
    let output = driftline(Path::new("."), arguments);
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that a help text lists: lines of two spaces and a name, before the options.
fn listed(help: &str) -> Vec<String> {
    let lists = help.split("\nOptions:").next().unwrap();
    let rows = lists.lines().filter_map(|line| line.strip_prefix("  "));
    rows.filter_map(|row| row.split_once("  "))
        .map(|(name, _)| name.to_owned())
        .filter(|name| !name.is_empty() && name != "help")
        .filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'))
        .collect()
}

/// The help of every command, by its words: `adapt`, `data fetch`.
fn helps() -> BTreeMap<String, String> {
    let mut helps = BTreeMap::new();
    for name in listed(&said(&["--help"])) {
        let help = said(&[&name, "--help"]);
        if help.contains("<COMMAND>") {
            for inner in listed(&help) {
                helps.insert(format!("{name} {inner}"), said(&[&name, &inner, "--help"]));
            }
        }
        helps.insert(name, help);
    }
    assert!(helps.len() > 25, "{:?}", helps.keys());
    helps
}

/// Every `--flag` of a text.
fn flags(text: &str) -> BTreeSet<String> {
    let letter = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-';
    let starts = text.match_indices("--").filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"-|<!".contains(c))
    });
    let names = starts.map(|(at, _)| text[at..].chars().take_while(letter).collect::<String>());
    names
        .filter(|name| name.len() > 2 && !name.ends_with('-') && !name[2..].starts_with('-'))
        .collect()
}

fn pages() -> Vec<(String, String)> {
    let mut open = vec![root().join("docs")];
    let mut found = vec![root().join("README.md")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    let page = |path: PathBuf| {
        (
            path.display().to_string(),
            fs::read_to_string(path).unwrap(),
        )
    };
    found.into_iter().map(page).collect()
}

#[test]
fn flags_and_commands_in_the_documents_exist() {
    let helps = helps();
    let everywhere: BTreeSet<String> = helps.values().flat_map(|help| flags(help)).collect();
    let mut faults = Vec::new();
    let mut found = 0;
    for (page, text) in pages() {
        // What is code: in backticks, or a line of a block that calls the program.
        let inline = text.split('`').skip(1).step_by(2);
        let blocks = text.split("\n```").skip(1).step_by(2);
        let lines = blocks.flat_map(str::lines);
        let lines = lines.filter(|line| line.starts_with("driftline "));
        for code in inline.chain(lines) {
            let code = code.split(" #").next().unwrap();
            let Some(rest) = code.strip_prefix("driftline ") else {
                let alone = code.starts_with("--");
                for flag in flags(code).into_iter().filter(|_| alone) {
                    found += 1;
                    if !everywhere.contains(&flag) && !OTHERS.contains(&&*flag) {
                        faults.push(format!("{page}: `{flag}` is no flag"));
                    }
                }
                continue;
            };
            for call in rest.split(['|', ';', '\n']).take(1) {
                let mut words = call.split_whitespace();
                let first = words.next().unwrap_or_default();
                let two = format!("{first} {}", words.next().unwrap_or_default());
                let known = helps.get(&two).or_else(|| helps.get(first));
                if first.starts_with('-') || first == "help" || first == "COMMAND" {
                    continue;
                }
                found += 1;
                let Some(help) = known else {
                    faults.push(format!("{page}: there is no `driftline {first}`"));
                    continue;
                };
                let own = flags(help);
                for flag in flags(call) {
                    if !own.contains(&flag) {
                        faults.push(format!("{page}: `driftline {first}` has no {flag}"));
                    }
                }
            }
        }
    }
    assert!(found > 150, "{found} flags and commands");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn help_and_schema_have_no_banned_phrase() {
    let mut hits: Vec<String> = helps()
        .iter()
        .flat_map(|(name, help)| banned::hits(name, help))
        .collect();
    hits.extend(banned::hits("schema", &said(&["schema"])));
    hits.extend(banned::hits("settings", &said(&["schema", "--settings"])));
    assert!(hits.is_empty(), "{}", hits.join("\n"));
}

/// The lines between ``` and ``` of the block that begins after `from`.
fn block(lines: &[&str], from: usize) -> (String, usize) {
    let opens = |line: &&str| line.starts_with("```");
    let start = from + lines[from..].iter().position(opens).unwrap() + 1;
    let end = start
        + lines[start..]
            .iter()
            .position(|line| *line == "```")
            .unwrap();
    (lines[start..end].join("\n"), end + 1)
}

/// As `docs/run` does, for what needs neither a shell nor Python.
#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let folder = TempDir::new().unwrap();
    let mut executed = 0;
    for (at, line) in lines.iter().enumerate() {
        if let Some(setup) = line.strip_prefix("<!-- setup driftline ") {
            let arguments: Vec<&str> = setup.trim_end_matches(" -->").split(' ').collect();
            assert!(driftline(folder.path(), &arguments).status.success());
        }
        let Some(shown) = line.strip_prefix("<!-- run lines=") else {
            continue;
        };
        let (first, last) = shown.trim_end_matches(" -->").split_once('-').unwrap();
        let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
        let (command, end) = block(&lines, at);
        let words = command.split_whitespace().filter(|word| *word != "\\");
        let arguments: Vec<&str> = words.skip(1).collect();
        let output = driftline(folder.path(), &arguments);
        let said = String::from_utf8(output.stdout).unwrap();
        let said: Vec<&str> = said
            .lines()
            .skip(first - 1)
            .take(last + 1 - first)
            .collect();
        assert_eq!(
            said.join("\n"),
            block(&lines, end).0,
            "{command}: docs/run --update README.md"
        );
        executed += 1;
    }
    assert!(executed > 0);
}
