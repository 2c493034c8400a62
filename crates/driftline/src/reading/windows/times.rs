//! The times of a stream, eight bytes each: kept in case it must be sorted or cut by the calendar, and let go when they
//! become too many.

use crate::reading::Time;

/// Times of one kind, in the order of the files.
#[derive(Debug)]
pub(super) struct Times {
    values: Values,
    /// How many may be kept.
    most: usize,
}

#[derive(Debug)]
enum Values {
    Numbers(Vec<f64>),
    Moments(Vec<i64>),
    TooMany,
}

impl Times {
    pub fn new(memory: u64) -> Self {
        Self {
            values: Values::Numbers(vec![]),
            most: usize::try_from(memory / 8).unwrap_or(usize::MAX),
        }
    }

    /// All times must be of one kind.
    pub fn push(&mut self, time: Time) {
        match (&mut self.values, time) {
            (Values::TooMany, _) => {}
            (Values::Numbers(values), _) if values.len() == self.most => {
                self.values = Values::TooMany;
            }
            (Values::Moments(values), _) if values.len() == self.most => {
                self.values = Values::TooMany;
            }
            (Values::Numbers(values), Time::Number(value)) => values.push(value),
            (Values::Moments(values), Time::Moment(value)) => values.push(value),
            (_, Time::Moment(value)) => self.values = Values::Moments(vec![value]),
            (Values::Moments(_), Time::Number(value)) => {
                self.values = Values::Numbers(vec![value]);
            }
        }
    }

    /// None if they were too many to be kept.
    pub fn all(&self) -> Option<Box<dyn Iterator<Item = Time> + '_>> {
        match &self.values {
            Values::Numbers(values) => Some(Box::new(values.iter().copied().map(Time::Number))),
            Values::Moments(values) => Some(Box::new(values.iter().copied().map(Time::Moment))),
            Values::TooMany => None,
        }
    }

    /// The place of every row when they are sorted by time, equal ones in the order of the file. None if they are too
    /// many: sorting takes as much memory again.
    pub fn ranks(&self) -> Option<Vec<u32>> {
        let most = self.most / 2;
        match &self.values {
            Values::Numbers(values) => {
                ranks(values.len(), most, |a, b| values[a].total_cmp(&values[b]))
            }
            Values::Moments(values) => ranks(values.len(), most, |a, b| values[a].cmp(&values[b])),
            Values::TooMany => None,
        }
    }
}

fn ranks(
    n: usize,
    most: usize,
    compare: impl Fn(usize, usize) -> std::cmp::Ordering,
) -> Option<Vec<u32>> {
    if n > most {
        return None;
    }
    let mut order: Vec<u32> = (0..u32::try_from(n).ok()?).collect();
    order.sort_by(|&a, &b| compare(a as usize, b as usize));
    let mut ranks = vec![0; n];
    for (rank, &row) in order.iter().enumerate() {
        ranks[row as usize] = rank as u32;
    }
    Some(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ranked_as_long_as_they_fit() {
        let mut times = Times::new(64);
        for micros in [30, 10, 20, 10] {
            times.push(Time::Moment(micros));
        }
        assert_eq!(times.ranks().unwrap(), [3, 0, 2, 1]);
        times.push(Time::Moment(40));
        assert!(times.ranks().is_none());
        assert_eq!(times.all().unwrap().next(), Some(Time::Moment(30)));
        (0..4).for_each(|micros| times.push(Time::Moment(micros)));
        assert!(times.all().is_none());
    }
}
