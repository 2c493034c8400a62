//! The page of the theory: an overview of all statements, then a section for each with its explanation and its chart.

mod drawings;

use driftline_theory::claims::Claim;

use crate::Result;
use crate::page::{self, Grid, Section};

/// All statements on one page.
pub fn theory_html(claims: &[Claim]) -> Result<String> {
    let mut sections = vec![overview(claims)];
    sections.extend(claims.iter().map(section));
    page::html("The theory, computed", &sections)
}

/// The chart of every statement that has one, as the name and the contents of an SVG file.
pub fn theory_figure_files(claims: &[Claim]) -> Vec<(String, String)> {
    let figures = claims.iter().filter_map(drawings::figure);
    figures
        .map(|figure| (format!("{}.svg", figure.name), figure.standalone()))
        .collect()
}

fn overview(claims: &[Claim]) -> Section {
    let held = claims.iter().filter(|claim| claim.holds).count();
    let all = claims.len();
    let mut grid = Grid::new("", 5, "|Statement|Predicted|Computed|Holds");
    for claim in claims {
        let holds = if claim.holds {
            "✓\u{a0}yes"
        } else {
            "✗\u{a0}no"
        };
        let (predicted, computed) = (&*claim.predicted, &*claim.computed);
        let cells = [claim.id, claim.title, predicted, computed, holds];
        grid.rows.push(cells.map(String::from).to_vec());
    }
    Section {
        id: "overview".into(),
        title: "Overview".into(),
        outcome: format!("{held} of {all} statements hold as we read them."),
        results: grid.if_any(),
        ..Section::default()
    }
}

fn section(claim: &Claim) -> Section {
    let mut grid = Grid::new("", 2, "Predicted|Computed");
    grid.rows = vec![vec![claim.predicted.clone(), claim.computed.clone()]];
    Section {
        id: format!("s{}", claim.id),
        title: format!("{} · {}", claim.id, claim.title),
        outcome: claim.explanation.clone(),
        verdict: Some(if claim.holds {
            ("holds", "✓ Holds".into())
        } else {
            ("fails", "✗ Does not hold".into())
        }),
        results: grid.if_any(),
        figures: drawings::figure(claim).into_iter().collect(),
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::random::Seed;
    use driftline_theory::claims::check_each;

    /// Atoms on a line, atoms in the plane, and curves.
    #[test]
    fn every_kind_of_chart_is_well_formed() {
        let claims = check_each(&["A.8", "3.1", "3.4-two-step"], Seed::new(0)).unwrap();
        let page = theory_html(&claims).unwrap();
        assert!(page.contains("3 of 3 statements hold"));
        let files = theory_figure_files(&claims);
        assert_eq!(files.len(), claims.len());
        for (name, svg) in files {
            let parsed = roxmltree::Document::parse(&svg).unwrap();
            let ids = parsed.root_element().attribute("aria-labelledby").unwrap();
            for id in ids.split(' ') {
                assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{name}");
            }
        }
    }
}
