//! Notes on standard error: each once, however many windows it came up in, and few of a kind.

use std::collections::BTreeMap;

use driftline_io::{Note, NoteCode};

use crate::output;
use crate::verbosity::Verbosity;

/// This many notes of a kind are told in full; the others are named in one line.
const SHOWN: usize = 3;
const NAMED: usize = 8;

/// Tells notes, unless asked to be quiet.
pub fn tell<'a>(notes: impl IntoIterator<Item = &'a Note>, verbosity: Verbosity) {
    let shown = match verbosity {
        Verbosity::Quiet => return,
        Verbosity::Normal => SHOWN,
        Verbosity::Verbose => usize::MAX,
    };
    for line in lines(notes, shown) {
        output::tell(&line);
    }
}

fn lines<'a>(notes: impl IntoIterator<Item = &'a Note>, shown: usize) -> Vec<String> {
    let mut kinds: BTreeMap<NoteCode, Vec<&Note>> = BTreeMap::new();
    for note in notes {
        kinds.entry(note.code).or_default().push(note);
    }
    let mut lines = vec![];
    for (_, notes) in kinds {
        let (first, others) = notes.split_at(shown.min(notes.len()));
        lines.extend(first.iter().map(|note| line(note)));
        if !others.is_empty() {
            let names = others.iter().take(NAMED);
            let mut names: Vec<String> = names.map(|note| format!("`{}`", note.about)).collect();
            if others.len() > NAMED {
                names.push("…".into());
            }
            let (count, names) = (others.len(), names.join(", "));
            let line = format!("note: the same of {count} more: {names} (-v tells all)");
            lines.push(line);
        }
    }
    lines
}

fn line(note: &Note) -> String {
    match note.advice() {
        Some(advice) => format!("note: {note} ({})", output::in_flags(&advice)),
        None => format!("note: {note}"),
    }
}

#[cfg(test)]
mod tests {
    use driftline_io::Notes;

    use super::*;

    #[test]
    fn many_notes_of_a_kind_become_one_line() {
        let mut notes = Notes::new();
        for column in 0..330 {
            let name = format!("c{column}");
            notes.add(NoteCode::Imputed, &name, 2, || {
                format!("column `{name}` was filled")
            });
        }
        notes.add(NoteCode::Tail, "", 1, || "a tail".into());
        let told = lines(notes.as_slice(), SHOWN);
        assert_eq!(told.len(), 5, "{told:?}");
        assert!(
            told[3].starts_with("note: the same of 327 more: `c3`, `c4`"),
            "{told:?}"
        );
        assert_eq!(lines(notes.as_slice(), usize::MAX).len(), 331);
    }
}
