//! The one page that every report is: sections of text, tables and charts, as HTML or as Markdown.

mod card;
mod grid;
mod markdown;
mod section;
pub mod settings;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, HtmlEscape, context};

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
    environment.add_filter("coded", coded);
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

/// Text with what stands between backticks as code, everything else escaped.
fn coded(text: String) -> Value {
    let parts: Vec<&str> = text.split('`').collect();
    // One that has no partner is only a mark.
    let paired = parts.len() % 2 == 1;
    let part = |(place, part): (usize, &&str)| {
        let part = HtmlEscape(part).to_string();
        match place % 2 == 1 && paired {
            true => format!("<code>{part}</code>"),
            false => part,
        }
    };
    let parts = parts.iter().enumerate().map(part).collect::<Vec<_>>();
    Value::from_safe_string(parts.join(""))
}

/// The title of the only section, or how many `things` there are.
pub fn title(sections: &[Section], things: &str) -> String {
    match sections {
        [only] => only.title.clone(),
        _ => format!("{} {things}", sections.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_are_code_and_nothing_breaks_out() {
        let coded = |text: &str| coded(text.into()).to_string();
        assert_eq!(coded("`a<b` gains"), "<code>a&lt;b</code> gains");
        assert_eq!(coded("one ` alone & <i>"), "one  alone &amp; &lt;i&gt;");
    }
}
