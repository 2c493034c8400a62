//! The one page that every report is: sections of text, tables and charts, as HTML or as Markdown.

mod card;
mod grid;
mod markdown;
mod section;
pub mod settings;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, context};

pub use card::Card;
pub use grid::Grid;
pub use markdown::page as markdown;
pub use section::Section;

use crate::{Result, chart};

pub fn html(title: &str, sections: &[Section]) -> Result<String> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    // The name ends in .html, so that everything is escaped but the charts, which escape what they write.
    environment.add_template("page.html", include_str!("page.html"))?;
    let page = environment.get_template("page.html")?.render(context! {
        title,
        style => include_str!("page.css"),
        chart_style => chart::STYLE,
        version => env!("CARGO_PKG_VERSION"),
        sections => Serde(sections),
    })?;
    Ok(page)
}

/// The title of the only section, or how many `things` there are.
pub fn title(sections: &[Section], things: &str) -> String {
    match sections {
        [only] => only.title.clone(),
        _ => format!("{} {things}", sections.len()),
    }
}
