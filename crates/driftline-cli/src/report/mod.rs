//! The report of one or several experiment folders: one HTML file that needs nothing else, and a Markdown twin with
//! the same words and numbers.

mod chart;
mod curves;
mod events;
mod explain;
mod figures;
mod grid;
mod markdown;
mod numbers;
mod provenance;
mod results;
mod section;
mod settings;
#[cfg(test)]
mod tests;
mod theory;

use driftline::datasets::Cache;
use driftline::experiment::{Store, Table};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};

pub use explain::explain;
use section::Section;

/// A page for one or several experiments; their data are drawn too where they are in `cache`.
pub fn html(stores: &[Store], cache: Option<&Cache>) -> Result<String, minijinja::Error> {
    let sections = sections(stores, cache);
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    // The name ends in .html, so that everything is escaped but the charts, which escape what they write.
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.get_template("page.html")?.render(context! {
        title => title(&sections),
        style => include_str!("page.css"),
        chart_style => chart::STYLE,
        version => env!("CARGO_PKG_VERSION"),
        sections => Serde(&sections),
    })
}

/// The same without pictures, for places that show text.
pub fn markdown(stores: &[Store]) -> String {
    let sections = sections(stores, None);
    markdown::page(&title(&sections), &sections)
}

/// Every figure of an experiment as the name and the contents of a file.
pub fn figure_files(store: &Store, cache: Option<&Cache>) -> Vec<(String, String)> {
    let name = &store.manifest().name;
    figures::all(store, &Table::of(store), name, cache)
        .into_iter()
        .map(|figure| {
            let file = format!("{name}-{}.svg", figure.name);
            (file, chart::standalone(&figure.svg))
        })
        .collect()
}

fn sections(stores: &[Store], cache: Option<&Cache>) -> Vec<Section> {
    let section = |(index, store)| Section::of(store, index + 1, cache);
    stores.iter().enumerate().map(section).collect()
}

fn title(sections: &[Section]) -> String {
    match sections {
        [only] => only.title.clone(),
        _ => format!("{} experiments", sections.len()),
    }
}
