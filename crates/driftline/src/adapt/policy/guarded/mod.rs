//! Rehearse before deploying: the labelled source is moved so that it looks like the window, every candidate is tried
//! there, and only what beats the source model in every explanation that fits is deployed. Where the classes are clouds
//! that a mixture can follow, the mixture says how likely every decision is right. The same numbers estimate accuracy.

mod choice;
mod evidence;
mod guard;
mod images;
mod interval;
mod outlook;
mod rehearsal;
mod score;
mod tables;
mod theory;
mod tracking;
mod usual;
mod worlds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::guard::Guard;
use super::{Decision, Judgement, Outlook, Policy, Proposal};
use crate::Result;
use crate::adapt::{Candidate, Context, State};
use crate::data::{Inputs, LabeledDomain, Shape};
use crate::drift::{PointFrame, draw};
use crate::models::neighbours::NeighboursLearner;
use crate::models::{AnyLearner, NamedLearner};

/// Rows of a window that are looked at.
const MOST_ROWS: usize = 1000;
/// Fewer labelled rows are no rehearsal.
const LEAST_CARD: usize = 10;

/// Deploys what a rehearsal finds better than the source model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Guarded {
    /// What to choose from; what suits the model where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
}

impl Policy for Guarded {
    fn candidates(&self, learner: &AnyLearner) -> Option<Vec<String>> {
        let fitting: &[&str] = match learner.kind() {
            "network" => &["plain"],
            NeighboursLearner::KIND => &["realign", "plain", "clusters", "mixture"],
            _ => &[
                "realign",
                "plain",
                "cautious",
                "realign-cautious",
                "clusters",
                "mixture",
            ],
        };
        let names = fitting.iter().map(|&name| name.to_owned()).collect();
        Some(self.candidates.clone().unwrap_or(names))
    }

    fn prepare(&self, now: &Context<'_>, candidates: &[&Candidate], rows: usize) -> Result<State> {
        let mut state = State::default();
        if let Some((card, frame)) = table(now) {
            Guard::new(now, card, &frame, candidates, rows, &mut state)?;
        }
        Ok(state)
    }

    fn outlook(
        &self,
        now: &Context<'_>,
        state: &State,
        candidates: &[&Candidate],
        windows: &[Inputs],
    ) -> Result<Option<Outlook>> {
        table(now)
            .map(|(card, frame)| {
                let mut state = state.clone();
                let rows = windows.first().map_or(0, Inputs::len);
                let guard = Guard::new(now, card, &frame, candidates, rows, &mut state)?;
                outlook::outlook(now, &guard, candidates, windows, &mut state)
            })
            .transpose()
    }

    fn decide(
        &self,
        now: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<Judgement> {
        let hold = |why: &str, distrusted: bool, state: State| {
            let decision = Decision::Hold { why: why.into() };
            let mut judgement = Judgement::new(decision, state);
            judgement.distrusted = distrusted;
            Ok(judgement)
        };
        let Some(window) = now.stage.learn.as_ref().filter(|window| window.len() >= 4) else {
            return hold("there is too little to learn from", false, state.clone());
        };
        let Some(card) = now.card.filter(|card| card.len() >= LEAST_CARD) else {
            let why = "there is no labelled source to rehearse on";
            return hold(why, true, state.clone());
        };
        let Some(frame) = PointFrame::of(card.inputs()) else {
            return hold("no column of the source varies", true, state.clone());
        };
        let state = state.clone();
        let rows = draw(window.len(), MOST_ROWS, now.seed.named("rows"));
        let window = (&window.inputs, &rows[..]);
        match window.0.shape() {
            Shape::Image { .. } => images::decide(now, state, card, &frame, window, proposals),
            Shape::Vector(_) => tables::decide(now, state, card, &frame, window, proposals),
        }
    }
}

/// The source, if it is a table that can be moved.
fn table<'a>(now: &Context<'a>) -> Option<(&'a LabeledDomain, PointFrame)> {
    let card = now.card.filter(|card| card.len() >= LEAST_CARD)?;
    let Shape::Vector(_) = card.inputs().shape() else {
        return None;
    };
    Some((card, PointFrame::of(card.inputs())?))
}
