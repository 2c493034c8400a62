//! Curves with bands, all methods in one frame, each named at the end of its line.

use super::WIDTH;
use super::axis::{self, Axis, Batch};
use super::scale::Scale;
use super::svg::{Anchor, Svg, bold_width_of, fitted};
use super::tone::Tone;

/// One curve.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub tone: Tone,
    /// Dotted: the lesser of two curves of one method.
    pub secondary: bool,
    /// By x.
    pub points: Vec<Point>,
    /// The curves that `points` summarise.
    pub singles: Vec<Vec<(f64, f64)>>,
    /// A last value that stands apart from the curve, with a hint.
    pub end: Option<(f64, f64, String)>,
}

/// A mean and the range around it.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl Point {
    pub fn new(x: f64, mean: f64, low: f64, high: f64) -> Self {
        Self { x, mean, low, high }
    }

    /// A value without a range.
    pub fn exact(x: f64, mean: f64) -> Self {
        Self::new(x, mean, mean, mean)
    }

    /// A place without a value: no line is drawn across it.
    pub fn gap(x: f64) -> Self {
        Self::exact(x, f64::NAN)
    }

    pub fn is_gap(&self) -> bool {
        self.mean.is_nan()
    }
}

impl Series {
    pub fn new(name: impl Into<String>, tone: Tone, points: Vec<Point>) -> Self {
        Self {
            name: name.into(),
            tone,
            secondary: false,
            points,
            singles: Vec::new(),
            end: None,
        }
    }

    /// All values that the axis must reach.
    pub fn extent(&self) -> impl Iterator<Item = f64> {
        let end = self.end.iter().map(|(_, value, _)| *value);
        let points = self.points.iter();
        points.flat_map(|p| [p.low, p.high]).chain(end)
    }
}

/// Where the curves lie: what is left beside their names.
pub(crate) fn frame(series: &[Series]) -> Batch {
    let widths = series.iter().map(|series| bold_width_of(&series.name));
    let longest = widths.fold(0.0, f64::max);
    Batch {
        left: 34.0,
        top: 26.0,
        right: WIDTH - longest.clamp(30.0, 130.0) - 12.0,
        bottom: 250.0,
    }
}

/// All curves in one frame, with bands.
pub fn chart(x: &Axis, y: &Axis, series: &[Series]) -> Svg {
    let frame = frame(series);
    let names = WIDTH - 12.0 - frame.right;
    let mut svg = Svg::new(frame.bottom + 40.0);
    axis::vertical(&mut svg, &frame, y, true);
    axis::horizontal(&mut svg, &frame, x, true);
    svg.text("title", (0.0, 12.0), Anchor::Start, &y.title);
    let (across, up) = (frame.x(x), frame.y(y));
    for one in series {
        svg.group(one.tone, |svg| curve(svg, one, &across, &up, true));
    }
    for (one, place) in series.iter().zip(name_places(series, &up, &frame)) {
        let Some(place) = place else { continue };
        let (at, name) = (
            (frame.right + 10.0, place + 4.0),
            fitted(&one.name, names + 4.0),
        );
        svg.group(one.tone, |svg| svg.text("name", at, Anchor::Start, &name));
    }
    svg
}

pub(super) fn curve(svg: &mut Svg, series: &Series, x: &Scale, y: &Scale, band: bool) {
    if !band {
        for single in &series.singles {
            svg.polyline("thin", single.iter().map(|(a, b)| (x.at(*a), y.at(*b))));
        }
    }
    let class = if series.secondary {
        "line secondary"
    } else {
        "line"
    };
    let parts = series.points.split(Point::is_gap);
    for points in parts.filter(|points| !points.is_empty()) {
        if band {
            let upper = points.iter().map(|p| (x.at(p.x), y.at(p.high)));
            let lower = points.iter().rev().map(|p| (x.at(p.x), y.at(p.low)));
            svg.area("band", upper.chain(lower));
        }
        svg.polyline(class, points.iter().map(|p| (x.at(p.x), y.at(p.mean))));
        if let [only] = points[..] {
            let at = (x.at(only.x), y.at(only.mean));
            if band && only.low < only.high {
                svg.line("whisker", (at.0, y.at(only.low)), (at.0, y.at(only.high)));
            }
            svg.dot("mean", at, 3.5, &series.name);
        }
    }
    if let Some((at, value, hint)) = &series.end {
        svg.dot("mean", (x.at(*at), y.at(*value)), 4.0, hint);
    }
}

/// Heights for the names: near the ends of their lines, but not on top of each other.
fn name_places(series: &[Series], y: &Scale, frame: &Batch) -> Vec<Option<f64>> {
    const APART: f64 = 15.0;
    let last = |series: &Series| {
        let end = series.end.as_ref().map(|(_, value, _)| *value);
        let points = series.points.iter().rev();
        end.or(points.map(|point| point.mean).find(|mean| !mean.is_nan()))
    };
    let mut order: Vec<(usize, f64)> = series
        .iter()
        .enumerate()
        .filter_map(|(index, one)| Some((index, y.at(last(one)?))))
        .collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    // Down from the top, then up from the bottom: the first pass may leave the frame, the second brings it back.
    for i in 1..order.len() {
        order[i].1 = order[i].1.max(order[i - 1].1 + APART);
    }
    let mut floor = frame.bottom;
    for (_, place) in order.iter_mut().rev() {
        *place = place.min(floor);
        floor = *place - APART;
    }
    let mut places = vec![None; series.len()];
    for (index, place) in order {
        places[index] = Some(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_drawn_across_a_place_without_a_value() {
        let points = [90.0, 91.0, f64::NAN, 93.0, f64::NAN, 94.0, 95.0];
        let points = points.iter().enumerate();
        let points = points.map(|(at, mean)| Point::exact(at as f64, *mean));
        let series = [Series::new("a", Tone::Neutral, points.collect())];
        let x = Axis::new(
            "",
            super::super::scale::Ticks::whole([0.0, 6.0].into_iter(), 6),
        );
        let y = Axis::per_cent("", series[0].extent());
        let drawn = chart(&x, &y, &series).finish("i", "t", "d");
        assert_eq!(drawn.matches("class=\"line\"").count(), 3, "{drawn}");
        assert_eq!(
            drawn.matches("class=\"mean\"").count(),
            1,
            "the lone one is a dot"
        );
        assert!(!drawn.contains("NaN"));
    }

    #[test]
    fn names_of_lines_that_end_together_are_moved_apart() {
        let series: Vec<Series> = [99.0, 98.9, 1.0, 0.5]
            .map(|mean| Series::new("", Tone::Neutral, vec![Point::exact(0.0, mean)]))
            .to_vec();
        let frame = Batch {
            left: 0.0,
            top: 0.0,
            right: 100.0,
            bottom: 200.0,
        };
        let scale = Scale {
            domain: (0.0, 100.0),
            range: (200.0, 0.0),
        };
        let mut places: Vec<f64> = name_places(&series, &scale, &frame)
            .into_iter()
            .flatten()
            .collect();
        places.sort_by(f64::total_cmp);
        assert_eq!(places.len(), 4);
        assert!(
            places.windows(2).all(|pair| pair[1] - pair[0] >= 14.99),
            "{places:?}"
        );
        assert!(places[3] <= 200.0);
    }
}
