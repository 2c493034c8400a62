//! The theory's constructions as charts: domains with their atoms and the boundaries of models, or curves.

use driftline_models::linear::{MarginModel, Sign};
use driftline_theory::claims::picture::{Curve, Panel};
use driftline_theory::claims::{Claim, Picture};

use crate::chart::axis::Axis;
use crate::chart::lines::{self, Series};
use crate::chart::plane::{self, Boundary, Point};
use crate::chart::scale::Ticks;
use crate::chart::tone::Tone;
use crate::chart::{Figure, Svg};
use crate::numbers::fixed;

/// Named as the statement is; `None` for one that has nothing to show.
pub fn figure(claim: &Claim) -> Option<Figure> {
    let picture = claim.picture.as_ref()?;
    let (caption, chart) = match picture {
        Picture::Domains(panels) => {
            let caption = "Circles are positive, squares negative; their area is probability mass. The knob of a boundary \
                           is on its positive side.";
            (caption, domains(panels))
        }
        Picture::Curves {
            horizontal,
            vertical,
            curves,
        } => ("", curve_chart(horizontal, vertical, curves)),
    };
    let facts = format!("Computed: {}.", claim.computed);
    let mut figure = Figure::draw("chart", claim.id, claim.title, caption, &facts, chart);
    // On the page, the section has the same title.
    figure.title.clear();
    Some(figure)
}

fn domains(panels: &[Panel]) -> Svg {
    // All panels share one scale, so that the shift can be seen.
    let atoms = panels.iter().flat_map(|panel| panel.domain.iter());
    let places = atoms.flat_map(|atom| atom.x.to_vec());
    let reach = 1.1 * places.fold(1.0, |reach: f64, v| reach.max(v.abs()));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in panels.iter().flat_map(|panel| &panel.models) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let drawn = panels.iter().map(|panel| match panel.domain.dimension() {
        1 => on_a_line(panel, &names, reach),
        _ => in_the_plane(panel, &names, reach),
    });
    let drawn: Vec<plane::Panel> = drawn.collect();
    // The first two colours are those of the classes.
    let looks = names.iter().enumerate();
    let looks: Vec<(String, Tone)> = looks
        .map(|(index, name)| (name.to_string(), Tone::Series(2 + index % 4)))
        .collect();
    plane::chart(&drawn, &looks, reach)
}

fn point(place: (f64, f64), label: Sign, mass: f64) -> Point {
    Point {
        place,
        class: usize::from(label == Sign::Plus),
        radius: 0.0125 + 0.05 * mass.sqrt(),
    }
}

fn in_the_plane(panel: &Panel, names: &[&str], reach: f64) -> plane::Panel {
    let atoms = panel.domain.iter();
    let boundary = |(name, model): &(String, MarginModel)| {
        let weights = (*model.weights.first()?, *model.weights.get(1)?);
        Boundary::across(weights, model.bias, reach, index(names, name))
    };
    let points = atoms.map(|atom| point((atom.x[0], atom.x[1]), atom.y, atom.mass));
    plane::Panel {
        title: panel.title.clone(),
        points: points.collect(),
        boundaries: panel.models.iter().filter_map(boundary).collect(),
        labels: Vec::new(),
    }
}

fn on_a_line(panel: &Panel, names: &[&str], reach: f64) -> plane::Panel {
    // The square root spreads the middle, where things happen, without losing what is far away.
    let spread = |x: f64| reach * x.signum() * (x.abs() / reach).sqrt();
    let boundary = |(name, model): &(String, MarginModel)| {
        let weight = model.weights[0];
        let x = spread((-model.bias / weight).clamp(-reach, reach));
        (weight.abs() > 1e-12).then(|| Boundary {
            name: index(names, name),
            ends: [(x, -0.13 * reach), (x, 0.6 * reach)],
            ahead: (weight.signum(), 0.0),
        })
    };
    let mut atoms: Vec<_> = panel.domain.iter().collect();
    atoms.sort_by(|p, q| p.x[0].total_cmp(&q.x[0]));
    let points = atoms.iter();
    let points = points.map(|atom| point((spread(atom.x[0]), 0.0), atom.y, atom.mass));
    let labels = atoms
        .iter()
        .map(|atom| (spread(atom.x[0]), fixed(atom.x[0], 2)));
    plane::Panel {
        title: panel.title.clone(),
        points: points.collect(),
        boundaries: panel.models.iter().filter_map(boundary).collect(),
        labels: labels.collect(),
    }
}

fn index(names: &[&str], name: &str) -> usize {
    let found = names.iter().position(|known| *known == name);
    found.expect("the names are those of all models")
}

fn curve_chart(across: &str, up: &str, curves: &[Curve]) -> Svg {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let ticks = |values: &mut dyn Iterator<Item = f64>| {
        let values: Vec<f64> = values.collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let high = if low < high { high } else { low + 1.0 };
        Ticks::around(values.into_iter(), (low, high), 5)
    };
    let x = Axis::new(across, ticks(&mut all().map(|p| p.0)));
    let y = Axis::new(up, ticks(&mut all().map(|p| p.1).chain([0.0])));
    let series = curves.iter().enumerate().map(|(index, curve)| {
        let points = curve.points.iter();
        let points = points.map(|&(x, y)| lines::Point::exact(x, y));
        Series::new(&curve.name, Tone::Series(index), points.collect())
    });
    lines::chart(&x, &y, &series.collect::<Vec<_>>())
}
