//! `order`: domains without time (sites, devices, files) put in the order of their drift from a labelled source.

use std::collections::BTreeMap;

use serde::Serialize;

use super::file_run::{FileRun, Start};
use super::fit::limited;
use driftline_adapt::{DomainOrder, Placed};
use driftline_core::data::Inputs;
use driftline_core::{Error, Result};
use driftline_io::{Notes, Rows, TableSource, read_all};
use driftline_models::Classifier;
use driftline_models::evaluate::kendall_tau;

/// How to tell domains apart and order them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FindOrder {
    /// Columns, model, seed and threads. Its folder and its windows are not used.
    pub adapt: FileRun,
    pub order: DomainOrder,
    /// The column that names each row's domain; without it every file is one.
    pub domains: Option<String>,
}

/// The order found.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct FoundOrder {
    pub domains: Vec<OrderedDomain>,
    /// Kendall's τ with the order in which the domains were given.
    pub tau: Option<f64>,
    pub notes: Notes,
}

/// One domain in its place.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OrderedDomain {
    pub name: String,
    pub rows: usize,
    /// Its place among the domains as given, from 1: as files, or by their first rows.
    pub given: usize,
    /// What placed it; see [`Placed::measure`].
    pub measure: f64,
}

impl FindOrder {
    pub fn new(adapt: FileRun) -> Self {
        Self {
            adapt,
            order: DomainOrder::default(),
            domains: None,
        }
    }

    /// Orders the domains of `stream`, which must fit into memory.
    pub fn run(&self, start: Start, stream: &dyn TableSource) -> Result<FoundOrder> {
        let runtime = self.adapt.runtime.clone();
        runtime.install(|| self.find(start, stream))
    }

    fn find(&self, start: Start, stream: &dyn TableSource) -> Result<FoundOrder> {
        let mut adapt = self.adapt.clone();
        // What names a domain is no feature, in the source either.
        adapt.choice.ids.splice(0..0, self.domains.clone());
        let ready = adapt.ready(start)?;
        let source = ready.rows().ok_or(Error::SourceMissing)?;
        let mut notes = Notes::new();
        let read = limited(&adapt.read, &adapt.runtime);
        let rows = read_all(stream, ready.encoding(), &adapt.choice, &read, &mut notes)?;
        let domains = self.domains(&rows);
        let inputs: Vec<Inputs> = (domains.iter())
            .map(|(_, members)| rows.inputs.pick(members))
            .collect();
        let model = match self.order.needs_model() {
            true => Some(ready.train()?.with_runtime(&adapt.runtime)?.version),
            false => None,
        };
        let model = model.as_ref().map(|version| version as &dyn Classifier);
        let placed = self.order.of(source.inputs(), &inputs, model)?;
        let given: Vec<usize> = placed.iter().map(|placed| placed.domain).collect();
        let named = |placed: &Placed| OrderedDomain {
            name: domains[placed.domain].0.clone(),
            rows: domains[placed.domain].1.len(),
            given: placed.domain + 1,
            measure: placed.measure,
        };
        Ok(FoundOrder {
            domains: placed.iter().map(named).collect(),
            tau: kendall_tau(&given),
            notes,
        })
    }

    /// Names and rows of the domains, in the order of their first rows.
    fn domains(&self, rows: &Rows) -> Vec<(String, Vec<usize>)> {
        let name = |row: usize| match (&self.domains, rows.ids.first()) {
            (Some(_), Some(column)) => column.values[row].clone(),
            _ => rows.origins.get(row).0.display().to_string(),
        };
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut domains: Vec<(String, Vec<usize>)> = vec![];
        for row in 0..rows.len() {
            let name = name(row);
            let place = *places.entry(name.clone()).or_insert(domains.len());
            if place == domains.len() {
                domains.push((name, vec![]));
            }
            domains[place].1.push(row);
        }
        domains
    }
}
