//! Every statement of the paper's sections 3 and 4, computed.

use driftline_core::Cancel;
use driftline_core::random::Seed;
use driftline_report::theory_html;
use driftline_theory::claims;
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
    let check = || claims::check_each(&chosen, Seed::new(seed));
    let found = work(py, &Cancel::new(), check)?;
    let page = theory_html(&found).map_err(reported)?;
    Ok((json!(found).to_string(), page))
}
