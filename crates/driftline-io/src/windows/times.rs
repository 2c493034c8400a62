//! The times of a stream, eight bytes each: kept in case it must be sorted or cut by the calendar, and let go when they
//! become too many.

use crate::Time;

/// Times of one kind, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Times {
    /// Whole numbers that lie as the times do; none if there were too many.
    keys: Option<Vec<i64>>,
    moments: bool,
    /// How many may be kept.
    most: usize,
}

impl Times {
    pub fn new(memory: u64) -> Self {
        Self {
            keys: Some(vec![]),
            most: usize::try_from(memory / 8).unwrap_or(usize::MAX),
            ..Self::default()
        }
    }

    /// All times must be of one kind.
    pub fn push(&mut self, time: Time) {
        let Some(keys) = &mut self.keys else {
            return;
        };
        if keys.len() == self.most {
            self.keys = None;
            return;
        }
        self.moments = matches!(time, Time::Moment(_));
        keys.push(match time {
            Time::Number(value) => turned(value.to_bits() as i64),
            Time::Moment(micros) => micros,
        });
    }

    /// None if they were too many to be kept.
    pub fn all(&self) -> Option<impl Iterator<Item = Time>> {
        let time = |&key: &i64| match self.moments {
            true => Time::Moment(key),
            false => Time::Number(f64::from_bits(turned(key) as u64)),
        };
        Some(self.keys.as_ref()?.iter().map(time))
    }

    /// The place of every row when they are sorted by time, equal ones in the order of the file. None if they are too
    /// many: sorting takes as much memory again.
    pub fn ranks(&self) -> Option<Vec<u32>> {
        let keys = self.keys.as_ref()?;
        if keys.len() > self.most / 2 {
            return None;
        }
        let mut order: Vec<u32> = (0..u32::try_from(keys.len()).ok()?).collect();
        order.sort_by_key(|&row| keys[row as usize]);
        let mut ranks = vec![0; keys.len()];
        for (rank, &row) in order.iter().enumerate() {
            ranks[row as usize] = rank as u32;
        }
        Some(ranks)
    }
}

/// The bits of a float as a whole number in the same order, and back: see [`f64::total_cmp`].
fn turned(bits: i64) -> i64 {
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ranked_by_value_and_come_back_as_they_were() {
        let values = [0.5, -3.25, -0.0, 0.0, 1e300, -1e-300, f64::INFINITY, 7.0];
        let mut times = Times::new(1024);
        values.iter().for_each(|&v| times.push(Time::Number(v)));
        let back: Vec<Time> = times.all().unwrap().collect();
        for (time, value) in back.iter().zip(values) {
            let Time::Number(found) = time else {
                panic!("{time:?}")
            };
            assert_eq!(found.to_bits(), value.to_bits());
        }
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        for (value, rank) in values.iter().zip(times.ranks().unwrap()) {
            assert_eq!(sorted[rank as usize].to_bits(), value.to_bits());
        }
    }

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
