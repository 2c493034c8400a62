//! Writes SVG text: escaped, with short numbers that are always finite.

use std::fmt::{Arguments, Write};

use super::WIDTH;
use super::tone::Tone;

/// A drawing that grows element by element. A figure puts title and description around it.
#[derive(Debug)]
pub struct Svg {
    height: f64,
    body: String,
}

/// Where a text hangs on its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub(super) fn new(height: f64) -> Self {
        let body = String::new();
        Self { height, body }
    }

    /// The whole chart. `id` is unique on the page; title and description are for readers who cannot see the chart.
    pub(super) fn finish(&self, id: &str, title: &str, description: &str) -> String {
        let (id, title, description) = (escape(id), escape(title), escape(description));
        let (width, height, body) = (short(WIDTH), short(self.height), &self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" viewBox=\"0 0 {width} {height}\" \
             aria-labelledby=\"{id}-t {id}-d\"><title id=\"{id}-t\">{title}</title><desc id=\"{id}-d\">{description}</desc>\
             {body}</svg>"
        )
    }

    /// Elements that share a look.
    pub(super) fn group(&mut self, tone: Tone, draw: impl FnOnce(&mut Self)) {
        self.inside(format_args!("class=\"{}\"", tone.class()), draw);
    }

    /// Elements in a coordinate system of their own.
    pub(super) fn placed(&mut self, (x, y): (f64, f64), scale: f64, draw: impl FnOnce(&mut Self)) {
        let (x, y) = (short(x), short(y));
        let place = format_args!("transform=\"translate({x} {y}) scale({scale:.3})\"");
        self.inside(place, draw);
    }

    /// Unit squares, each run of them given by its column, row and length.
    pub(super) fn squares(
        &mut self,
        class: &str,
        opacity: f64,
        runs: impl Iterator<Item = (usize, usize, usize)>,
    ) {
        let run = |(x, y, n): (usize, usize, usize)| format!("M{x} {y}h{n}v1h-{n}z");
        let path: String = runs.map(run).collect();
        if !path.is_empty() {
            let attributes = format_args!("fill-opacity=\"{opacity:.2}\" d=\"{path}\"");
            self.element("path", class, attributes, "");
        }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.polyline(class, [from, to].into_iter());
    }

    /// Says `hint` when it is pointed at, as the shapes below do.
    pub(super) fn rectangle(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        hint: &str,
    ) {
        let (x, y, width, height) = (short(x), short(y), width.max(0.0), height.max(0.0));
        let (width, height) = (short(width), short(height));
        let place = format_args!("x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"");
        self.element("rect", class, place, hint);
    }

    pub(super) fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, hint: &str) {
        let (x, y, r) = (short(x), short(y), short(radius));
        let place = format_args!("cx=\"{x}\" cy=\"{y}\" r=\"{r}\"");
        self.element("circle", class, place, hint);
    }

    /// An open diamond: numbers that are not ours.
    pub(super) fn diamond(&mut self, class: &str, (x, y): (f64, f64), radius: f64, hint: &str) {
        let (left, y, r) = (short(x - radius), short(y), short(radius));
        let path = format_args!("d=\"M{left} {y}l{r} -{r}l{r} {r}l-{r} {r}z\"");
        self.element("path", class, path, hint);
    }

    pub(super) fn polyline(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        self.path(class, points, "");
    }

    /// The area inside a closed line.
    pub(super) fn area(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>) {
        self.path(class, points, "z");
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, text) = (short(x), short(y), escape(text));
        self.push(format_args!(
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{anchor}>{text}</text>"
        ));
    }

    fn path(&mut self, class: &str, points: impl Iterator<Item = (f64, f64)>, end: &str) {
        let mut path = String::new();
        for (x, y) in points {
            let step = if path.is_empty() { 'M' } else { 'L' };
            path += &format!("{step}{} {}", short(x), short(y));
        }
        if !path.is_empty() {
            self.element("path", class, format_args!("d=\"{path}{end}\""), "");
        }
    }

    fn inside(&mut self, attributes: Arguments<'_>, draw: impl FnOnce(&mut Self)) {
        self.push(format_args!("<g {attributes}>"));
        draw(self);
        self.body.push_str("</g>");
    }

    fn element(&mut self, tag: &str, class: &str, attributes: Arguments<'_>, hint: &str) {
        self.push(format_args!("<{tag} class=\"{class}\" {attributes}"));
        match hint {
            "" => self.body.push_str("/>"),
            hint => self.push(format_args!("><title>{}</title></{tag}>", escape(hint))),
        }
    }

    fn push(&mut self, text: Arguments<'_>) {
        let written = self.body.write_fmt(text);
        written.expect("a string takes any text");
    }
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
