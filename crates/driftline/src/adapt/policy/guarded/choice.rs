//! The rule that chooses, from scores alone: the candidate that gains most over the source model on average over the
//! worlds and the last windows, by a margin, and loses in none of them; the one in use has a little advantage, so that
//! the choice does not flutter.

use super::score::Score;

/// A candidate must gain so much.
const MARGIN: f64 = 0.01;
/// It may lose so much in a world.
const VETO: f64 = 0.02;
/// The advantage of the one in use.
const HABIT: f64 = 0.01;
/// Windows that gains are averaged over.
pub(super) const MEMORY: usize = 3;

/// A labelled world and how the source model (first) and every candidate do in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct World {
    pub name: String,
    pub scores: Vec<Score>,
}

impl World {
    fn gain(&self, place: usize) -> f64 {
        self.scores[place].gain_over(&self.scores[0])
    }

    pub fn loses_a_class(&self, place: usize) -> bool {
        self.scores[place].loses_a_class_of(&self.scores[0])
    }
}

/// Mean gains of all in these worlds; the first is the source model's, zero.
pub(super) fn gains(worlds: &[World]) -> Vec<f64> {
    let places = worlds.first().map_or(0, |world| world.scores.len());
    let mean =
        |place| worlds.iter().map(|world| world.gain(place)).sum::<f64>() / worlds.len() as f64;
    (0..places).map(mean).collect()
}

/// Which place is best: 0 is the source model. `history` are the gains of the windows so far, this one last.
pub(super) fn choose(
    worlds: &[World],
    history: &[Vec<f64>],
    allowed: &[bool],
    vetoes: bool,
    current: usize,
) -> usize {
    let recent = &history[history.len().saturating_sub(MEMORY)..];
    let mut best = (f64::MIN, 0);
    for place in 0..allowed.len() {
        let loses = |world: &World| world.gain(place) < -VETO || world.loses_a_class(place);
        let loses = worlds.iter().any(loses);
        if place > 0 && (!allowed[place] || (vetoes && loses)) {
            continue;
        }
        let gain =
            recent.iter().map(|gains| gains[place]).sum::<f64>() / recent.len().max(1) as f64;
        // What is in use needs no margin: going back has its price too.
        let value = match place {
            _ if place == current => gain + HABIT,
            0 => gain,
            _ => gain - MARGIN,
        };
        if value > best.0 {
            best = (value, place);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(accuracies: &[f64]) -> World {
        let scores = accuracies.iter().map(|&accuracy| Score {
            accuracy,
            balanced: accuracy,
            recalls: vec![],
        });
        World {
            name: String::new(),
            scores: scores.collect(),
        }
    }

    fn chosen(worlds: &[World], current: usize) -> usize {
        choose(worlds, &[gains(worlds)], &[true; 3], true, current)
    }

    #[test]
    fn the_best_on_average_unless_it_loses_somewhere() {
        let worlds = [world(&[0.7, 0.8, 0.75]), world(&[0.7, 0.65, 0.75])];
        assert_eq!(chosen(&worlds, 0), 2);
        assert_eq!(
            choose(&worlds, &[gains(&worlds)], &[true, true, false], true, 0),
            0
        );
        assert_eq!(
            choose(&worlds, &[gains(&worlds)], &[true, true, false], false, 0),
            1
        );
    }

    #[test]
    fn little_is_no_reason_to_change() {
        let worlds = [world(&[0.7, 0.715, 0.7])];
        assert_eq!(chosen(&worlds, 0), 0);
        assert_eq!(chosen(&worlds, 1), 1);
    }
}
