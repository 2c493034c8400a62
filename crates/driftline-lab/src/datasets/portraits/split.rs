//! The drift over a century of portraits: source, stream and target by years or by ranks.

use std::borrow::Cow;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::Portraits;
use crate::datasets::timeline::{Timeline, fewer};
use driftline_core::data::Benchmark;
use driftline_core::random::Seed;
use driftline_core::{Error, Result};

/// Which portraits are source, stream and target. All are in order of year; the pool for methods that adapt straight to
/// the target is the last `target_pool` portraits of the stream, as in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(
    tag = "split",
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
pub enum PortraitsOverTime {
    /// By the last year of each part. The source is shuffled, its first `source` portraits are trained on and the
    /// rest held out; every target portrait is scored.
    Time {
        source: usize,
        source_until: i16,
        intermediate_until: i16,
        target_until: i16,
        target_pool: usize,
        /// Only one portrait in this many is used.
        #[serde(default = "every_one")]
        one_in: NonZeroUsize,
    },
    /// The same backwards, the newest first: source of the years `source_from` to `source_until`, a stream back to
    /// `intermediate_from`, a target back to `target_from`. A rehearsal on the labelled past.
    Back {
        source: usize,
        source_until: i16,
        source_from: i16,
        intermediate_from: i16,
        target_from: i16,
        target_pool: usize,
        /// Only one portrait in this many is used.
        #[serde(default = "every_one")]
        one_in: NonZeroUsize,
    },
    /// By rank: first `source + held_out_source` portraits, shuffled, then the stream, then `target`, shuffled, of which
    /// the first `scored` are scored and the others never used.
    Count {
        source: usize,
        held_out_source: usize,
        intermediate: usize,
        target: usize,
        scored: usize,
        target_pool: usize,
    },
}

impl PortraitsOverTime {
    /// The same drift with about one portrait in `divisor`.
    pub fn scaled_down(mut self, divisor: usize) -> Self {
        let less = |n: &mut usize| *n = fewer(*n, divisor);
        match &mut self {
            Self::Time {
                source,
                target_pool,
                one_in,
                ..
            }
            | Self::Back {
                source,
                target_pool,
                one_in,
                ..
            } => {
                [source, target_pool].into_iter().for_each(less);
                let divisor = NonZeroUsize::new(divisor).unwrap_or(NonZeroUsize::MIN);
                *one_in = one_in.saturating_mul(divisor);
            }
            Self::Count {
                source,
                held_out_source,
                intermediate,
                target,
                scored,
                target_pool,
            } => {
                let first = [source, held_out_source, intermediate];
                let last = [target, scored, target_pool];
                first.into_iter().chain(last).for_each(less);
            }
        }
        self
    }

    fn chosen<'a>(&self, portraits: &'a Portraits) -> Cow<'a, Portraits> {
        match self {
            Self::Time { one_in, .. } if one_in.get() > 1 => Cow::Owned(portraits.one_in(*one_in)),
            Self::Back {
                one_in,
                source_until,
                ..
            } => Cow::Owned(portraits.one_in(*one_in).back_from(*source_until)),
            _ => Cow::Borrowed(portraits),
        }
    }

    pub fn benchmark(&self, portraits: &Portraits, seed: Seed) -> Result<Benchmark> {
        let portraits = &*self.chosen(portraits);
        let timeline = self.timeline(portraits)?;
        let dealt = timeline.deal(portraits.len(), "portraits", seed)?;
        dealt.benchmark(
            |places| portraits.inputs(places),
            |places| Ok(portraits.labels().pick(places)),
        )
    }

    fn timeline(&self, portraits: &Portraits) -> Result<Timeline> {
        let by_years = |source, ends: [usize; 3], target_pool| Timeline {
            source,
            source_end: ends[0],
            stream_end: ends[1],
            target_end: ends[2],
            scored: ends[2] - ends[1],
            target_pool,
        };
        let years = portraits.years();
        Ok(match *self {
            Self::Time {
                source,
                source_until,
                intermediate_until,
                target_until,
                target_pool,
                one_in: _,
            } => {
                let last = [source_until, intermediate_until, target_until];
                expect_order("last", "rising", last, i16::lt)?;
                let ends = last.map(|year| years.partition_point(|&y| y <= year));
                by_years(source, ends, target_pool)
            }
            Self::Back {
                source,
                source_until: _,
                source_from,
                intermediate_from,
                target_from,
                target_pool,
                one_in: _,
            } => {
                let first = [source_from, intermediate_from, target_from];
                expect_order("first", "falling", first, i16::gt)?;
                let ends = first.map(|year| years.partition_point(|&y| y >= year));
                by_years(source, ends, target_pool)
            }
            Self::Count {
                source,
                held_out_source,
                intermediate,
                target,
                scored,
                target_pool,
            } => {
                let source_end = source.saturating_add(held_out_source);
                let stream_end = source_end.saturating_add(intermediate);
                Timeline {
                    source,
                    source_end,
                    stream_end,
                    target_end: stream_end.saturating_add(target),
                    scored,
                    target_pool,
                }
            }
        })
    }
}

fn expect_order(
    which: &str,
    how: &str,
    years: [i16; 3],
    before: fn(&i16, &i16) -> bool,
) -> Result<()> {
    if years.is_sorted_by(before) {
        return Ok(());
    }
    let [source, stream, target] = years;
    Err(Error::out_of_range(
        format!("the list of {which} years"),
        format!("{source}, {stream}, {target}"),
        format!("{how} from source to target"),
    ))
}

fn every_one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

#[cfg(test)]
impl PortraitsOverTime {
    /// The paper's years: source up to 1935, target 1970 to 1973.
    pub(in crate::datasets) fn paper_years() -> Self {
        Self::Time {
            source: 1_000,
            source_until: 1935,
            intermediate_until: 1969,
            target_until: 1973,
            target_pool: 2_000,
            one_in: every_one(),
        }
    }

    /// The paper's ranks: 2,000 source, 14,000 stream, 2,000 target.
    pub(in crate::datasets) fn paper_counts() -> Self {
        Self::by_count(14_000)
    }

    /// Further in time: a stream of 20,000 and the 2,000 portraits after it.
    pub(in crate::datasets) fn paper_further() -> Self {
        Self::by_count(20_000)
    }

    fn by_count(intermediate: usize) -> Self {
        Self::Count {
            source: 1_000,
            held_out_source: 1_000,
            intermediate,
            target: 2_000,
            scored: 1_000,
            target_pool: 2_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// 1901, 1901, 1902, 1902, …: portrait k, grey k, has class k mod 2.
    fn two_a_year() -> Portraits {
        let years: Vec<i16> = (0..60).map(|at| 1901 + at / 2).collect();
        fixture::portraits(&years)
    }

    fn greys(inputs: &driftline_core::data::Inputs) -> Vec<usize> {
        let grey = |row: &[f32]| (row[0] * 255.0).round() as usize;
        inputs.iter().map(grey).collect()
    }

    fn sorted(mut values: Vec<usize>) -> Vec<usize> {
        values.sort_unstable();
        values
    }

    #[test]
    fn by_time_every_portrait_of_the_years_has_its_place() {
        let spec = PortraitsOverTime::Time {
            source: 7,
            source_until: 1905,
            intermediate_until: 1920,
            target_until: 1925,
            target_pool: 6,
            one_in: every_one(),
        };
        let Benchmark { task, answers } = spec.benchmark(&two_a_year(), Seed::new(0)).unwrap();
        let train = greys(task.source.inputs());
        let held_out = greys(answers.held_out_source.inputs());
        assert_eq!((train.len(), held_out.len()), (7, 3));
        assert_eq!(
            sorted([train, held_out].concat()),
            (0..10).collect::<Vec<_>>()
        );
        assert_eq!(
            greys(task.intermediate.inputs()),
            (10..40).collect::<Vec<_>>()
        );
        assert_eq!(
            greys(&task.target_pool.domain().unwrap().inputs),
            (34..40).collect::<Vec<_>>()
        );
        assert_eq!(
            sorted(greys(answers.target.inputs())),
            (40..50).collect::<Vec<_>>()
        );
        let half = spec.scaled_down(2).benchmark(&two_a_year(), Seed::new(0));
        let half = half.unwrap_err().to_string();
        assert!(
            half.contains("label 0"),
            "one portrait in two is all of one class: {half}"
        );
        let stream_labels = answers.intermediate.unwrap();
        assert_eq!(stream_labels.as_slice()[..3], [0, 1, 0]);
    }

    #[test]
    fn back_in_time_the_newest_are_the_source() {
        let spec = PortraitsOverTime::Back {
            source: 6,
            source_until: 1926,
            source_from: 1923,
            intermediate_from: 1910,
            target_from: 1905,
            target_pool: 4,
            one_in: every_one(),
        };
        let Benchmark { task, answers } = spec.benchmark(&two_a_year(), Seed::new(0)).unwrap();
        let train = greys(task.source.inputs());
        let held_out = greys(answers.held_out_source.inputs());
        assert_eq!(
            sorted([train, held_out].concat()),
            (44..52).collect::<Vec<_>>()
        );
        let stream: Vec<usize> = (18..44).rev().collect();
        assert_eq!(greys(task.intermediate.inputs()), stream);
        let target = sorted(greys(answers.target.inputs()));
        assert_eq!(target, (8..18).collect::<Vec<_>>());
    }

    #[test]
    fn by_count_part_of_the_target_is_scored() {
        let spec = PortraitsOverTime::Count {
            source: 6,
            held_out_source: 4,
            intermediate: 20,
            target: 10,
            scored: 5,
            target_pool: 8,
        };
        let Benchmark { task, answers } = spec.benchmark(&two_a_year(), Seed::new(0)).unwrap();
        assert_eq!((task.source.len(), answers.held_out_source.len()), (6, 4));
        assert_eq!(
            greys(&task.target_pool.domain().unwrap().inputs),
            (22..30).collect::<Vec<_>>()
        );
        assert_eq!(answers.target.len(), 5);
        assert!(
            greys(answers.target.inputs())
                .iter()
                .all(|grey| (30..40).contains(grey))
        );
    }

    #[test]
    fn settings_read_back_and_faults_are_refused() {
        for spec in [
            PortraitsOverTime::paper_years(),
            PortraitsOverTime::paper_further(),
        ] {
            let text = toml::to_string(&spec).unwrap();
            assert_eq!(toml::from_str::<PortraitsOverTime>(&text).unwrap(), spec);
            assert!(toml::from_str::<PortraitsOverTime>(&format!("{text}\nextra = 1")).is_err());
            assert!(spec.benchmark(&two_a_year(), Seed::new(0)).is_err());
        }
        let backwards = PortraitsOverTime::Time {
            source: 1,
            source_until: 1930,
            intermediate_until: 1920,
            target_until: 1925,
            target_pool: 0,
            one_in: every_one(),
        };
        let error = backwards
            .benchmark(&two_a_year(), Seed::new(0))
            .unwrap_err();
        assert!(error.to_string().contains("1930, 1920, 1925"), "{error}");
    }
}
