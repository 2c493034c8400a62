//! What is at hand for one window: the card in two parts, models of one of them, and what the source says of every
//! candidate; worlds of moved sources, and what is told of a window that is held.

use serde_json::{Value, json};

use super::MOST_ROWS;
use super::choice::World;
use super::evidence::{self, Evidence};
use super::rehearsal::{Beginnings, Rehearsed, share};
use super::worlds::{self, Drift, Moved};
use crate::Result;
use crate::adapt::policy::{Decision, Judgement};
use crate::adapt::{Candidate, Context, State};
use crate::data::{Inputs, LabeledDomain, Labels};
use crate::drift::{Change, Known, Measured, PointFrame, RowPoints};

/// Rows for a column, for estimates from moved sources.
const ROWS_A_COLUMN: usize = 8;
/// How far the share of rows on which a candidate agrees with the source model may be from what the worlds say.
const AGREES: f64 = 0.12;

/// What a window shows: the worlds, and what the rule made of them.
pub(super) struct Finding {
    pub worlds: Vec<World>,
    /// Whether a loss in one world forbids a candidate.
    pub vetoes: bool,
    /// Whether the scores are estimates of accuracy as well.
    pub measurable: bool,
    pub notes: Value,
}

/// What is at hand for one window.
pub(super) struct Guard<'a> {
    frame: &'a PointFrame,
    pub beginnings: Beginnings,
    pub rows: LabeledDomain,
    pub evidence: Evidence,
}

impl<'a> Guard<'a> {
    pub fn new(
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

    /// Worlds of moved sources, every candidate rehearsed in each.
    pub fn worlds(
        &self,
        now: &Context<'_>,
        candidates: &[&Candidate],
        window: &Inputs,
        state: &mut State,
    ) -> Result<(Drift, Vec<(Moved, Rehearsed)>)> {
        let model = match candidates.first() {
            Some(candidate) => self.beginnings.model(candidate),
            None => &now.first.model,
        };
        let (drift, moved) = worlds::moved(now, self.frame, &self.rows, model, window)?;
        let rehearse = |world: Moved| {
            let done = self
                .beginnings
                .rehearse(now, candidates, world.name, &world.rows, state)?;
            Ok((world, done))
        };
        let rehearsed: Result<Vec<_>> = moved.into_iter().map(rehearse).collect();
        Ok((drift, rehearsed?))
    }

    /// Worlds of moved sources that fit, and whether they agree with what is seen of the candidates.
    pub fn direct(
        &self,
        now: &Context<'_>,
        candidates: &[&Candidate],
        window: &Inputs,
        decided: &[Labels],
        state: &mut State,
    ) -> Result<Finding> {
        let (drift, moved) = self.worlds(now, candidates, window, state)?;
        let agreements: Vec<f64> = decided.iter().map(|own| share(own, &decided[0])).collect();
        let (mut all, mut notes, mut gap) = (Vec::new(), Vec::new(), 0.0);
        for (world, rehearsed) in moved {
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
        let measurable = self.measures(window.len()) && gap <= AGREES * all.len().max(1) as f64;
        Ok(Finding {
            worlds: all,
            vetoes: true,
            measurable,
            notes: json!({ "drift": drift, "worlds": notes }),
        })
    }

    /// Whether scores in worlds of moved sources say how accurate a model is on a window of so many rows.
    pub fn measures(&self, window: usize) -> bool {
        let enough = self.evidence.rows.min(window) >= ROWS_A_COLUMN * self.frame.size();
        enough && self.evidence.exchangeable()
    }

    /// How the window differs from the source and from the one before it.
    pub fn measure(&self, now: &Context<'_>, window: &RowPoints) -> Measured {
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
    pub fn distrust(
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
    pub fn back(&self, mut state: State, current: usize, why: &str) -> Result<Judgement> {
        state.set_value("in-use", Value::Null);
        let why = why.to_owned();
        let decision = match current {
            0 => Decision::Hold { why },
            _ => Decision::RollBack { to: 0, why },
        };
        Ok(Judgement::new(decision, state))
    }
}

/// What is told of a window beside the decision; `place` is the one that was chosen.
pub(super) fn findings(
    guard: &Guard<'_>,
    change: Measured,
    finding: &Finding,
    place: Option<usize>,
) -> Value {
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
