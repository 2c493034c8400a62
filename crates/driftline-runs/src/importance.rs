//! Permutation importance (Breiman 2001): what a model loses when one column's values are shuffled among the rows. On the
//! source by its labels; on a window, which has none, by how many rows get another class.

use std::ops::Range;

use super::record::Importance;
use driftline_adapt::Version;
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Labels, Layout};
use driftline_core::random::{Seed, permutation};
use driftline_models::Classifier;

/// Rows of each that are looked at, evenly spaced: enough to tell columns apart, and cheap beside a step.
const ROWS: usize = 300;

/// Of each of these inputs, together with the others of its column. The source is in the model's frame already; the window
/// is brought there by the version's alignment.
pub(super) fn importance(
    source: &LabeledDomain,
    window: &Inputs,
    layout: &Layout,
    inputs: &[usize],
    version: &Version,
) -> Result<Vec<Importance>> {
    let source = source.pick(&spaced(source.len()));
    let window = window.pick(&spaced(window.len()));
    let columns = inputs.iter().map(|&input| column_of(layout, input));
    let columns: Vec<Range<usize>> = columns.collect();
    // The rows as they are first, then one set for each column.
    let sets = |rows: &Inputs| -> Result<Vec<Inputs>> {
        let apart = columns.iter().map(|column| shuffled(rows, column.clone()));
        std::iter::once(Ok(rows.clone())).chain(apart).collect()
    };
    let decided = |model: &dyn Classifier, rows: &Inputs| -> Result<Vec<Labels>> {
        let all = model.assess_each(&sets(rows)?)?;
        Ok(all.into_iter().map(|(labels, _)| labels).collect())
    };
    let on_source = decided(&version.model, source.inputs())?;
    let on_window = decided(version, &window)?;
    let right = |labels: &Labels| labels.agreement(source.labels()).estimate().unwrap_or(0.0);
    let same = |labels: &Labels| on_window[0].agreement(labels).estimate().unwrap_or(1.0);
    let apart = on_source.iter().zip(&on_window).skip(1);
    Ok(apart
        .map(|(source, window)| Importance {
            source: right(&on_source[0]) - right(source),
            window: 1.0 - same(window),
        })
        .collect())
}

fn spaced(rows: usize) -> Vec<usize> {
    let n = rows.min(ROWS);
    (0..n).map(|place| place * rows / n).collect()
}

/// The inputs of the column that `input` belongs to.
fn column_of(layout: &Layout, input: usize) -> Range<usize> {
    let group = layout.one_hot.iter().find(|group| group.contains(&input));
    let marked = layout.marked.iter().map(|&at| at..at + 2);
    let marked = || marked.clone().find(|pair| pair.contains(&input));
    group.cloned().or_else(marked).unwrap_or(input..input + 1)
}

/// The same rows with these inputs from other rows.
fn shuffled(rows: &Inputs, column: Range<usize>) -> Result<Inputs> {
    let order = permutation(rows.len(), Seed::new(0).named("importance"));
    let mut values = rows.contiguous().into_owned();
    let width = rows.shape().size();
    for (row, &other) in values.chunks_exact_mut(width).zip(&order) {
        row[column.clone()].copy_from_slice(&rows.row(other)[column.clone()]);
    }
    Inputs::new(values, rows.shape())
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::{Examples, Shape};
    use driftline_models::trees::TreesLearner;
    use driftline_models::{AnyLearner, Learner};

    /// The class is the first of three inputs, as a category of two; the last input is noise.
    #[test]
    fn what_decides_matters_and_noise_does_not() {
        let layout = Layout {
            one_hot: std::iter::once(0..2).collect(),
            marked: vec![],
        };
        let row = |row: usize| {
            let class = (row / 3 % 2) as f32;
            [1.0 - class, class, (row * 37 % 101) as f32]
        };
        let inputs = Inputs::new((0..200).flat_map(row).collect(), Shape::Vector(3)).unwrap();
        let labels = Labels::new((0..200).map(|row| row / 3 % 2).collect(), 2).unwrap();
        let source = LabeledDomain::new(inputs.clone(), labels).unwrap();
        let source = source.with_layout(layout.clone());
        let learner = AnyLearner::from(TreesLearner::default());
        let model = learner.fit(&Examples::from(&source), Seed::new(0)).unwrap();
        let version = Version::source(model);
        let found = importance(&source, &inputs, &layout, &[1, 2], &version).unwrap();
        assert!(found[0].source > 0.3 && found[0].window > 0.3, "{found:?}");
        assert_eq!((found[1].source, found[1].window), (0.0, 0.0));
    }
}
