//! Labelers inside labelers, and the labelled rows that those without memory begin with.

use std::sync::Arc;

use super::{Labeled, Labeler, PseudoLabeling};
use crate::adapt::parts::{Chosen, Named};
use crate::adapt::registry::{LabelerParts, Registry};
use crate::adapt::{Context, Version};
use crate::data::{Domain, Examples, Fraction};
use crate::models::neighbours::NeighboursModel;
use crate::{Error, Result};

/// One of the library's labelers by its name. `teacher` alone keeps every row.
pub(super) fn nested(named: &Named<LabelerParts>) -> Result<Chosen<dyn Labeler>> {
    if named.name == "teacher" && named.settings.is_null() {
        let teacher = PseudoLabeling::paper(Fraction::new(0.0)?);
        return Ok(Chosen::new("teacher", Arc::new(teacher) as _));
    }
    Registry::default().labeler(named)
}

/// Rows that a labeler inside has kept, and their classes.
pub(super) struct Kept {
    pub labeled: Labeled,
    pub rows: Vec<usize>,
    pub classes: Vec<usize>,
}

/// Asks a labeler whose memory stands behind `prefix`.
pub(super) fn ask(
    labeler: &Chosen<dyn Labeler>,
    now: &Context<'_>,
    window: &Domain,
    prefix: &str,
) -> Result<Kept> {
    let teacher = Version {
        labeler: now.teacher.labeler.part(prefix),
        ..now.teacher.clone()
    };
    let now = Context {
        teacher: &teacher,
        ..*now
    };
    let labeled = labeler.label(&now, window)?;
    let (rows, classes) = match (&labeled.examples, &labeled.kept_rows) {
        (None, _) => (vec![], vec![]),
        (Some(examples), Some(rows)) => (rows.clone(), hard(examples)),
        (Some(examples), None) if examples.len() == window.len() => {
            ((0..window.len()).collect(), hard(examples))
        }
        _ => {
            return Err(Error::NotSupported {
                what: format!(
                    "the labeler `{}`, which does not tell the rows it keeps,",
                    labeler.name()
                ),
                how: "used inside another".into(),
            });
        }
    };
    Ok(Kept {
        labeled,
        rows,
        classes,
    })
}

/// The labelled source, where it is at hand; else what a model of nearest neighbours holds.
pub(super) fn labeled(now: &Context<'_>) -> Result<Examples> {
    match now.source {
        Some(source) => Ok(Examples::from(source)),
        None => match now.teacher.model.downcast::<NeighboursModel>() {
            Some(model) => model.examples(),
            None => Err(Error::SourceMissing),
        },
    }
}

/// The class of each row.
pub(super) fn hard(examples: &Examples) -> Vec<usize> {
    let mut row = vec![0.0; examples.n_classes()];
    let mut class = |index: usize| {
        examples.targets().write_row(index, &mut row);
        crate::data::argmax(&row)
    };
    (0..examples.len()).map(&mut class).collect()
}
