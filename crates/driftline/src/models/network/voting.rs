//! Several networks that vote: the probabilities are the mean of the members', summed in their order. Members differ by
//! their seeds alone; each learns from what all of them together have labelled.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file::Description;
use super::spec::NetworkSpec;
use super::{Network, NetworkLearner};
use crate::data::{Examples, Inputs, Probabilities, Shape};
use crate::models::onnx::{self, Graph, Node};
use crate::models::training::Training;
use crate::models::{
    AnyLearner, AnyModel, Arrays, Classifier, Learner, Model, NamedLearner, Runtime, Stored,
};
use crate::random::Seed;
use crate::{Error, Result};

/// More members than this stand in no file that is meant well.
const MOST_MEMBERS: usize = 64;

/// Trains several networks of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VotingLearner {
    pub members: NonZeroUsize,
    pub network: NetworkLearner,
}

/// Networks that vote.
#[derive(Clone, Debug, PartialEq)]
pub struct Voting {
    members: Vec<Network>,
}

/// Voting networks as a file says it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct VotingSpec {
    /// How many vote, at most 64.
    pub members: NonZeroUsize,
    /// What each of them is.
    pub network: NetworkSpec,
}

impl VotingSpec {
    pub(crate) fn learner(settings: &Value, training: &Training) -> Result<AnyLearner> {
        let fault = |message: String| Error::Experiment {
            field: "model.voting".into(),
            message,
        };
        let spec: Self =
            serde_json::from_value(settings.clone()).map_err(|error| fault(error.to_string()))?;
        if spec.members.get() > MOST_MEMBERS {
            return Err(fault(format!(
                "{} members are too many; at most {MOST_MEMBERS} may vote",
                spec.members
            )));
        }
        Ok(VotingLearner {
            members: spec.members,
            network: spec.network.network(training),
        }
        .into())
    }
}

impl Voting {
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

impl VotingLearner {
    /// One network after another, each with a seed of its own.
    fn each(&self, train: impl Fn(usize) -> Result<Network>) -> Result<Voting> {
        let members = (0..self.members.get()).map(train).collect::<Result<_>>()?;
        Ok(Voting { members })
    }
}

impl Learner for VotingLearner {
    type Model = Voting;

    fn fit(&self, examples: &Examples, seed: Seed) -> Result<Voting> {
        self.each(|member| self.network.fit(examples, seed.named("member").nth(member)))
    }

    fn refit(&self, start: &Voting, examples: &Examples, seed: Seed) -> Result<Voting> {
        if start.members.len() != self.members.get() {
            return Err(Error::NoWarmStart);
        }
        self.each(|member| {
            let seed = seed.named("member").nth(member);
            self.network.refit(&start.members[member], examples, seed)
        })
    }

    fn forget(&self, model: &Voting) -> Voting {
        let members = model.members.iter().map(|one| self.network.forget(one));
        Voting {
            members: members.collect(),
        }
    }

    fn with_runtime(self, runtime: &Runtime) -> Self {
        let network = self.network.with_runtime(runtime);
        Self { network, ..self }
    }
}

impl Classifier for Voting {
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
}

impl Model for Voting {
    fn kind(&self) -> &str {
        VotingLearner::KIND
    }

    fn store(&self) -> Result<Stored> {
        let description: Vec<Description> = self.members.iter().map(Network::description).collect();
        let arrays = self.members.iter().enumerate();
        Ok(Stored {
            description: serde_json::to_value(description)
                .expect("a description has string keys only"),
            arrays: arrays
                .flat_map(|(index, member)| member.arrays(&format!("{index}.")))
                .collect(),
        })
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

    fn with_runtime(&self, runtime: &Runtime) -> Result<Option<AnyModel>> {
        let members = self.members.iter().cloned();
        let members = members.map(|member| Network::with_runtime(member, runtime));
        let members = members.collect::<Result<_>>()?;
        Ok(Some(AnyModel::new(Self { members })))
    }

    fn n_parameters(&self) -> usize {
        self.members.iter().map(Model::n_parameters).sum()
    }
}

impl NamedLearner for VotingLearner {
    const KIND: &'static str = "voting";

    fn restore(
        description: &Value,
        arrays: &mut Arrays<'_>,
    ) -> std::result::Result<Voting, String> {
        let members = Vec::<Description>::deserialize(description)
            .map_err(|error| format!("the description cannot be read: {error}"))?;
        if members.len() > MOST_MEMBERS {
            return Err(format!("has {} members that vote", members.len()));
        }
        let members = members.into_iter().enumerate().map(|(index, description)| {
            Network::restore(description, arrays, &format!("{index}."))
        });
        let members = members.collect::<std::result::Result<_, _>>()?;
        Voting::new(members).map_err(|error| error.to_string())
    }

    fn depends_on_isa(&self) -> bool {
        true
    }

    fn work(&self, shape: Shape, n_classes: usize) -> f64 {
        self.members.get() as f64 * self.network.work(shape, n_classes)
    }
}
