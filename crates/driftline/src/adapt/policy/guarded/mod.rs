//! Rehearse before deploying: the labelled source is moved so that it looks like the window, every candidate is tried
//! there, and only what beats the source model in every explanation that fits is deployed. Where the classes are clouds
//! that a mixture can follow, the mixture says how likely every decision is right. The same numbers estimate accuracy.

mod choice;
mod evidence;
mod images;
mod rehearsal;
mod score;
mod theory;
mod tracking;
mod usual;
mod worlds;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::choice::World;
use self::evidence::Evidence;
use self::rehearsal::{Beginnings, MIXTURE, share};
use self::score::Score;
use self::tracking::Tracked;
use super::{Decision, Estimate, Judgement, Policy, Proposal};
use crate::Result;
use crate::adapt::{Candidate, Context, State};
use crate::data::{Inputs, LabeledDomain, Labels, Shape};
use crate::drift::{Change, Known, Measured, PointFrame, RowPoints, draw};
use crate::models::neighbours::NeighboursLearner;
use crate::models::{AnyLearner, Classifier, NamedLearner};

/// Rows of a window that are looked at.
const MOST_ROWS: usize = 1000;
/// Rows for a column, for estimates from moved sources.
const ROWS_A_COLUMN: usize = 8;
/// How far the share of rows on which a candidate agrees with the source model may be from what the worlds say.
const AGREES: f64 = 0.12;
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

/// What a window shows: the worlds, and what the rule made of them.
struct Finding {
    worlds: Vec<World>,
    /// Whether a loss in one world forbids a candidate.
    vetoes: bool,
    /// Whether the scores are estimates of accuracy as well.
    measurable: bool,
    notes: Value,
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
        let Some(card) = now.card.filter(|card| card.len() >= 10) else {
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
        let (held, here) = now.first.assess(&inputs)?;
        let others = proposals.par_iter().map(|proposal| {
            // A chain that had nothing to learn from stands where it stood.
            let version = proposal.version.unwrap_or(proposal.before);
            version.predict(&inputs)
        });
        let mut decided = vec![held];
        decided.extend(others.collect::<Result<Vec<Labels>>>()?);
        let current = current(&state, proposals);
        let candidates: Vec<&Candidate> = proposals.iter().map(|one| one.candidate).collect();
        let guard = Guard::new(now, card, &frame, &candidates, window.len(), &mut state)?;
        let points = frame.points(&inputs);
        let n_classes = card.labels().n_classes();
        let (change, tracked) = rayon::join(
            || guard.measure(now, &points),
            || {
                let rows = (&window.inputs, &rows[..]);
                tracking::look(now, &guard.evidence, rows, (&frame, &points), &mut state)
            },
        );
        let tracked = tracked?;
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

/// What is at hand for one window.
struct Guard<'a> {
    frame: &'a PointFrame,
    beginnings: Beginnings,
    rows: LabeledDomain,
    evidence: Evidence,
}

impl<'a> Guard<'a> {
    fn new(
        now: &Context<'_>,
        card: &LabeledDomain,
        frame: &'a PointFrame,
        candidates: &[&Candidate],
        window: usize,
        state: &mut State,
    ) -> Result<Self> {
        let (known, rows) = evidence::parts(card);
        let mut beginnings = Beginnings::new(known, candidates, state, "drawn", evidence::seed())?;
        let remembered = state.value("evidence").cloned();
        let remembered = remembered.and_then(|value| serde_json::from_value(value).ok());
        let evidence = match remembered {
            Some(evidence) => evidence,
            None => {
                let own = Evidence::gather(
                    now,
                    (card, &rows),
                    frame,
                    candidates,
                    &beginnings,
                    window,
                    state,
                )?;
                state.set_value("evidence", json!(own));
                own
            }
        };
        beginnings.mixture = evidence.believes_mixture();
        Ok(Self {
            frame,
            beginnings,
            rows,
            evidence,
        })
    }

    /// Worlds of moved sources that fit, every candidate rehearsed in each.
    fn direct(
        &self,
        now: &Context<'_>,
        candidates: &[&Candidate],
        window: &Inputs,
        decided: &[Labels],
        state: &mut State,
    ) -> Result<Finding> {
        let model = match candidates.first() {
            Some(candidate) => self.beginnings.model(candidate),
            None => &now.first.model,
        };
        let (drift, moved) = worlds::moved(now, self.frame, &self.rows, model, window)?;
        let agreements: Vec<f64> = decided.iter().map(|own| share(own, &decided[0])).collect();
        let (mut all, mut notes, mut gap) = (Vec::new(), Vec::new(), 0.0);
        for world in &moved {
            let rehearsed =
                self.beginnings
                    .rehearse(now, candidates, world.name, &world.rows, state)?;
            notes.push(json!({
                "world": world.name, "distance": world.distance, "fits": world.fits,
                "accuracy": rehearsed.scores.iter().map(|score| score.accuracy).collect::<Vec<f64>>(),
            }));
            if world.fits {
                let places = agreements.iter().zip(&rehearsed.agreements).skip(1);
                let gaps = places.map(|(real, there)| (real - there).abs());
                gap += gaps.sum::<f64>() / candidates.len().max(1) as f64;
                all.push(World {
                    name: world.name.into(),
                    scores: rehearsed.scores,
                });
            }
        }
        let enough = self.evidence.rows.min(window.len()) >= ROWS_A_COLUMN * self.frame.size();
        let measurable =
            enough && self.evidence.exchangeable() && gap <= AGREES * all.len().max(1) as f64;
        Ok(Finding {
            worlds: all,
            vetoes: true,
            measurable,
            notes: json!({ "drift": drift, "worlds": notes }),
        })
    }

    /// How the window differs from the source and from the one before it.
    fn measure(&self, now: &Context<'_>, window: &RowPoints) -> Measured {
        let points = |inputs: &Inputs| self.frame.points(inputs);
        let last = now
            .previous
            .map(|last| points(&last.inputs).sample(MOST_ROWS, evidence::seed()));
        let source = points(self.rows.inputs());
        let seed = evidence::seed();
        Measured::of(self.frame, &source, last.as_ref(), window, seed)
    }

    fn judge(&self, change: Measured, known: Known) -> Change {
        change.judged(known, Some(self.evidence.class_distance))
    }

    /// Held, for lack of trust.
    fn distrust(
        &self,
        change: Measured,
        known: Known,
        why: &str,
        state: State,
    ) -> Result<Judgement> {
        let mut judgement = Judgement::new(Decision::Hold { why: why.into() }, state);
        judgement.distrusted = true;
        judgement.findings = json!({
            "drift": self.judge(change, known), "evidence": self.evidence,
        });
        Ok(judgement)
    }

    /// To the source model: held if it is in use already.
    fn back(&self, mut state: State, current: usize, why: &str) -> Result<Judgement> {
        state.set_value("in-use", Value::Null);
        let why = why.to_owned();
        let decision = match current {
            0 => Decision::Hold { why },
            _ => Decision::RollBack { to: 0, why },
        };
        Ok(Judgement::new(decision, state))
    }
}

/// Which place is in use: 0 is the source model.
fn current(state: &State, proposals: &[Proposal<'_>]) -> usize {
    let name = state.value("in-use").and_then(Value::as_str);
    let place = proposals
        .iter()
        .position(|one| Some(&*one.candidate.name) == name);
    place.map_or(0, |place| place + 1)
}

/// The range over the worlds, widened by what `window` and `rows` rows can tell.
fn interval(
    worlds: &[World],
    place: usize,
    window: usize,
    rows: usize,
    known: bool,
) -> Option<Estimate> {
    let all = worlds.iter().map(|world| &world.scores[place]);
    let of = |each: &dyn Fn(&Score) -> Option<f64>| {
        let values: Vec<f64> = all.clone().filter_map(each).collect();
        if values.is_empty() {
            return None;
        }
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let (low, high) = values
            .iter()
            .fold((1.0, 0.0), |(low, high): (f64, f64), &v| {
                (low.min(v), high.max(v))
            });
        // The mixture looks at the window's own rows; moved sources have rows of their own.
        let rows = if known { window } else { rows };
        let variance =
            mean * (1.0 - mean) * (1.0 / window.max(1) as f64 + 1.0 / rows.max(1) as f64);
        let wide = 1.645 * variance.sqrt() + 0.03;
        Some([mean, (low - wide).max(0.0), (high + wide).min(1.0)])
    };
    let [accuracy, low, high] = of(&|score| Some(score.accuracy))?;
    let mut estimate = Estimate::new(accuracy, low, high);
    estimate.balanced = of(&|score| Some(score.balanced));
    let classes = all.clone().next().map_or(0, |score| score.recalls.len());
    estimate.recalls = (0..classes)
        .map(|class| of(&|score| score.recalls[class]))
        .collect();
    Some(estimate)
}

fn findings(guard: &Guard<'_>, change: Measured, finding: &Finding, place: Option<usize>) -> Value {
    let worlds: Vec<Value> = finding
        .worlds
        .iter()
        .map(|world| json!({ "world": world.name, "scores": world.scores }))
        .collect();
    let known = Known {
        explained: !worlds.is_empty(),
        ..Known::default()
    };
    json!({
        "drift": guard.judge(change, known), "evidence": guard.evidence, "worlds": worlds,
        "details": finding.notes, "chosen": place,
    })
}
