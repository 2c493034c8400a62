//! Results as people read them: sentences, report pages and charts. Pages are single HTML files that need nothing else,
//! each with a Markdown twin of the same words and numbers. The crate prints nothing and reads no clock, so that every
//! front end (the program today) shows the same page.

pub mod assumptions;
mod chart;
mod error;
mod experiment;
#[cfg(feature = "fleet")]
mod fleet;
mod numbers;
mod page;
mod run;
mod theory;
pub mod words;

pub use error::{Error, Result};
pub use experiment::{figure_files, html, markdown};
#[cfg(feature = "fleet")]
pub use fleet::{fleet_html, fleet_outcome};
pub use run::{
    quoted as command_line, run_figure_files, run_html, run_html_called, runs_html, runs_markdown,
};
pub use theory::{theory_figure_files, theory_html};
