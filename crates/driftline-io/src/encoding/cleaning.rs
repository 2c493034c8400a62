//! Cleaning of a table's columns: those that hardly vary in the source are dropped, and it is said which.

use super::{Cleaning, EncodeOptions, Feature};
use crate::columns::list;
use crate::{NoteCode, Notes};
use driftline_core::data::Variation;

/// The features that stay, and what was done. If none varied, all stay: a model needs inputs.
pub(super) fn clean(
    fitted: Vec<(Feature, Variation)>,
    how: EncodeOptions,
    notes: &mut Notes,
) -> (Vec<(Feature, Variation)>, Cleaning) {
    let mut cleaning = Cleaning {
        dropped: vec![],
        usual: vec![],
        clip: how.clip(),
    };
    let kept = how.kept(fitted.iter().map(|(_, variation)| *variation));
    let mut staying = vec![];
    for (one, kept) in fitted.into_iter().zip(kept) {
        match kept {
            true => staying.push(one),
            false => cleaning.dropped.push(one.0.name),
        }
    }
    let names = || list(cleaning.dropped.iter().map(String::as_str));
    notes.add(
        NoteCode::ColumnsDropped,
        "",
        cleaning.dropped.len() as u64,
        || {
            format!(
                "columns that hardly vary in the source (fewer than 2 % of its rows differ from the median) are left out: {}",
                names()
            )
        },
    );
    (staying, cleaning)
}
