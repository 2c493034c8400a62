//! One file of the log: a line that says what it is, then records, each behind its length and checksum. What a killed process or
//! a power cut left unfinished is cut off; damage in the middle is an error.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use driftline_core::{Error, Result};

/// Begins every segment; the number of its first row follows.
const HEAD: &str = "driftline log 1, rows from ";
/// `LENGTH CHECKSUM\n`, 8 and 16 hexadecimal digits.
pub(super) const FRAME: usize = 26;
/// A record never has more bytes: what claims more is damaged.
const LONGEST: usize = 1 << 30;

/// A record behind its frame.
pub(super) fn framed(body: &[u8]) -> Vec<u8> {
    let mut all = format!("{:08x} {}\n", body.len(), sum(body)).into_bytes();
    all.extend_from_slice(body);
    all
}

fn sum(body: &[u8]) -> String {
    blake3::hash(body).to_hex()[..16].to_owned()
}

/// What is at the beginning of some bytes of a segment.
#[derive(Debug, PartialEq)]
pub(super) enum Found<'a> {
    /// A whole record, and how many bytes it takes.
    Record(&'a [u8], usize),
    End,
    /// Something else: the record is unfinished or damaged.
    Broken,
}

pub(super) fn next_record(bytes: &[u8]) -> Found<'_> {
    if bytes.is_empty() {
        return Found::End;
    }
    let told = bytes.get(..FRAME).and_then(|head| {
        let head = std::str::from_utf8(head).ok()?.strip_suffix('\n')?;
        let (length, sum) = head.split_once(' ')?;
        let length = usize::from_str_radix(length, 16).ok()?;
        (length <= LONGEST).then_some((length, sum))
    });
    let body = told.and_then(|(length, told)| {
        let body = bytes.get(FRAME..FRAME + length)?;
        (sum(body) == told).then_some(body)
    });
    match body {
        Some(body) => Found::Record(body, FRAME + body.len()),
        None => Found::Broken,
    }
}

/// A segment that is appended to.
#[derive(Debug)]
pub(super) struct Segment {
    pub path: PathBuf,
    file: File,
    /// Where the first record begins, and where the last whole one ends.
    pub begin: u64,
    pub end: u64,
    /// Whether something may stand behind that end, which a failed write has left.
    ragged: bool,
}

impl Segment {
    pub fn create(path: PathBuf, first_row: u64) -> Result<Self> {
        let head = format!("{HEAD}{first_row}\n");
        let mut made = File::options();
        made.write(true).create(true).truncate(true);
        let file = made.open(&path).and_then(|mut file| {
            file.write_all(head.as_bytes())?;
            Ok(file)
        });
        let file = file.map_err(|error| {
            // Half a head is no segment.
            let _ = std::fs::remove_file(&path);
            Error::io(&path)(error)
        })?;
        Ok(Self {
            file,
            begin: head.len() as u64,
            end: head.len() as u64,
            path,
            ragged: false,
        })
    }

    /// Appends one record, whole or not at all.
    pub fn append(&mut self, record: &[u8]) -> std::io::Result<()> {
        if self.ragged {
            self.file.set_len(self.end)?;
            self.ragged = false;
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        if let Err(error) = self.file.write_all(record) {
            self.cut_back(self.end);
            return Err(error);
        }
        self.end += record.len() as u64;
        Ok(())
    }

    /// Takes the records behind `end` back.
    pub fn cut_back(&mut self, end: u64) {
        self.end = end;
        self.ragged = self.file.set_len(end).is_err();
    }

    pub fn sync(&self) -> std::io::Result<()> {
        self.file.sync_data()
    }
}

/// A segment as it was found: its bytes, where its records begin and end, and the number of its first row.
#[derive(Debug)]
pub(super) struct Whole {
    pub bytes: Vec<u8>,
    pub begin: usize,
    pub end: usize,
    pub first_row: u64,
}

impl Whole {
    /// Reads a segment through. Of the `last` one, an unfinished end is passed over; anywhere else it is damage. `None` of a last
    /// one whose very head is unfinished.
    pub fn read(path: &Path, last: bool) -> Result<Option<Self>> {
        let mut bytes = vec![];
        let read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        read.map_err(Error::io(path))?;
        let head = bytes.iter().position(|byte| *byte == b'\n');
        let head = head.and_then(|end| Some((std::str::from_utf8(&bytes[..end]).ok()?, end + 1)));
        let first =
            head.and_then(|(head, end)| Some((head.strip_prefix(HEAD)?.parse().ok()?, end)));
        let Some((first_row, begin)) = first else {
            if last
                && head.is_none()
                && HEAD
                    .as_bytes()
                    .starts_with(&bytes[..bytes.len().min(HEAD.len())])
            {
                return Ok(None);
            }
            return Err(Error::corrupt(path, "is not a segment of the log of a run"));
        };
        let mut end = begin;
        loop {
            match next_record(&bytes[end..]) {
                Found::Record(_, length) => end += length,
                Found::End => break,
                Found::Broken if last && !has_record(&bytes[end + 1..]) => break,
                Found::Broken => {
                    let message = format!(
                        "was changed or damaged: the record at byte {end} differs from its checksum, and others follow it"
                    );
                    return Err(Error::corrupt(path, message));
                }
            }
        }
        Ok(Some(Self {
            bytes,
            begin,
            end,
            first_row,
        }))
    }

    /// What stands behind the last whole record.
    pub fn torn(&self) -> usize {
        self.bytes.len() - self.end
    }

    /// The segment, cut back to its last whole record, to be appended to.
    pub fn reopen(&self, path: PathBuf) -> Result<Segment> {
        let file = File::options().write(true).open(&path);
        let end = self.end as u64;
        let file = file.and_then(|file| {
            if self.torn() > 0 {
                file.set_len(end)?;
            }
            Ok(file)
        });
        Ok(Segment {
            file: file.map_err(Error::io(&path))?,
            path,
            begin: self.begin as u64,
            end,
            ragged: false,
        })
    }
}

/// Whether a whole record begins anywhere in these bytes. Frames end with a newline, so only what stands before one is looked at.
fn has_record(bytes: &[u8]) -> bool {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let starts = ends.filter_map(|(at, _)| (at + 1).checked_sub(FRAME));
    let mut starts = starts.map(|start| next_record(&bytes[start..]));
    starts.any(|found| matches!(found, Found::Record(..)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(folder: &Path, bodies: &[&str]) -> PathBuf {
        let path = folder.join("segment");
        let mut segment = Segment::create(path.clone(), 7).unwrap();
        for body in bodies {
            segment.append(&framed(body.as_bytes())).unwrap();
        }
        path
    }

    fn bodies(whole: &Whole) -> Vec<String> {
        let (mut at, mut all) = (whole.begin, vec![]);
        while let Found::Record(body, length) = next_record(&whole.bytes[at..whole.end]) {
            all.push(String::from_utf8_lossy(body).into_owned());
            at += length;
        }
        all
    }

    /// Cut anywhere, what is left is every record that is whole.
    #[test]
    fn a_torn_end_costs_the_unfinished_record_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = segment(folder.path(), &["one\n", "", "three\n\n"]);
        let bytes = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..=3)
            .map(|n| {
                let lengths = ["one\n", "", "three\n\n"].map(|body| FRAME + body.len());
                HEAD.len() + 2 + lengths[..n].iter().sum::<usize>()
            })
            .collect();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let whole = Whole::read(&path, true).unwrap();
            if cut < ends[0] {
                assert!(whole.is_none(), "{cut}");
                continue;
            }
            let whole = whole.unwrap();
            let left = ends.iter().filter(|end| **end <= cut).count() - 1;
            assert_eq!((bodies(&whole).len(), whole.first_row), (left, 7), "{cut}");
            assert_eq!(whole.torn(), cut - ends[left], "{cut}");
            let mut again = whole.reopen(path.clone()).unwrap();
            again.append(&framed(b"more")).unwrap();
            let whole = Whole::read(&path, true).unwrap().unwrap();
            assert_eq!(
                (bodies(&whole).pop().as_deref(), whole.torn()),
                (Some("more"), 0)
            );
        }
    }

    #[test]
    fn damage_before_a_whole_record_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = segment(folder.path(), &["one", "two", "three"]);
        let bytes = std::fs::read(&path).unwrap();
        let at = bytes.windows(3).position(|own| own == b"two").unwrap();
        let mut other = bytes.clone();
        other[at] = b'x';
        std::fs::write(&path, &other).unwrap();
        let told = Whole::read(&path, true).unwrap_err().to_string();
        assert!(told.contains("and others follow it"), "{told}");
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(Whole::read(&path, false).is_err());
        std::fs::write(&path, "something else\n").unwrap();
        assert!(Whole::read(&path, true).is_err());
    }
}
