//! Margin losses: functions of the margin m = y·score alone, with y = ±1. Training and theory share these definitions.

use serde::{Deserialize, Serialize};

/// A non-increasing loss of the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum MarginLoss {
    /// h(m) = max(1 − m, 0).
    Hinge,
    /// r(m) = min(h(m), 1): no single example costs more than 1.
    Ramp,
    /// log(1 + e^{−m}).
    Logistic,
}

impl MarginLoss {
    pub const ALL: [MarginLoss; 3] = [MarginLoss::Ramp, MarginLoss::Hinge, MarginLoss::Logistic];

    pub fn value(self, margin: f64) -> f64 {
        match self {
            MarginLoss::Hinge => (1.0 - margin).max(0.0),
            MarginLoss::Ramp => (1.0 - margin).clamp(0.0, 1.0),
            // Written for the larger exponent, so that neither side overflows.
            MarginLoss::Logistic => (-margin).max(0.0) + libm::log1p(libm::exp(-margin.abs())),
        }
    }

    /// The derivative; at a kink, the one to the right (so 0 at m = 1, and −1 at m = 0 for the ramp).
    pub fn slope(self, margin: f64) -> f64 {
        match self {
            MarginLoss::Hinge => -f64::from(margin < 1.0),
            MarginLoss::Ramp => -f64::from((0.0..1.0).contains(&margin)),
            MarginLoss::Logistic => -sigmoid(-margin),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            MarginLoss::Hinge => "hinge",
            MarginLoss::Ramp => "ramp",
            MarginLoss::Logistic => "logistic",
        }
    }
}

/// 1 / (1 + e^{−t}), without overflow on either side.
pub fn sigmoid(t: f64) -> f64 {
    let tail = libm::exp(-t.abs());
    if t >= 0.0 {
        1.0 / (1.0 + tail)
    } else {
        tail / (1.0 + tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_agree_with_differences_and_are_those_to_the_right_at_kinks() {
        for loss in MarginLoss::ALL {
            for step in -40..=40 {
                let m = f64::from(step) / 8.0;
                let right = (loss.value(m + 1e-7) - loss.value(m)) / 1e-7;
                assert!((right - loss.slope(m)).abs() < 1e-6, "{loss:?} at {m}");
            }
        }
    }

    #[test]
    fn the_ramp_is_the_hinge_cut_off_at_one_and_they_agree_for_correct_predictions() {
        for step in -40..=40 {
            let m = f64::from(step) / 8.0;
            let (hinge, ramp) = (MarginLoss::Hinge.value(m), MarginLoss::Ramp.value(m));
            assert_eq!(ramp, hinge.min(1.0));
            assert!(m < 0.0 || ramp == hinge);
        }
        assert_eq!(MarginLoss::Logistic.value(-800.0), 800.0);
        assert!(MarginLoss::Logistic.value(700.0) > 0.0);
    }
}
