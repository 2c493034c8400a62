//! Writes SVG text: escaped, with short numbers that are always finite.

use std::fmt::Write;

use super::WIDTH;

/// What a chart is called, for readers who cannot see it.
#[derive(Clone, Copy, Debug)]
pub struct Heading<'a> {
    /// Unique on the page.
    pub id: &'a str,
    pub title: &'a str,
    pub description: &'a str,
}

/// A drawing that grows element by element.
#[derive(Debug)]
pub(super) struct Svg {
    text: String,
}

/// Where a text hangs on its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub fn new(heading: Heading<'_>, height: f64) -> Self {
        let Heading {
            id,
            title,
            description,
        } = heading;
        let id = escape(id);
        let mut svg = Self {
            text: String::new(),
        };
        svg.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 {} {}\" \
             aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>",
            short(WIDTH),
            short(height),
            escape(title),
            escape(description)
        ));
        svg
    }

    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>");
        self.text
    }

    /// Elements that share a class.
    pub fn group(&mut self, class: &str, draw: impl FnOnce(&mut Self)) {
        self.push(format_args!("<g class=\"{}\">", escape(class)));
        draw(self);
        self.text.push_str("</g>");
    }

    /// Elements in a coordinate system of their own.
    pub fn placed(&mut self, (x, y): (f64, f64), scale: f64, draw: impl FnOnce(&mut Self)) {
        let (x, y) = (short(x), short(y));
        self.push(format_args!(
            "<g transform=\"translate({x} {y}) scale({scale:.3})\">"
        ));
        draw(self);
        self.text.push_str("</g>");
    }

    /// Unit squares, each run of them given by its column, row and length.
    pub fn squares(
        &mut self,
        class: &str,
        opacity: f64,
        runs: impl Iterator<Item = (usize, usize, usize)>,
    ) {
        let run = |(x, y, n): (usize, usize, usize)| format!("M{x} {y}h{n}v1h-{n}z");
        let path: String = runs.map(run).collect();
        if !path.is_empty() {
            self.push(format_args!(
                "<path class=\"{}\" fill-opacity=\"{opacity:.2}\" d=\"{path}\"/>",
                escape(class)
            ));
        }
    }

    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let (x1, y1, x2, y2) = (short(x1), short(y1), short(x2), short(y2));
        self.push(format_args!(
            "<path class=\"{}\" d=\"M{x1} {y1}L{x2} {y2}\"/>",
            escape(class)
        ));
    }

    pub fn rectangle(&mut self, class: &str, (x, y): (f64, f64), width: f64, height: f64) {
        self.push(format_args!(
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
            escape(class),
            short(x),
            short(y),
            short(width.max(0.0)),
            short(height.max(0.0))
        ));
    }

    /// A rectangle that says `hint` when it is pointed at.
    pub fn hinted(&mut self, (x, y): (f64, f64), width: f64, height: f64, class: &str, hint: &str) {
        let (class, x, y) = (escape(class), short(x), short(y));
        let (width, height) = (short(width.max(0.5)), short(height));
        self.push(format_args!(
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\""
        ));
        self.close_with("rect", hint);
    }

    /// A circle that says `hint` when it is pointed at.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, hint: &str) {
        let (class, x, y, r) = (escape(class), short(x), short(y), short(radius));
        self.push(format_args!(
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\""
        ));
        self.close_with("circle", hint);
    }

    /// An open diamond: numbers that are not ours.
    pub fn diamond(&mut self, class: &str, (x, y): (f64, f64), radius: f64, hint: &str) {
        let (class, left, y, r) = (escape(class), short(x - radius), short(y), short(radius));
        self.push(format_args!(
            "<path class=\"{class}\" d=\"M{left} {y}l{r} -{r}l{r} {r}l-{r} {r}z\""
        ));
        self.close_with("path", hint);
    }

    pub fn polyline(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let path = path(points);
        if !path.is_empty() {
            self.push(format_args!(
                "<path class=\"{}\" d=\"{path}\"/>",
                escape(class)
            ));
        }
    }

    /// The area inside a closed line.
    pub fn area(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        let path = path(points);
        if !path.is_empty() {
            self.push(format_args!(
                "<path class=\"{}\" d=\"{path}z\"/>",
                escape(class)
            ));
        }
    }

    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        self.push(format_args!(
            "<text class=\"{}\" x=\"{}\" y=\"{}\"{anchor}>{}</text>",
            escape(class),
            short(x),
            short(y),
            escape(text)
        ));
    }

    fn close_with(&mut self, tag: &str, hint: &str) {
        if hint.is_empty() {
            self.text.push_str("/>");
        } else {
            self.push(format_args!("><title>{}</title></{tag}>", escape(hint)));
        }
    }

    fn push(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.text
            .write_fmt(arguments)
            .expect("a string takes any text");
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let step = if path.is_empty() { 'M' } else { 'L' };
        path += &format!("{step}{} {}", short(x), short(y));
    }
    path
}

/// A tenth of a unit is finer than any screen; a number that is none becomes 0 rather than an invalid chart.
fn short(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded.is_finite() && rounded != 0.0 {
        rounded.to_string()
    } else {
        "0".into()
    }
}

/// Text that is safe between tags and inside double quotes, in HTML and XML alike.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // XML has no way to say most control characters.
            c if c.is_control() || c == '\u{fffe}' || c == '\u{ffff}' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// About how wide a text of the charts' 12-unit font is.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * 6.6
}

/// The same for names, which are bold.
pub(super) fn bold_width_of(text: &str) -> f64 {
    1.12 * width_of(text)
}

/// `text`, or as much of its beginning as fits.
pub(super) fn fitted(text: &str, width: f64) -> String {
    if bold_width_of(text) <= width {
        return text.into();
    }
    let room = (width / bold_width_of("x")) as usize;
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_finite() {
        assert_eq!(short(12.345), "12.3");
        assert_eq!(short(-0.01), "0");
        assert_eq!(short(f64::NAN), "0");
        assert_eq!(short(f64::INFINITY), "0");
    }

    #[test]
    fn nothing_breaks_out_of_a_text() {
        assert_eq!(escape("a<b>&\"c'\u{0}"), "a&lt;b&gt;&amp;&quot;c&#39; ");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(fitted("Gradual ST", 74.0), "Gradual ST");
        assert_eq!(fitted("Gradual ST", 45.0), "Gradu…");
    }
}
