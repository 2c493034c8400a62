//! The bytes of one column chunk, read from the file page by page: a row group may be much larger than memory should be.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// What is read at a time where only the header of a page is wanted.
const HEADER: usize = 1 << 10;

/// A part of the file, addressed by places in the whole file. Its clones and neighbours share one handle.
#[derive(Clone)]
pub(super) struct Chunk {
    pub file: Arc<Mutex<File>>,
    pub start: u64,
    pub length: u64,
}

impl Chunk {
    /// Up to `most` bytes from `place` on, as many as the chunk has there.
    pub fn bytes(&self, place: u64, most: usize) -> io::Result<Bytes> {
        let end = self.start + self.length;
        let length = end.saturating_sub(place).min(most as u64);
        let mut bytes = Vec::with_capacity(length as usize);
        // What a panicking reader left is a handle like any other.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(place))?;
        file.by_ref().take(length).read_to_end(&mut bytes)?;
        match bytes.len() as u64 == length {
            true => Ok(bytes.into()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn expect_inside(&self, place: u64) -> Result<()> {
        match (self.start..=self.start + self.length).contains(&place) {
            true => Ok(()),
            false => Err(ParquetError::EOF("page outside its column".into())),
        }
    }
}

impl Length for Chunk {
    fn len(&self) -> u64 {
        self.start + self.length
    }
}

impl ChunkReader for Chunk {
    type T = Headers;

    fn get_read(&self, start: u64) -> Result<Headers> {
        self.expect_inside(start)?;
        Ok(Headers {
            chunk: self.clone(),
            place: start,
            ahead: Bytes::new(),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.expect_inside(start)?;
        let bytes = self.bytes(start, length)?;
        match bytes.len() == length {
            true => Ok(bytes),
            false => Err(ParquetError::EOF("page longer than its column".into())),
        }
    }
}

/// Reads on from a place, a little at a time.
pub(super) struct Headers {
    chunk: Chunk,
    place: u64,
    ahead: Bytes,
}

impl Read for Headers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ahead.is_empty() {
            self.ahead = self.chunk.bytes(self.place, HEADER)?;
            self.place += self.ahead.len() as u64;
        }
        let n = self.ahead.len().min(buffer.len());
        self.ahead.copy_to_slice(&mut buffer[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_chunk_ends_where_it_ends() {
        let mut file = tempfile::tempfile().unwrap();
        let all: Vec<u8> = (0..5000u32).map(|i| i as u8).collect();
        file.write_all(&all).unwrap();
        let chunk = Chunk {
            file: Arc::new(Mutex::new(file)),
            start: 10,
            length: 3000,
        };
        let mut read = vec![];
        let mut headers = chunk.get_read(20).unwrap();
        headers.read_to_end(&mut read).unwrap();
        assert_eq!(read, all[20..3010]);
        assert_eq!(chunk.get_bytes(3000, 10).unwrap(), all[3000..3010]);
        for (place, length) in [(3000, 11), (9, 1), (3011, 0)] {
            assert!(chunk.get_bytes(place, length).is_err(), "{place}");
        }
        // A file that has become shorter since.
        let longer = Chunk {
            length: 6000,
            ..chunk
        };
        assert!(longer.get_bytes(4000, 2000).is_err());
    }
}
