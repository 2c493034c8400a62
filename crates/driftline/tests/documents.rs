//! The rules of the documents: phrases that no user may meet, lengths of pages, links that lead somewhere. What the documents
//! say about the program, `driftline-cli/tests/documents.rs` checks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::banned::{hits, plain};

/// README on one screen and a half; a page of `docs` in one sitting.
const README_LINES: usize = 110;
const PAGE_LINES: usize = 250;
/// Terms that the glossary explains.
const TERMS: usize = 40;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every file below `folder` that ends in one of `extensions`: its path from the root and its text.
fn files(folder: &str, extensions: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let end = path.extension().and_then(|end| end.to_str());
            if path.is_dir() {
                open.push(path);
            } else if end.is_some_and(|end| extensions.contains(&end)) {
                let name = path.strip_prefix(root()).unwrap().display().to_string();
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// What is written by hand for people to read.
fn documents() -> Vec<(String, String)> {
    let alone = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "bench/README.md",
        "crates/driftline-py/README.md",
        "experiments/proving/README.md",
    ];
    let alone = alone.map(|name| {
        let text = fs::read_to_string(root().join(name)).unwrap();
        (name.to_owned(), text)
    });
    files("docs", &["md"]).into_iter().chain(alone).collect()
}

/// The string literals of a Rust file, without its tests; with its `///` lines where these are docstrings of Python. What the
/// program prints as help and schema, its own tests read.
fn said(source: &str, docstrings: bool) -> String {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let mut said = String::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            let line = comment.split('\n').next().unwrap();
            if docstrings && line.starts_with('/') {
                said.push_str(&line[1..]);
                said.push('\n');
            }
            rest = &comment[line.len()..];
        } else if c == '\'' {
            // A character; a lifetime has no second quote so near.
            let end = rest
                .char_indices()
                .skip(2)
                .take(9)
                .find(|(_, c)| *c == '\'');
            let plain = rest.chars().nth(2) == Some('\'') || rest.starts_with("'\\");
            rest = match end {
                Some((end, _)) if plain => &rest[end + 1..],
                _ => &rest[1..],
            };
        } else if rest.starts_with("r#\"") {
            let text = rest[3..].split("\"#").next().unwrap();
            said.push_str(text);
            rest = &rest[3 + text.len() + 2..];
        } else if c == '"' {
            let mut escaped = false;
            let end = rest[1..].find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let Some(end) = end else { break };
            said.push_str(&rest[1..=end]);
            said.push('\n');
            rest = &rest[end + 2..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    said
}

#[test]
fn no_banned_phrase_reaches_a_user() {
    let mut texts = documents();
    for krate in fs::read_dir(root().join("crates")).unwrap() {
        let name = krate.unwrap().file_name().into_string().unwrap();
        let folder = format!("crates/{name}/src");
        let rust = files(&folder, &["rs"]).into_iter();
        texts.extend(rust.map(|(file, text)| (file, said(&text, name == "driftline-py"))));
        texts.extend(files(&folder, &["html", "js"]));
    }
    texts.extend(files("crates/driftline-py/python", &["py", "pyi"]));
    assert!(texts.len() > 700, "{} texts", texts.len());
    let hits: Vec<String> = texts
        .iter()
        .flat_map(|(name, text)| hits(name, text))
        .collect();
    assert!(hits.is_empty(), "{}", hits.join("\n"));
}

#[test]
fn strings_and_docstrings_are_searched() {
    let source = "/// Help.\nfn f<'a>(c: char) { let x = '\"'; g(\"one \\\" two\", r#\"three\"#); } // no\n#[cfg(test)]\n\"four\"";
    assert_eq!(plain(&said(source, true)), "help. one \\\" two three");
}

#[test]
fn pages_are_short() {
    let mut long = Vec::new();
    for (name, text) in documents() {
        let most = if name == "README.md" {
            README_LINES
        } else {
            PAGE_LINES
        };
        let lines = text.lines().count();
        if lines > most {
            long.push(format!("{name}: {lines} lines, at most {most}"));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// The text without blocks of code, whose brackets are no links.
fn prose(text: &str) -> String {
    let blocks = text.split("\n```");
    blocks.step_by(2).collect::<Vec<_>>().join("\n")
}

/// What a link to a heading ends with: as GitHub and the site make it.
fn anchors(text: &str) -> BTreeSet<String> {
    let text = prose(text);
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().map(|c| if c == ' ' { '-' } else { c });
        kept.filter(|c| c.is_alphanumeric() || "-_".contains(*c))
            .collect()
    };
    headings.map(slug).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut faults = Vec::new();
    let mut found = 0;
    for (name, text) in documents() {
        let folder = root().join(&name).parent().unwrap().to_owned();
        let text = prose(&text);
        let links = text.split("](").skip(1);
        for link in links.filter_map(|rest| rest.split(')').next()) {
            found += 1;
            if link.starts_with("https://") || link.starts_with("http://") {
                if link.contains(' ') || !link[8..].contains('.') {
                    faults.push(format!("{name}: {link} is no address"));
                }
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let path = if file.is_empty() {
                root().join(&name)
            } else {
                folder.join(file)
            };
            if !path.exists() {
                faults.push(format!("{name}: there is no {link}"));
            } else if !anchor.is_empty()
                && !anchors(&fs::read_to_string(path).unwrap()).contains(anchor)
            {
                faults.push(format!("{name}: {link} names no heading"));
            }
        }
    }
    assert!(found > 100, "{found} links");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The site has every page exactly once, and no page that is not there.
#[test]
fn the_site_has_every_page() {
    let site = fs::read_to_string(root().join("docs/site/mkdocs.yml")).unwrap();
    let in_nav: Vec<&str> = site
        .split("\nnav:")
        .nth(1)
        .unwrap()
        .lines()
        .filter_map(|line| line.trim().trim_start_matches("- ").split(": ").last())
        .filter(|page| page.ends_with(".md") && !page.starts_with("reference/"))
        .collect();
    let pages = files("docs", &["md"]);
    for (name, _) in &pages {
        let page = name.trim_start_matches("docs/");
        let times = in_nav.iter().filter(|named| **named == page).count();
        assert_eq!(times, 1, "docs/site/mkdocs.yml names {page} once");
    }
    assert_eq!(in_nav.len(), pages.len(), "{in_nav:?}");
}

#[test]
fn the_glossary_is_short_and_says_everything_once() {
    let text = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let terms: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("**"))
        .map(|line| line.split("**").next().unwrap())
        .collect();
    assert!((20..=TERMS).contains(&terms.len()), "{} terms", terms.len());
    let different: BTreeSet<_> = terms.iter().collect();
    assert_eq!(different.len(), terms.len());
    assert!(terms.is_sorted_by_key(|term| term.to_lowercase()));
}
