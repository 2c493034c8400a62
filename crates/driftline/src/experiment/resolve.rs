//! From specification to plan: every fault of an experiment file that is more than a misspelt name is found here.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::dataset::RawData;
use super::expected::Expected;
use super::method::{CurriculumPlan, SelfTrainingMethod, StudentPlan};
use super::plan::{Plan, PlannedDataset, PlannedMethod, SMOKE_DIVISOR, Scale, at_most_two};
use super::read::nearest;
use super::spec::{
    ArchitectureSpec, CheckSpec, CurriculumSpec, LinearSpec, MethodSpec, ModelSpec,
    SelfTrainingSpec, Spec, TrainingSpec, WindowsSpec,
};
use crate::adapt::{PseudoLabeling, Starvation};
use crate::data::{Tail, Windowing};
use crate::models::any::AnyLearner;
use crate::models::linear::{LinearLearner, Penalty, Solver};
use crate::models::network::{Architecture, NetworkLearner};
use crate::models::training::Training;
use crate::{Error, Result};

fn fault(field: impl Into<String>, message: impl Into<String>) -> Error {
    Error::Experiment {
        field: field.into(),
        message: message.into(),
    }
}

pub(super) fn plan(spec: &Spec, expected: Expected, scale: Scale) -> Result<Plan> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if spec.name.is_empty() || !spec.name.chars().all(plain) {
        return Err(fault(
            "name",
            format!(
                "`{}` must consist of letters, digits and hyphens",
                spec.name
            ),
        ));
    }
    let seeds = distinct("seeds", &spec.seeds)?;
    let data_seeds = distinct("data-seeds", &spec.data_seeds)?;
    unique_names("datasets", spec.datasets.iter().map(|d| &*d.name))?;
    unique_names("methods", spec.methods.iter().map(|m| &*m.name))?;
    for dataset in &spec.datasets {
        dataset
            .data
            .check()
            .map_err(|error| fault(format!("datasets: {}", dataset.name), error.to_string()))?;
    }
    let smoke = scale == Scale::Smoke;
    let few = |list: Vec<u64>| {
        if smoke {
            list.into_iter().take(1).collect()
        } else {
            list
        }
    };
    let datasets: Vec<PlannedDataset> = spec
        .datasets
        .iter()
        .map(|dataset| PlannedDataset {
            name: dataset.name.clone(),
            data: if smoke {
                dataset.data.scaled_down(SMOKE_DIVISOR)
            } else {
                dataset.data.clone()
            },
            other_copy: None,
        })
        .collect();
    let methods = spec
        .methods
        .iter()
        .enumerate()
        .map(|(index, method)| {
            resolve_method(spec, method, &format!("methods[{index}]"), scale, &datasets)
        })
        .collect::<Result<Vec<_>>>()?;
    for (index, check) in spec.checks.iter().enumerate() {
        resolve_check(spec, check, &format!("checks[{index}]"))?;
    }
    Ok(Plan {
        name: spec.name.clone(),
        title: spec.title.clone(),
        table: spec.table.clone(),
        notes: spec.notes.clone(),
        scale,
        seeds: few(seeds),
        data_seeds: few(data_seeds),
        datasets,
        methods,
        checks: spec.checks.clone(),
        contrast: spec.contrast.clone(),
        expected,
        raw: if smoke {
            RawData::StandIns
        } else {
            RawData::None
        },
    })
}

fn distinct(field: &str, seeds: &[u64]) -> Result<Vec<u64>> {
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    match seeds.len() {
        0 => Err(fault(field, "at least one seed is needed")),
        n if n > sorted.len() => Err(fault(field, "every seed may stand only once")),
        _ => Ok(sorted),
    }
}

fn unique_names<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if name.trim().is_empty() || seen.contains(&name) {
            return Err(fault(
                field,
                format!("the name `{name}` is empty or stands twice"),
            ));
        }
        seen.push(name);
    }
    if seen.is_empty() {
        Err(fault(field, "at least one is needed"))
    } else {
        Ok(())
    }
}

fn resolve_method(
    spec: &Spec,
    method: &MethodSpec,
    at: &str,
    scale: Scale,
    datasets: &[PlannedDataset],
) -> Result<PlannedMethod> {
    let student_model = method.model.as_ref().unwrap_or(&spec.model);
    let own_source = method.source_model.as_ref().or(spec.source_model.as_ref());
    let training = method.training.as_ref().unwrap_or(&spec.training);
    let source_learner = learner(own_source.unwrap_or(student_model), training, at, scale)?;
    let curriculum = curriculum(&method.curriculum, &format!("{at}.curriculum"), scale)?;
    if let Some(windowing) = curriculum.windowing() {
        for dataset in datasets {
            let Some(examples) = dataset.data.stream_length() else {
                continue;
            };
            windowing.split(examples).map_err(|error| {
                fault(
                    format!("{at}.curriculum"),
                    format!("on `{}`: {error}", dataset.name),
                )
            })?;
        }
    }
    let student = match curriculum {
        CurriculumPlan::SourceOnly => None,
        _ => Some(student(
            learner(student_model, training, at, scale)?,
            &method.self_training,
            &spec.self_training,
            at,
        )?),
    };
    let method_plan = SelfTrainingMethod {
        source_learner,
        curriculum,
        student,
        there_and_back: method.there_and_back,
    };
    Ok(PlannedMethod {
        name: method.name.clone(),
        method: Arc::new(method_plan),
    })
}

/// The method's own settings, then the shared ones; what decides results must be given in one of them.
fn student(
    learner: AnyLearner,
    own: &SelfTrainingSpec,
    shared: &SelfTrainingSpec,
    at: &str,
) -> Result<StudentPlan> {
    fn given<T: Copy>(own: Option<T>, shared: Option<T>, at: &str, key: &str) -> Result<T> {
        own.or(shared).ok_or_else(|| {
            fault(
                format!("{at}.self-training"),
                format!("`{key}` must be given, here or in [self-training]"),
            )
        })
    }
    Ok(StudentPlan {
        learner,
        pseudo_labeling: PseudoLabeling {
            kind: given(own.labels, shared.labels, at, "labels")?,
            confidence: given(own.confidence, shared.confidence, at, "confidence")?,
            filter: given(own.filter, shared.filter, at, "filter")?,
            starvation: own
                .starvation
                .or(shared.starvation)
                .unwrap_or(Starvation::Proceed),
        },
        start: given(own.start, shared.start, at, "start")?,
        optimizer_state: given(
            own.optimizer_state,
            shared.optimizer_state,
            at,
            "optimizer-state",
        )?,
        replay: own.replay.or(shared.replay),
    })
}

fn learner(
    model: &ModelSpec,
    training: &TrainingSpec,
    at: &str,
    scale: Scale,
) -> Result<AnyLearner> {
    let epochs = if scale == Scale::Smoke {
        at_most_two(training.epochs)
    } else {
        training.epochs
    };
    let paper = Training::paper(epochs);
    let training = Training {
        batch_size: training.batch_size,
        optimizer: training.optimizer.unwrap_or(paper.optimizer),
        sharpness: training.sharpness,
        ..paper
    };
    match model {
        ModelSpec::Linear(spec) => linear(spec, training, at).map(AnyLearner::Linear),
        ModelSpec::Network(spec) => {
            let architecture = architecture(&spec.architecture);
            Ok(AnyLearner::Network(NetworkLearner::new(
                architecture,
                training,
            )))
        }
        ModelSpec::Margin(learner) => Ok(AnyLearner::Margin(*learner)),
    }
}

fn architecture(spec: &ArchitectureSpec) -> Architecture {
    match spec {
        ArchitectureSpec::PaperConv => Architecture::paper_conv(),
        ArchitectureSpec::UnregularizedConv => Architecture::unregularized_conv(),
        ArchitectureSpec::DeeperConv => Architecture::deeper_conv(),
        ArchitectureSpec::WiderConv(channels) => Architecture::wider_conv(*channels),
        ArchitectureSpec::ExtraDense(units) => Architecture::extra_dense(*units),
        ArchitectureSpec::Mlp => Architecture::mlp(),
        ArchitectureSpec::Layers(architecture) => architecture.clone(),
    }
}

fn linear(spec: &LinearSpec, training: Training, at: &str) -> Result<LinearLearner> {
    if training.sharpness.is_some() {
        return Err(fault(
            "training.sharpness",
            "goes with networks only; the linear model has no such step",
        ));
    }
    let penalty = match (spec.l2, spec.cross_validate) {
        (Some(l2), None) if l2.get() == 0.0 => Penalty::None,
        (Some(l2), None) => Penalty::L2(l2),
        (None, Some(search)) => Penalty::CrossValidated(search),
        _ => {
            return Err(fault(
                format!("{at}: model.linear"),
                "exactly one of `l2` (0 for none) and `cross-validate` must be given",
            ));
        }
    };
    let solver = spec
        .full_batch
        .map_or(Solver::MiniBatch(training), Solver::FullBatch);
    Ok(LinearLearner { solver, penalty })
}

fn curriculum(spec: &CurriculumSpec, at: &str, scale: Scale) -> Result<CurriculumPlan> {
    let repeats = |n: NonZeroUsize| {
        if scale == Scale::Smoke {
            at_most_two(n)
        } else {
            n
        }
    };
    Ok(match spec {
        CurriculumSpec::SourceOnly => CurriculumPlan::SourceOnly,
        CurriculumSpec::Target(spec) => CurriculumPlan::Target {
            repeats: repeats(spec.repeats),
        },
        CurriculumSpec::Pooled(spec) => CurriculumPlan::Pooled {
            repeats: repeats(spec.repeats),
            and_target: spec.and_target,
        },
        CurriculumSpec::Gradual(spec) => CurriculumPlan::Gradual {
            windowing: windowing(spec, at, scale)?,
            then_target: spec.then_target,
        },
        CurriculumSpec::Accumulate(spec) if spec.then_target => {
            return Err(fault(at, "`then-target` goes with `gradual` only"));
        }
        CurriculumSpec::Accumulate(spec) => CurriculumPlan::Accumulate {
            windowing: windowing(spec, at, scale)?,
        },
    })
}

fn windowing(spec: &WindowsSpec, at: &str, scale: Scale) -> Result<Windowing> {
    // Windows scaled down need not divide a stream scaled down, even where they do at full size.
    let strict = if scale == Scale::Smoke {
        Tail::Merge
    } else {
        Tail::Forbid
    };
    let tail = spec
        .tail
        .filter(|tail| *tail != Tail::Forbid)
        .unwrap_or(strict);
    let smaller = |n: usize| {
        if scale == Scale::Smoke {
            (n / SMOKE_DIVISOR).max(1)
        } else {
            n
        }
    };
    match (spec.window, spec.windows, &spec.boundaries) {
        (Some(window), None, None) => {
            let window = NonZeroUsize::new(smaller(window.get())).expect("at least 1");
            Ok(Windowing::Size(window, tail))
        }
        (None, Some(count), None) => Ok(Windowing::Count(count)),
        (None, None, Some(ends)) => {
            let mut ends: Vec<usize> = ends.iter().map(|&end| smaller(end)).collect();
            // Scaled down, windows may become empty; those of the file itself are checked as they stand.
            if scale == Scale::Smoke {
                ends.dedup();
            }
            Ok(Windowing::Boundaries(ends, tail))
        }
        _ => Err(fault(
            at,
            "exactly one of `window`, `windows` and `boundaries` must be given",
        )),
    }
}

fn resolve_check(spec: &Spec, check: &CheckSpec, at: &str) -> Result<()> {
    let methods = || spec.methods.iter().map(|m| &*m.name);
    let datasets = || spec.datasets.iter().map(|d| &*d.name);
    let known = |what: &str, name: &str, mut names: Vec<&str>| {
        if names.contains(&name) {
            return Ok(());
        }
        let hint = nearest(name, names.drain(..))
            .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
        Err(fault(at, format!("there is no {what} `{name}`{hint}")))
    };
    known("method", &check.method, methods().collect())?;
    if let Some(above) = &check.above {
        known("method", above, methods().collect())?;
    }
    if let Some(dataset) = &check.dataset {
        known("data set", dataset, datasets().collect())?;
    }
    let claims = [
        check.at_least.is_some(),
        check.at_most.is_some(),
        check.above.is_some(),
    ];
    if claims.into_iter().filter(|&given| given).count() != 1
        || (check.by.is_some() && check.above.is_none())
    {
        return Err(fault(
            at,
            "exactly one of `at-least`, `at-most` and `above` (with `by`) must be given",
        ));
    }
    Ok(())
}
