//! Models and learners whose kind is chosen at run time: by a flag, a file, or somebody else's crate.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::arrays::Array;
use super::linear::MarginModel;
use super::onnx::{Graph, Node};
use super::{Classifier, Learner, Runtime};
use crate::data::{Examples, Fraction, Inputs, Labels, Positive, Probabilities, Shape};
use crate::random::Seed;
use crate::{Error, Result};

/// A classifier that can be trained on, stored and exported. Only `kind` has no default.
pub trait Model: Classifier + Any + fmt::Debug {
    /// The name that its learner is registered by.
    fn kind(&self) -> &str;

    /// All that predicting and training on depend on, the optimiser's memory included.
    fn store(&self) -> Result<Stored> {
        Err(Error::NotSupported {
            what: format!("a model of kind `{}`", self.kind()),
            how: "stored".into(),
        })
    }

    /// Adds its nodes to an ONNX graph, from the inputs to the probabilities.
    fn onnx(&self, _graph: &mut Graph, _input: Node) -> Result<Node> {
        Err(Error::NotSupported {
            what: format!("a model of kind `{}`", self.kind()),
            how: "exported as ONNX".into(),
        })
    }

    /// The same model computing in another way; `None` where that makes no difference.
    fn with_runtime(&self, _runtime: &Runtime) -> Result<Option<AnyModel>> {
        Ok(None)
    }

    /// (1 − share)·own + share·other, weight by weight; the optimiser's memory stays its own.
    fn averaged(&self, _other: &AnyModel, _share: Fraction) -> Result<AnyModel> {
        Err(Error::NotSupported {
            what: format!("a model of kind `{}`", self.kind()),
            how: "averaged with another".into(),
        })
    }

    /// How many numbers were learned; 0 where nobody counts.
    fn n_parameters(&self) -> usize {
        0
    }
}

/// A model as it is stored: what its arrays are to be taken for, and the arrays.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    pub description: Value,
    pub arrays: Vec<Array>,
}

/// Any model.
#[derive(Clone, Debug)]
pub struct AnyModel(Arc<dyn Model>);

/// (1 − share)·own + share·other, number by number.
pub(super) fn mix(own: &mut [f32], other: &[f32], share: Fraction) {
    let share = share.get() as f32;
    for (own, other) in own.iter_mut().zip(other) {
        *own += share * (other - *own);
    }
}

/// A learner of any kind, as an object: implement [`Learner`] and [`NamedLearner`] rather than this, unless the models
/// come from elsewhere (another language, a cache).
pub trait DynLearner: Send + Sync + fmt::Debug {
    fn kind(&self) -> &str;

    /// Everything that decides what is learned: part of an experiment's identity and of a model file.
    fn settings(&self) -> Value;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel>;

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel>;

    /// See [`Learner::refit_anchored`].
    fn refit_anchored(
        &self,
        _start: &AnyModel,
        _examples: &Examples,
        _anchor: Positive,
        _seed: Seed,
    ) -> Result<AnyModel> {
        Err(Error::NotSupported {
            what: format!("a model of kind `{}`", self.kind()),
            how: "anchored to the last weights".into(),
        })
    }

    /// The same model with the optimiser's memory cleared.
    fn forget(&self, model: &AnyModel) -> AnyModel {
        model.clone()
    }

    /// See [`Learner::tuned`]; `None` where nothing is chosen on data.
    fn tuned(&self, _source: &Examples, _seed: Seed) -> Result<Option<AnyLearner>> {
        Ok(None)
    }

    /// The same learner computing in another way; `None` where that makes no difference.
    fn with_runtime(&self, _runtime: &Runtime) -> Option<AnyLearner> {
        None
    }

    /// Whether roundings depend on the instruction set.
    fn depends_on_isa(&self) -> bool {
        false
    }

    /// About how many multiply-adds a whole training takes per example: for estimates of time.
    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        3.0 * (shape.size() * n_classes) as f64
    }
}

/// A learner that can be named in a file and whose models can be stored.
pub trait NamedLearner:
    Learner<Model: Model> + Serialize + serde::de::DeserializeOwned + fmt::Debug + 'static
{
    const KIND: &'static str;

    /// The model that was stored so; the message says what is wrong otherwise.
    fn restore(
        _description: &Value,
        _arrays: &mut super::Arrays<'_>,
    ) -> Result<Self::Model, String> {
        Err(format!("models of kind `{}` are not stored", Self::KIND))
    }

    /// See [`DynLearner::depends_on_isa`].
    fn depends_on_isa(&self) -> bool {
        false
    }

    /// See [`DynLearner::work`].
    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        3.0 * (shape.size() * n_classes) as f64
    }
}

/// Any learner. As text it is its kind with its settings.
#[derive(Clone, Debug)]
pub struct AnyLearner(Arc<dyn DynLearner>);

impl AnyModel {
    pub fn new(model: impl Model) -> Self {
        Self(Arc::new(model))
    }

    pub fn kind(&self) -> &str {
        self.0.kind()
    }

    /// Whether they are one object: a cheap test, where a difference costs nothing but time.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The model itself, if it is of this type.
    pub fn downcast<M: Model>(&self) -> Option<&M> {
        let any: &dyn Any = &*self.0;
        any.downcast_ref()
    }

    pub fn store(&self) -> Result<Stored> {
        self.0.store()
    }

    pub fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        self.0.onnx(graph, input)
    }

    pub fn n_parameters(&self) -> usize {
        self.0.n_parameters()
    }

    /// (1 − share)·own + share·other, weight by weight.
    pub fn averaged(&self, other: &AnyModel, share: Fraction) -> Result<Self> {
        self.0.averaged(other, share)
    }

    /// The same model, computing in another way.
    pub fn with_runtime(&self, runtime: &Runtime) -> Result<Self> {
        Ok(self
            .0
            .with_runtime(runtime)?
            .unwrap_or_else(|| self.clone()))
    }
}

impl AnyLearner {
    pub fn of(learner: impl DynLearner + 'static) -> Self {
        Self(Arc::new(learner))
    }

    pub fn kind(&self) -> &str {
        self.0.kind()
    }

    pub fn settings(&self) -> Value {
        self.0.settings()
    }

    pub fn depends_on_isa(&self) -> bool {
        self.0.depends_on_isa()
    }

    pub fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        self.0.work(shape, n_classes)
    }
}

impl<L: NamedLearner> From<L> for AnyLearner {
    fn from(learner: L) -> Self {
        Self::of(learner)
    }
}

impl<L: NamedLearner> DynLearner for L {
    fn kind(&self) -> &str {
        L::KIND
    }

    fn settings(&self) -> Value {
        serde_json::to_value(self).expect("settings have string keys only")
    }

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        Learner::fit(self, examples, seed).map(AnyModel::new)
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        let start = start.downcast().ok_or(Error::NoWarmStart)?;
        Learner::refit(self, start, examples, seed).map(AnyModel::new)
    }

    fn refit_anchored(
        &self,
        start: &AnyModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<AnyModel> {
        let start = start.downcast().ok_or(Error::NoWarmStart)?;
        Learner::refit_anchored(self, start, examples, anchor, seed).map(AnyModel::new)
    }

    /// A model of another kind has no memory that this learner could clear.
    fn forget(&self, model: &AnyModel) -> AnyModel {
        model.downcast().map_or_else(
            || model.clone(),
            |own| AnyModel::new(Learner::forget(self, own)),
        )
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Option<AnyLearner>> {
        Ok(Some(Learner::tuned(self, source, seed)?.into()))
    }

    fn with_runtime(&self, runtime: &Runtime) -> Option<AnyLearner> {
        Some(Learner::with_runtime(self.clone(), runtime).into())
    }

    fn depends_on_isa(&self) -> bool {
        NamedLearner::depends_on_isa(self)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        NamedLearner::work(self, shape, n_classes)
    }
}

impl Learner for AnyLearner {
    type Model = AnyModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.0.fit(examples, seed)
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.0.refit(start, examples, seed)
    }

    fn refit_anchored(
        &self,
        start: &AnyModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<AnyModel> {
        self.0.refit_anchored(start, examples, anchor, seed)
    }

    fn forget(&self, model: &AnyModel) -> AnyModel {
        self.0.forget(model)
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<Self> {
        Ok(self.0.tuned(source, seed)?.unwrap_or_else(|| self.clone()))
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        self.0.with_runtime(runtime).unwrap_or(self)
    }
}

impl Classifier for AnyModel {
    fn shape(&self) -> Shape {
        self.0.shape()
    }

    fn n_classes(&self) -> usize {
        self.0.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.0.probabilities(inputs)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.0.assess(inputs)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.0.features(inputs)
    }

    fn takes(&self, shape: Shape) -> bool {
        self.0.takes(shape)
    }

    fn margin(&self) -> Option<MarginModel> {
        self.0.margin()
    }
}

/// Models are equal when they would be stored alike; those that cannot be stored, when they are one.
impl PartialEq for AnyModel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.kind() == other.kind()
                && self.n_parameters() == other.n_parameters()
                && matches!((self.store(), other.store()), (Ok(a), Ok(b)) if a == b)
    }
}

impl PartialEq for AnyLearner {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.settings() == other.settings()
    }
}

impl Serialize for AnyLearner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.kind(), self.settings())])
    }
}
