//! A fleet in pieces, for workers that share nothing with whoever gives the pieces out: a piece names its streams or holds
//! their rows, a worker makes runs of it in a folder of its own, and the pack that it leaves there is added to the fleet.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::adapt::{Beginning, First, Fleet};
use super::row::StreamRow;
use super::store::{FleetFolder, Head};
use super::streams::Streams;
use super::watch::FleetWatch;
use driftline_core::files::write_whole;
use driftline_core::{Error, Result};
use driftline_io::{Files, Partition, SentParts};
use driftline_runs::Start;

/// A fleet that others work on. Nobody else can write to its folder meanwhile.
pub struct FleetPieces {
    beginning: Beginning,
    streams: Streams,
    fleet: FleetFolder,
}

/// A stream that has not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenStream {
    /// What [`FleetPieces::piece`] knows it by.
    pub place: usize,
    pub key: String,
    /// Bytes of its file, as far as it is at hand, or its rows.
    pub size: u64,
    /// Its file, where every file is a stream.
    pub path: Option<PathBuf>,
}

/// What a piece says before the rows.
#[derive(Serialize, Deserialize)]
struct Sent {
    files: Vec<(String, PathBuf)>,
    by: Option<String>,
    parts: Option<SentParts>,
    /// The source of these keys, where each has its own, and the column of its classes.
    source: Option<(SentParts, String)>,
    /// Where what belongs to the source begins, and where the windows that are stored already.
    ends: (usize, usize),
}

impl Fleet {
    /// Trains what all runs begin with and makes the folder, or takes up the one that is there. The files of streams need not
    /// be at hand, unless they are to be split by a column.
    pub fn begin(
        &self,
        start: Start,
        streams: &[PathBuf],
        watch: &dyn FleetWatch,
    ) -> Result<FleetPieces> {
        let own = self.prepared(&start)?;
        let runtime = own.adapt.runtime.clone();
        runtime.install(|| {
            let beginning = own.beginning(start, watch)?;
            let streams = match &own.by {
                None => Streams::files(streams),
                Some(_) => own.streams(&beginning, &Files::new(streams)?)?,
            };
            let fleet = own.folder(&beginning, &streams)?;
            let keys = streams.keys();
            // A finished stream whose file is elsewhere cannot be compared.
            let is_open = |place: &usize| {
                !fleet.is_done(&keys[*place].0)
                    || streams.path(*place).is_some_and(|path| !path.exists())
            };
            let open: Vec<usize> = (0..keys.len()).filter(is_open).collect();
            own.expect_same(&fleet, &beginning, &streams, &keys, &open)?;
            Ok(FleetPieces {
                beginning,
                streams,
                fleet,
            })
        })
    }

    /// Adapts to the streams of a piece. The folder holds a fleet that was begun; `start` is what that began with, none where
    /// every stream has a source model of its own.
    pub fn run_piece(
        &self,
        start: Option<Start>,
        piece: &[u8],
        watch: &dyn FleetWatch,
    ) -> Result<FleetFolder> {
        let folder = &self.adapt.folder;
        let damaged = || Error::corrupt(folder, "was sent something that is no piece of a fleet");
        let (length, rest) = piece.split_first_chunk::<8>().ok_or_else(damaged)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
        let (head, rows) = rest.split_at_checked(length).ok_or_else(damaged)?;
        let sent: Sent = serde_json::from_slice(head).map_err(|_| damaged())?;
        let own = match &start {
            Some(start) => self.prepared(start)?,
            None => self.clone(),
        };
        let (rows, begun) = rows.split_at_checked(sent.ends.1).ok_or_else(damaged)?;
        let (rows, source_rows) = rows.split_at_checked(sent.ends.0).ok_or_else(damaged)?;
        if !begun.is_empty() {
            write_whole(&folder.join("packs/begun.pack"), begun)?;
        }
        let runtime = own.adapt.runtime.clone();
        let (beginning, streams) = runtime.install(|| {
            let streams = match (sent.parts, sent.by) {
                (Some(parts), Some(by)) => {
                    let parts = Partition::receive(parts, rows, folder)?;
                    Streams::Parts(Box::new(parts), by)
                }
                _ => Streams::Files(sent.files),
            };
            let beginning = match (sent.source, start) {
                (Some((parts, label)), _) => Beginning {
                    plan: own.adapt.plan()?,
                    first: First::Each {
                        label,
                        parts: Box::new(Partition::receive(parts, source_rows, folder)?),
                    },
                },
                (None, Some(start)) => own.beginning(start, watch)?,
                (None, None) => return Err(Error::SourceMissing),
            };
            Ok((beginning, streams))
        })?;
        let fleet = own.folder(&beginning, &streams)?;
        own.follow(&fleet, &beginning, &streams, watch)?;
        Ok(fleet)
    }
}

impl FleetPieces {
    /// What is left to do, the largest first.
    pub fn open(&self) -> Vec<OpenStream> {
        let keys = self.streams.keys().into_iter().enumerate();
        let open = keys.filter(|(_, (key, _))| !self.fleet.is_done(key));
        let open = open.map(|(place, (key, size))| OpenStream {
            place,
            key,
            size,
            path: self.streams.path(place).map(Path::to_path_buf),
        });
        let mut open: Vec<OpenStream> = open.collect();
        open.sort_by_key(|stream| std::cmp::Reverse(stream.size));
        open
    }

    /// The streams at these places, for [`Fleet::run_piece`].
    pub fn piece(&self, places: &[usize]) -> Result<Vec<u8>> {
        let mut rows = vec![];
        let (files, by, parts) = match &self.streams {
            Streams::Files(files) => {
                let files = places.iter().map(|&place| files[place].clone());
                (files.collect(), None, None)
            }
            Streams::Parts(parts, by) => {
                let sent = parts.send(places, &mut rows)?;
                (vec![], Some(by.clone()), Some(sent))
            }
        };
        let source_from = rows.len();
        let keys = self.streams.keys();
        let source = match &self.beginning.first {
            First::Shared { .. } => None,
            First::Each { label, parts } => {
                let own = places.iter().filter_map(|&at| parts.place(&keys[at].0));
                let own: Vec<usize> = own.collect();
                Some((parts.send(&own, &mut rows)?, label.clone()))
            }
        };
        let begun_from = rows.len();
        for &place in places {
            rows.extend(self.fleet.stored_bytes(&keys[place].0)?);
        }
        let sent = Sent {
            files,
            by,
            parts,
            source,
            ends: (source_from, begun_from),
        };
        let head = serde_json::to_vec(&sent).expect("a piece has string keys only");
        let mut piece = (head.len() as u64).to_le_bytes().to_vec();
        piece.extend(head);
        piece.extend(rows);
        Ok(piece)
    }

    /// Adds what a worker has stored, but for what is here already. The streams of it that ended.
    pub fn add(&self, pack: &Path) -> Result<Vec<StreamRow>> {
        self.fleet.add_pack(pack)
    }

    /// Notes that a stream could not be worked on.
    pub fn fail(&self, key: &str, error: &str) -> Result<()> {
        let row = StreamRow::failed(key, error.to_owned());
        self.fleet.add(Head::failed(&row), &vec![])?;
        self.fleet.sync()
    }

    pub fn fleet(&self) -> &FleetFolder {
        &self.fleet
    }
}

impl std::fmt::Debug for FleetPieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FleetPieces({})", self.fleet.folder().display())
    }
}
