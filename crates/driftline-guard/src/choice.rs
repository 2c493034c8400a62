//! The rule that chooses, from scores alone: the candidate that gains most over the source model on average over the
//! worlds and the last windows, by a margin, and loses in none of them; the one in use has a little advantage, so that
//! the choice does not flutter.

use serde::{Deserialize, Serialize};

use super::score::Score;

/// A candidate must gain so much.
const MARGIN: f64 = 0.01;
/// It may lose so much in a world.
const VETO: f64 = 0.02;
/// The advantage of the one in use.
const HABIT: f64 = 0.01;
/// Windows that gains are averaged over.
pub(super) const MEMORY: usize = 3;

/// What may be in use. In files and lists the source model is 0 and the candidates follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "usize", into = "usize")]
pub(super) enum Choice {
    Source,
    Candidate(usize),
}

impl Choice {
    /// The source model, then so many candidates.
    pub fn all(candidates: usize) -> impl Iterator<Item = Self> {
        (0..=candidates).map(Self::from)
    }

    /// Its place in a list that has the source model first.
    pub fn of<T>(self, list: &[T]) -> &T {
        &list[usize::from(self)]
    }
}

impl From<usize> for Choice {
    fn from(place: usize) -> Self {
        match place.checked_sub(1) {
            None => Self::Source,
            Some(candidate) => Self::Candidate(candidate),
        }
    }
}

impl From<Choice> for usize {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Source => 0,
            Choice::Candidate(candidate) => candidate + 1,
        }
    }
}

/// A labelled world and how the source model (first) and every candidate do in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Scenario {
    #[serde(rename = "world")]
    pub name: String,
    pub scores: Vec<Score>,
}

impl Scenario {
    fn gain(&self, choice: Choice) -> f64 {
        choice.of(&self.scores).gain_over(&self.scores[0])
    }

    pub fn loses_a_class(&self, choice: Choice) -> bool {
        choice.of(&self.scores).loses_a_class_of(&self.scores[0])
    }
}

/// Mean gains of all in these worlds; the first is the source model's, zero.
pub(super) fn gains(worlds: &[Scenario]) -> Vec<f64> {
    let Some(first) = worlds.first() else {
        return vec![];
    };
    let mean = |choice: Choice| {
        worlds.iter().map(|world| world.gain(choice)).sum::<f64>() / worlds.len() as f64
    };
    Choice::all(first.scores.len() - 1).map(mean).collect()
}

/// The best choice. `history` are the gains of the windows so far, this one last; `allowed` says which are open.
pub(super) fn choose(
    worlds: &[Scenario],
    history: &[Vec<f64>],
    allowed: &[bool],
    vetoes: bool,
    current: Choice,
) -> Choice {
    let recent = &history[history.len().saturating_sub(MEMORY)..];
    let mut best = (f64::MIN, Choice::Source);
    for choice in Choice::all(allowed.len() - 1) {
        let loses = |world: &Scenario| world.gain(choice) < -VETO || world.loses_a_class(choice);
        let loses = worlds.iter().any(loses);
        if choice != Choice::Source && (!choice.of(allowed) || (vetoes && loses)) {
            continue;
        }
        let sum = recent.iter().map(|gains| choice.of(gains)).sum::<f64>();
        let gain = sum / recent.len().max(1) as f64;
        // What is in use needs no margin: going back has its price too.
        let value = match choice {
            _ if choice == current => gain + HABIT,
            Choice::Source => gain,
            Choice::Candidate(_) => gain - MARGIN,
        };
        if value > best.0 {
            best = (value, choice);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(accuracies: &[f64]) -> Scenario {
        let scores = accuracies.iter().map(|&accuracy| Score {
            accuracy,
            balanced: accuracy,
            recalls: vec![],
        });
        Scenario {
            name: String::new(),
            scores: scores.collect(),
        }
    }

    const FIRST: Choice = Choice::Candidate(0);
    const SECOND: Choice = Choice::Candidate(1);

    fn chosen(worlds: &[Scenario], current: Choice) -> Choice {
        choose(worlds, &[gains(worlds)], &[true; 3], true, current)
    }

    #[test]
    fn a_choice_is_stored_as_its_place() {
        for (choice, place) in [(Choice::Source, 0), (FIRST, 1), (SECOND, 2)] {
            assert_eq!(serde_json::json!(choice), serde_json::json!(place));
            assert_eq!(Choice::from(place), choice);
            assert_eq!(
                *choice.of(&["source", "first", "second"]),
                ["source", "first", "second"][place]
            );
        }
        assert!(serde_json::from_str::<Choice>("-1").is_err());
        assert_eq!(Choice::all(1).collect::<Vec<_>>(), [Choice::Source, FIRST]);
    }

    #[test]
    fn the_best_on_average_unless_it_loses_somewhere() {
        let worlds = [world(&[0.7, 0.8, 0.75]), world(&[0.7, 0.65, 0.75])];
        assert_eq!(chosen(&worlds, Choice::Source), SECOND);
        for (vetoes, right) in [(true, Choice::Source), (false, FIRST)] {
            let allowed = [true, true, false];
            let history = [gains(&worlds)];
            let chosen = choose(&worlds, &history, &allowed, vetoes, Choice::Source);
            assert_eq!(chosen, right);
        }
    }

    #[test]
    fn little_is_no_reason_to_change() {
        let worlds = [world(&[0.7, 0.715, 0.7])];
        assert_eq!(chosen(&worlds, Choice::Source), Choice::Source);
        assert_eq!(chosen(&worlds, FIRST), FIRST);
    }
}
