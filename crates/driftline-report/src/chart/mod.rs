//! Our own SVG charts: scales and axes below, one kind of chart per file above. Nothing here knows of experiments;
//! colours are classes that `style.css` resolves, so that one chart serves light and dark pages.

pub mod axis;
pub mod decisions;
mod figure;
pub mod histograms;
pub mod images;
pub mod intervals;
pub mod lines;
pub mod panels;
pub mod plane;
mod rows;
pub mod scale;
pub mod strip;
mod svg;
pub mod tone;

pub use figure::Figure;
pub use svg::Svg;

/// The style sheet that every page with charts includes once.
pub const STYLE: &str = include_str!("style.css");

/// The width of a chart in user units: two stand side by side on a desk, one fits a telephone with legible text.
const WIDTH: f64 = 500.0;
