//! Trees as a model among the others. They do not go on from weights: every training, the first and each step, fits new
//! trees to all the examples it is given, in the bins that were found on the source.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::classifier::TreesModel;
use super::fold::Fold;
use super::settings::Settings;
use super::table::Table;
use super::weighted::Rows;
use crate::kinds::written;
use crate::training::Training;
use crate::{AnyLearner, Arrays, Classifier, Learner, Runtime};
use driftline_core::data::{Examples, Layout, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// What the whole source weighs beside a window, unless something else is said: as much as the window. A window alone has
/// no true label, and trees keep nothing of the model before them.
const REPLAY_SHARE: f64 = 1.0;

/// Trains [`TreesModel`]s.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub struct TreesLearner {
    pub settings: Settings,
    /// Which inputs belong to one column; until it is tuned on the source, what the examples say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// Not part of what is learned, hence not of any file.
    #[serde(skip)]
    runtime: Runtime,
}

impl TreesLearner {
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            ..Self::default()
        }
    }

    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        training.refuse_for_networks_only("gradient boosting")?;
        let settings = match settings {
            Value::Null => Settings::default(),
            given => written(Self::KIND, given)?,
        };
        Ok(Self::new(settings).into())
    }

    /// Fits in the bins of `start`, or in those of the examples.
    fn train(&self, start: Option<&TreesModel>, examples: &Examples) -> Result<TreesModel> {
        examples.expect_trainable()?;
        let shape = examples.inputs().shape();
        let layout = match start {
            Some(start) => &start.layout,
            None => self.layout.as_ref().unwrap_or(examples.layout()),
        };
        let fold = Fold::new(layout, shape.size())?;
        let rows = Rows::of(examples);
        let picked = rows.inputs(examples.inputs());
        let columns = fold.columns();
        let table = Table {
            values: &fold.apply(&picked),
            columns: &columns,
            labels: &rows.labels,
            n_classes: examples.n_classes(),
            weights: rows.weights.as_deref(),
        };
        let cancel = self.runtime.cancel();
        let trees = match start {
            Some(start) => {
                let bins = start.trees.binning().clone();
                self.settings.fit_in(bins, &table, cancel)?
            }
            None => self.settings.fit(&table, cancel)?,
        };
        Ok(TreesModel {
            input: shape,
            layout: layout.clone(),
            fold,
            trees,
        })
    }
}

impl Learner for TreesLearner {
    const KIND: &'static str = "trees";

    type Model = TreesModel;

    /// Nothing is drawn: the seed is not used.
    fn fit(&self, examples: &Examples, _: Seed) -> Result<TreesModel> {
        self.train(None, examples)
    }

    /// New trees in the bins of `start`; nothing else of it stays.
    fn refit(&self, start: &TreesModel, examples: &Examples, _: Seed) -> Result<TreesModel> {
        examples.inputs().expect_shape(start.shape())?;
        if examples.n_classes() != start.n_classes() {
            return Err(Error::mismatch(
                "the examples",
                format!("{} classes", start.n_classes()),
                examples.n_classes(),
            ));
        }
        self.train(Some(start), examples)
    }

    fn replay_share(&self) -> Option<f64> {
        Some(REPLAY_SHARE)
    }

    fn tuned(&self, source: &Examples, _: Seed) -> Result<AnyLearner> {
        let mut tuned = self.clone();
        tuned.layout.get_or_insert_with(|| source.layout().clone());
        Ok(tuned.into())
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let runtime = runtime.clone();
        Self { runtime, ..self }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<TreesModel, String> {
        TreesModel::restored(description, arrays)
    }

    /// Every round adds each value to a few histograms, once for each level of a tree.
    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        let outputs = if n_classes == 2 { 1 } else { n_classes };
        let levels = (self.settings.max_leaves.get() as f64).log2();
        self.settings.iterations.get() as f64 * levels * (shape.size() * outputs) as f64
    }
}
