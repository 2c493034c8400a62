//! A chart together with the words around it.

use serde::Serialize;

use super::svg::Svg;
use super::{STYLE, WIDTH};

#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// For files.
    pub name: String,
    pub title: String,
    pub svg: String,
    pub caption: String,
    /// A smaller one that belongs under it.
    pub under: Option<Box<Figure>>,
}

impl Figure {
    /// Puts a chart into words. `page` begins the identifier on the page; `facts` are told, after the caption, to those who cannot see the chart.
    pub fn draw(
        page: &str,
        name: &str,
        title: &str,
        caption: impl Into<String>,
        facts: &str,
        chart: Svg,
    ) -> Self {
        let caption = caption.into();
        let description = format!("{caption} {facts}");
        Self {
            name: name.into(),
            title: title.into(),
            svg: chart.finish(&format!("{page}-{name}"), title, description.trim()),
            caption,
            under: None,
        }
    }

    /// The chart as the contents of a file: with the style sheet inside and a size for programs that need one.
    pub fn standalone(&self) -> String {
        let width = format!("class=\"chart\" width=\"{}\"", 1.5 * WIDTH);
        let sized = self.svg.replacen("class=\"chart\"", &width, 1);
        sized.replacen("</desc>", &format!("</desc><style>\n{STYLE}</style>"), 1) + "\n"
    }
}
