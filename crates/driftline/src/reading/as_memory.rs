//! Files taken for a table in memory: known by what they hold rather than by their bytes, and named so in records. A run
//! that began with arrays goes on from files with the same contents.

use std::path::PathBuf;

use super::table::MEMORY;
use super::{Field, Frame, FrameSource, Frames, ReadOptions, StoredType};
use crate::Result;

pub(crate) struct AsMemory(pub Box<dyn FrameSource>);

struct Renamed {
    frames: Box<dyn Frames>,
    name: [PathBuf; 1],
    rows: u64,
}

impl FrameSource for AsMemory {
    fn open(&self, options: &ReadOptions) -> Result<Box<dyn Frames>> {
        let options = ReadOptions {
            digest: false,
            // What is hashed has to be read.
            only_checked: vec![],
            ..options.clone()
        };
        Ok(Box::new(Renamed {
            frames: self.0.open(&options)?,
            name: [PathBuf::from(MEMORY)],
            rows: 0,
        }))
    }

    fn check(&self, options: &ReadOptions) -> Result<()> {
        self.0.check(options)
    }
}

impl Frames for Renamed {
    fn fields(&self) -> &[Field] {
        self.frames.fields()
    }

    fn files(&self) -> &[PathBuf] {
        &self.name
    }

    fn next_frame(&mut self) -> Result<Option<Frame>> {
        let frame = self.frames.next_frame()?;
        Ok(frame.map(|frame| {
            let first_row = self.rows + 1;
            self.rows += frame.rows as u64;
            Frame {
                file: 0,
                first_row,
                ..frame
            }
        }))
    }

    fn detected(&self) -> String {
        self.frames.detected()
    }

    fn rows(&self) -> Option<u64> {
        self.frames.rows()
    }

    fn all_fields(&self) -> Option<&[Field]> {
        self.frames.all_fields()
    }

    fn stored_as(&self, column: &str) -> StoredType {
        self.frames.stored_as(column)
    }
}
