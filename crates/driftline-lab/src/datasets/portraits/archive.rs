//! The original archive of portraits: folders `F/` and `M/` of images whose file names begin with the year.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::Portraits;
use crate::datasets::image::GreyImages;
use driftline_core::data::Labels;
use driftline_core::{Error, Result};
use driftline_io::formats::images::{Picture, PictureLimits, luma};

/// What an archive held.
#[derive(Clone, Debug)]
pub struct PortraitArchive {
    pub portraits: Portraits,
    /// Images left out because their names do not begin with a year.
    pub undated: usize,
}

/// Reads `folder/F` and `folder/M`: each image is resized to 32×32 by a Lanczos filter, without cropping, and then
/// made grey. Both folders are sorted together by file name, as in the authors' code: within a year by state, city and
/// school, not by class.
pub fn read_archive(folder: &Path) -> Result<PortraitArchive> {
    let mut pictures: Vec<(PathBuf, u32, i16)> = Vec::new();
    let mut undated = 0;
    for (class, name) in ["F", "M"].into_iter().enumerate() {
        for path in pictures_in(&folder.join(name))? {
            match year_of(&path) {
                Some(year) => pictures.push((path, class as u32, year)),
                None => undated += 1,
            }
        }
    }
    // A name in both folders stands in F first.
    pictures.sort_by(|(a, _, _), (b, _, _)| a.file_name().cmp(&b.file_name()));
    if pictures.is_empty() {
        return Err(Error::corrupt(
            folder,
            "its folders F and M hold no PNG or JPEG whose name begins with a year (`1905_….png`)",
        ));
    }
    let side = Portraits::SIDE;
    let pixels: Vec<Vec<u8>> = pictures
        .par_iter()
        .map(|(path, _, _)| read_grey(path, side as u32))
        .collect::<Result<_>>()?;
    let images = GreyImages::new(side, side, pixels.concat())?;
    let classes = pictures.iter().map(|(_, class, _)| *class).collect();
    let years = pictures.iter().map(|(_, _, year)| *year).collect();
    Ok(PortraitArchive {
        portraits: Portraits::new(images, Labels::new(classes, 2)?, years)?,
        undated,
    })
}

fn pictures_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let picture = ["png", "jpg", "jpeg"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known));
        if picture && path.is_file() {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Four digits at the start of the file name, not followed by a fifth.
fn year_of(path: &Path) -> Option<i16> {
    let name = path.file_name()?.to_str()?;
    let (digits, rest) = name.split_at_checked(4)?;
    let alone = !rest.starts_with(|c: char| c.is_ascii_digit());
    let year = digits
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then_some(digits)?;
    year.parse()
        .ok()
        .filter(|year| alone && (1800..=2100).contains(year))
}

fn read_grey(path: &Path, side: u32) -> Result<Vec<u8>> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let limits = PictureLimits {
        side: 8192,
        bytes: 512 << 20,
    };
    let picture = Picture::decode(&bytes, limits).map_err(|error| Error::corrupt(path, error))?;
    let small = picture.resized(side, side).pixels.into_rgb();
    Ok(small.into_iter().map(luma).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_is_sorted_resized_and_made_grey() {
        let folder = tempfile::tempdir().unwrap();
        let store = |name: &str, red: u8| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = std::fs::File::create(path).unwrap();
            let mut encoder = png::Encoder::new(file, 48, 44);
            encoder.set_color(png::ColorType::Rgb);
            let mut writer = encoder.write_header().unwrap();
            writer
                .write_image_data(&[red, 0, 0].repeat(48 * 44))
                .unwrap();
        };
        store("M/1931_b.png", 200);
        store("M/1930_c.png", 100);
        store("F/1931_z.png", 50);
        store("F/1931_a.png", 255);
        store("M/1931_a.png", 150);
        store("F/unknown.png", 1);
        std::fs::write(folder.path().join("F/1931_notes.txt"), "no image").unwrap();
        let PortraitArchive { portraits, undated } = read_archive(folder.path()).unwrap();
        assert_eq!(undated, 1);
        assert_eq!(portraits.years(), [1930, 1931, 1931, 1931, 1931]);
        // a, a, b, z: within a year by name, whatever the folder.
        assert_eq!(portraits.labels().as_slice(), [1, 0, 1, 1, 0]);
        let greys: Vec<u8> = (0..5).map(|at| portraits.images.get(at)[500]).collect();
        assert_eq!(greys, [30, 76, 45, 60, 15]);

        std::fs::write(folder.path().join("M/1932_broken.png"), b"\x89PNG\r\n").unwrap();
        let error = read_archive(folder.path()).unwrap_err().to_string();
        assert!(error.contains("1932_broken.png"), "{error}");
        let empty = tempfile::tempdir().unwrap();
        assert!(read_archive(empty.path()).is_err());
    }

    #[test]
    fn years_are_the_first_four_digits() {
        let year = |name: &str| year_of(Path::new(name));
        assert_eq!(year("1905_Ohio_1.png"), Some(1905));
        assert_eq!(year("F/2013.png"), Some(2013));
        for name in ["19051.png", "x1905.png", "190", "0005_a.png", "éé05.png"] {
            assert_eq!(year(name), None, "{name}");
        }
    }
}
