//! One window: what the scenarios say of every version, what is deployed, and what labels would settle.

use super::baselines;
use super::choice::{Bounds, Choice, Prospects, choose};
use super::config::GuardConfig;
use super::findings::{CandidateFinding, ExplanationFinding, Findings, Question};
use super::labels::{self, Ask};
use super::memory::Memory;
use super::profile::{Source, seed};
use super::scenario::{Case, SAFE_STEP};
use super::score::Score;
use super::weighed::Weighed;
use crate::theory;
use driftline_adapt::Context;
use driftline_adapt::policy::{AskedRow, Decision, Estimate, PolicyOutcome, Proposal};
use driftline_core::Result;
use driftline_core::data::{Inputs, Labels};
use driftline_drift::{Known, Measured, Standardizer, energy_distance};
use driftline_models::Classifier;

/// Rows that a question names.
const NAMED_ROWS: usize = 20;

/// A window and everything that is said of it.
pub(super) struct Judge<'a> {
    pub config: &'a GuardConfig,
    pub ctx: &'a Context<'a>,
    pub source: &'a Source,
    pub proposals: &'a [Proposal<'a>],
    /// The rows that are looked at: their places in the window, and their inputs.
    pub rows: &'a [usize],
    pub inputs: &'a Inputs,
}

/// What scenarios say of the source model and every candidate.
pub(super) struct Seen {
    pub prospects: Vec<(Prospects, Bounds)>,
    pub estimates: Vec<Option<Estimate>>,
    pub scenarios: usize,
}

/// What versions decide: the source model first, then every candidate; and the version in use.
struct Decided {
    all: Vec<Labels>,
    deployed: Labels,
}

impl Judge<'_> {
    pub fn decide(&self, mut memory: Memory) -> Result<PolicyOutcome> {
        let (ctx, config) = (self.ctx, self.config);
        let weighed = self.weigh(&mut memory)?;
        let decided = self.decided()?;
        let asked = self.ask(&decided, &mut memory)?;
        let scores: Vec<Vec<Score>> = decided.all.iter().map(|own| weighed.scores(own)).collect();
        let current = self.current(&memory);
        let prospects = self.prospects(&weighed, &scores, &decided, &memory);
        let chosen = choose(&prospects, current);
        let question = self.question(&weighed, &decided, &prospects, chosen);
        let asked = match &question {
            Some(question) if config.labels_per_window == 0 => self.asked(&question.rows, &decided),
            _ => asked,
        };

        let (decision, reason) = self.said(chosen, current, &prospects);
        memory.in_use = match chosen {
            Choice::Source => None,
            Choice::Candidate(place) => Some(self.name(place).to_owned()),
        };
        let findings = Findings {
            drift: self.drift(),
            held_out: self.source.profile.held_out,
            explanations: explanations(&weighed, &scores),
            candidates: self.candidates(&prospects),
            chosen,
            baselines: baselines::estimates(self.source, ctx.first, self.inputs)?,
            theory: theory::step(ctx, self.inputs)?,
            question,
        };
        let mut outcome = PolicyOutcome::new(decision, memory.store());
        outcome.chains_go_on = true;
        outcome.asked = asked;
        outcome.reason = reason;
        // What is deployed is sure to gain; a question about it can wait.
        outcome.distrusted = findings.question.is_some() && chosen == Choice::Source;
        outcome.estimate = weighed.estimate(&scores[usize::from(chosen)], config);
        outcome.estimate_before = weighed.estimate(&weighed.scores(&decided.deployed), config);
        outcome.estimate_unadapted = weighed.estimate(&scores[0], config);
        Ok(outcome.with_findings(&findings))
    }

    /// What scenarios say where nothing is decided.
    pub fn look(&self, memory: &mut Memory) -> Result<Seen> {
        let weighed = self.weigh(memory)?;
        let decided = self.decided()?;
        let scores: Vec<Vec<Score>> = decided.all.iter().map(|own| weighed.scores(own)).collect();
        Ok(Seen {
            prospects: self.prospects(&weighed, &scores, &decided, memory),
            estimates: scores
                .iter()
                .map(|own| weighed.estimate(own, self.config))
                .collect(),
            scenarios: weighed.weights.len(),
        })
    }

    fn weigh(&self, memory: &mut Memory) -> Result<Weighed> {
        let step = self.step();
        memory.leap = (memory.leap / 2.0).max(step);
        memory.largest_step = memory.largest_step.max(step / SAFE_STEP);
        let case = Case {
            ctx: self.ctx,
            source: self.source,
            proposals: self.proposals,
            inputs: self.inputs,
            points: self.source.points_of(self.inputs),
            largest_step: memory.largest_step,
            seed: self.ctx.seed.named("scenarios"),
        };
        Weighed::of(&case, memory, self.config)
    }

    fn name(&self, place: usize) -> &str {
        &self.proposals[place].candidate.name
    }

    fn names(&self) -> Vec<&str> {
        (0..self.proposals.len())
            .map(|place| self.name(place))
            .collect()
    }

    fn current(&self, memory: &Memory) -> Choice {
        let in_use = memory.in_use.as_deref();
        let place = self.names().iter().position(|name| Some(*name) == in_use);
        place.map_or(Choice::Source, Choice::Candidate)
    }

    /// A chain that had nothing to learn from stands where it stood.
    fn decided(&self) -> Result<Decided> {
        let mut all = vec![self.ctx.first.predict(self.inputs)?];
        for proposal in self.proposals {
            let version = proposal.version.unwrap_or(proposal.before);
            all.push(version.predict(self.inputs)?);
        }
        Ok(Decided {
            deployed: self.ctx.deployed.predict(self.inputs)?,
            all,
        })
    }

    /// The step from the window before, in distances between classes.
    fn step(&self) -> f64 {
        let whole = |inputs: &Inputs| {
            let points = self.source.points_of(inputs);
            self.source.whole_of(points.as_ref(), inputs)
        };
        let distance = match self.ctx.previous {
            Some(last) => energy_distance(&whole(&last.inputs), &whole(self.inputs), seed()),
            None => energy_distance(&self.source.whole, &whole(self.inputs), seed()),
        };
        let apart = self.source.profile.class_distance;
        if apart > 0.0 {
            distance.max(0.0) / apart
        } else {
            0.0
        }
    }

    /// Asks for the labels that were granted; an expert who is there answers at once, and is heard.
    fn ask(&self, decided: &Decided, memory: &mut Memory) -> Result<Vec<AskedRow>> {
        let (budget, seed) = (self.config.labels_per_window, self.ctx.seed.named("ask"));
        let (names, known) = (self.names(), &memory.labels);
        let mut asks = match budget {
            0 => vec![],
            _ => labels::rows_to_ask(&decided.all, &names, known, budget, self.config, seed),
        };
        labels::fade(&mut memory.labels, self.config);
        for ask in &mut asks {
            ask.row = self.rows[ask.row];
        }
        let mut asked = self.asked(&asks, decided);
        if let Some(expert) = self.ctx.expert.filter(|_| !asked.is_empty()) {
            let places: Vec<usize> = asked.iter().map(|asked| asked.row).collect();
            for (asked, class) in asked.iter_mut().zip(expert.label(&places)?) {
                asked.class = class;
                if let Some(class) = class {
                    labels::learn(asked, class, 1.0, &mut memory.labels);
                }
            }
        }
        Ok(asked)
    }

    /// Rows by their places in the window, with what versions decide on them. Weights are of the rows that are looked at.
    fn asked(&self, rows: &[Ask], decided: &Decided) -> Vec<AskedRow> {
        if !self.ctx.stage.learns_what_arrived() {
            return vec![];
        }
        let names = self.names();
        let window = self.ctx.stage.learn.as_ref().map_or(0, |own| own.len());
        let each = window as f64 / self.rows.len() as f64;
        let of = |ask: &Ask| {
            let place = self.rows.iter().position(|row| *row == ask.row)?;
            let mut asked = Ask { row: place, ..*ask }.with(&decided.all, &names);
            let current = decided.deployed.as_slice()[place];
            asked.decided.insert(AskedRow::CURRENT.into(), current);
            asked.row = ask.row;
            asked.weight *= each;
            Some(asked)
        };
        rows.iter().filter_map(of).collect()
    }

    fn prospects(
        &self,
        weighed: &Weighed,
        scores: &[Vec<Score>],
        decided: &Decided,
        memory: &Memory,
    ) -> Vec<(Prospects, Bounds)> {
        let unlike =
            |own: &Labels, other: &Labels| 1.0 - own.agreement(other).estimate().unwrap_or(1.0);
        let one = |place: usize| {
            let (own, held) = (&scores[place + 1], &scores[0]);
            let gains = own
                .iter()
                .zip(held)
                .map(|(own, held)| Some(own.gain_over(held)));
            let decisions = &decided.all[place + 1];
            let name = self.name(place);
            let rehearsed = self.source.profile.rehearsed.get(name);
            let prospects = Prospects {
                gain: weighed
                    .spread(gains, self.config.risk.get())
                    .unwrap_or_default(),
                rehearsed: rehearsed.map_or(0.0, |own| own.gain()),
                unlike_source: unlike(decisions, &decided.all[0]),
                unlike_current: unlike(decisions, &decided.deployed),
                labels: memory.labels.get(name).copied().unwrap_or_default(),
                proposed: self.proposals[place].version.is_some(),
            };
            (prospects, prospects.bounds(self.rows.len(), self.config))
        };
        (0..self.proposals.len()).map(one).collect()
    }

    /// The rival that may gain most over what was chosen, if that is worth asking about.
    fn question(
        &self,
        weighed: &Weighed,
        decided: &Decided,
        prospects: &[(Prospects, Bounds)],
        chosen: Choice,
    ) -> Option<Question> {
        let own = match chosen {
            Choice::Source => 0.0,
            Choice::Candidate(place) => prospects[place].1.mean,
        };
        let others = prospects.iter().enumerate();
        let others = others.filter(|(place, _)| Choice::Candidate(*place) != chosen);
        let stake = |bounds: &Bounds| bounds.high - own;
        let (rival, bounds) = others
            .map(|(place, (_, bounds))| (place, bounds))
            .max_by(|(_, a), (_, b)| stake(a).total_cmp(&stake(b)))?;
        let leapt = weighed.leap > 0.0;
        if stake(bounds) < self.config.ask_from.get() && !leapt {
            return None;
        }
        let pair = [&decided.all[usize::from(chosen)], &decided.all[rival + 1]];
        Some(Question {
            candidate: self.name(rival).to_owned(),
            stake: stake(bounds),
            rows: self.telling_rows(weighed, pair),
        })
    }

    /// Rows that two versions decide differently, those first of which it is least clear who is right.
    fn telling_rows(&self, weighed: &Weighed, [a, b]: [&Labels; 2]) -> Vec<Ask> {
        let n_classes = self.source.prior.len();
        let pairs = a.as_slice().iter().zip(b.as_slice()).enumerate();
        let mut rows: Vec<(f64, usize)> = pairs
            .filter(|(_, (a, b))| a != b)
            .map(|(row, (&a, &b))| {
                let p = &weighed.posteriors[row * n_classes..(row + 1) * n_classes];
                ((p[a as usize] - p[b as usize]).abs(), self.rows[row])
            })
            .collect();
        let weight = rows.len() as f64 / rows.len().clamp(1, NAMED_ROWS) as f64;
        rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        rows.truncate(NAMED_ROWS);
        rows.into_iter()
            .map(|(_, row)| Ask { row, weight })
            .collect()
    }

    /// The decision and, of a deployment, the reason.
    fn said(
        &self,
        chosen: Choice,
        current: Choice,
        prospects: &[(Prospects, Bounds)],
    ) -> (Decision, Option<String>) {
        let points = |share: f64| 100.0 * share;
        let by = |bounds: &Bounds| {
            if bounds.by_labels {
                "labels"
            } else {
                "scenarios"
            }
        };
        if let Choice::Candidate(place) = chosen {
            let bounds = &prospects[place].1;
            let reason = format!(
                "`{}` gains {:.1} points over the source model ({:.1} to {:.1}, by {})",
                self.name(place),
                points(bounds.mean),
                points(bounds.low),
                points(bounds.high),
                by(bounds)
            );
            return (Decision::Deploy(place), Some(reason));
        }
        let best = prospects
            .iter()
            .enumerate()
            .max_by(|(_, a), (_, b)| a.1.low.total_cmp(&b.1.low));
        let why = match best {
            None => "no candidate has learned from this window".to_owned(),
            Some((place, (_, bounds))) => format!(
                "no candidate is sure to gain; the best, `{}`, gains {:.1} to {:.1} points (by {})",
                self.name(place),
                points(bounds.low),
                points(bounds.high),
                by(bounds)
            ),
        };
        match current {
            Choice::Source => (Decision::Hold { why }, None),
            Choice::Candidate(_) => (Decision::RollBack { to: 0, why }, None),
        }
    }

    fn candidates(&self, prospects: &[(Prospects, Bounds)]) -> Vec<CandidateFinding> {
        let names = self.names().into_iter().zip(prospects);
        names
            .map(|(name, (own, bounds))| {
                CandidateFinding::new(name, *bounds, own.rehearsed, own.unlike_source)
            })
            .collect()
    }

    /// How the window differs from the source and from the one before it.
    fn drift(&self) -> driftline_drift::Change {
        let sample = self.source.sample.inputs();
        let apart = self.source.profile.class_distance;
        let frame = Standardizer::of(sample).expect("a column of the source varies");
        let last = self.ctx.previous.map(|last| frame.points(&last.inputs));
        let (source, window) = (frame.points(sample), frame.points(self.inputs));
        let measured = Measured::of(&frame, &source, last.as_ref(), &window, seed());
        let known = Known {
            explained: true,
            ..Known::default()
        };
        measured.judged(known, Some(apart))
    }
}

fn explanations(weighed: &Weighed, scores: &[Vec<Score>]) -> Vec<ExplanationFinding> {
    let all = weighed
        .explanations
        .iter()
        .zip(&weighed.weights)
        .enumerate();
    all.map(|(at, (own, &weight))| ExplanationFinding {
        name: own.name,
        weight,
        misfit: own.misfit,
        accuracy: scores.iter().map(|scores| scores[at].accuracy).collect(),
    })
    .collect()
}
