//! driftline keeps a classifier accurate while its data drift, with no new labels or with very few.
//!
//! You have a labelled source and a time-ordered stream of unlabelled rows that moves away from it. An [`Adapter`] trains a
//! model on the source, follows the stream window by window, and decides without labels whether each new version may be used.
//!
//! ```
//! use driftline::prelude::*;
//!
//! # fn main() -> driftline::Result<()> {
//! // Two kinds of machine, told apart by vibration and temperature; the sensors drift upwards.
//! let reading = |i: usize| [(i % 2 * 4) as f32 + (i * 7 % 13) as f32 / 13.0 + i as f32 / 500.0, (i * 5 % 11) as f32];
//! let labelled: Vec<[f32; 2]> = (0..300).map(reading).collect();
//! let kinds: Vec<&str> = (0..300).map(|i| ["pump", "fan"][i % 2]).collect();
//! let stream: Vec<[f32; 2]> = (300..2300).map(reading).collect();
//! let today: Vec<[f32; 2]> = (2300..2600).map(reading).collect();
//!
//! let mut adapter = Adapter::auto().window(200).fit(&labelled, &kinds)?;
//! let before = adapter.score(&today, &kinds)?;
//! adapter.adapt(&stream)?;
//! let after = adapter.score(&today, &kinds)?;
//! println!("{before} → {after}");
//! # assert!(before.estimate() < Some(0.6) && after.estimate() > Some(0.95), "{before} {after}");
//! # Ok(())
//! # }
//! ```
//!
//! Files go through [`FileRun`], which writes a run folder. A model, a curriculum, an alignment, a labeler or a policy of your
//! own is a type and one line in a [`Registry`]: see [`models`] and [`parts`].
//!
//! The library prints nothing, reads no clock and no environment, and takes every random number from a
//! [`Seed`](random::Seed): the same call gives the same bytes for any number of threads.

#![deny(missing_docs)]

pub mod prelude;

/// Inputs, labels, windows: the nouns of the problem.
pub mod data {
    #[doc(inline)]
    pub use driftline_core::data::{
        Domain, Examples, Fraction, Inputs, LabeledDomain, Labels, NonNegative, Period, Positive,
        Probabilities, Proportion, Remainder, Shape, Tail, Targets, Time, Windowing,
    };
}

/// Seeds, which all randomness comes from.
pub mod random {
    #[doc(inline)]
    pub use driftline_core::random::Seed;
}

/// Tables, arrays and images as rows.
pub mod io {
    #[doc(inline)]
    pub use driftline_io::{
        Batch, Batches, Colour, Column, ColumnChoice, Encoding, Field, Files, ImageOptions,
        InputDigest, Kind, Limits, Note, NoteCode, Notes, Numbers, ReadOptions, RowFilter, Table,
        TableSource, Texts,
    };
}

/// Models, and what a model of your own implements.
pub mod models {
    #[doc(inline)]
    pub use driftline_models::evaluate::{Confusion, Interval, accuracy};
    #[doc(inline)]
    pub use driftline_models::{
        AnyLearner, AnyModel, Array, Arrays, Classifier, Learner, Runtime, Stored,
    };
}

/// The parts of the loop: curricula, alignments, labelers and policies, and what one of your own implements.
pub mod parts {
    #[doc(inline)]
    pub use driftline_adapt::policy::{Always, Never};
    #[doc(inline)]
    pub use driftline_adapt::{
        Accumulate, Aligned, Alignment, Candidate, Context, Curriculum, Decision, Estimate, Goat,
        Gradual, Labeled, Labeler, Labeling, Ordered, Overlapping, Part, PartSpec, Policy,
        PolicyOutcome, Pooled, Proposal, PseudoLabeling, SourceOnly, SourceStats, Stage, State,
        TargetOnly, Version, Windows,
    };
    #[doc(inline)]
    pub use driftline_guard::GuardConfig;
}

/// Runs on files and in memory, and the folders that they leave.
pub mod runs {
    #[doc(inline)]
    pub use driftline_runs::{
        AccuracySummary, Action, Adapter, AdapterBuilder, Asked, Audit, Audited, Basis, By,
        Compare, Comparison, Effect, FileRun, Fit, Format, Inspection, LabelFile, LateScore,
        MethodScore, ModelFile, Newest, Predict, Predicted, Prediction, Quantity, Reason, RollBack,
        RunFolder, RunManifest, RunSettings, Score, Start, Stepped, Verdict, Watch, WindowRecord,
        inspect, learn, predict, score, step,
    };
}

#[doc(inline)]
pub use driftline_core::{Cancel, Error, Result};
#[doc(inline)]
pub use driftline_runs::method::{Registry, Settings};
pub use runs::{Adapter, FileRun, Fit, Start};

/// The example of the README, which must compile.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
