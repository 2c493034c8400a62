//! Every statement of the paper's sections 3 and 4, computed.

use driftline::Cancel;
use driftline::prelude::Seed;
use driftline::theory::claims;
use driftline_report::theory_html;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{reported, told};
use crate::interrupt::work;

/// The claims as JSON, and the page about them.
#[pyfunction]
pub fn theory(py: Python<'_>, ids: Vec<String>, seed: u64) -> PyResult<(String, String)> {
    let all = || claims::STATEMENTS.iter().map(|statement| statement.id);
    let mut chosen: Vec<&str> = vec![];
    for id in &ids {
        let part = format!("{id}-");
        let before = chosen.len();
        chosen.extend(all().filter(|one| one == id || one.starts_with(&part)));
        if chosen.len() == before {
            return Err(told(claims::unknown(id)));
        }
    }
    if ids.is_empty() {
        chosen = all().collect();
    }
    let found = work(py, &Cancel::new(), || {
        claims::check_each(&chosen, Seed::new(seed))
    })?;
    Ok((
        json!(found).to_string(),
        theory_html(&found).map_err(reported)?,
    ))
}
