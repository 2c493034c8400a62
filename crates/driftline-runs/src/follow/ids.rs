//! The ids of the newest rows of the log: so that what is sent twice is logged once, and labels find their rows.

use std::collections::{HashMap, VecDeque};

/// So many ids are remembered, about 45 MB of them.
const REMEMBERED: usize = 500_000;

/// The hash of an id: two of half a million are alike once in 10²⁷.
type Hash = u128;

#[derive(Debug)]
pub(super) struct Ids {
    rows: HashMap<Hash, u64>,
    order: VecDeque<Hash>,
    most: usize,
}

impl Default for Ids {
    fn default() -> Self {
        Self {
            rows: HashMap::new(),
            order: VecDeque::new(),
            most: REMEMBERED,
        }
    }
}

impl Ids {
    /// Notes the row of an id; the oldest are forgotten. An empty one is none.
    pub fn add(&mut self, id: &str, row: u64) {
        if id.is_empty() {
            return;
        }
        let hash = hash(id);
        if self.rows.insert(hash, row).is_some() {
            return;
        }
        self.order.push_back(hash);
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.rows.remove(&oldest);
        }
    }

    pub fn row(&self, id: &str) -> Option<u64> {
        self.rows.get(&hash(id)).copied()
    }
}

fn hash(id: &str) -> Hash {
    let bytes = *blake3::hash(id.as_bytes()).as_bytes();
    let (first, _) = bytes.split_at(size_of::<Hash>());
    first
        .iter()
        .fold(0, |all, &byte| all << 8 | Hash::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered() {
        let mut ids = Ids {
            most: 3,
            ..Ids::default()
        };
        for row in 1..=5 {
            ids.add(&format!("id {row}"), row);
        }
        ids.add("id 5", 5);
        let rows: Vec<Option<u64>> = (1..=6).map(|row| ids.row(&format!("id {row}"))).collect();
        assert_eq!(rows, [None, None, Some(3), Some(4), Some(5), None]);
        assert_eq!(ids.rows.len(), 3);
    }
}
