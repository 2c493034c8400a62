//! One window: what the scenarios say of every version, what is deployed, and what labels would settle.

use super::asking::{Ask, rows_to_ask};
use super::baselines;
use super::choice::{Bounds, Choice, Prospects, choose};
use super::config::GuardConfig;
use super::findings::{AlarmFinding, CandidateFinding, ExplanationFinding, Findings, Question};
use super::memory::Memory;
use super::profile::{Source, seed};
use super::scenario::{Case, SAFE_STEP};
use super::score::Score;
use super::theory;
use super::told::ASKED;
use super::weighed::Weighed;
use driftline_adapt::Context;
use driftline_adapt::policy::{AskedRow, Decision, Estimate, PolicyOutcome, Proposal};
use driftline_core::Result;
use driftline_core::data::{Inputs, Labels, Probabilities};
use driftline_drift::{Change, Standardizer, compared_rows, energy_distance};
use driftline_models::Classifier;

/// A share in points.
const PERCENT: f64 = 100.0;
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
    /// What the source model decides and says of them.
    pub own: &'a (Labels, Probabilities),
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
        memory.heard.fade(config);
        let asked = self.ask(&weighed, &decided, &mut memory)?;
        let scores: Vec<Vec<Score>> = decided.all.iter().map(|own| weighed.scores(own)).collect();
        let current = self.current(&memory);
        let prospects = self.prospects(&weighed, &scores, &decided, &memory);
        let chosen = choose(&prospects, current);
        let question = self.question(weighed.leap, &prospects, chosen);
        let asked = match &question {
            Some(_) if asked.is_empty() => self.named(NAMED_ROWS, &weighed, &decided, &memory),
            _ => asked,
        };

        if let Some(window) = self.ctx.stage.learn.as_ref().filter(|_| config.learns()) {
            memory.keep(ctx.number, &asked, &window.inputs)?;
        }
        let (decision, reason) = self.said(chosen, current, &prospects);
        let estimate = |scores: &[Score], version: &str| {
            weighed.estimate(scores, memory.heard.corrections.get(version), config)
        };
        let name = self.version(chosen);
        let before = weighed.scores(&decided.deployed);
        let estimates = [
            estimate(&scores[usize::from(chosen)], name),
            estimate(&before, AskedRow::CURRENT),
            estimate(&scores[0], AskedRow::SOURCE),
        ];
        // Another version is the answer to an alarm about the one before it.
        let stays = (chosen == current).then_some(estimates[1].as_ref());
        let alarm = stays.and_then(|served| self.alarm(&memory, served));
        if chosen != current {
            memory.heard.swapped(ctx.number, name);
        }
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
            baselines: baselines::estimates(self.source, ctx, (self.inputs, &self.own.1))?,
            confusion: weighed.confusion(&decided.all[usize::from(chosen)]),
            theory: theory::step(ctx, self.inputs)?,
            question,
            alarm,
        };
        let mut outcome = PolicyOutcome::new(decision, memory.store());
        outcome.chains_go_on = true;
        outcome.asked = asked;
        outcome.reason = reason;
        // What is deployed is sure to gain; a question about it can wait.
        let open = findings.question.is_some() && chosen == Choice::Source;
        outcome.distrusted = open || findings.alarm.is_some();
        [
            outcome.estimate,
            outcome.estimate_before,
            outcome.estimate_unadapted,
        ] = estimates;
        Ok(outcome.with_findings(&findings))
    }

    /// The alarm about the version that served this window: proved by labels, or what the estimate says.
    fn alarm(&self, memory: &Memory, served: Option<&Estimate>) -> Option<AlarmFinding> {
        let below = self.source.profile.lowest(self.config);
        let own = &memory.heard.alarm;
        let by_labels = own.has_fallen(self.config);
        let finding = AlarmFinding {
            below,
            by_labels,
            worse_than_source: own.is_worse(self.config),
        };
        let estimated = served.is_some_and(|own| own.high < below);
        (by_labels || finding.worse_than_source || estimated).then_some(finding)
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
                .map(|own| weighed.estimate(own, None, self.config))
                .collect(),
            scenarios: weighed.weights.len(),
        })
    }

    pub fn weigh(&self, memory: &mut Memory) -> Result<Weighed> {
        let step = self.step();
        memory.leap = (memory.leap / 2.0).max(step);
        memory.largest_step = memory.largest_step.max(step / SAFE_STEP);
        let case = Case {
            ctx: self.ctx,
            source: self.source,
            proposals: self.proposals,
            inputs: self.inputs,
            points: self.source.points_of(self.inputs),
            said: Some(&self.own.1),
            largest_step: memory.largest_step,
            measures_fit: true,
            seed: self.ctx.seed.named("scenarios"),
        };
        Weighed::of(&case, memory, self.config)
    }

    fn name(&self, place: usize) -> &str {
        &self.proposals[place].candidate.name
    }

    /// What labels know a version by.
    fn version(&self, chosen: Choice) -> &str {
        match chosen {
            Choice::Source => AskedRow::SOURCE,
            Choice::Candidate(place) => self.name(place),
        }
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
        let mut all = vec![self.own.0.clone()];
        for proposal in self.proposals {
            let version = proposal.version.unwrap_or(proposal.before);
            all.push(version.predict(self.inputs)?);
        }
        let deployed = match self.ctx.deployed.is(self.ctx.first) {
            true => self.own.0.clone(),
            false => self.ctx.deployed.predict(self.inputs)?,
        };
        Ok(Decided { deployed, all })
    }

    /// The step from the window before, in distances between classes.
    fn step(&self) -> f64 {
        let whole = |inputs: &Inputs| {
            let points = self.source.points_of(inputs);
            self.source.whole_of(points.as_ref(), inputs)
        };
        let distance = match self.ctx.previous {
            // Only the rows that are compared are brought into the frame.
            Some(last) => {
                let [there, here] = compared_rows([last.len(), self.inputs.len()], seed());
                let (there, here) = (last.inputs.pick(&there), self.inputs.pick(&here));
                energy_distance(&whole(&there), &whole(&here), seed())
            }
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
    fn ask(
        &self,
        weighed: &Weighed,
        decided: &Decided,
        memory: &mut Memory,
    ) -> Result<Vec<AskedRow>> {
        let budget = self.config.labels_per_window;
        if budget == 0 {
            return Ok(vec![]);
        }
        let mut asked = self.named(budget, weighed, decided, memory);
        if let Some(expert) = self.ctx.expert.filter(|_| !asked.is_empty()) {
            let lowest = self.source.profile.lowest(self.config);
            let places: Vec<usize> = asked.iter().map(|asked| asked.row).collect();
            for (asked, class) in asked.iter_mut().zip(expert.label(&places)?) {
                asked.class = class;
                if let Some(class) = class {
                    let row = (self.ctx.number, &*asked);
                    memory.heard.learn(row, class, 1.0, lowest);
                }
            }
        }
        Ok(asked)
    }

    /// `budget` rows to ask about, by their places in the window, with what versions decide on them; those first of which it
    /// is least clear which class they have.
    fn named(
        &self,
        budget: usize,
        weighed: &Weighed,
        decided: &Decided,
        memory: &Memory,
    ) -> Vec<AskedRow> {
        if !self.ctx.stage.learns_what_arrived() {
            return vec![];
        }
        let (names, known) = (self.names(), &memory.heard.candidates);
        let seed = self.ctx.seed.named("ask");
        let asks = rows_to_ask(&decided.all, &names, known, budget, self.config, seed);
        let window = self.ctx.stage.learn.as_ref().map_or(0, |own| own.len());
        let each = window as f64 / self.rows.len() as f64;
        let n_classes = self.source.prior.len();
        let of = |ask: Ask| {
            let likely = &weighed.posteriors[ask.row * n_classes..(ask.row + 1) * n_classes];
            let mut asked = ask.with(&decided.all, &names, likely);
            let current = decided.deployed.as_slice()[ask.row];
            asked.decided.insert(AskedRow::CURRENT.into(), current);
            asked.row = self.rows[ask.row];
            asked.weight *= each;
            asked
        };
        let mut asked: Vec<AskedRow> = asks.into_iter().map(of).collect();
        let clear = |row: &AskedRow| row.likely.iter().copied().fold(0.0, f32::max);
        asked.sort_by(|a, b| clear(a).total_cmp(&clear(b)).then(a.row.cmp(&b.row)));
        asked
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
            let unbalanced = own.iter().zip(held).map(|(own, held)| {
                Some((own.balanced - held.balanced) - (own.accuracy - held.accuracy))
            });
            let unbalanced = weighed.spread(unbalanced, self.config).unwrap_or_default();
            let prospects = Prospects {
                gain: weighed.spread(gains, self.config).unwrap_or_default(),
                unbalanced: unbalanced.mean.min(0.0),
                rehearsed: rehearsed.map_or(0.0, |own| own.gain()),
                unlike_source: unlike(decisions, &decided.all[0]),
                unlike_current: unlike(decisions, &decided.deployed),
                leap: weighed.leap,
                labels: memory
                    .heard
                    .candidates
                    .get(name)
                    .copied()
                    .unwrap_or_default(),
                taught: name == ASKED,
                proposed: self.proposals[place].version.is_some(),
            };
            (prospects, prospects.bounds(self.rows.len(), self.config))
        };
        (0..self.proposals.len()).map(one).collect()
    }

    /// The rival that may gain most over what was chosen, if that is worth asking about.
    fn question(
        &self,
        doubt: f64,
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
        // What a leap puts in doubt is at stake, too: the classes can no longer be traced.
        let asks = stake(bounds).max(doubt) >= self.config.ask_from.get();
        asks.then(|| Question {
            candidate: self.name(rival).to_owned(),
            stake: stake(bounds).max(0.0),
        })
    }

    /// The decision and, of a deployment, the reason.
    fn said(
        &self,
        chosen: Choice,
        current: Choice,
        prospects: &[(Prospects, Bounds)],
    ) -> (Decision, Option<String>) {
        let points = |share: f64| PERCENT * share;
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
    fn drift(&self) -> Change {
        let sample = self.source.sample.inputs();
        let apart = self.source.profile.class_distance;
        let frame = Standardizer::of(sample).expect("a column of the source varies");
        let last = self.ctx.previous.map(|last| frame.points(&last.inputs));
        let (source, window) = (frame.points(sample), frame.points(self.inputs));
        Change::of(&frame, &source, last.as_ref(), &window, Some(apart), seed())
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
