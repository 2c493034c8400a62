//! Pictures of the theory's constructions as SVG: points and boundaries, or curves. Readable on light and dark.
//! Circles are positive, squares negative; the area is the mass; a boundary's knob is on its positive side.

use driftline::models::linear::{MarginModel, Sign};
use driftline::theory::claims::picture::{Curve, Panel, Picture};

/// Colours that stand out on white and on black alike.
const COLORS: [&str; 4] = ["#d9822b", "#3b8ee0", "#3aa76d", "#b45fd0"];
const POSITIVE: &str = "#d64550";
const NEGATIVE: &str = "#4c72d9";
const SIDE: f64 = 240.0;

pub fn svg(picture: &Picture) -> String {
    match picture {
        Picture::Domains(panels) => domains(panels),
        Picture::Curves {
            horizontal,
            vertical,
            curves,
        } => curve_chart(horizontal, vertical, curves),
    }
}

fn framed(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\" fill=\"currentColor\" color=\"#777\">\n{body}</svg>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn domains(panels: &[Panel]) -> String {
    let (gap, top) = (16.0, 20.0);
    // All panels share one scale, so that the shift can be seen.
    let reach = panels
        .iter()
        .flat_map(|panel| panel.domain.iter())
        .flat_map(|p| p.x.to_vec())
        .fold(1.0, |reach: f64, v| reach.max(v.abs()))
        * 1.1;
    let names = model_names(panels);
    let mut body = String::new();
    for (k, panel) in panels.iter().enumerate() {
        let left = gap + k as f64 * (SIDE + gap);
        body += &format!(
            "<g transform=\"translate({left} {top})\"><text x=\"0\" y=\"-6\">{}</text>\
             <rect width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"currentColor\" stroke-opacity=\"0.4\"/>\n",
            escaped(&panel.title)
        );
        body += &match panel.domain.dimension() {
            1 => on_a_line(panel, &names, reach),
            _ => in_the_plane(panel, &names, reach),
        };
        body += "</g>\n";
    }
    let height = top + SIDE + 18.0 * names.len() as f64 + 14.0;
    for (k, name) in names.iter().enumerate() {
        let y = top + SIDE + 18.0 * (k as f64 + 1.0);
        body += &format!(
            "<line x1=\"{gap}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{y}\">{}</text>\n",
            gap + 24.0,
            y - 4.0,
            y - 4.0,
            COLORS[k % COLORS.len()],
            gap + 30.0,
            escaped(name)
        );
    }
    framed(gap + panels.len() as f64 * (SIDE + gap), height, &body)
}

/// The models of all panels, each once, in the order in which they appear.
fn model_names(panels: &[Panel]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in panels.iter().flat_map(|panel| &panel.models) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

fn color_of(names: &[&str], name: &str) -> &'static str {
    let place = names.iter().position(|known| *known == name);
    COLORS[place.unwrap_or(0) % COLORS.len()]
}

fn dot(x: f64, y: f64, label: Sign, mass: f64) -> String {
    let radius = 3.0 + 12.0 * mass.sqrt();
    match label {
        Sign::Plus => format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{POSITIVE}\" fill-opacity=\"0.75\"/>\n"
        ),
        // A square, so that the classes differ without colour too.
        Sign::Minus => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{NEGATIVE}\" fill-opacity=\"0.75\"/>\n",
            x - radius * 0.85,
            y - radius * 0.85,
            radius * 1.7,
            radius * 1.7
        ),
    }
}

fn in_the_plane(panel: &Panel, names: &[&str], reach: f64) -> String {
    let place = |x: f64, y: f64| {
        (
            SIDE / 2.0 * (1.0 + x / reach),
            SIDE / 2.0 * (1.0 - y / reach),
        )
    };
    let mut body = String::new();
    for p in panel.domain.iter() {
        let (x, y) = place(p.x[0], p.x.get(1).copied().unwrap_or(0.0));
        body += &dot(x, y, p.y, p.mass);
    }
    for (name, model) in &panel.models {
        if let Some([from, to]) = boundary(model, reach) {
            // The arrow shows the side that is decided positive.
            let length = model.norm();
            let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
            let ahead = (
                middle.0 + 0.15 * reach * model.weights[0] / length,
                middle.1 + 0.15 * reach * model.weights[1] / length,
            );
            let path: Vec<String> = [from, middle, ahead, middle, to]
                .iter()
                .map(|&(x, y)| {
                    let (x, y) = place(x, y);
                    format!("{x:.1},{y:.1}")
                })
                .collect();
            let (x, y) = place(ahead.0, ahead.1);
            let color = color_of(names, name);
            body += &format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
                 <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>\n",
                path.join(" ")
            );
        }
    }
    body
}

/// Where the line w·x + b = 0 enters and leaves the square [−reach, reach]².
pub fn boundary(model: &MarginModel, reach: f64) -> Option<[(f64, f64); 2]> {
    let (a, c, b) = (*model.weights.first()?, *model.weights.get(1)?, model.bias);
    let mut ends: Vec<(f64, f64)> = Vec::new();
    for side in [-reach, reach] {
        if c.abs() > 1e-12 {
            ends.push((side, (-b - a * side) / c));
        }
        if a.abs() > 1e-12 {
            ends.push(((-b - c * side) / a, side));
        }
    }
    ends.retain(|(x, y)| x.abs() <= reach * (1.0 + 1e-9) && y.abs() <= reach * (1.0 + 1e-9));
    let first = *ends.first()?;
    let far = |p: &(f64, f64)| (p.0 - first.0).powi(2) + (p.1 - first.1).powi(2);
    let last = *ends.iter().max_by(|p, q| far(p).total_cmp(&far(q)))?;
    Some([first, last])
}

fn on_a_line(panel: &Panel, names: &[&str], reach: f64) -> String {
    // The square root spreads the middle, where things happen, without losing what is far away.
    let place = |x: f64| SIDE / 2.0 * (1.0 + x.signum() * (x.abs() / reach).sqrt());
    let middle = SIDE / 2.0;
    let mut body = format!(
        "<line x1=\"0\" x2=\"{SIDE}\" y1=\"{middle}\" y2=\"{middle}\" stroke=\"currentColor\" stroke-opacity=\"0.4\"/>\n"
    );
    let mut atoms: Vec<_> = panel.domain.iter().collect();
    atoms.sort_by(|p, q| p.x[0].total_cmp(&q.x[0]));
    let mut last_label = f64::NEG_INFINITY;
    for p in atoms {
        let x = place(p.x[0]);
        body += &dot(x, middle, p.y, p.mass);
        // Points may lie closer together than their labels are wide.
        if x - last_label > 24.0 {
            last_label = x;
            body += &format!(
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\">{:.2}</text>\n",
                middle + 28.0,
                p.x[0]
            );
        }
    }
    for (k, (name, model)) in panel.models.iter().enumerate() {
        if model.weights[0].abs() > 1e-12 {
            let x = place((-model.bias / model.weights[0]).clamp(-reach, reach));
            let (top, color) = (middle - 50.0 + 8.0 * k as f64, color_of(names, name));
            let ahead = x + 14.0 * model.weights[0].signum();
            body += &format!(
                "<polyline points=\"{ahead:.1},{top} {x:.1},{top} {x:.1},{}\" fill=\"none\" stroke=\"{color}\" \
                 stroke-width=\"2\"/><circle cx=\"{ahead:.1}\" cy=\"{top}\" r=\"3\" fill=\"{color}\"/>\n",
                middle + 16.0
            );
        }
    }
    body
}

fn curve_chart(horizontal: &str, vertical: &str, curves: &[Curve]) -> String {
    let (left, top, width, height) = (46.0, 14.0, 420.0, 220.0);
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let range = |pick: fn(&(f64, f64)) -> f64| {
        let low = all().map(pick).fold(f64::INFINITY, f64::min);
        let high = all().map(pick).fold(f64::NEG_INFINITY, f64::max);
        if low < high {
            (low, high)
        } else {
            (low - 0.5, low + 0.5)
        }
    };
    let (x_low, x_high) = range(|p| p.0);
    let (_, y_high) = range(|p| p.1);
    let x_of = |x: f64| left + width * (x - x_low) / (x_high - x_low);
    let y_of = |y: f64| top + height * (1.0 - y / (1.05 * y_high));
    let mut body = format!(
        "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"currentColor\" \
         stroke-opacity=\"0.4\"/>\n"
    );
    for k in 0..=4 {
        let share = f64::from(k) / 4.0;
        let (x, y) = (x_low + share * (x_high - x_low), share * y_high);
        body += &format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.2}</text>\n",
            x_of(x),
            top + height + 15.0,
            (x * 100.0).round() / 100.0,
            left - 5.0,
            y_of(y) + 4.0,
            y
        );
    }
    for (k, curve) in curves.iter().enumerate() {
        let color = COLORS[k % COLORS.len()];
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|(x, y)| format!("{:.1},{:.1}", x_of(*x), y_of(*y)))
            .collect();
        let y = top + height + 48.0 + 16.0 * k as f64;
        body += &format!(
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\
             <line x1=\"{left}\" x2=\"{}\" y1=\"{}\" y2=\"{}\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{y}\">{}</text>\n",
            points.join(" "),
            left + 24.0,
            y - 4.0,
            y - 4.0,
            left + 30.0,
            escaped(&curve.name)
        );
    }
    body += &format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"{left}\" y=\"{}\">{}</text>\n",
        left + width / 2.0,
        top + height + 30.0,
        escaped(horizontal),
        top - 4.0,
        escaped(vertical)
    );
    framed(
        left + width + 14.0,
        top + height + 48.0 + 16.0 * curves.len() as f64,
        &body,
    )
}
