//! Linear scales: from values to places on the page, with round ticks.

/// Maps a domain of values to a range of places; values outside stay at the edge.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub domain: (f64, f64),
    pub range: (f64, f64),
}

impl Scale {
    pub fn at(&self, value: f64) -> f64 {
        let (low, high) = self.domain;
        let share = (value - low) / (high - low);
        let share = if share.is_finite() { share } else { 0.5 }.clamp(0.0, 1.0);
        self.range.0 + share * (self.range.1 - self.range.0)
    }
}

/// A domain that begins and ends at a tick, and the step between ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ticks {
    pub low: f64,
    pub high: f64,
    pub step: f64,
}

impl Ticks {
    /// Round ticks, about `wanted` steps, around all finite `values` and within `limits`.
    pub fn around(values: impl Iterator<Item = f64>, limits: (f64, f64), wanted: usize) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .map(|value| value.clamp(limits.0, limits.1))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        let (low, high) = if low > high { limits } else { (low, high) };
        // A single value still needs some room around it.
        let room = ((high - low) * 0.04).max((limits.1 - limits.0) * 0.005);
        let (low, high) = ((low - room).max(limits.0), (high + room).min(limits.1));
        let step = round_step((high - low) / wanted.max(1) as f64);
        Self {
            low: ((low / step).floor() * step).max(limits.0),
            high: ((high / step).ceil() * step).min(limits.1),
            step,
        }
    }

    /// Whole numbers, at most `wanted` steps, from the lowest to the highest value.
    pub fn whole(values: impl Iterator<Item = f64> + Clone, wanted: usize) -> Self {
        let high = values.clone().fold(0.0, f64::max);
        let low = values.fold(high, f64::min);
        let step = ((high - low) / wanted as f64).ceil().max(1.0);
        Self { low, high, step }
    }

    pub fn values(&self) -> impl Iterator<Item = f64> + use<> {
        let Self { low, high, step } = *self;
        let count = ((high - low) / step + 1e-9) as usize;
        (0..=count).map(move |i| low + i as f64 * step)
    }

    /// As short as tells the ticks apart.
    pub fn label(&self, value: f64) -> String {
        let decimals = (-self.step.log10().floor()).clamp(0.0, 6.0) as usize;
        let text = format!("{value:.decimals$}");
        match text.split_once('.') {
            Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole.into(),
            _ => text,
        }
    }
}

/// The smallest of 1, 2, 5, 10, … (and their tenths) that is at least `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let mut round = [1.0, 2.0, 5.0].into_iter().map(|m| m * power);
    let found = round.find(|candidate| *candidate >= step * (1.0 - 1e-9));
    found.unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_values() {
        let ticks = Ticks::around([36.0, 99.6].into_iter(), (0.0, 100.0), 5);
        assert_eq!((ticks.low, ticks.high, ticks.step), (20.0, 100.0, 20.0));
        let whole = Ticks::around([0.2, 99.6].into_iter(), (0.0, 100.0), 5);
        assert_eq!((whole.low, whole.high, whole.step), (0.0, 100.0, 20.0));
        let labels: Vec<String> = ticks.values().map(|v| ticks.label(v)).collect();
        assert_eq!(labels, ["20", "40", "60", "80", "100"]);
        let unit = Ticks {
            low: 0.0,
            high: 1.0,
            step: 0.2,
        };
        assert_eq!([0.0, 0.2, 1.0].map(|v| unit.label(v)), ["0", "0.2", "1"]);
    }

    #[test]
    fn no_values_one_value_and_nonsense_still_give_a_scale() {
        for values in [
            vec![],
            vec![50.0],
            vec![f64::NAN, f64::INFINITY],
            vec![1e300],
        ] {
            let ticks = Ticks::around(values.into_iter(), (0.0, 100.0), 5);
            assert!(ticks.low < ticks.high && ticks.step > 0.0, "{ticks:?}");
            assert!(ticks.values().count() < 20);
        }
    }

    #[test]
    fn values_outside_stay_at_the_edge() {
        let scale = Scale {
            domain: (0.0, 10.0),
            range: (100.0, 0.0),
        };
        assert_eq!(scale.at(2.5), 75.0);
        assert_eq!(scale.at(-7.0), 100.0);
        let flat = Scale {
            domain: (1.0, 1.0),
            range: (0.0, 10.0),
        };
        assert_eq!(flat.at(1.0), 5.0);
    }
}
