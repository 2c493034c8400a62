//! The files that a run has written since it was stored last, in one compressed piece: checkpoints repeat each other and
//! the source model nearly to the last byte, so they are compressed against it.

use driftline_core::{Error, Result};

/// Larger source models are no dictionary: reading them in would cost more than it saves.
const LARGEST_DICTIONARY: usize = 256 << 10;
const LEVEL: i32 = 1;
/// A piece that claims to be larger when unpacked is refused.
const LARGEST: usize = 4 << 30;

/// Names and contents.
pub(crate) type Files = Vec<(String, Vec<u8>)>;

pub(crate) struct Packing {
    dictionary: Vec<u8>,
}

impl Packing {
    /// `like` is a file that others will resemble.
    pub fn like(like: &[u8]) -> Self {
        let small = like.len() <= LARGEST_DICTIONARY;
        let dictionary = if small { like.to_vec() } else { vec![] };
        Self { dictionary }
    }

    pub fn pack(&self, files: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
        let mut plain = vec![];
        for (name, bytes) in files {
            plain.extend((name.len() as u32).to_le_bytes());
            plain.extend(name.as_bytes());
            plain.extend((bytes.len() as u64).to_le_bytes());
            plain.extend(bytes);
        }
        let packer = zstd::bulk::Compressor::with_dictionary(LEVEL, &self.dictionary);
        let body = packer.and_then(|mut packer| packer.compress(&plain));
        let mut packed = (plain.len() as u64).to_le_bytes().to_vec();
        packed.extend(body.map_err(Error::io("a run of a fleet"))?);
        Ok(packed)
    }

    /// None of what [`Packing::pack`] did not make.
    pub fn unpack(&self, packed: &[u8]) -> Option<Files> {
        let (length, packed) = packed.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        if length > LARGEST {
            return None;
        }
        let mut unpacker = zstd::bulk::Decompressor::with_dictionary(&self.dictionary).ok()?;
        let plain = unpacker.decompress(packed, length).ok()?;
        let mut rest = &plain[..];
        let mut files = vec![];
        while !rest.is_empty() {
            let name = take(&mut rest, |n: [u8; 4]| u64::from(u32::from_le_bytes(n)))?;
            let bytes = take(&mut rest, u64::from_le_bytes)?;
            files.push((String::from_utf8(name.to_vec()).ok()?, bytes.to_vec()));
        }
        Some(files)
    }
}

/// A length and so many bytes.
fn take<'a, const N: usize>(
    rest: &mut &'a [u8],
    length: impl Fn([u8; N]) -> u64,
) -> Option<&'a [u8]> {
    let (size, after) = rest.split_first_chunk::<N>()?;
    let size = usize::try_from(length(*size)).ok()?;
    let (bytes, after) = after.split_at_checked(size)?;
    *rest = after;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back_and_nothing_else_does() {
        let like: Vec<u8> = (0..9000u32).map(|n| (n * n % 251) as u8).collect();
        let mut near = like.clone();
        near[77] ^= 1;
        let files = vec![
            ("a".to_owned(), near),
            ("b/c".to_owned(), vec![]),
            ("d".to_owned(), b"text".to_vec()),
        ];
        for packing in [Packing::like(&like), Packing::like(b"")] {
            let packed = packing.pack(&files).unwrap();
            assert_eq!(packing.unpack(&packed).unwrap(), files);
            assert!(packing.unpack(&packed[..packed.len() - 1]).is_none());
            assert!(packing.unpack(b"").is_none());
        }
        assert!(Packing::like(&like).pack(&files).unwrap().len() < 300);
    }
}
