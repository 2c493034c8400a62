//! Hygiene of a table's columns: those that hardly vary in the source are dropped, and it is said which.

use super::statistics::Variation;
use super::{Cleaning, EncodeOptions, Feature};
use crate::data::Clip;
use crate::reading::columns::list;
use crate::reading::{NoteCode, Notes};

/// The features that stay, and what was done. If none varied, all stay: a model needs inputs.
pub(super) fn clean(
    fitted: Vec<(Feature, Variation)>,
    how: EncodeOptions,
    notes: &mut Notes,
) -> (Vec<(Feature, Variation)>, Cleaning) {
    let mut cleaning = Cleaning {
        dropped: vec![],
        clip: (how.standardize && how.hygiene.clip).then(Clip::default),
    };
    let varies = |(_, variation): &(Feature, Variation)| *variation == Variation::Some;
    if !how.hygiene.drop || !fitted.iter().any(varies) {
        return (fitted, cleaning);
    }
    let (kept, dropped): (Vec<_>, Vec<_>) = fitted.into_iter().partition(varies);
    cleaning.dropped = dropped
        .into_iter()
        .map(|(feature, _)| feature.name)
        .collect();
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
    (kept, cleaning)
}
