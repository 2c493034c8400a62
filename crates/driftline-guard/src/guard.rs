//! What is at hand for one window: the source sample in two parts, models of one of them, and what the source says of every
//! candidate; worlds of moved sources, and what is told of a window that is held.

use super::MOST_ROWS;
use super::choice::{Choice, Scenario};
use super::findings::{ChoiceFindings, Details, MovedSource, TableFindings};
use super::memory::Memory;
use super::rehearsal::{RehearsalModels, Rehearsed, share};
use super::scenarios::{self, Moved};
use super::source_profile::{self, SourceProfile};
use driftline_adapt::policy::{Decision, PolicyOutcome};
use driftline_adapt::{Candidate, Context};
use driftline_core::Result;
use driftline_core::data::{Inputs, LabeledDomain, Labels};
use driftline_drift::{Distance, Known, Measured, RowPoints, Standardizer};

/// Rows for a column, for estimates from moved sources.
const ROWS_A_COLUMN: usize = 8;
/// How far the share of rows on which a candidate agrees with the source model may be from what the worlds say.
const AGREES: f64 = 0.12;

/// What a window shows: the worlds, and what the rule made of them.
pub(super) struct Finding {
    pub worlds: Vec<Scenario>,
    /// Whether a loss in one world forbids a candidate.
    pub vetoes: bool,
    /// Whether the scores are estimates of accuracy as well.
    pub measurable: bool,
    pub details: Details,
}

/// What is at hand for one window.
pub(super) struct Guard<'a> {
    frame: &'a Standardizer,
    pub beginnings: RehearsalModels,
    pub rows: LabeledDomain,
    pub evidence: SourceProfile,
}

impl<'a> Guard<'a> {
    pub fn new(
        ctx: &Context<'_>,
        sample: &LabeledDomain,
        frame: &'a Standardizer,
        candidates: &[&Candidate],
        window: usize,
        memory: &mut Memory,
    ) -> Result<Self> {
        let (known, rows) = source_profile::parts(sample);
        let kept = &mut memory.kept;
        let mut beginnings =
            RehearsalModels::new(known, candidates, kept, "drawn", source_profile::seed())?;
        let evidence = match &memory.evidence {
            Some(evidence) => evidence.clone(),
            None => {
                let parts = (sample, &rows);
                let own = SourceProfile::gather(
                    ctx,
                    parts,
                    frame,
                    candidates,
                    &beginnings,
                    window,
                    kept,
                )?;
                memory.evidence = Some(own.clone());
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

    /// Worlds of moved sources, every candidate rehearsed in each.
    pub fn worlds(
        &self,
        ctx: &Context<'_>,
        candidates: &[&Candidate],
        window: &Inputs,
        memory: &mut Memory,
    ) -> Result<(Distance, Vec<(Moved, Rehearsed)>)> {
        let model = match candidates.first() {
            Some(candidate) => self.beginnings.model(candidate),
            None => &ctx.first.model,
        };
        let (drift, moved) = scenarios::moved(ctx, self.frame, &self.rows, model, window)?;
        let rehearse = |world: Moved| {
            let kept = &mut memory.kept;
            let done = self
                .beginnings
                .rehearse(ctx, candidates, world.name, &world.rows, kept)?;
            Ok((world, done))
        };
        let rehearsed: Result<Vec<_>> = moved.into_iter().map(rehearse).collect();
        Ok((drift, rehearsed?))
    }

    /// Worlds of moved sources that fit, and whether they agree with what is seen of the candidates.
    pub fn direct(
        &self,
        ctx: &Context<'_>,
        candidates: &[&Candidate],
        window: &Inputs,
        decided: &[Labels],
        memory: &mut Memory,
    ) -> Result<Finding> {
        let (drift, moved) = self.worlds(ctx, candidates, window, memory)?;
        let agreements: Vec<f64> = decided.iter().map(|own| share(own, &decided[0])).collect();
        let (mut all, mut notes, mut gap) = (Vec::new(), Vec::new(), 0.0);
        for (world, rehearsed) in moved {
            let accuracies = rehearsed.scores.iter().map(|score| score.accuracy);
            notes.push(MovedSource {
                world: world.name.into(),
                distance: world.distance,
                fits: world.fits,
                accuracy: accuracies.collect(),
            });
            if world.fits {
                let places = agreements.iter().zip(&rehearsed.agreements).skip(1);
                let gaps = places.map(|(real, there)| (real - there).abs());
                gap += gaps.sum::<f64>() / candidates.len().max(1) as f64;
                all.push(Scenario {
                    name: world.name.into(),
                    scores: rehearsed.scores,
                });
            }
        }
        let measurable = self.measures(window.len()) && gap <= AGREES * all.len().max(1) as f64;
        Ok(Finding {
            worlds: all,
            vetoes: true,
            measurable,
            details: Details::Moved {
                drift,
                worlds: notes,
            },
        })
    }

    /// Whether scores in worlds of moved sources say how accurate a model is on a window of so many rows.
    pub fn measures(&self, window: usize) -> bool {
        let enough = self.evidence.rows.min(window) >= ROWS_A_COLUMN * self.frame.size();
        enough && self.evidence.exchangeable()
    }

    /// How the window differs from the source and from the one before it.
    pub fn measure(&self, ctx: &Context<'_>, window: &RowPoints) -> Measured {
        let points = |inputs: &Inputs| self.frame.points(inputs);
        let last = ctx
            .previous
            .map(|last| points(&last.inputs).sample(MOST_ROWS, source_profile::seed()));
        let source = points(self.rows.inputs());
        let seed = source_profile::seed();
        Measured::of(self.frame, &source, last.as_ref(), window, seed)
    }

    /// What is told of a window beside the decision.
    pub fn findings(
        &self,
        change: Measured,
        known: Known,
        choice: Option<ChoiceFindings>,
    ) -> TableFindings {
        TableFindings {
            drift: change.judged(known, Some(self.evidence.class_distance)),
            evidence: self.evidence.clone(),
            choice,
        }
    }

    /// Held, for lack of trust.
    pub fn distrust(
        &self,
        change: Measured,
        known: Known,
        why: &str,
        memory: Memory,
    ) -> PolicyOutcome {
        let decision = Decision::Hold { why: why.into() };
        let mut outcome = PolicyOutcome::new(decision, memory.store());
        outcome.distrusted = true;
        outcome.with_findings(&self.findings(change, known, None))
    }
}

/// To the source model: held if it is in use already.
pub(super) fn back(mut memory: Memory, current: Choice, why: String) -> PolicyOutcome {
    memory.in_use = None;
    let decision = match current {
        Choice::Source => Decision::Hold { why },
        Choice::Candidate(_) => Decision::RollBack { to: 0, why },
    };
    PolicyOutcome::new(decision, memory.store())
}

impl Finding {
    /// How the candidates did, and which of them was chosen.
    pub fn told(self, chosen: Option<Choice>) -> ChoiceFindings {
        ChoiceFindings {
            worlds: self.worlds,
            details: self.details,
            chosen,
            usual: None,
            theory: None,
            question: None,
        }
    }

    /// Whether the drift is explained.
    pub fn known(&self) -> Known {
        Known {
            explained: !self.worlds.is_empty(),
            ..Known::default()
        }
    }
}
