//! A mean with its uncertainty.

use serde::{Deserialize, Serialize};

use driftline_core::data::Proportion;

/// How wide an interval is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// mean ± t₀.₉₅(n−1)·s/√n with s over n−1: 90 % coverage for normal values.
    StudentT,
    /// mean ± 1.645·σ/√n with σ over n, as the paper prints it: about 1.45 times narrower for five runs.
    Paper,
}

/// The mean of some values and half the width of its 90 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub mean: f64,
    /// `None` where a single value says nothing about the spread.
    pub half_width: Option<f64>,
    pub n: usize,
}

impl Interval {
    /// `None` for no values at all.
    pub fn of(values: &[f64], method: IntervalMethod) -> Option<Self> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
        let half_width = match method {
            _ if n == 1 => None,
            IntervalMethod::StudentT => {
                let deviation = (squares / (n - 1) as f64).sqrt();
                Some(distrs::StudentsT::ppf(0.95, (n - 1) as f64) * deviation / (n as f64).sqrt())
            }
            IntervalMethod::Paper => Some(1.645 * (squares / n as f64).sqrt() / (n as f64).sqrt()),
        };
        Some(Self {
            mean,
            half_width,
            n,
        })
    }

    pub fn student_t(values: &[f64]) -> Option<Self> {
        Self::of(values, IntervalMethod::StudentT)
    }

    /// The mean share of the same rows over seeds. Both leave something open, the rows as other rows might have come, the
    /// seeds as others might have been drawn: √(Wilson's half width² + Student's half width²). `None` of no rows.
    pub fn of_shares(shares: &[Proportion]) -> Option<Self> {
        let values: Vec<f64> = shares.iter().filter_map(|share| share.estimate()).collect();
        let seeds = Self::student_t(&values)?;
        let rows = shares.iter().map(|share| share.n).min()?;
        let hits = (seeds.mean * rows as f64).round() as usize;
        let (low, high) = Proportion::new(hits, rows).interval();
        let (by_rows, by_seeds) = ((high - low) / 2.0, seeds.half_width.unwrap_or(0.0));
        Some(Self {
            half_width: Some((by_rows * by_rows + by_seeds * by_seeds).sqrt()),
            ..seeds
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: s = √2.5, t₀.₉₅(4) = 2.1318; σ = √2.
    #[test]
    fn five_values_both_ways() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        let student = Interval::student_t(&values).unwrap();
        let paper = Interval::of(&values, IntervalMethod::Paper).unwrap();
        assert_eq!((student.mean, student.n), (3.0, 5));
        assert!(
            (student.half_width.unwrap() - 2.131_846_8 * 2.5_f64.sqrt() / 5.0_f64.sqrt()).abs()
                < 1e-5
        );
        assert!(
            (paper.half_width.unwrap() - 1.645 * 2.0_f64.sqrt() / 5.0_f64.sqrt()).abs() < 1e-12
        );
    }

    /// By hand: Wilson's interval of 80 of 100 is 0.7267 to 0.8575.
    #[test]
    fn seeds_that_agree_leave_the_uncertainty_of_the_rows() {
        let same = Interval::of_shares(&[Proportion::new(80, 100); 5]).unwrap();
        assert_eq!((same.mean, same.n), (0.8, 5));
        assert!((same.half_width.unwrap() - 0.0654).abs() < 1e-4);
        let apart = [Proportion::new(75, 100), Proportion::new(85, 100)];
        assert!(Interval::of_shares(&apart).unwrap().half_width > same.half_width);
        assert!(Interval::of_shares(&[Proportion::new(0, 0)]).is_none());
    }

    #[test]
    fn one_value_has_no_interval_and_none_no_mean() {
        assert_eq!(Interval::student_t(&[7.0]).unwrap().half_width, None);
        assert!(Interval::student_t(&[]).is_none());
    }
}
