//! Labelers inside labelers, and the labelled rows that those without memory begin with.

use std::sync::Arc;

use super::{Labeled, Labeler, PseudoLabeling};
use crate::parts::{NamedPart, PartSpec};
use crate::{Context, Version};
use crate::{LabelerParts, PartKind, find};
use driftline_core::data::{Domain, Examples, Fraction};
use driftline_core::{Error, Result};
use driftline_models::neighbours::NeighboursModel;

/// One of the library's labelers by its name. `teacher` alone keeps every row.
pub(super) fn nested(named: &PartSpec<LabelerParts>) -> Result<NamedPart<dyn Labeler>> {
    if named.name == "teacher" && named.settings.is_null() {
        let teacher = PseudoLabeling::paper(Fraction::new(0.0)?);
        return Ok(NamedPart::new("teacher", Arc::new(teacher) as _));
    }
    let makers = LabelerParts::makers();
    find(LabelerParts::WHAT, &makers, &named.name, &named.settings)
}

/// Rows that a labeler inside has kept, and their classes.
pub(super) struct Kept {
    pub labeled: Labeled,
    pub rows: Vec<usize>,
    pub classes: Vec<usize>,
}

/// Asks a labeler whose memory stands behind `prefix`.
pub(super) fn ask(
    labeler: &NamedPart<dyn Labeler>,
    ctx: &Context<'_>,
    window: &Domain,
    prefix: &str,
) -> Result<Kept> {
    let teacher = Version {
        labeler: ctx.teacher.labeler.part(prefix),
        ..ctx.teacher.clone()
    };
    let ctx = Context {
        teacher: &teacher,
        ..*ctx
    };
    let labeled = labeler.label(&ctx, window)?;
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
pub(super) fn labeled(ctx: &Context<'_>) -> Result<Examples> {
    match ctx.source {
        Some(source) => Ok(Examples::from(source)),
        None => match ctx.teacher.model.downcast::<NeighboursModel>() {
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
        driftline_core::data::argmax(&row)
    };
    (0..examples.len()).map(&mut class).collect()
}
