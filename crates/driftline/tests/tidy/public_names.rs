//! No two public types of the library have one name: whoever reads `Plan` or `Filter` need not ask which.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, files};

const LIBRARY: &str = "crates/driftline/src";

/// The types that a file declares for others.
fn declared(text: &str) -> Vec<&str> {
    let kinds = ["pub struct ", "pub enum ", "pub trait ", "pub type "];
    let lines = text.lines().filter_map(|line| {
        let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
        rest.split(|c: char| !c.is_alphanumeric() && c != '_')
            .next()
    });
    lines.collect()
}

/// (first part of the path, name) for all that `pub use` hands on from a module's own parts.
fn handed_on(text: &str) -> Vec<(String, String)> {
    let mut found = vec![];
    for statement in text.split("\npub use ").skip(1) {
        let path: String = statement.chars().take_while(|&c| c != ';').collect();
        let Some((first, _)) = path.split_once("::") else {
            continue;
        };
        let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
        let names = words.filter(|word| word.starts_with(char::is_uppercase));
        found.extend(names.map(|name| (first.to_owned(), name.to_owned())));
    }
    found
}

/// What a module makes public: itself by `pub mod`, its parts' types by `pub use`.
fn visit(
    file: &str,
    folder: &str,
    sources: &[Source],
    places: &mut BTreeMap<String, BTreeSet<String>>,
) {
    let Some(source) = sources.iter().find(|source| source.path == file) else {
        return;
    };
    for name in declared(&source.text) {
        let place = places.entry(name.to_owned()).or_default();
        place.insert(file.to_owned());
    }
    for (first, name) in handed_on(&source.text) {
        let (one, many) = (format!("{folder}/{first}.rs"), format!("{folder}/{first}/"));
        let parts = sources.iter().filter(|source| {
            let below = source.path == one || source.path.starts_with(&many);
            below && declared(&source.text).contains(&&*name)
        });
        let parts: Vec<String> = parts.map(|source| source.path.clone()).collect();
        places.entry(name).or_default().extend(parts);
    }
    let modules = source.text.lines().filter_map(|line| {
        let rest = line.strip_prefix("pub mod ")?;
        rest.strip_suffix(';')
    });
    for module in modules {
        let folder = format!("{folder}/{module}");
        visit(&format!("{folder}.rs"), &folder, sources, places);
        visit(&format!("{folder}/mod.rs"), &folder, sources, places);
    }
}

#[test]
fn no_two_public_types_share_a_name() {
    let sources = files(LIBRARY, "rs");
    let mut places = BTreeMap::new();
    visit(&format!("{LIBRARY}/lib.rs"), LIBRARY, &sources, &mut places);
    assert!(places.len() > 200, "{} public types", places.len());
    let twice = places.iter().filter(|(_, files)| files.len() > 1);
    let names: Vec<&str> = twice.clone().map(|(name, _)| &**name).collect();
    assert!(names.is_empty(), "{:#?}", twice.collect::<Vec<_>>());
}
