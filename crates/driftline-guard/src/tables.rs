//! Tables: what the worlds say of every candidate, which of them may be chosen, and what is told of the choice.

use super::choice::{self, Choice, Scenario};
use super::findings::{Details, Question};
use super::guard::{Finding, Guard, back};
use super::interval::interval;
use super::memory::Memory;
use super::rehearsal::MIXTURE;
use super::score::Score;
use super::tracking::{self, TrackResult};
use super::{baseline_estimates, theory};
use driftline_adapt::policy::{Decision, Estimate, PolicyOutcome, Proposal};
use driftline_adapt::{Candidate, Context, Version};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Labels, Probabilities};
use driftline_drift::{Known, Measured, Standardizer};
use driftline_models::Classifier;

/// Both ways to follow the mixture decide so many rows alike, or moved sources are asked as well.
const ALIKE: f64 = 0.9;

pub(super) fn decide(
    ctx: &Context<'_>,
    mut memory: Memory,
    sample: &LabeledDomain,
    frame: &Standardizer,
    (window, rows): (&Inputs, &[usize]),
    proposals: &[Proposal<'_>],
) -> Result<PolicyOutcome> {
    let inputs = window.pick(rows);
    let candidates: Vec<&Candidate> = proposals.iter().map(|one| one.candidate).collect();
    let guard = Guard::new(ctx, sample, frame, &candidates, window.len(), &mut memory)?;
    let points = frame.points(&inputs);
    let ((decided, change), tracked) = rayon::join(
        || {
            let decided = decisions(ctx.first, proposals, &inputs);
            (decided, guard.measure(ctx, &points))
        },
        || {
            let (rows, points) = ((window, rows), (frame, &points));
            tracking::look(ctx, &guard.evidence, rows, points, proposals, &mut memory)
        },
    );
    let ((decided, here), tracked) = (decided?, tracked?);
    if let Some(TrackResult::Recalled {
        version,
        posteriors,
    }) = &tracked
    {
        return recalled(ctx, &guard, change, *version, (&inputs, posteriors), memory);
    }
    if let Some((why, known)) = tracked.as_ref().and_then(strange) {
        return Ok(guard.distrust(change, known, why, memory));
    }
    let table = Table {
        ctx,
        guard: &guard,
        candidates: &candidates,
        proposals,
        current: current(&memory, proposals),
        inputs: &inputs,
        decided,
        followed: tracked.is_some(),
    };
    let finding = table.find(tracked, &mut memory)?;
    let known = finding.known();
    if finding.worlds.is_empty() {
        let why = "no explanation of the drift fits the window";
        let mut outcome = back(memory, table.current, why.into());
        outcome.distrusted = true;
        let findings = guard.findings(change, known, Some(finding.told(None)));
        return Ok(outcome.with_findings(&findings));
    }
    let allowed = table.allowed();
    let history = table.history(&finding, &mut memory);
    let current = table.current;
    let chosen = choice::choose(&finding.worlds, &history, &allowed, finding.vetoes, current);
    let gains = history.last().map_or(&[][..], |gains| &gains[..]);
    let mut outcome = table.decide(chosen, &finding, gains, &allowed, memory);
    outcome.estimate = table.estimate(&finding, chosen);
    outcome.estimate_before = table.estimate(&finding, current);
    let mut told = finding.told(Some(chosen));
    if let Some(candidate) = candidates.first() {
        let model = guard.beginnings.model(candidate);
        told.usual = Some(baseline_estimates::estimates(model, &guard.rows, &here)?);
    }
    told.theory = theory::step(ctx, &inputs)?;
    let others = (0..candidates.len()).filter(|&other| Choice::Candidate(other) != chosen);
    let gain = |other: usize| gains.get(other + 1);
    let others = others.filter(|&other| gain(other).is_some());
    let rival = others.max_by(|&a, &b| gains[a + 1].total_cmp(&gains[b + 1]));
    told.question = rival.map(|rival| Question {
        candidate: candidates[rival].name.clone(),
    });
    Ok(outcome.with_findings(&guard.findings(change, known, Some(told))))
}

/// A window of a table, and what the source model and every candidate say of it.
struct Table<'a> {
    ctx: &'a Context<'a>,
    guard: &'a Guard<'a>,
    candidates: &'a [&'a Candidate],
    proposals: &'a [Proposal<'a>],
    /// What is in use.
    current: Choice,
    /// The rows that are looked at.
    inputs: &'a Inputs,
    decided: Vec<Labels>,
    /// Whether clouds were followed here.
    followed: bool,
}

impl Table<'_> {
    /// The worlds: clouds that were followed, and moved sources where these are in doubt or there are none.
    fn find(&self, tracked: Option<TrackResult>, memory: &mut Memory) -> Result<Finding> {
        let mut direct = || {
            let guard = self.guard;
            guard.direct(
                self.ctx,
                self.candidates,
                self.inputs,
                &self.decided,
                memory,
            )
        };
        let Some(TrackResult::Known { worlds, agreement }) = tracked else {
            return direct();
        };
        let n_classes = self.guard.rows.labels().n_classes();
        let world = |(name, posteriors): &(&str, Vec<f64>)| Scenario {
            name: (*name).into(),
            scores: self
                .decided
                .iter()
                .map(|own| Score::expected(own, posteriors, n_classes))
                .collect(),
        };
        let mut worlds: Vec<Scenario> = worlds.iter().map(world).collect();
        let vetoes = agreement >= ALIKE;
        let mut details = Details::Followed { alike: agreement };
        if !vetoes {
            let direct = direct()?;
            worlds.extend(direct.worlds);
            details = direct.details;
        }
        Ok(Finding {
            worlds,
            vetoes,
            measurable: true,
            details,
        })
    }

    /// What may be chosen.
    fn allowed(&self) -> Vec<bool> {
        let evidence = &self.guard.evidence;
        let mixture = self.followed && evidence.believes_mixture();
        let allowed = |choice| match choice {
            Choice::Source => true,
            Choice::Candidate(place) => {
                let proposed = choice == self.current || self.proposals[place].version.is_some();
                let followable = mixture || self.candidates[place].labeler.name() != MIXTURE;
                proposed && followable && (self.followed || evidence.harmless(choice))
            }
        };
        Choice::all(self.candidates.len()).map(allowed).collect()
    }

    /// The gains of the last windows, this one's last.
    fn history(&self, finding: &Finding, memory: &mut Memory) -> Vec<Vec<f64>> {
        let history = &mut memory.gains;
        history.push(choice::gains(&finding.worlds));
        history.drain(..history.len().saturating_sub(choice::MEMORY));
        history.retain(|own| own.len() == self.decided.len());
        history.clone()
    }

    /// What a choice comes to.
    fn decide(
        &self,
        chosen: Choice,
        finding: &Finding,
        gains: &[f64],
        allowed: &[bool],
        mut memory: Memory,
    ) -> PolicyOutcome {
        let Choice::Candidate(place) = chosen else {
            return back(memory, self.current, self.why_none(finding, allowed));
        };
        let name = &self.candidates[place].name;
        if self.proposals[place].version.is_none() {
            let why = format!("`{name}` learned nothing from this window and goes on as it is");
            return PolicyOutcome::new(Decision::Hold { why }, memory.store());
        }
        memory.in_use = Some(name.clone());
        let gain = 100.0 * gains.get(place + 1).copied().unwrap_or(0.0);
        let worlds: Vec<&str> = finding.worlds.iter().map(|world| &*world.name).collect();
        let mut outcome = PolicyOutcome::new(Decision::Deploy(place), memory.store());
        outcome.reason = Some(format!(
            "`{name}` gains {gain:.1} points over the source model in the worlds that look like this window ({})",
            worlds.join(", ")
        ));
        outcome
    }

    fn why_none(&self, finding: &Finding, allowed: &[bool]) -> String {
        let lost = |place: &usize| {
            let choice = Choice::Candidate(*place);
            let mut worlds = finding.worlds.iter();
            *choice.of(allowed) && worlds.any(|world| world.loses_a_class(choice))
        };
        match (0..self.candidates.len()).find(lost) {
            Some(place) if finding.vetoes => format!(
                "`{}` loses a class in the worlds that look like this window, and no other candidate gains enough",
                self.candidates[place].name
            ),
            _ => "no candidate gains enough in the worlds that look like this window".into(),
        }
    }

    /// How accurate a choice is.
    fn estimate(&self, finding: &Finding, choice: Choice) -> Option<Estimate> {
        let (window, rows) = (self.inputs.len(), self.guard.evidence.rows);
        let estimate = || interval(&finding.worlds, choice, window, rows, self.followed);
        finding.measurable.then(estimate).flatten()
    }
}

/// Why a window is not trusted that clouds cannot explain.
fn strange(tracked: &TrackResult) -> Option<(&'static str, Known)> {
    let mut known = Known::default();
    let why = match tracked {
        TrackResult::Known { .. } | TrackResult::Recalled { .. } => return None,
        TrackResult::Unexplained { part: true } => {
            known.new_mass = true;
            "part of the window is unlike any class of the source"
        }
        TrackResult::Unexplained { part: false } => {
            "the window looks like nothing that was followed so far"
        }
        TrackResult::Jumped => {
            known.jumped = true;
            "the stream has jumped further than it ever went before, and nobody can know which class went where"
        }
    };
    Some((why, known))
}

/// Back to the version of the time when the stream was where this window is. `posteriors` are those of the classes there.
fn recalled(
    ctx: &Context<'_>,
    guard: &Guard<'_>,
    change: Measured,
    version: usize,
    (inputs, posteriors): (&Inputs, &[f64]),
    memory: Memory,
) -> Result<PolicyOutcome> {
    let why = match version {
        0 => "the window looks like the source: the source model is taken up again".into(),
        _ => format!(
            "the window looks as window {version} did: the version of that time is taken up again"
        ),
    };
    let decided = ctx.archive.version(version)?.predict(inputs)?;
    let score = Score::expected(&decided, posteriors, guard.rows.labels().n_classes());
    let worlds = vec![Scenario {
        name: "known-again".into(),
        scores: vec![score],
    }];
    let decision = Decision::RollBack { to: version, why };
    let mut outcome = PolicyOutcome::new(decision, memory.store());
    let (window, rows) = (inputs.len(), guard.evidence.rows);
    outcome.estimate = interval(&worlds, Choice::Source, window, rows, true);
    let finding = Finding {
        worlds,
        vetoes: true,
        measurable: true,
        details: Details::Recalled { recalled: version },
    };
    let findings = guard.findings(change, finding.known(), Some(finding.told(None)));
    Ok(outcome.with_findings(&findings))
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

fn current(memory: &Memory, proposals: &[Proposal<'_>]) -> Choice {
    let in_use = memory.in_use.as_ref();
    let place = proposals
        .iter()
        .position(|one| Some(&one.candidate.name) == in_use);
    place.map_or(Choice::Source, Choice::Candidate)
}
