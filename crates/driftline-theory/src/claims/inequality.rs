//! Checking an inequality on random instances: violations, how many instances could have refuted it, and whether the check
//! would notice if one factor of the bound were another.

use std::fmt;

use serde::Serialize;

use super::Claim;

/// Losses and errors are sums of masses, so they are exact up to this.
const ROUNDING: f64 = 1e-9;
/// A bound further above the left side than this share of itself would hide a wrong factor.
const TELLING_SLACK: f64 = 0.2;
/// So many instances must be telling before anything is concluded from an inequality that holds.
pub const LEAST_TELLING: usize = 500;

/// One instance: the left side, and what the right side is made of.
#[derive(Clone, Debug)]
pub struct Instance<P> {
    pub left: f64,
    pub parts: P,
}

/// left ≤ bound(parts), and the same with one factor changed at a time.
pub struct Inequality<P: 'static> {
    pub bound: fn(&P) -> f64,
    pub changes: &'static [Change<P>],
}

/// A factor of the bound that is replaced by another: the check must fail then.
pub struct Change<P: 'static> {
    /// Such as `2 → 1.83`.
    pub what: &'static str,
    pub bound: fn(&P) -> f64,
}

/// Instances of one kind.
pub struct Family<P> {
    pub instances: Vec<Instance<P>>,
    /// The share of the instances that may violate the inequality: 0 where it is certain.
    pub allowed: f64,
}

impl<P> Family<P> {
    pub fn certain(instances: Vec<Instance<P>>) -> Self {
        Self {
            instances,
            allowed: 0.0,
        }
    }

    fn violations(&self, bound: fn(&P) -> f64) -> usize {
        let violates = |i: &&Instance<P>| i.left > bound(&i.parts) + ROUNDING;
        self.instances.iter().filter(violates).count()
    }

    fn is_violated(&self, bound: fn(&P) -> f64) -> bool {
        self.violations(bound) as f64 > self.allowed * self.instances.len() as f64
    }
}

/// Instances on which the bound is below 1, which a loss can exceed, and less than a fifth above what was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Telling {
    pub bounds: usize,
    pub of: usize,
}

impl fmt::Display for Telling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} bounds telling", self.bounds, self.of)
    }
}

/// What became of an inequality when one factor was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// Such as `2 → 1.83`.
    pub changed: &'static str,
    /// Instances that the changed bound does not cover.
    pub violations: usize,
    /// Whether these are more than the changed statement would allow.
    pub refuted: bool,
}

/// The outcome of a check.
#[derive(Clone, Debug)]
pub struct Judged {
    pub telling: Telling,
    pub violations: usize,
    /// The left side as a share of the bound, at most.
    pub closest: f64,
    pub factors: Vec<Factor>,
    within: bool,
}

impl<P> Inequality<P> {
    pub fn judge(&self, families: &[Family<P>]) -> Judged {
        let all = || families.iter().flat_map(|family| &family.instances);
        let telling = |i: &&Instance<P>| {
            let bound = (self.bound)(&i.parts);
            bound < 1.0 && bound > ROUNDING && i.left >= (1.0 - TELLING_SLACK) * bound
        };
        let ratio = |i: &Instance<P>| match (self.bound)(&i.parts) {
            bound if bound > 1e-6 => i.left / bound,
            _ => 0.0,
        };
        let factor = |change: &Change<P>| Factor {
            changed: change.what,
            violations: families.iter().map(|f| f.violations(change.bound)).sum(),
            refuted: families.iter().any(|f| f.is_violated(change.bound)),
        };
        Judged {
            telling: Telling {
                bounds: all().filter(telling).count(),
                of: all().count(),
            },
            violations: families.iter().map(|f| f.violations(self.bound)).sum(),
            closest: all().map(ratio).fold(0.0, f64::max),
            factors: self.changes.iter().map(factor).collect(),
            within: !families.iter().any(|f| f.is_violated(self.bound)),
        }
    }
}

impl Judged {
    /// No more violations than allowed, enough instances that could have shown one, and no factor that could be another.
    pub fn holds(&self) -> bool {
        self.within
            && self.telling.bounds >= LEAST_TELLING
            && self.factors.iter().all(|factor| factor.refuted)
    }

    /// The claim of this outcome, with what its explanation says beside the factors.
    pub fn claim(self, predicted: &str, explanation: String) -> Claim {
        let changed: Vec<String> = self
            .factors
            .iter()
            .map(|f| format!("{} ({})", f.changed, f.violations))
            .collect();
        Claim {
            predicted: predicted.into(),
            computed: format!("{}: {} violations", self.telling, self.violations),
            holds: self.holds(),
            explanation: format!(
                "{explanation} The left side comes to {:.1} % of the bound at most. Telling are instances whose bound is \
                 below 1 and less than a fifth above the left side. With one factor changed, instances violate it: {}.",
                100.0 * self.closest,
                changed.join(", ")
            ),
            telling: Some(self.telling),
            factors: self.factors,
            ..Claim::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALVES: Inequality<f64> = Inequality {
        bound: |x| x / 2.0,
        changes: &[Change {
            what: "½ → ⅓",
            bound: |x| x / 3.0,
        }],
    };

    fn family(lefts: &[f64], allowed: f64) -> Family<f64> {
        let instance = |&left: &f64| Instance { left, parts: 1.0 };
        Family {
            instances: lefts.iter().map(instance).collect(),
            allowed,
        }
    }

    #[test]
    fn slack_and_vacuous_bounds_tell_nothing() {
        let judged = HALVES.judge(&[family(&[0.39, 0.41, 0.5], 0.0)]);
        assert_eq!(judged.telling, Telling { bounds: 2, of: 3 });
        assert_eq!((judged.violations, judged.factors[0].violations), (0, 3));
        assert!(judged.factors[0].refuted && judged.within && !judged.holds());
        let vacuous = Instance {
            left: 1.0,
            parts: 2.0,
        };
        let vacuous = Family::certain(vec![vacuous]);
        assert_eq!(HALVES.judge(&[vacuous]).telling.bounds, 0);
    }

    #[test]
    fn a_family_may_violate_as_often_as_is_allowed_and_no_other_makes_up_for_it() {
        let few = family(&[0.6, 0.1, 0.1, 0.1], 0.25);
        assert!(HALVES.judge(&[few]).within);
        let many = [family(&[0.6, 0.6, 0.1, 0.1], 0.25), family(&[0.1; 9], 0.25)];
        assert!(!HALVES.judge(&many).within);
    }

    #[test]
    fn enough_telling_instances_and_a_factor_that_matters_make_a_check() {
        let enough = family(&vec![0.45; LEAST_TELLING], 0.0);
        assert!(HALVES.judge(&[enough]).holds());
        let loose = family(&vec![0.3; LEAST_TELLING], 0.0);
        assert!(!HALVES.judge(&[loose]).holds());
    }
}
