//! What a statement has to show: points and decision boundaries, or a curve. Drawn by the program, not here.

use crate::atoms::Atoms;
use driftline_models::linear::MarginModel;

/// Data for a picture.
#[derive(Clone, Debug)]
pub enum Picture {
    /// One panel per domain, each with the boundaries of some models.
    Domains(Vec<Panel>),
    /// Curves over a common horizontal axis.
    Curves {
        horizontal: String,
        vertical: String,
        curves: Vec<Curve>,
    },
}

/// A distribution in one or two dimensions and models on it.
#[derive(Clone, Debug)]
pub struct Panel {
    pub title: String,
    pub domain: Atoms,
    pub models: Vec<(String, MarginModel)>,
}

/// A named line through points.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

impl Picture {
    /// P₀, P₁, …, each with the same models.
    pub(super) fn of_sequence(domains: &[Atoms], models: &[(&str, &MarginModel)]) -> Self {
        let titled = domains.iter().enumerate();
        let panel = |(t, domain)| Panel::new(format!("P{t}"), domain, models);
        Picture::Domains(titled.map(panel).collect())
    }
}

impl Panel {
    pub fn new(title: impl Into<String>, domain: &Atoms, models: &[(&str, &MarginModel)]) -> Self {
        let named = |(name, model): &(&str, &MarginModel)| (name.to_string(), (*model).clone());
        Self {
            title: title.into(),
            domain: domain.clone(),
            models: models.iter().map(named).collect(),
        }
    }
}
