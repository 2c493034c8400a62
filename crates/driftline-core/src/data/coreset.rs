//! A small part of labelled rows that stands for all of them: the *source sample* of a model. Every class keeps its share,
//! rare ones at least a few rows, and within a class the rows are evenly spaced in time; nothing is drawn.

use super::LabeledDomain;

/// So many rows at most, and so many numbers, which bound wide inputs such as images (8 MB).
const MOST_ROWS: usize = 4000;
const MOST_NUMBERS: usize = 2 << 20;
/// A class keeps so many rows before shares decide.
const FEWEST_OF_A_CLASS: usize = 10;

impl LabeledDomain {
    /// The rows that stand for these, in their order; all of them where they are few. Taken again it gives the same.
    pub fn source_sample(&self) -> LabeledDomain {
        let most = MOST_ROWS.min(MOST_NUMBERS / self.inputs().shape().size());
        self.coreset(most)
    }

    /// At most so many rows that stand for these, in their order; but one of every class.
    pub fn coreset(&self, most: usize) -> LabeledDomain {
        if self.len() <= most {
            return self.clone();
        }
        let quotas = quotas(&self.labels().counts(), most);
        let classes = self.labels().as_slice();
        let counts = self.labels().counts();
        let mut seen = vec![0; quotas.len()];
        let kept = (0..self.len()).filter(|&row| {
            let class = classes[row] as usize;
            let place = seen[class];
            seen[class] += 1;
            // The k-th of n rows is kept where k·quota/n reaches the next whole number: quota rows, evenly spaced.
            let passed = |place: usize| place * quotas[class] / counts[class];
            passed(place + 1) > passed(place)
        });
        let kept: Vec<usize> = kept.collect();
        self.pick(&kept)
    }
}

/// How many rows of each class: a few of each first, then by their shares.
fn quotas(counts: &[usize], most: usize) -> Vec<usize> {
    let fewest = (most / (2 * counts.len().max(1))).clamp(1, FEWEST_OF_A_CLASS);
    let first = |count: usize| count.min(fewest);
    let given: usize = counts.iter().copied().map(first).sum();
    let left: usize = counts.iter().map(|&count| count - first(count)).sum();
    let room = most.saturating_sub(given);
    let quota = |&count: &usize| {
        let more = (count - first(count)) * room / left.max(1);
        count.min(first(count) + more)
    };
    counts.iter().map(quota).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Inputs, Labels, Shape};

    fn rows(classes: &[u32]) -> LabeledDomain {
        let values = (0..classes.len()).map(|row| row as f32).collect();
        let inputs = Inputs::new(values, Shape::Vector(1)).unwrap();
        LabeledDomain::new(inputs, Labels::new(classes.to_vec(), 3).unwrap()).unwrap()
    }

    #[test]
    fn shares_stay_rare_classes_too_and_rows_are_evenly_spaced() {
        // Of 1,000 rows 3 are of class 2, and a tenth of class 1.
        let classes: Vec<u32> = (0..1000)
            .map(|row| match row {
                500..503 => 2,
                row if row % 10 == 0 => 1,
                _ => 0,
            })
            .collect();
        let all = rows(&classes);
        let sample = all.coreset(100);
        let counts = sample.labels().counts();
        assert!((95..=100).contains(&sample.len()), "{counts:?}");
        assert_eq!(counts[2], 3);
        assert!((10..=20).contains(&counts[1]), "{counts:?}");
        let kept: Vec<f32> = sample.inputs().iter().map(|row| row[0]).collect();
        assert!(kept.is_sorted());
        let early = kept.iter().filter(|&&row| row < 500.0).count();
        assert!(early.abs_diff(sample.len() / 2) <= 3, "{early}");
        assert_eq!(sample.coreset(100), sample);
        assert_eq!(all.coreset(1000), all);
        assert_eq!(all.source_sample(), all);
    }

    #[test]
    fn every_class_keeps_a_row_whatever_the_room() {
        let all = rows(&[0, 1, 2].repeat(50));
        assert_eq!(all.coreset(2).labels().counts(), [1, 1, 1]);
    }
}
