//! The tables of the paper, each put together from the experiments that belong to it.

use std::collections::BTreeSet;

use driftline_lab::experiment::{Check, Contrast, ResultTable, Store};
use serde_json::{Value, json};

use super::library::{Contrasted, Library, verdict};
use super::selected_experiments::SelectedExperiment;
use crate::failure::Result;
use crate::output::{self, Cell};

/// One table with its cells in the order of the files.
#[derive(Debug, Default)]
pub struct PaperTable {
    pub name: String,
    pub cells: Vec<Cell>,
    pub notes: Vec<String>,
    pub checks: Vec<Check>,
    pub contrasts: Vec<Contrasted>,
}

/// The wanted cells, also those of which nothing is finished.
pub fn collect(
    shown: &[(&SelectedExperiment, &Store)],
    library: &Library<'_>,
) -> Result<Vec<PaperTable>> {
    let mut tables: Vec<PaperTable> = Vec::new();
    for (experiment, store) in shown {
        let name = experiment.table();
        let place = tables.iter().position(|table| table.name == name);
        let place = place.unwrap_or_else(|| {
            tables.push(PaperTable {
                name: name.into(),
                ..PaperTable::default()
            });
            tables.len() - 1
        });
        let table = &mut tables[place];
        table.cells.extend(cells(experiment, store));
        for note in &experiment.plan.notes {
            if !table.notes.contains(note) {
                table.notes.push(note.clone());
            }
        }
        table.checks.extend(experiment.checks(store));
        table.contrasts.extend(library.contrast(&experiment.plan)?);
    }
    Ok(tables)
}

fn cells(experiment: &SelectedExperiment, store: &Store) -> Vec<Cell> {
    let wanted = experiment.keys.iter().map(|key| (key.dataset, key.method));
    let wanted: BTreeSet<(usize, usize)> = wanted.collect();
    let plan = &experiment.plan;
    let results = ResultTable::of(store);
    let cell = |(dataset, method): &(usize, usize)| {
        let (dataset, method) = (&plan.datasets[*dataset].name, &plan.methods[*method].name);
        Cell {
            dataset: dataset.clone(),
            method: method.clone(),
            row: results.row(dataset, method).cloned(),
            printed: plan.expected.cell(dataset, method).cloned(),
        }
    };
    wanted.iter().map(cell).collect()
}

pub fn json(tables: &[PaperTable]) -> Value {
    let table = |table: &PaperTable| {
        let rows: Vec<Value> = table.cells.iter().map(Cell::json).collect();
        json!({ "table": table.name, "rows": rows, "notes": table.notes, "checks": output::checks(&table.checks) })
    };
    json!({ "tables": tables.iter().map(table).collect::<Vec<_>>() })
}

pub fn text(tables: &[PaperTable]) -> String {
    let table = |table: &PaperTable| {
        let mut text = format!("{}\n{}\n", title(&table.name), output::grid(&table.cells));
        for note in &table.notes {
            text += &format!(" note: {note}\n");
        }
        for check in &table.checks {
            text += &format!(" {check}\n");
        }
        for contrast in &table.contrasts {
            text += &contrasted(contrast);
        }
        text
    };
    let tables: Vec<String> = tables.iter().map(table).collect();
    tables.join("\n")
}

/// Method by method: this experiment minus the other one.
fn contrasted(contrast: &Contrasted) -> String {
    if contrast.rows.is_empty() {
        return String::new();
    }
    let row = |row: &Contrast| {
        let points = output::signed_with_interval(&row.difference);
        format!("{} {points} ({})", row.method, verdict(&row.difference))
    };
    let rows: Vec<String> = contrast.rows.iter().map(row).collect();
    let (here, with, rows) = (&contrast.here, &contrast.with, rows.join(", "));
    let claim = contrast.claim.as_ref();
    let claim = claim.map(|claim| format!("; the claim is that {claim}"));
    format!(
        " {here}, against {with}: {rows}{}\n",
        claim.unwrap_or_default()
    )
}

/// `Table 1`, but `mixing`.
fn title(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("Table {name}")
    } else {
        name.to_owned()
    }
}
