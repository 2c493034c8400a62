//! What is known of the order of labelled rows beyond the places they stand at: their times, and whose they are.

/// Of the rows of a source. Both are numbers that only mean something beside each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowOrder {
    /// The rank of each row's time.
    pub times: Option<Vec<u32>>,
    /// The patient, machine or customer that each row is of.
    pub groups: Option<Vec<u32>>,
}

impl RowOrder {
    /// Of the rows `indices`, in that order.
    pub fn pick(&self, indices: &[usize]) -> Self {
        let picked = |all: &Option<Vec<u32>>| {
            let all = all.as_ref()?;
            Some(indices.iter().map(|&row| all[row]).collect())
        };
        Self {
            times: picked(&self.times),
            groups: picked(&self.groups),
        }
    }

    /// Rows by time; nothing where they stand so already, or no time is known.
    pub fn by_time(&self) -> Option<Vec<usize>> {
        let times = self.times.as_ref().filter(|times| !times.is_sorted())?;
        let mut rows: Vec<usize> = (0..times.len()).collect();
        rows.sort_by_key(|&row| times[row]);
        Some(rows)
    }
}

/// Each value as the number of its first appearance.
pub fn numbered<T: std::hash::Hash + Eq>(values: impl IntoIterator<Item = T>) -> Vec<u32> {
    let mut seen = std::collections::HashMap::new();
    let number = |value| {
        let next = seen.len() as u32;
        *seen.entry(value).or_insert(next)
    };
    values.into_iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_picked_and_sorted_with_equals_in_their_order() {
        let order = RowOrder {
            times: Some(vec![3, 1, 3, 0]),
            groups: Some(numbered(["b", "a", "b", "c"])),
        };
        assert_eq!(order.by_time(), Some(vec![3, 1, 0, 2]));
        let sorted = order.pick(&[3, 1, 0, 2]);
        assert_eq!(sorted.groups, Some(vec![2, 1, 0, 0]));
        assert_eq!(sorted.by_time(), None);
    }
}
