//! The pixels of a PNG or a JPEG as they are stored: no colour profile is applied, and transparency is left out.

use std::io::Cursor;

use png::{BitDepth, ColorType, Transformations};
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

/// An image with eight bits a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pixels: Pixels,
}

/// Row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pixels {
    Grey(Vec<u8>),
    Rgb(Vec<[u8; 3]>),
}

/// What is refused before any memory is taken for it.
#[derive(Clone, Copy, Debug)]
pub struct PictureLimits {
    /// Widest and highest, in pixels.
    pub side: u32,
    /// Bytes of the decoded image.
    pub bytes: u64,
}

impl PictureLimits {
    fn check(self, width: usize, height: usize, bytes_per_pixel: usize) -> Result<(), String> {
        let side = self.side as usize;
        if width == 0 || height == 0 || width > side || height > side {
            return Err(format!("it is {height}×{width} pixels"));
        }
        if (width * height * bytes_per_pixel) as u64 > self.bytes {
            return Err(format!("it needs more than {} bytes", self.bytes));
        }
        Ok(())
    }
}

impl Picture {
    /// What is wrong with the file is told without its name.
    pub fn decode(file: &[u8], limits: PictureLimits) -> Result<Self, String> {
        match file {
            [0x89, b'P', b'N', b'G', ..] => decode_png(file, limits),
            [0xff, 0xd8, 0xff, ..] => decode_jpeg(file, limits),
            _ => Err("it is neither PNG nor JPEG".into()),
        }
    }

    pub fn is_grey(&self) -> bool {
        matches!(self.pixels, Pixels::Grey(_))
    }
}

impl Pixels {
    pub fn into_rgb(self) -> Vec<[u8; 3]> {
        match self {
            Pixels::Grey(grey) => grey.into_iter().map(|level| [level; 3]).collect(),
            Pixels::Rgb(rgb) => rgb,
        }
    }

    /// From samples of which each pixel has `channels`: grey or RGB, and perhaps how opaque it is.
    fn from_samples(samples: &[u8], channels: usize) -> Self {
        let pixels = samples.chunks_exact(channels);
        match channels {
            1 | 2 => Pixels::Grey(pixels.map(|pixel| pixel[0]).collect()),
            _ => Pixels::Rgb(pixels.map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()),
        }
    }
}

fn decode_png(file: &[u8], limits: PictureLimits) -> Result<Picture, String> {
    let text = |error: png::DecodingError| error.to_string();
    let bytes = usize::try_from(limits.bytes).unwrap_or(usize::MAX);
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), png::Limits { bytes });
    // Palettes become colours, and one, two or four bits become eight.
    decoder.set_transformations(Transformations::EXPAND);
    let info = decoder.read_header_info().map_err(text)?;
    let (width, height) = info.size();
    limits.check(width as usize, height as usize, 1)?;
    let mut reader = decoder.read_info().map_err(text)?;
    let (colour, depth) = reader.output_color_type();
    let channels = match colour {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    };
    let wide = depth == BitDepth::Sixteen;
    let sample = if wide { 2 } else { 1 };
    limits.check(width as usize, height as usize, channels * sample)?;
    let mut samples = vec![0; width as usize * height as usize * channels * sample];
    reader.next_frame(&mut samples).map_err(text)?;
    if wide {
        let pairs = samples.chunks_exact(2);
        samples = pairs.map(|pair| to_eight_bits(pair[0], pair[1])).collect();
    }
    Ok(Picture {
        width,
        height,
        pixels: Pixels::from_samples(&samples, channels),
    })
}

/// The nearest of 256 levels, from the high and the low byte of one of 65,536.
fn to_eight_bits(high: u8, low: u8) -> u8 {
    ((u32::from(u16::from_be_bytes([high, low])) + 128) / 257) as u8
}

fn decode_jpeg(file: &[u8], limits: PictureLimits) -> Result<Picture, String> {
    let options = DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(limits.side as usize)
        .set_max_height(limits.side as usize);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(file), options);
    let text = |error: zune_jpeg::errors::DecodeErrors| error.to_string();
    decoder.decode_headers().map_err(text)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    let (colour, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    limits.check(width, height, channels)?;
    decoder.set_options(options.jpeg_set_out_colorspace(colour));
    let samples = decoder.decode().map_err(text)?;
    Ok(Picture {
        width: width as u32,
        height: height as u32,
        pixels: Pixels::from_samples(&samples, channels),
    })
}
