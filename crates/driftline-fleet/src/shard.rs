//! One of several parts of a fleet, for machines that share nothing but a folder: which streams are its own.

use driftline_core::{Error, Result};

/// Part `index` of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamShard {
    index: usize,
    count: usize,
}

impl StreamShard {
    pub fn new(index: usize, count: usize) -> Result<Self> {
        if (1..=count).contains(&index) {
            return Ok(Self { index, count });
        }
        let (shard, allowed) = (format!("{index}/{count}"), "i/n, with i from 1 to n");
        Err(Error::out_of_range("the shard", shard, allowed))
    }

    /// Whether the stream at this place in the order of keys is its own. The same key may stand elsewhere once others
    /// have come, so that only shards of one and the same data make a whole.
    pub(super) fn has(self, place: usize) -> bool {
        place % self.count == self.index - 1
    }

    /// The file that its runs go to.
    pub(super) fn pack(self) -> String {
        format!("shard-{}-of-{}.pack", self.index, self.count)
    }
}
