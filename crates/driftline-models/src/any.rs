//! Models and learners whose kind is chosen at run time: by a flag, a file, or somebody else's crate.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::classifier::{Classifier, Stored};
use super::learner::Learner;
use super::linear::MarginModel;
use super::onnx::{Graph, Node};
use super::runtime::Runtime;
use driftline_core::data::{Examples, Fraction, Inputs, Labels, Positive, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Any model, with the kind of its learner.
#[derive(Clone)]
pub struct AnyModel {
    kind: Arc<str>,
    model: Arc<dyn DynModel>,
}

/// Any learner. As text it is its kind with its settings.
#[derive(Clone, Debug)]
pub struct AnyLearner(Arc<dyn DynLearner>);

/// A [`Classifier`] as an object: what returns a model of its own type returns any model.
trait DynModel: Classifier + Any {
    fn with_runtime(&self, kind: &str, runtime: &Runtime) -> Result<Option<AnyModel>>;
    fn averaged(&self, kind: &str, other: &AnyModel, share: Fraction) -> Result<AnyModel>;
}

/// A [`Learner`] as an object, method by method.
trait DynLearner: Send + Sync + fmt::Debug {
    fn kind(&self) -> &str;
    fn settings(&self) -> Value;
    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel>;
    fn refit(
        &self,
        start: &AnyModel,
        examples: &Examples,
        anchor: Option<Positive>,
        seed: Seed,
    ) -> Result<AnyModel>;
    fn forget(&self, model: &AnyModel) -> AnyModel;
    fn replay_share(&self) -> Option<f64>;
    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner>;
    fn with_runtime(&self, runtime: &Runtime) -> AnyLearner;
    fn depends_on_isa(&self) -> bool;
    fn work(&self, shape: Shape, n_classes: usize) -> f64;
    fn is_foreign(&self) -> bool;
}

impl AnyModel {
    /// `kind` is its learner's; a model that is one of any kind already stays what it is.
    pub fn new<M: Classifier + Clone + 'static>(kind: &str, model: M) -> Self {
        let any: &dyn Any = &model;
        any.downcast_ref().cloned().unwrap_or_else(|| Self {
            kind: kind.into(),
            model: Arc::new(model),
        })
    }

    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Whether they are one object: a cheap test, where a difference costs nothing but time.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.model, &other.model)
    }

    /// The model itself, if it is of this type.
    pub fn downcast<M: 'static>(&self) -> Option<&M> {
        let (own, inside): (&dyn Any, &dyn Any) = (self, &*self.model);
        own.downcast_ref().or_else(|| inside.downcast_ref())
    }

    /// See [`Classifier::store`].
    pub fn store(&self) -> Result<Stored> {
        self.named(self.model.store())
    }

    /// The same model, computing in another way: one object still where that makes no difference.
    pub fn with_runtime(&self, runtime: &Runtime) -> Result<Self> {
        let other = Classifier::with_runtime(self, runtime)?;
        Ok(other.unwrap_or_else(|| self.clone()))
    }

    /// What a model cannot do is said with its kind.
    fn named<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|error| match error {
            Error::NotSupported { how, .. } => Error::NotSupported {
                what: format!("a model of kind `{}`", self.kind),
                how,
            },
            other => other,
        })
    }
}

impl AnyLearner {
    pub fn of(learner: impl Learner) -> Self {
        Self(Arc::new(learner))
    }

    pub fn kind(&self) -> &str {
        self.0.kind()
    }

    pub fn settings(&self) -> Value {
        self.0.settings()
    }
}

impl<L: Learner + DeserializeOwned> From<L> for AnyLearner {
    fn from(learner: L) -> Self {
        Self::of(learner)
    }
}

impl<M: Classifier + Clone + 'static> DynModel for M {
    fn with_runtime(&self, kind: &str, runtime: &Runtime) -> Result<Option<AnyModel>> {
        let other = Classifier::with_runtime(self, runtime)?;
        Ok(other.map(|model| AnyModel::new(kind, model)))
    }

    fn averaged(&self, kind: &str, other: &AnyModel, share: Fraction) -> Result<AnyModel> {
        let other = other.downcast().ok_or(Error::NoWarmStart)?;
        let averaged = Classifier::averaged(self, other, share)?;
        Ok(AnyModel::new(kind, averaged))
    }
}

impl<L: Learner> DynLearner for L {
    fn kind(&self) -> &str {
        Learner::kind(self)
    }

    fn settings(&self) -> Value {
        serde_json::to_value(self).expect("settings have string keys only")
    }

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        let model = Learner::fit(self, examples, seed)?;
        Ok(AnyModel::new(Learner::kind(self), model))
    }

    fn refit(
        &self,
        start: &AnyModel,
        examples: &Examples,
        anchor: Option<Positive>,
        seed: Seed,
    ) -> Result<AnyModel> {
        let start = start.downcast().ok_or(Error::NoWarmStart)?;
        let model = match anchor {
            None => Learner::refit(self, start, examples, seed),
            Some(anchor) => self.refit_anchored(start, examples, anchor, seed),
        };
        Ok(AnyModel::new(Learner::kind(self), model?))
    }

    /// A model of another kind has no memory that this learner could clear.
    fn forget(&self, model: &AnyModel) -> AnyModel {
        model.downcast().map_or_else(
            || model.clone(),
            |own| AnyModel::new(Learner::kind(self), Learner::forget(self, own)),
        )
    }

    fn replay_share(&self) -> Option<f64> {
        Learner::replay_share(self)
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        Learner::tuned(self, source, seed)
    }

    fn with_runtime(&self, runtime: &Runtime) -> AnyLearner {
        AnyLearner::of(Learner::with_runtime(self.clone(), runtime))
    }

    fn depends_on_isa(&self) -> bool {
        Learner::depends_on_isa(self)
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        Learner::work(self, shape, n_classes)
    }

    fn is_foreign(&self) -> bool {
        Learner::is_foreign(self)
    }
}

impl Learner for AnyLearner {
    const KIND: &'static str = "any";

    type Model = AnyModel;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.0.fit(examples, seed)
    }

    fn refit(&self, start: &AnyModel, examples: &Examples, seed: Seed) -> Result<AnyModel> {
        self.0.refit(start, examples, None, seed)
    }

    fn refit_anchored(
        &self,
        start: &AnyModel,
        examples: &Examples,
        anchor: Positive,
        seed: Seed,
    ) -> Result<AnyModel> {
        self.0.refit(start, examples, Some(anchor), seed)
    }

    fn forget(&self, model: &AnyModel) -> AnyModel {
        self.0.forget(model)
    }

    fn replay_share(&self) -> Option<f64> {
        self.0.replay_share()
    }

    fn tuned(&self, source: &Examples, seed: Seed) -> Result<AnyLearner> {
        self.0.tuned(source, seed)
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        self.0.with_runtime(runtime)
    }

    fn depends_on_isa(&self) -> bool {
        self.0.depends_on_isa()
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        self.0.work(shape, n_classes)
    }

    fn is_foreign(&self) -> bool {
        self.0.is_foreign()
    }

    fn kind(&self) -> &str {
        self.0.kind()
    }
}

impl Classifier for AnyModel {
    fn shape(&self) -> Shape {
        self.model.shape()
    }

    fn n_classes(&self) -> usize {
        self.model.n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        self.model.probabilities(inputs)
    }

    fn assess(&self, inputs: &Inputs) -> Result<(Labels, Probabilities)> {
        self.model.assess(inputs)
    }

    fn assess_each(&self, sets: &[Inputs]) -> Result<Vec<(Labels, Probabilities)>> {
        self.model.assess_each(sets)
    }

    fn features(&self, inputs: &Inputs) -> Result<Option<Inputs>> {
        self.model.features(inputs)
    }

    fn takes(&self, shape: Shape) -> bool {
        self.model.takes(shape)
    }

    fn margin(&self) -> Option<MarginModel> {
        self.model.margin()
    }

    fn store(&self) -> Result<Stored> {
        self.store()
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        self.named(self.model.onnx(graph, input))
    }

    fn n_parameters(&self) -> usize {
        self.model.n_parameters()
    }

    fn with_runtime(&self, runtime: &Runtime) -> Result<Option<Self>> {
        DynModel::with_runtime(&*self.model, &self.kind, runtime)
    }

    fn averaged(&self, other: &Self, share: Fraction) -> Result<Self> {
        self.named(DynModel::averaged(&*self.model, &self.kind, other, share))
    }
}

impl fmt::Debug for AnyModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyModel({}, {})", self.kind, self.shape())
    }
}

/// Models are equal when they would be stored alike; those that cannot be stored, when they are one.
impl PartialEq for AnyModel {
    fn eq(&self, other: &Self) -> bool {
        self.is(other)
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
