//! From specification to plan: every fault of an experiment file that is more than a misspelt name is found here.

use std::sync::Arc;

use super::dataset::RawData;
use super::expected::Expected;
use super::resolved::{Experiment, ExperimentDataset, ExperimentMethod, SMOKE_DIVISOR, Scale};
use super::spec::{CheckSpec, MethodSpec, Spec};
use driftline_core::error::nearest;
use driftline_core::{Error, Result};
use driftline_runs::method::Registry;

pub(super) fn plan(
    spec: &Spec,
    expected: Expected,
    scale: Scale,
    registry: &Registry,
) -> Result<Experiment> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if spec.name.is_empty() || !spec.name.chars().all(plain) {
        return Err(Error::experiment(
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
        dataset.data.check().map_err(|error| {
            Error::experiment(format!("datasets: {}", dataset.name), error.to_string())
        })?;
    }
    let smoke = scale == Scale::Smoke;
    let few = |list: Vec<u64>| {
        if smoke {
            list.into_iter().take(1).collect()
        } else {
            list
        }
    };
    let datasets: Vec<ExperimentDataset> = spec
        .datasets
        .iter()
        .map(|dataset| ExperimentDataset {
            name: dataset.name.clone(),
            data: if smoke {
                dataset.data.scaled_down(SMOKE_DIVISOR)
            } else {
                dataset.data.clone()
            },
            other_copy: dataset.data.contents(),
        })
        .collect();
    let methods = spec
        .methods
        .iter()
        .enumerate()
        .map(|(index, method)| {
            let at = format!("methods[{index}]");
            resolve_method(spec, method, &at, scale, &datasets, registry)
        })
        .collect::<Result<Vec<_>>>()?;
    for (index, check) in spec.checks.iter().enumerate() {
        resolve_check(spec, check, &format!("checks[{index}]"))?;
    }
    Ok(Experiment {
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
        0 => Err(Error::experiment(field, "at least one seed is needed")),
        n if n > sorted.len() => Err(Error::experiment(field, "every seed may stand only once")),
        _ => Ok(sorted),
    }
}

fn unique_names<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen = Vec::new();
    for name in names {
        if name.trim().is_empty() || seen.contains(&name) {
            return Err(Error::experiment(
                field,
                format!("the name `{name}` is empty or stands twice"),
            ));
        }
        seen.push(name);
    }
    if seen.is_empty() {
        Err(Error::experiment(field, "at least one is needed"))
    } else {
        Ok(())
    }
}

fn resolve_method(
    spec: &Spec,
    method: &MethodSpec,
    at: &str,
    scale: Scale,
    datasets: &[ExperimentDataset],
    registry: &Registry,
) -> Result<ExperimentMethod> {
    let smaller = (scale == Scale::Smoke).then_some(SMOKE_DIVISOR);
    let settings = method.settings.clone().or(&spec.shared);
    let plan = settings.resolve(&method.name, registry, smaller);
    let plan = plan.map_err(|error| match error {
        Error::Experiment { field, message } if !field.is_empty() => {
            Error::experiment(format!("{at}.{field}"), message)
        }
        error => Error::experiment(at, error.to_string()),
    })?;
    if let Some(windowing) = plan.candidate.curriculum.windowing() {
        for dataset in datasets {
            let Some(examples) = dataset.data.stream_length() else {
                continue;
            };
            windowing.split(examples).map_err(|error| {
                Error::experiment(
                    format!("{at}.curriculum"),
                    format!("on `{}`: {error}", dataset.name),
                )
            })?;
        }
    }
    Ok(ExperimentMethod {
        name: method.name.clone(),
        method: Arc::new(plan),
    })
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
        Err(Error::experiment(
            at,
            format!("there is no {what} `{name}`{hint}"),
        ))
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
        return Err(Error::experiment(
            at,
            "exactly one of `at-least`, `at-most` and `above` (with `by`) must be given",
        ));
    }
    Ok(())
}
