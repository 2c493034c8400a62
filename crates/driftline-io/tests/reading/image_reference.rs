//! Decoding and resizing give the pixels that the `image` crate gives, to the last bit.

use driftline_core::random::Seed;
use driftline_io::formats::images::{Picture, PictureLimits, Pixels};
use image::imageops::{FilterType, resize};
use image::{DynamicImage, ExtendedColorType, ImageEncoder, ImageFormat};
use rand::Rng;

const LIMITS: PictureLimits = PictureLimits {
    side: 1000,
    bytes: 1 << 20,
};
const WIDTH: u32 = 13;
const HEIGHT: u32 = 9;

fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Seed::new(seed).generator().fill_bytes(&mut bytes);
    bytes
}

/// Both decode `file` alike, and resize it alike to larger and smaller.
fn compare(name: &str, file: &[u8], format: ImageFormat) {
    let ours = Picture::decode(file, LIMITS).unwrap();
    let theirs = image::load_from_memory_with_format(file, format).unwrap();
    assert_eq!(ours.is_grey(), !theirs.color().has_color(), "{name}");
    for (height, width) in [(HEIGHT, WIDTH), (5, 5), (1, 40), (32, 3), (64, 64)] {
        let ours = ours.clone().resized(height, width);
        assert_eq!((ours.height, ours.width), (height, width));
        let same = match ours.pixels {
            Pixels::Grey(grey) => {
                let theirs = theirs.to_luma8();
                grey == resize(&theirs, width, height, FilterType::Lanczos3).into_raw()
            }
            Pixels::Rgb(rgb) => {
                let theirs = theirs.to_rgb8();
                rgb.as_flattened() == &*resize(&theirs, width, height, FilterType::Lanczos3)
            }
        };
        assert!(same, "{name}, {height}×{width}");
    }
    let rgb = ours.pixels.into_rgb();
    assert_eq!(rgb.as_flattened(), &*theirs.into_rgb8(), "{name}");
}

#[test]
fn every_kind_of_png() {
    let kinds = [
        ExtendedColorType::L8,
        ExtendedColorType::La8,
        ExtendedColorType::Rgb8,
        ExtendedColorType::Rgba8,
        ExtendedColorType::L16,
        ExtendedColorType::La16,
        ExtendedColorType::Rgb16,
        ExtendedColorType::Rgba16,
    ];
    for (seed, kind) in kinds.into_iter().enumerate() {
        let bits = usize::from(kind.bits_per_pixel());
        let pixels = noise(seed as u64, (WIDTH * HEIGHT) as usize * bits / 8);
        let mut file = vec![];
        image::codecs::png::PngEncoder::new(&mut file)
            .write_image(&pixels, WIDTH, HEIGHT, kind)
            .unwrap();
        compare(&format!("{kind:?}"), &file, ImageFormat::Png);
    }
}

#[test]
fn palettes_and_few_bits() {
    let kinds = [
        (png::ColorType::Indexed, png::BitDepth::Eight),
        (png::ColorType::Indexed, png::BitDepth::Two),
        (png::ColorType::Grayscale, png::BitDepth::One),
        (png::ColorType::Grayscale, png::BitDepth::Four),
    ];
    for (colour, depth) in kinds {
        for see_through in [false, true] {
            let mut file = vec![];
            let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
            encoder.set_color(colour);
            encoder.set_depth(depth);
            if colour == png::ColorType::Indexed {
                encoder.set_palette(noise(1, 3 * 256.min(1 << depth as usize)));
                if see_through {
                    encoder.set_trns(vec![0, 128]);
                }
            } else if see_through {
                encoder.set_trns(vec![0, 1]);
            }
            let row = (WIDTH as usize * depth as usize).div_ceil(8);
            let mut writer = encoder.write_header().unwrap();
            writer
                .write_image_data(&noise(2, row * HEIGHT as usize))
                .unwrap();
            writer.finish().unwrap();
            let name = format!("{colour:?} {depth:?}, see-through: {see_through}");
            compare(&name, &file, ImageFormat::Png);
        }
    }
}

#[test]
fn grey_and_coloured_jpegs() {
    let size = (WIDTH * HEIGHT) as usize;
    let grey = image::GrayImage::from_raw(WIDTH, HEIGHT, noise(3, size)).unwrap();
    let rgb = image::RgbImage::from_raw(WIDTH, HEIGHT, noise(4, 3 * size)).unwrap();
    for picture in [DynamicImage::from(grey), DynamicImage::from(rgb)] {
        for quality in [30, 95] {
            let mut file = vec![];
            let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut file, quality);
            picture.write_with_encoder(encoder).unwrap();
            compare(&format!("{quality}"), &file, ImageFormat::Jpeg);
        }
    }
}

#[test]
fn limits_are_kept() {
    let picture = super::make::picture(20, 30, 0, true, "png");
    let told = |side, bytes| Picture::decode(&picture, PictureLimits { side, bytes });
    assert!(told(30, 1 << 20).is_ok());
    assert_eq!(told(29, 1 << 20).unwrap_err(), "it is 20×30 pixels");
    assert!(told(30, 1799).is_err());
    assert_eq!(
        Picture::decode(b"GIF89a", LIMITS).unwrap_err(),
        "it is neither PNG nor JPEG"
    );
}
