//! Tables: what the worlds say of every candidate, which of them may be chosen, and what is told of the choice.

use serde_json::{Value, json};

use super::choice::{self, World};
use super::guard::{Finding, Guard, findings};
use super::interval::interval;
use super::rehearsal::MIXTURE;
use super::score::Score;
use super::tracking::{self, Tracked};
use super::{theory, usual};
use crate::Result;
use crate::adapt::policy::{Decision, Estimate, Judgement, Proposal};
use crate::adapt::{Candidate, Context, State, Version};
use crate::data::{Inputs, LabeledDomain, Labels, Probabilities};
use crate::drift::{Known, Measured, PointFrame};
use crate::models::Classifier;

/// Both ways to follow the mixture decide so many rows alike, or moved sources are asked as well.
const ALIKE: f64 = 0.9;

pub(super) fn decide(
    now: &Context<'_>,
    mut state: State,
    card: &LabeledDomain,
    frame: &PointFrame,
    (window, rows): (&Inputs, &[usize]),
    proposals: &[Proposal<'_>],
) -> Result<Judgement> {
    let inputs = window.pick(rows);
    let candidates: Vec<&Candidate> = proposals.iter().map(|one| one.candidate).collect();
    let guard = Guard::new(now, card, frame, &candidates, window.len(), &mut state)?;
    let points = frame.points(&inputs);
    let ((decided, change), tracked) = rayon::join(
        || {
            let decided = decisions(now.first, proposals, &inputs);
            (decided, guard.measure(now, &points))
        },
        || {
            let (rows, points) = ((window, rows), (frame, &points));
            tracking::look(now, &guard.evidence, rows, points, proposals, &mut state)
        },
    );
    let ((decided, here), tracked) = (decided?, tracked?);
    if let Some(Tracked::Recalled {
        version,
        posteriors,
    }) = &tracked
    {
        return recalled(now, &guard, change, *version, (&inputs, posteriors), state);
    }
    if let Some((why, known)) = tracked.as_ref().and_then(strange) {
        return guard.distrust(change, known, why, state);
    }
    let table = Table {
        now,
        guard: &guard,
        candidates: &candidates,
        proposals,
        current: current(&state, proposals),
        inputs: &inputs,
        decided,
        followed: tracked.is_some(),
    };
    let finding = table.find(tracked, &mut state)?;
    if finding.worlds.is_empty() {
        let why = "no explanation of the drift fits the window";
        let mut judgement = guard.back(state, table.current, why)?;
        judgement.distrusted = true;
        judgement.findings = findings(&guard, change, &finding, None);
        return Ok(judgement);
    }
    let allowed = table.allowed();
    let history = table.history(&finding, &mut state);
    let current = table.current;
    let place = choice::choose(&finding.worlds, &history, &allowed, finding.vetoes, current);
    let gains = history.last().map_or(&[][..], |gains| &gains[..]);
    let mut judgement = table.judge(place, &finding, gains, &allowed, state)?;
    judgement.estimate = table.estimate(&finding, place);
    judgement.estimate_before = table.estimate(&finding, current);
    judgement.findings = findings(&guard, change, &finding, Some(place));
    if let Some(candidate) = candidates.first() {
        let model = guard.beginnings.model(candidate);
        judgement.findings["usual"] = usual::estimates(model, &guard.rows, &here)?;
    }
    if let Some(step) = theory::step(now, &inputs)? {
        judgement.findings["theory"] = step;
    }
    // What is open: the best of those that were not chosen.
    let others = (1..gains.len()).filter(|&other| other != place);
    if let Some(rival) = others.max_by(|&a, &b| gains[a].total_cmp(&gains[b])) {
        judgement.findings["question"] = json!({ "candidate": candidates[rival - 1].name });
    }
    Ok(judgement)
}

/// A window of a table, and what the source model and every candidate say of it. Places count from the source model, 0.
struct Table<'a> {
    now: &'a Context<'a>,
    guard: &'a Guard<'a>,
    candidates: &'a [&'a Candidate],
    proposals: &'a [Proposal<'a>],
    /// The place that is in use.
    current: usize,
    /// The rows that are looked at.
    inputs: &'a Inputs,
    decided: Vec<Labels>,
    /// Whether clouds were followed here.
    followed: bool,
}

impl Table<'_> {
    /// The worlds: clouds that were followed, and moved sources where these are in doubt or there are none.
    fn find(&self, tracked: Option<Tracked>, state: &mut State) -> Result<Finding> {
        let mut direct = || {
            let guard = self.guard;
            guard.direct(self.now, self.candidates, self.inputs, &self.decided, state)
        };
        let Some(Tracked::Known { worlds, agreement }) = tracked else {
            return direct();
        };
        let n_classes = self.guard.rows.labels().n_classes();
        let world = |(name, posteriors): &(&str, Vec<f64>)| World {
            name: (*name).into(),
            scores: self
                .decided
                .iter()
                .map(|own| Score::expected(own, posteriors, n_classes))
                .collect(),
        };
        let mut worlds: Vec<World> = worlds.iter().map(world).collect();
        let vetoes = agreement >= ALIKE;
        let mut notes = json!({ "alike": agreement });
        if !vetoes {
            let direct = direct()?;
            worlds.extend(direct.worlds);
            notes = direct.notes;
        }
        Ok(Finding {
            worlds,
            vetoes,
            measurable: true,
            notes,
        })
    }

    /// Which places may be chosen.
    fn allowed(&self) -> Vec<bool> {
        let evidence = &self.guard.evidence;
        let mixture = self.followed && evidence.believes_mixture();
        let allowed = |place: usize| {
            if place == 0 {
                return true;
            }
            let proposed = place == self.current || self.proposals[place - 1].version.is_some();
            let followable = mixture || self.candidates[place - 1].labeler.name() != MIXTURE;
            proposed && followable && (self.followed || evidence.harmless(place))
        };
        (0..self.decided.len()).map(allowed).collect()
    }

    /// The gains of the last windows, this one's last.
    fn history(&self, finding: &Finding, state: &mut State) -> Vec<Vec<f64>> {
        let stored = state.value("gains").cloned();
        let stored = stored.and_then(|value| serde_json::from_value(value).ok());
        let mut history: Vec<Vec<f64>> = stored.unwrap_or_default();
        history.push(choice::gains(&finding.worlds));
        history.drain(..history.len().saturating_sub(choice::MEMORY));
        history.retain(|own| own.len() == self.decided.len());
        state.set_value("gains", json!(history));
        history
    }

    /// What the choice of a place comes to.
    fn judge(
        &self,
        place: usize,
        finding: &Finding,
        gains: &[f64],
        allowed: &[bool],
        mut state: State,
    ) -> Result<Judgement> {
        if place == 0 {
            let why = self.why_none(finding, allowed);
            return self.guard.back(state, self.current, &why);
        }
        let name = &self.candidates[place - 1].name;
        if self.proposals[place - 1].version.is_none() {
            let why = format!("`{name}` learned nothing from this window and goes on as it is");
            return Ok(Judgement::new(Decision::Hold { why }, state));
        }
        state.set_value("in-use", json!(name));
        let gain = 100.0 * gains.get(place).copied().unwrap_or(0.0);
        let worlds: Vec<&str> = finding.worlds.iter().map(|world| &*world.name).collect();
        let mut judgement = Judgement::new(Decision::Deploy(place - 1), state);
        judgement.reason = Some(format!(
            "`{name}` gains {gain:.1} points over the source model in the worlds that look like this window ({})",
            worlds.join(", ")
        ));
        Ok(judgement)
    }

    fn why_none(&self, finding: &Finding, allowed: &[bool]) -> String {
        let lost = |place: &usize| finding.worlds.iter().any(|w| w.loses_a_class(*place));
        let mut places = (1..self.decided.len()).filter(|&place| allowed[place]);
        match places.find(lost) {
            Some(place) if finding.vetoes => format!(
                "`{}` loses a class in the worlds that look like this window, and no other candidate gains enough",
                self.candidates[place - 1].name
            ),
            _ => "no candidate gains enough in the worlds that look like this window".into(),
        }
    }

    /// How accurate a place is.
    fn estimate(&self, finding: &Finding, place: usize) -> Option<Estimate> {
        let (window, rows) = (self.inputs.len(), self.guard.evidence.rows);
        let estimate = || interval(&finding.worlds, place, window, rows, self.followed);
        finding.measurable.then(estimate).flatten()
    }
}

/// Why a window is not trusted that clouds cannot explain.
fn strange(tracked: &Tracked) -> Option<(&'static str, Known)> {
    let mut known = Known::default();
    let why = match tracked {
        Tracked::Known { .. } | Tracked::Recalled { .. } => return None,
        Tracked::Unexplained { part: true } => {
            known.new_mass = true;
            "part of the window is unlike any class of the source"
        }
        Tracked::Unexplained { part: false } => {
            "the window looks like nothing that was followed so far"
        }
        Tracked::Jumped => {
            known.jumped = true;
            "the stream has jumped further than it ever went before, and nobody can know which class went where"
        }
    };
    Some((why, known))
}

/// Back to the version of the time when the stream was where this window is. `posteriors` are those of the classes there.
fn recalled(
    now: &Context<'_>,
    guard: &Guard<'_>,
    change: Measured,
    version: usize,
    (inputs, posteriors): (&Inputs, &[f64]),
    state: State,
) -> Result<Judgement> {
    let why = match version {
        0 => "the window looks like the source: the source model is taken up again".into(),
        _ => format!(
            "the window looks as window {version} did: the version of that time is taken up again"
        ),
    };
    let decided = now.archive.version(version)?.predict(inputs)?;
    let score = Score::expected(&decided, posteriors, guard.rows.labels().n_classes());
    let worlds = vec![World {
        name: "known-again".into(),
        scores: vec![score],
    }];
    let mut judgement = Judgement::new(Decision::RollBack { to: version, why }, state);
    judgement.estimate = interval(&worlds, 0, inputs.len(), guard.evidence.rows, true);
    let finding = Finding {
        worlds,
        vetoes: true,
        measurable: true,
        notes: json!({ "recalled": version }),
    };
    judgement.findings = findings(guard, change, &finding, None);
    Ok(judgement)
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
