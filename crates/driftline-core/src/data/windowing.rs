//! How a stream is cut into windows, and what becomes of a tail that does not fill one.

use std::fmt;
use std::num::NonZeroUsize;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Period;
use crate::{Error, Result};

/// Where one window ends and the next begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Windowing {
    /// Windows of this many examples: `[W·i, W·(i+1))`.
    Size(NonZeroUsize, Tail),
    /// This many windows, as even as possible; there is never a tail.
    Count(NonZeroUsize),
    /// Windows that end before these positions, the first starting at 0.
    Boundaries(Vec<usize>, Tail),
    /// A window per calendar period, or per step of a numeric time. The last one may be incomplete; periods without
    /// rows have no window. Only for streams whose rows have times.
    Every(Period),
}

/// What to do with the examples after the last full window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// Leave them out, and say so.
    Drop,
    /// Make them a smaller window of their own.
    Keep,
    /// Let the last full window have them.
    #[default]
    Merge,
    /// Refuse to cut the stream.
    Forbid,
}

/// The windows of one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    pub windows: Vec<Range<usize>>,
    pub remainder: Remainder,
}

/// What became of the tail: part of every result, so that nothing is dropped in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remainder {
    None,
    Dropped(usize),
    Kept(usize),
    Merged(usize),
}

impl Windowing {
    pub fn split(&self, examples: usize) -> Result<Split> {
        match self {
            Windowing::Size(window, tail) => {
                let window = window.get();
                if window > examples {
                    return Err(Error::WindowTooLarge { window, examples });
                }
                let ends = (1..=examples / window).map(|i| i * window).collect();
                cut(ends, *tail, examples)
            }
            Windowing::Count(count) => {
                let count = count.get();
                if count > examples {
                    return Err(Error::out_of_range(
                        "the number of windows",
                        count,
                        format!("at most the {examples} examples of the stream"),
                    ));
                }
                // 128 bits: examples · count may not fit into 64.
                let end = |i: usize| (examples as u128 * i as u128 / count as u128) as usize;
                cut((1..=count).map(end).collect(), Tail::Forbid, examples)
            }
            Windowing::Boundaries(ends, tail) => {
                let mut previous = 0;
                for &value in ends {
                    if value <= previous || value > examples {
                        return Err(Error::BadBoundaries {
                            examples,
                            previous,
                            value,
                        });
                    }
                    previous = value;
                }
                if ends.is_empty() {
                    return Err(Error::empty("the list of window boundaries"));
                }
                cut(ends.clone(), *tail, examples)
            }
            Windowing::Every(_) => Err(Error::mismatch(
                "a stream that is cut by time",
                "a time for each row",
                "none",
            )),
        }
    }

    /// Windows for a stream of which only one row in `divisor` is left; where they do not divide it, the tail is merged.
    pub fn scaled_down(&self, divisor: usize) -> Self {
        let smaller = |n: usize| (n / divisor).max(1);
        let lenient = |tail: Tail| match tail {
            Tail::Forbid => Tail::Merge,
            other => other,
        };
        match self {
            Windowing::Size(size, tail) => {
                let size = NonZeroUsize::new(smaller(size.get())).expect("at least 1");
                Windowing::Size(size, lenient(*tail))
            }
            Windowing::Count(count) => {
                Windowing::Count((*count).min(NonZeroUsize::new(2).expect("not 0")))
            }
            Windowing::Boundaries(ends, tail) => {
                let mut ends: Vec<usize> = ends.iter().map(|&end| smaller(end)).collect();
                // Scaled down, windows may become empty.
                ends.dedup();
                Windowing::Boundaries(ends, lenient(*tail))
            }
            Windowing::Every(period) => Windowing::Every(*period),
        }
    }
}

fn cut(ends: Vec<usize>, tail: Tail, examples: usize) -> Result<Split> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let mut windows: Vec<Range<usize>> =
        starts.zip(&ends).map(|(start, &end)| start..end).collect();
    let last = windows.last_mut().expect("at least one window");
    let rest = examples - last.end;
    let remainder = match tail {
        _ if rest == 0 => Remainder::None,
        Tail::Drop => Remainder::Dropped(rest),
        Tail::Keep => {
            windows.push(examples - rest..examples);
            Remainder::Kept(rest)
        }
        Tail::Merge => {
            last.end = examples;
            Remainder::Merged(rest)
        }
        Tail::Forbid => {
            return Err(Error::UnevenWindows {
                window: last.len(),
                examples,
                rest,
            });
        }
    };
    Ok(Split { windows, remainder })
}

/// "windows of 500 rows".
impl fmt::Display for Windowing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Windowing::Size(rows, _) => write!(f, "windows of {rows} rows"),
            Windowing::Count(count) => write!(f, "{count} windows"),
            Windowing::Boundaries(ends, _) => write!(f, "windows that end at {ends:?}"),
            Windowing::Every(period) => write!(f, "a window every {period}"),
        }
    }
}

impl fmt::Display for Remainder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remainder::None => write!(f, "the windows cover the whole stream"),
            Remainder::Dropped(n) => {
                write!(f, "the last {n} examples fill no window and were dropped")
            }
            Remainder::Kept(n) => write!(f, "the last {n} examples form a smaller window"),
            Remainder::Merged(n) => {
                write!(f, "the last {n} examples were merged into the last window")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn size(n: usize, tail: Tail) -> Windowing {
        Windowing::Size(NonZeroUsize::new(n).unwrap(), tail)
    }

    #[test]
    fn every_tail_policy() {
        let windows = |tail| {
            size(4, tail)
                .split(10)
                .map(|split| (split.windows, split.remainder))
        };
        assert_eq!(
            windows(Tail::Drop).unwrap(),
            (vec![0..4, 4..8], Remainder::Dropped(2))
        );
        assert_eq!(
            windows(Tail::Keep).unwrap(),
            (vec![0..4, 4..8, 8..10], Remainder::Kept(2))
        );
        assert_eq!(
            windows(Tail::Merge).unwrap(),
            (vec![0..4, 4..10], Remainder::Merged(2))
        );
        assert_eq!(
            windows(Tail::Forbid).unwrap_err().to_string(),
            "windows of 4 do not divide a stream of 10: 2 would be left over, and the tail policy is `forbid`"
        );
        assert_eq!(
            size(5, Tail::Forbid).split(10).unwrap().remainder,
            Remainder::None
        );
    }

    #[test]
    fn a_window_larger_than_the_stream_is_refused() {
        assert!(matches!(
            size(11, Tail::Keep).split(10),
            Err(Error::WindowTooLarge {
                window: 11,
                examples: 10
            })
        ));
    }

    #[test]
    fn boundaries_must_rise_within_the_stream() {
        let split = |ends: &[usize]| Windowing::Boundaries(ends.to_vec(), Tail::Keep).split(10);
        assert_eq!(split(&[3, 7]).unwrap().windows, [0..3, 3..7, 7..10]);
        for bad in [&[0, 3][..], &[3, 3], &[5, 4], &[11], &[]] {
            assert!(split(bad).is_err(), "{bad:?}");
        }
    }

    proptest! {
        #[test]
        fn windows_follow_each_other_and_lose_only_what_they_say(
            n in 1usize..500, w in 1usize..60, by_count: bool,
            tail in prop::sample::select(vec![Tail::Drop, Tail::Keep, Tail::Merge]),
        ) {
            prop_assume!(w <= n);
            let windowing = if by_count { Windowing::Count(NonZeroUsize::new(w).unwrap()) } else { size(w, tail) };
            let split = windowing.split(n).unwrap();
            let mut next = 0;
            for window in &split.windows {
                prop_assert_eq!(window.start, next);
                prop_assert!(!window.is_empty());
                next = window.end;
            }
            let dropped = if let Remainder::Dropped(rest) = split.remainder { rest } else { 0 };
            prop_assert_eq!(next + dropped, n);
            if by_count { prop_assert_eq!(split.windows.len(), w); }
        }
    }
}
