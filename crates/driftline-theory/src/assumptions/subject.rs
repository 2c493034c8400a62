//! What the checker may know of the models: linear scores of two classes, or nothing that the theory speaks of.

use driftline_core::Result;
use driftline_core::data::{AnswerKey, Benchmark, Domain, Inputs, LabeledDomain, Stream, Task};
use driftline_models::linear::MarginModel;

/// The models of a drift.
#[derive(Clone, Debug)]
pub enum Subject<'a> {
    /// The source model, then the model after each window, as far as there are any.
    Linear(&'a [MarginModel]),
    /// Not linear in the inputs, with the reason: distances are measured all the same.
    Opaque(&'a str),
}

/// The same benchmark seen through features, such as a network's last hidden layer: what the theory then speaks of is
/// the last layer on these features.
pub fn featurize(
    benchmark: &Benchmark,
    features: impl Fn(&Inputs) -> Result<Inputs>,
) -> Result<Benchmark> {
    let labeled = |domain: &LabeledDomain| {
        LabeledDomain::new(features(domain.inputs())?, domain.labels().clone())
    };
    let task = Task {
        source: labeled(&benchmark.task.source)?,
        intermediate: Stream::new(features(benchmark.task.intermediate.inputs())?),
        target_pool: Domain::new(features(&benchmark.task.target_pool.domain()?.inputs)?).into(),
    };
    let answers = AnswerKey {
        held_out_source: labeled(&benchmark.answers.held_out_source)?,
        intermediate: benchmark.answers.intermediate.clone(),
        target: labeled(&benchmark.answers.target)?,
    };
    Benchmark::new(task, answers)
}
