//! Files taken for a table in memory: known by what they hold rather than by their bytes, and named so in records. A run
//! that began with arrays goes on from files with the same contents.

use super::table::MEMORY;
use super::{Batch, Batches, Head, ReadOptions, TableSource};
use driftline_core::Result;

pub struct AsMemory(pub Box<dyn TableSource>);

struct Renamed {
    frames: Box<dyn Batches>,
    head: Head,
    rows: u64,
}

impl TableSource for AsMemory {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Batches>> {
        let options = ReadOptions {
            digest: false,
            // What is hashed has to be read.
            only_checked: vec![],
            ..options.clone()
        };
        let frames = self.0.open(&options)?;
        let head = Head {
            files: vec![MEMORY.into()],
            hashes_files: false,
            passed_over: vec![],
            ..frames.head().clone()
        };
        Ok(Box::new(Renamed {
            frames,
            head,
            rows: 0,
        }))
    }

    fn check(&self, options: &ReadOptions) -> Result<()> {
        self.0.check(options)
    }
}

impl Batches for Renamed {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let frame = self.frames.next_frame()?;
        Ok(frame.map(|frame| {
            let first_row = self.rows + 1;
            self.rows += frame.rows as u64;
            Batch {
                file: 0,
                first_row,
                ..frame
            }
        }))
    }
}
