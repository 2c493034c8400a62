//! The learners that keep the contract. A new learner gets a test here, and nothing else.

use std::num::NonZeroUsize;

use driftline_core::data::{NonNegative, Positive, Shape};
use driftline_models::AnyLearner;
use driftline_models::frozen::FrozenEncoderLearner;
use driftline_models::hog::HogLearner;
use driftline_models::linear::{
    BiasRule, CrossValidation, FullBatch, LinearLearner, MarginLearner, NormBall, Penalty, Solver,
};
use driftline_models::loss::margin::MarginLoss;
use driftline_models::neighbours::NeighboursLearner;
use driftline_models::network::{Architecture, EnsembleLearner, NetworkLearner};
use driftline_models::training::Training;
use driftline_models::trees::TreesLearner;

use super::learner_laws::{Profile, learner_contract};

fn mini_batch(penalty: Penalty) -> LinearLearner {
    let training = Training::paper(NonZeroUsize::new(300).unwrap());
    LinearLearner::new(Solver::MiniBatch(training), penalty)
}

fn full_batch(penalty: Penalty) -> LinearLearner {
    LinearLearner::new(Solver::FullBatch(FullBatch::default()), penalty)
}

fn l2(lambda: f64) -> Penalty {
    Penalty::L2(NonNegative::new(lambda).unwrap())
}

const IMAGE: Shape = Shape::Image {
    height: 6,
    width: 5,
    channels: 3,
};

/// Sizes below, at and above the number of lanes; two classes and more; vectors and images.
fn profiles(full_batch: bool) -> impl Iterator<Item = Profile> {
    [
        (Shape::Vector(5), 2),
        (Shape::Vector(16), 3),
        (Shape::Vector(37), 2),
        (IMAGE, 4),
    ]
    .into_iter()
    .map(move |(shape, n_classes)| Profile {
        shape,
        n_classes,
        full_batch,
        slack: if full_batch { 1e-4 } else { 0.02 },
    })
}

#[test]
fn linear_in_mini_batches() {
    for profile in profiles(false) {
        learner_contract("linear, mini-batch, L2", &mini_batch(l2(0.002)), profile);
        learner_contract(
            "linear, mini-batch, no penalty",
            &mini_batch(Penalty::None),
            profile,
        );
    }
}

#[test]
fn linear_to_the_minimum() {
    for profile in profiles(true) {
        learner_contract("linear, full batch, L2", &full_batch(l2(0.01)), profile);
    }
}

#[test]
fn linear_cross_validated() {
    let search = Penalty::CrossValidated(CrossValidation::default());
    for profile in profiles(true).take(2) {
        // The fold that an example falls into depends on how many there are: laws about fixed settings use `tuned`.
        learner_contract(
            "linear, full batch, cross-validated",
            &full_batch(search),
            Profile {
                slack: 0.02,
                ..profile
            },
        );
    }
}

#[test]
fn any_learner() {
    for profile in profiles(false).take(2) {
        let any: AnyLearner = mini_batch(l2(0.002)).into();
        learner_contract("any: linear", &any, profile);
    }
}

#[test]
fn networks() {
    let training = Training::paper(NonZeroUsize::new(60).unwrap());
    let slack = 0.1;
    for profile in profiles(false) {
        let mlp = NetworkLearner::new(Architecture::mlp(), training);
        learner_contract("network, MLP", &mlp, Profile { slack, ..profile });
    }
    let conv = NetworkLearner::new(Architecture::paper_conv(), training);
    let image = Profile {
        shape: IMAGE,
        n_classes: 4,
        full_batch: false,
        slack,
    };
    learner_contract("network, conv", &conv, image);
    learner_contract("any network", &AnyLearner::from(conv), image);
    let residual = NetworkLearner::new(Architecture::residual(), training);
    learner_contract("network, residual", &residual, image);
}

#[test]
fn voting_networks() {
    let training = Training::paper(NonZeroUsize::new(60).unwrap());
    let voting = EnsembleLearner {
        members: NonZeroUsize::new(3).unwrap(),
        network: NetworkLearner::new(Architecture::mlp(), training),
    };
    for profile in profiles(false).take(2) {
        let profile = Profile {
            slack: 0.1,
            ..profile
        };
        learner_contract("voting, MLP", &voting, profile);
    }
}

#[test]
fn frozen_encoders() {
    let training = Training::paper(NonZeroUsize::new(60).unwrap());
    let slack = 0.1;
    for profile in profiles(false) {
        for head in [
            Architecture::linear(NonNegative::new(0.0).unwrap()),
            Architecture::mlp(),
        ] {
            let learner = FrozenEncoderLearner::new(Architecture::mlp(), head, training);
            learner_contract("frozen encoder", &learner, Profile { slack, ..profile });
        }
    }
}

/// One channel: histograms are of the mean of all, which would blur the laws' classes, as they lie in every third number.
#[test]
fn gradients() {
    let image = Profile {
        shape: Shape::Image {
            height: 14,
            width: 13,
            channels: 1,
        },
        n_classes: 3,
        full_batch: true,
        slack: 0.02,
    };
    let mut learner = HogLearner::default();
    learner.cell = NonZeroUsize::new(2).unwrap();
    learner.head = Some(full_batch(l2(0.001)));
    learner_contract("gradients", &learner, image);
}

#[test]
fn margin_models() {
    let class = NormBall::new(Positive::new(4.0).unwrap(), BiasRule::Free);
    for loss in [MarginLoss::Hinge, MarginLoss::Logistic] {
        let two_classes = profiles(true).filter(|profile| profile.n_classes == 2);
        for profile in two_classes {
            let learner = MarginLearner::new(loss, class);
            // The hinge loss has many minimisers on separable data: which one is found depends on the examples' order.
            let full_batch = loss == MarginLoss::Logistic;
            learner_contract(
                "margin",
                &learner,
                Profile {
                    slack: 0.02,
                    full_batch,
                    ..profile
                },
            );
        }
    }
}

#[test]
fn gradient_boosted_trees() {
    for profile in profiles(false) {
        let learner = TreesLearner::default();
        // A refit has the same examples in the same bins: nothing is added, nothing is lost.
        let profile = Profile {
            slack: 1e-6,
            ..profile
        };
        learner_contract("trees", &learner, profile);
        learner_contract("any trees", &AnyLearner::from(learner), profile);
    }
}

#[test]
fn nearest_neighbours() {
    for profile in profiles(false) {
        let three = NeighboursLearner::new(NonZeroUsize::new(3).unwrap());
        learner_contract("knn, three", &three, profile);
        learner_contract("knn, chosen", &NeighboursLearner::default(), profile);
        learner_contract("any knn", &AnyLearner::from(three), profile);
    }
}
