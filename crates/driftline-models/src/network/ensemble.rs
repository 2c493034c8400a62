//! Several networks that vote: the probabilities are the mean of the members', summed in their order. Members differ by
//! their seeds alone; each learns from what all of them together have labelled.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file::Description;
use super::spec::NetworkSpec;
use super::{Network, NetworkLearner};
use crate::kinds::{written, wrong};
use crate::onnx::{self, Graph, Node};
use crate::training::Training;
use crate::{AnyLearner, Arrays, Classifier, Learner, Runtime, Stored};
use driftline_core::data::{Examples, Inputs, Probabilities, Shape};
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// More members than this stand in no file that is meant well.
const MOST_MEMBERS: usize = 64;

/// Trains several networks of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EnsembleLearner {
    pub members: NonZeroUsize,
    pub network: NetworkLearner,
}

/// Networks that vote.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    members: Vec<Network>,
}

/// An ensemble of networks as a file says it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EnsembleSpec {
    /// How many vote, at most 64.
    pub members: NonZeroUsize,
    /// What each of them is.
    pub network: NetworkSpec,
}

impl EnsembleSpec {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        let spec: Self = written(EnsembleLearner::KIND, settings)?;
        if spec.members.get() > MOST_MEMBERS {
            let many = format!(
                "{} members are too many; at most {MOST_MEMBERS} may vote",
                spec.members
            );
            return Err(wrong(EnsembleLearner::KIND, many));
        }
        Ok(EnsembleLearner {
            members: spec.members,
            network: spec.network.network(training),
        }
        .into())
    }
}

impl Ensemble {
    /// Networks that speak of the same inputs and classes.
    pub fn new(members: Vec<Network>) -> Result<Self> {
        let first = members
            .first()
            .ok_or_else(|| Error::empty("the list of voters"))?;
        let form = |member: &Network| (member.shape(), member.n_classes());
        if let Some(other) = members.iter().find(|other| form(other) != form(first)) {
            return Err(Error::mismatch(
                "a member that votes",
                format!("{} and {} classes", first.shape(), first.n_classes()),
                format!("{} and {} classes", other.shape(), other.n_classes()),
            ));
        }
        Ok(Self { members })
    }

    pub fn members(&self) -> &[Network] {
        &self.members
    }
}

impl EnsembleLearner {
    /// One network after another, each with a seed of its own.
    fn each(&self, train: impl Fn(usize) -> Result<Network>) -> Result<Ensemble> {
        let members = (0..self.members.get()).map(train).collect::<Result<_>>()?;
        Ok(Ensemble { members })
    }
}

impl Learner for EnsembleLearner {
    const KIND: &'static str = "voting";

    type Model = Ensemble;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<Ensemble> {
        self.each(|member| self.network.fit(examples, seed.named("member").nth(member)))
    }

    fn refit(&self, start: &Ensemble, examples: &Examples, seed: Seed) -> Result<Ensemble> {
        if start.members.len() != self.members.get() {
            return Err(Error::NoWarmStart);
        }
        self.each(|member| {
            let seed = seed.named("member").nth(member);
            self.network.refit(&start.members[member], examples, seed)
        })
    }

    fn forget(&self, model: &Ensemble) -> Ensemble {
        let members = model.members.iter().map(|one| self.network.forget(one));
        Ensemble {
            members: members.collect(),
        }
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let network = self.network.with_runtime(runtime);
        Self { network, ..self }
    }

    fn restore(description: &Value, arrays: &mut Arrays<'_>) -> Result<Ensemble, String> {
        let members: Vec<Description> = Stored::described(description)?;
        if members.len() > MOST_MEMBERS {
            return Err(format!("has {} members that vote", members.len()));
        }
        let members = members.into_iter().enumerate().map(|(index, description)| {
            Network::restore(description, arrays, &format!("{index}."))
        });
        let members = members.collect::<Result<_, _>>()?;
        Ensemble::new(members).map_err(|error| error.to_string())
    }

    fn depends_on_isa(&self) -> bool {
        true
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        self.members.get() as f64 * self.network.work(shape, n_classes)
    }
}

impl Classifier for Ensemble {
    fn shape(&self) -> Shape {
        self.members[0].shape()
    }

    fn n_classes(&self) -> usize {
        self.members[0].n_classes()
    }

    fn probabilities(&self, inputs: &Inputs) -> Result<Probabilities> {
        let mut sums = vec![0.0_f32; inputs.len() * self.n_classes()];
        for member in &self.members {
            let own = member.probabilities(inputs)?;
            for (sum, p) in sums.iter_mut().zip(own.iter().flatten()) {
                *sum += p;
            }
        }
        let share = 1.0 / self.members.len() as f32;
        sums.iter_mut().for_each(|sum| *sum *= share);
        Probabilities::new(sums, self.n_classes())
    }

    fn store(&self) -> Result<Stored> {
        let description: Vec<Description> = self.members.iter().map(Network::description).collect();
        let members = self.members.iter().enumerate();
        let arrays = members.flat_map(|(index, member)| member.arrays(&format!("{index}.")));
        Ok(Stored::new(&description, arrays.collect()))
    }

    fn onnx(&self, graph: &mut Graph, input: Node) -> Result<Node> {
        let members = self.members.iter().enumerate();
        let votes: Vec<Node> = members
            .map(|(index, member)| {
                onnx::network(graph, member, input.clone(), &format!("{index}."))
            })
            .collect();
        Ok(graph.node("Mean", &votes.iter().collect::<Vec<_>>(), &[]))
    }

    fn with_runtime(&self, runtime: &Runtime) -> Result<Option<Self>> {
        let members = self.members.iter().cloned();
        let members = members.map(|member| member.with_runtime(runtime));
        let members = members.collect::<Result<_>>()?;
        Ok(Some(Self { members }))
    }

    fn n_parameters(&self) -> usize {
        self.members.iter().map(Network::n_parameters).sum()
    }
}
