//! Sets of small numbers as bits, and bipartite graphs as one such set per left vertex.

/// A subset of 0..n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub fn empty(n: usize) -> Self {
        Self {
            words: vec![0; n.div_ceil(64)],
        }
    }

    pub fn full(n: usize) -> Self {
        let mut bits = Self::empty(n);
        (0..n).for_each(|i| bits.insert(i));
        bits
    }

    /// All that is in any of `sets`.
    pub fn union(n: usize, sets: &[Bits]) -> Self {
        let mut all = Self::empty(n);
        for set in sets {
            let words = all.words.iter_mut().zip(&set.words);
            words.for_each(|(a, b)| *a |= b);
        }
        all
    }

    pub fn insert(&mut self, index: usize) {
        self.words[index / 64] |= 1 << (index % 64);
    }

    pub fn remove(&mut self, index: usize) {
        self.words[index / 64] &= !(1 << (index % 64));
    }

    pub fn contains(&self, index: usize) -> bool {
        self.words[index / 64] >> (index % 64) & 1 == 1
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}

/// The first member of `row ∩ set` at or after word `from`, with its word.
pub fn first_common(row: &[u64], set: &Bits, from: usize) -> Option<usize> {
    let pairs = row[from..].iter().zip(&set.words[from..]);
    for (offset, (a, b)) in pairs.enumerate() {
        let both = a & b;
        if both != 0 {
            return Some((from + offset) * 64 + both.trailing_zeros() as usize);
        }
    }
    None
}

/// Which right vertices each left vertex may be paired with.
#[derive(Clone, Debug)]
pub struct Adjacency {
    rights: usize,
    stride: usize,
    words: Vec<u64>,
}

impl Adjacency {
    pub fn empty(lefts: usize, rights: usize) -> Self {
        let stride = rights.div_ceil(64);
        Self {
            rights,
            stride,
            words: vec![0; lefts * stride],
        }
    }

    pub fn rights(&self) -> usize {
        self.rights
    }

    pub fn row(&self, left: usize) -> &[u64] {
        &self.words[left * self.stride..(left + 1) * self.stride]
    }

    /// The bits of all rows with the number of words per row, for filling in parallel.
    pub fn rows_mut(&mut self) -> (usize, &mut [u64]) {
        (self.stride, &mut self.words)
    }

    #[cfg(test)]
    pub fn connect(&mut self, left: usize, right: usize) {
        self.words[left * self.stride + right / 64] |= 1 << (right % 64);
    }
}
