//! File patterns: `*` and `?` within a name, `[a-z]` for one character, `**` for any folders.

use std::path::{Component, Path, PathBuf};

use super::natural::natural_order;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};

/// More files than anyone means.
const MOST: usize = 1_000_000;

/// What a path or pattern stands for. A path that exists stands for itself, whatever characters are in it.
pub(super) fn matches_of(pattern: &Path) -> Result<Vec<PathBuf>> {
    let special = |part: &str| part.contains(['*', '?', '[']);
    let text = pattern.to_str().unwrap_or_default();
    if pattern.exists() || !special(text) {
        return Ok(vec![pattern.to_path_buf()]);
    }
    let mut found = vec![PathBuf::new()];
    for component in pattern.components() {
        let name = component.as_os_str().to_str().unwrap_or_default();
        found = match component {
            Component::Normal(_) if name == "**" => {
                let mut all = vec![];
                for folder in found {
                    folders_below(folder, &mut all)?;
                }
                all
            }
            Component::Normal(_) if special(name) => {
                let mut all = vec![];
                for folder in found {
                    for (entry, path) in entries(&folder)? {
                        let hidden = entry.starts_with('.') && !name.starts_with('.');
                        if !hidden && fits(name.as_bytes(), entry.as_bytes()) {
                            all.push(path);
                        }
                    }
                }
                all
            }
            _ => found.into_iter().map(|path| path.join(component)).collect(),
        };
        if found.len() > MOST {
            return Err(DataFault::new(pattern, format!("matches more than {MOST} files")).into());
        }
    }
    found.retain(|path| path.exists());
    found.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    if found.is_empty() {
        return Err(DataFault::new(pattern, "no file matches this pattern").into());
    }
    Ok(found)
}

/// The folder itself and all that are in it, at any depth; links to folders are not followed.
fn folders_below(folder: PathBuf, all: &mut Vec<PathBuf>) -> Result<()> {
    for (_, path) in entries(&folder)? {
        if path.is_dir() && !path.is_symlink() {
            folders_below(path, all)?;
        }
    }
    all.push(folder);
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>> {
    let place = if folder == Path::new("") {
        Path::new(".")
    } else {
        folder
    };
    if !place.is_dir() {
        return Ok(vec![]);
    }
    let mut all = vec![];
    for entry in std::fs::read_dir(place).map_err(Error::io(place))? {
        let name = entry.map_err(Error::io(place))?.file_name();
        if let Some(name) = name.to_str() {
            all.push((name.to_string(), folder.join(name)));
        }
    }
    Ok(all)
}

/// Whether a name fits a pattern. One star is retried at a time, so that no pattern takes long.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some(b'?') => Some(1),
            Some(b'[') => class(&pattern[p..], name[n]),
            Some(&c) if c == name[n] => Some(1),
            _ => None,
        };
        match (step, star) {
            (Some(width), _) => {
                p += width;
                n += 1;
            }
            (None, Some((at, from))) => {
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|&c| c == b'*')
}

/// How long `[…]` is, if the character is in it; a bracket that is not closed is an ordinary character.
fn class(pattern: &[u8], c: u8) -> Option<usize> {
    let Some(end) = pattern
        .iter()
        .skip(2)
        .position(|&c| c == b']')
        .map(|at| at + 2)
    else {
        return (c == b'[').then_some(1);
    };
    let (negated, inside) = match pattern[1] {
        b'!' | b'^' => (true, &pattern[2..end]),
        _ => (false, &pattern[1..end]),
    };
    let mut found = false;
    let mut at = 0;
    while at < inside.len() {
        match inside[at..] {
            [low, b'-', high, ..] => {
                found |= (low..=high).contains(&c);
                at += 3;
            }
            _ => {
                found |= inside[at] == c;
                at += 1;
            }
        }
    }
    (found != negated).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_in_a_shell() {
        let fits = |pattern: &str, name: &str| fits(pattern.as_bytes(), name.as_bytes());
        assert!(fits("part-*.csv", "part-10.csv"));
        assert!(fits("*", "a") && fits("**", "a") && fits("a*b*c", "aXbbYc"));
        assert!(fits("?[0-9][!x]", "a5y") && fits("[a", "[a") && fits("[]]", "]"));
        assert!(!fits("part-*.csv", "part-10.csv.gz"));
        assert!(!fits("?[0-9][!x]", "a5x") && !fits("a*b", "ac") && !fits("", "a"));
    }

    #[test]
    fn matches_come_in_natural_order_and_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "p-10.csv",
            "p-9.csv",
            "q.csv",
            "deep/er/p-1.csv",
            "odd[1].csv",
            ".p-0.csv",
        ] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = matches_of(&folder.path().join(pattern)).unwrap();
            let inside = |path: &PathBuf| path.strip_prefix(folder.path()).unwrap().to_owned();
            found
                .iter()
                .map(|p| inside(p).to_str().unwrap().to_string())
                .collect()
        };
        assert_eq!(names("p-*.csv"), ["p-9.csv", "p-10.csv"]);
        assert_eq!(
            names("**/p-*.csv"),
            ["deep/er/p-1.csv", "p-9.csv", "p-10.csv"]
        );
        assert_eq!(names("odd[1].csv"), ["odd[1].csv"]);
        assert_eq!(names("missing.csv"), ["missing.csv"]);
        assert!(matches_of(&folder.path().join("x-*.csv")).is_err());
    }

    /// Neither names that are not text nor folders that lie in themselves stop the search.
    #[cfg(unix)]
    #[test]
    fn odd_names_and_links_are_passed_over() {
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir(at(b"in")).unwrap();
        std::os::unix::fs::symlink(folder.path(), at(b"in/round")).unwrap();
        for name in [&b"in/a.csv"[..], b"b.csv", b"in/\xff.csv"] {
            // Some file systems refuse such names.
            let _ = std::fs::write(at(name), "");
        }
        let found = matches_of(&folder.path().join("**/*.csv")).unwrap();
        assert_eq!(found, [at(b"b.csv"), at(b"in/a.csv")]);
    }
}
