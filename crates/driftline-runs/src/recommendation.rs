//! What a comparison comes to: one method to use, or none.

use serde::Serialize;

use super::compare::MethodScore;
use driftline_models::evaluate::Interval;

/// The unadapted model, and what `adapt` does unless told otherwise.
const SOURCE: &str = "Source";
const DEFAULTS: [&str; 1] = ["Guarded"];
/// The flags of `adapt` that make it what was compared.
const FLAGS: [(&str, &str); 2] = [
    ("Gradual ST", "--method gradual --policy always"),
    ("Accumulate", "--method accumulate --policy always"),
];

/// The method that served best, and by how much.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Recommendation {
    pub method: String,
    /// The flags of `adapt` that make it so; empty for what it does by itself, absent where flags alone cannot.
    pub flags: Option<String>,
    /// Over the unadapted model, as a share of rows while serving.
    pub gain: f64,
    /// Whether the intervals of the two leave no doubt.
    pub clear: bool,
}

impl Recommendation {
    /// By the accuracy while serving, which is what a stream would have had. What `adapt` does by itself is preferred
    /// where it is as good as can be told.
    pub(super) fn of(methods: &[MethodScore]) -> Option<Self> {
        let served = |method: &MethodScore| method.while_serving;
        let source = methods.iter().find(|own| own.method == SOURCE);
        let source = source.and_then(served)?;
        let others = || {
            let others = methods.iter().filter(|own| own.method != SOURCE);
            others.filter_map(|own| Some((own, served(own)?)))
        };
        let (best, top) = others().max_by(|a, b| a.1.mean.total_cmp(&b.1.mean))?;
        let by_itself = others()
            .find(|(own, interval)| DEFAULTS.contains(&&*own.method) && !is_above(&top, interval));
        let (chosen, interval) = by_itself.unwrap_or((best, top));
        let flags = FLAGS.iter().find(|(name, _)| *name == chosen.method);
        let flags = flags.map(|(_, flags)| (*flags).to_owned());
        let own = DEFAULTS.contains(&&*chosen.method);
        Some(Self {
            method: chosen.method.clone(),
            flags: if own { Some(String::new()) } else { flags },
            gain: interval.mean - source.mean,
            clear: is_above(&interval, &source),
        })
    }
}

/// Whether one mean lies above another beyond what their half widths leave open.
fn is_above(a: &Interval, b: &Interval) -> bool {
    let half = |interval: &Interval| interval.half_width.unwrap_or(0.0);
    a.mean - b.mean > half(a).hypot(half(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(name: &str, mean: f64) -> MethodScore {
        let interval = Interval {
            mean,
            half_width: Some(0.02),
            n: 1,
        };
        MethodScore::served(name, interval)
    }

    #[test]
    fn the_best_is_recommended_unless_nothing_is_clear() {
        let of = |gradual: f64, guarded: f64| {
            let all = [
                ("Source", 0.7),
                ("Gradual ST", gradual),
                ("Guarded", guarded),
            ];
            Recommendation::of(&all.map(|(name, mean)| score(name, mean))).unwrap()
        };
        let gradual = of(0.9, 0.8);
        assert_eq!(gradual.method, "Gradual ST");
        assert_eq!(
            gradual.flags.as_deref(),
            Some("--method gradual --policy always")
        );
        assert!(gradual.clear && (gradual.gain - 0.2).abs() < 1e-12);
        let close = of(0.9, 0.89);
        assert_eq!(
            (&*close.method, close.flags.as_deref()),
            ("Guarded", Some(""))
        );
        assert!(!of(0.71, 0.7).clear);
    }
}
