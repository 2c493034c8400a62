//! Our own SVG charts: scales and axes below, one kind of chart per file above. Nothing here knows of experiments;
//! colours are classes that `style.css` resolves, so that one picture serves light and dark pages.

pub mod axis;
pub mod intervals;
pub mod lines;
mod panels;
pub mod pictures;
pub mod plane;
mod rows;
pub mod scale;
pub mod strip;
mod svg;
pub mod tone;

pub use svg::Heading;

/// The style sheet that every page with charts includes once.
pub const STYLE: &str = include_str!("style.css");

/// A chart as a file of its own: with the style sheet inside and a size for programs that need one.
pub fn standalone(chart: &str) -> String {
    let sized = chart.replacen(
        "class=\"chart\"",
        &format!("class=\"chart\" width=\"{}\"", 1.5 * WIDTH),
        1,
    );
    sized.replacen("</desc>", &format!("</desc><style>\n{STYLE}</style>"), 1) + "\n"
}

/// The width of a chart in user units: two stand side by side on a desk, one fits a telephone with legible text.
pub const WIDTH: f64 = 500.0;
