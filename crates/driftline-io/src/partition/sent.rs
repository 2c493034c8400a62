//! Parts of a table on their way to another machine: their rows as they lie in the temporary file, and what is known of the
//! table, so that whoever receives them reads what the sender would have read.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::spill::{Piece, Spill};
use super::{Gathered, Partition, Shared};
use crate::{Head, InputDigest, natural_order};
use driftline_core::{Error, Result};

/// Everything but the rows.
#[derive(Debug, Serialize, Deserialize)]
pub struct SentParts {
    head: Head,
    digests: Vec<InputDigest>,
    parts: Vec<SentPart>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SentPart {
    key: String,
    rows: u64,
    /// Places are counted from the first byte that is sent.
    pieces: Vec<Piece>,
}

impl Partition {
    /// The parts at these places; their rows are appended to `bytes`.
    pub fn send(&self, places: &[usize], bytes: &mut Vec<u8>) -> Result<SentParts> {
        let Shared {
            head,
            digests,
            spill,
        } = &*self.shared;
        let start = bytes.len();
        let mut send = |part: &Gathered| {
            let mut pieces = vec![];
            for piece in &part.pieces {
                let offset = (bytes.len() - start) as u64;
                spill.read(piece, bytes)?;
                pieces.push(Piece {
                    offset,
                    ..piece.clone()
                });
            }
            Ok(SentPart {
                key: part.key.clone(),
                rows: part.rows,
                pieces,
            })
        };
        let parts = places.iter().map(|&place| send(&self.parts[place]));
        Ok(SentParts {
            parts: parts.collect::<Result<_>>()?,
            head: head.clone(),
            digests: digests.clone(),
        })
    }

    /// What was sent; the rows wait in a file in `folder` as those of [`Partition::split`] do.
    pub fn receive(sent: SentParts, bytes: &[u8], folder: &Path) -> Result<Self> {
        let mut spill = Spill::new(folder)?;
        let receive = |part: SentPart| {
            let mut pieces = vec![];
            for piece in part.pieces {
                let rows = usize::try_from(piece.offset).ok().and_then(|from| {
                    let to = from.checked_add(piece.length)?;
                    bytes.get(from..to)
                });
                let rows = rows.ok_or_else(|| Error::corrupt(folder, "was sent too few rows"))?;
                pieces.push(spill.write(rows, piece.rows, piece.layout)?);
            }
            Ok(Gathered {
                key: part.key,
                rows: part.rows,
                pieces,
                ..Gathered::default()
            })
        };
        let parts = sent.parts.into_iter().map(receive);
        let mut parts = parts.collect::<Result<Vec<_>>>()?;
        parts.sort_by(|a, b| natural_order(&a.key, &b.key));
        spill.flush()?;
        let shared = Shared {
            head: sent.head,
            digests: sent.digests,
            spill,
        };
        Ok(Self {
            shared: shared.into(),
            parts,
        })
    }
}
