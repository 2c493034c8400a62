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
mod theory;
mod tracking;
mod usual;
mod worlds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::choice::World;
use self::guard::{Finding, Guard, findings};
use self::interval::interval;
use self::rehearsal::MIXTURE;
use self::score::Score;
use self::tracking::Tracked;
use super::{Decision, Judgement, Outlook, Policy, Proposal};
use crate::Result;
use crate::adapt::{Candidate, Context, State, Version};
use crate::data::{Inputs, LabeledDomain, Labels, Probabilities, Shape};
use crate::drift::{Known, PointFrame, draw};
use crate::models::neighbours::NeighboursLearner;
use crate::models::{AnyLearner, Classifier, NamedLearner};

/// Rows of a window that are looked at.
const MOST_ROWS: usize = 1000;
/// Fewer labelled rows are no rehearsal.
const LEAST_CARD: usize = 10;
/// Both ways to follow the mixture decide so many rows alike, or moved sources are asked as well.
const ALIKE: f64 = 0.9;

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
        let mut state = state.clone();
        let rows = draw(window.len(), MOST_ROWS, now.seed.named("rows"));
        let inputs = window.inputs.pick(&rows);
        if let Shape::Image { .. } = inputs.shape() {
            return images::decide(now, state, card, &frame, &inputs, proposals);
        }
        let current = current(&state, proposals);
        let candidates: Vec<&Candidate> = proposals.iter().map(|one| one.candidate).collect();
        let guard = Guard::new(now, card, &frame, &candidates, window.len(), &mut state)?;
        let points = frame.points(&inputs);
        let n_classes = card.labels().n_classes();
        let ((decided, change), tracked) = rayon::join(
            || {
                let decided = decisions(now.first, proposals, &inputs);
                (decided, guard.measure(now, &points))
            },
            || {
                let rows = (&window.inputs, &rows[..]);
                tracking::look(now, &guard.evidence, rows, (&frame, &points), &mut state)
            },
        );
        let ((decided, here), tracked) = (decided?, tracked?);
        let finding = match &tracked {
            Some(Tracked::Unexplained { part }) => {
                let why = match part {
                    true => "part of the window is unlike any class of the source",
                    false => "the window looks like nothing that was followed so far",
                };
                let known = Known {
                    new_mass: *part,
                    ..Known::default()
                };
                return guard.distrust(change, known, why, state);
            }
            Some(Tracked::Jumped) => {
                let why = "the stream has jumped further than it ever went before, and nobody can know which class went where";
                let known = Known {
                    jumped: true,
                    ..Known::default()
                };
                return guard.distrust(change, known, why, state);
            }
            Some(Tracked::Known { worlds, agreement }) => {
                let world = |(name, posteriors): &(&str, Vec<f64>)| World {
                    name: (*name).into(),
                    scores: decided
                        .iter()
                        .map(|own| Score::expected(own, posteriors, n_classes))
                        .collect(),
                };
                let mut worlds: Vec<World> = worlds.iter().map(world).collect();
                let vetoes = *agreement >= ALIKE;
                let mut notes = json!({ "alike": agreement });
                if !vetoes {
                    let direct = guard.direct(now, &candidates, &inputs, &decided, &mut state)?;
                    worlds.extend(direct.worlds);
                    notes = direct.notes;
                }
                Finding {
                    worlds,
                    vetoes,
                    measurable: true,
                    notes,
                }
            }
            None => guard.direct(now, &candidates, &inputs, &decided, &mut state)?,
        };
        let known = matches!(tracked, Some(Tracked::Known { .. }));
        if finding.worlds.is_empty() {
            let mut judgement = guard.back(
                state,
                current,
                "no explanation of the drift fits the window",
            )?;
            judgement.distrusted = true;
            judgement.findings = findings(&guard, change, &finding, None);
            return Ok(judgement);
        }
        let allowed: Vec<bool> = (0..decided.len())
            .map(|place| {
                let proposed =
                    place == 0 || place == current || proposals[place - 1].version.is_some();
                let mixture = known && guard.evidence.believes_mixture();
                let followable =
                    mixture || place == 0 || candidates[place - 1].labeler.name() != MIXTURE;
                proposed && followable && (place == 0 || known || guard.evidence.harmless(place))
            })
            .collect();
        let mut history: Vec<Vec<f64>> = state
            .value("gains")
            .and_then(|value| serde_json::from_value(value.clone()).ok())
            .unwrap_or_default();
        history.push(choice::gains(&finding.worlds));
        history.drain(..history.len().saturating_sub(choice::MEMORY));
        let history: Vec<Vec<f64>> = history
            .into_iter()
            .filter(|own| own.len() == decided.len())
            .collect();
        let place = choice::choose(&finding.worlds, &history, &allowed, finding.vetoes, current);
        state.set_value("gains", json!(history));
        let estimate = |place: usize| {
            let worlds = &finding.worlds[..];
            let (window, rows) = (inputs.len(), guard.evidence.rows);
            finding
                .measurable
                .then(|| interval(worlds, place, window, rows, known))
                .flatten()
        };
        let mut judgement = match place {
            0 => {
                let lost = |place: &usize| finding.worlds.iter().any(|w| w.loses_a_class(*place));
                let why = match (1..decided.len())
                    .filter(|&place| allowed[place])
                    .find(lost)
                {
                    Some(place) if finding.vetoes => format!(
                        "`{}` loses a class in the worlds that look like this window, and no other candidate gains enough",
                        candidates[place - 1].name
                    ),
                    _ => {
                        "no candidate gains enough in the worlds that look like this window".into()
                    }
                };
                guard.back(state, current, &why)?
            }
            place if proposals[place - 1].version.is_none() => {
                let name = &candidates[place - 1].name;
                let why = format!("`{name}` learned nothing from this window and goes on as it is");
                Judgement::new(Decision::Hold { why }, state)
            }
            place => {
                let name = &candidates[place - 1].name;
                state.set_value("in-use", json!(name));
                let gain = 100.0 * history.last().map_or(0.0, |gains| gains[place]);
                let names: Vec<&str> = finding.worlds.iter().map(|world| &*world.name).collect();
                let mut judgement = Judgement::new(Decision::Deploy(place - 1), state);
                judgement.reason = Some(format!(
                    "`{name}` gains {gain:.1} points over the source model in the worlds that look like this window ({})",
                    names.join(", ")
                ));
                judgement
            }
        };
        judgement.estimate = estimate(place);
        judgement.estimate_before = estimate(current);
        judgement.findings = findings(&guard, change, &finding, Some(place));
        if let Some(candidate) = candidates.first() {
            let model = guard.beginnings.model(candidate);
            judgement.findings["usual"] = usual::estimates(model, &guard.rows, &here)?;
        }
        if let Some(step) = theory::step(now, &inputs)? {
            judgement.findings["theory"] = step;
        }
        // What is open: the best of those that were not chosen.
        let gains = history.last().map_or(&[][..], |gains| &gains[..]);
        let others = (1..gains.len()).filter(|&other| other != place);
        let rival = others.max_by(|&a, &b| gains[a].total_cmp(&gains[b]));
        if let Some(rival) = rival {
            judgement.findings["question"] = json!({ "candidate": candidates[rival - 1].name });
        }
        Ok(judgement)
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

/// What the source model and each candidate say of the rows, and how sure the source model is.
fn decisions(
    first: &Version,
    proposals: &[Proposal<'_>],
    inputs: &Inputs,
) -> Result<(Vec<Labels>, Probabilities)> {
    let (held, here) = first.assess(inputs)?;
    let mut decided = vec![held];
    for proposal in proposals {
        // A chain that had nothing to learn from stands where it stood.
        let version = proposal.version.unwrap_or(proposal.before);
        decided.push(version.predict(inputs)?);
    }
    Ok((decided, here))
}

/// Which place is in use: 0 is the source model.
fn current(state: &State, proposals: &[Proposal<'_>]) -> usize {
    let name = state.value("in-use").and_then(Value::as_str);
    let place = proposals
        .iter()
        .position(|one| Some(&*one.candidate.name) == name);
    place.map_or(0, |place| place + 1)
}
