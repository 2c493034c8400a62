//! Whether a JPEG goes on to its end. Decoders fill up what is missing of an image that was cut off; here it is refused.

/// Walks from marker to marker to the one that ends the image. What follows that is somebody else's, and what is no JPEG
/// at all is left to the decoder.
pub(super) fn is_cut_off(bytes: &[u8]) -> bool {
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return false;
    }
    let mut at = 2;
    loop {
        let Some(marker) = next_marker(bytes, at) else {
            return true;
        };
        let (code, after) = marker;
        at = match code {
            END => return false,
            // These stand alone.
            0x01 | RESTARTS_FIRST..=RESTARTS_LAST => after,
            _ => match bytes.get(after..after + 2) {
                Some(length) => {
                    after + usize::from(u16::from_be_bytes([length[0], length[1]])).max(2)
                }
                None => return true,
            },
        };
    }
}

const END: u8 = 0xd9;
const RESTARTS_FIRST: u8 = 0xd0;
const RESTARTS_LAST: u8 = 0xd7;

/// The next marker and where it ends: a byte 255 and one that is neither 0, which stands for a 255 of the image itself,
/// nor another 255, which fills up.
fn next_marker(bytes: &[u8], from: usize) -> Option<(u8, usize)> {
    let pairs = bytes.get(from..)?.windows(2);
    let place = pairs
        .into_iter()
        .position(|pair| pair[0] == 0xff && !matches!(pair[1], 0 | 0xff))?;
    Some((bytes[from + place + 1], from + place + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_ends_with_its_marker() {
        let mut whole = vec![];
        let pixels = image::GrayImage::from_fn(16, 16, |x, y| image::Luma([(x * 16 + y) as u8]));
        let encoder = image::codecs::jpeg::JpegEncoder::new(&mut whole);
        pixels.write_with_encoder(encoder).unwrap();
        assert!(!is_cut_off(&whole));
        assert!((3..whole.len()).all(|end| is_cut_off(&whole[..end - 1])));
        whole.extend(b"something else");
        assert!(!is_cut_off(&whole));
        assert!(!is_cut_off(b"\x89PNG"));
    }
}
