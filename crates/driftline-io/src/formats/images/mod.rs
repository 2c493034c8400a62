//! Folders of images: a class per sub-folder, or all in one folder, perhaps with a CSV file that tells more about them.

mod decode;
mod jpeg;
mod listing;
mod picture;
mod resize;

use std::path::Path;

use rayon::prelude::*;

use crate::{Batch, Batches, Column, Field, Head, Kind, Limits, ReadOptions, Texts};
use decode::Target;
use driftline_core::data::Shape;
use driftline_core::error::DataFault;
use driftline_core::{Error, Result};
use listing::Listing;

pub use decode::luma;
pub use picture::{Picture, PictureLimits, Pixels};

/// The columns that a folder gives.
const FILE: &str = "file";
const LABEL: &str = "label";
const IMAGE: &str = "image";

/// About so many bytes of pixels make a frame.
const FRAME_BYTES: usize = 16 << 20;

/// A folder being read.
#[derive(Debug)]
pub(crate) struct ImageFrames {
    head: Head,
    listing: Listing,
    target: Target,
    /// Where each field comes from.
    parts: Vec<Part>,
    next: usize,
    limits: Limits,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    File,
    Label,
    Image,
    /// A column of the CSV file beside the images.
    Told(usize),
}

impl ImageFrames {
    pub(crate) fn open(folder: &Path, options: &ReadOptions) -> Result<Self> {
        let listing = Listing::of(folder, options)?;
        let first = listing
            .pictures
            .first()
            .ok_or_else(|| no_pictures(folder))?;
        let target = Target::choose(&first.path, &options.images, &options.limits)?;
        let mut all = vec![(FILE.to_string(), Kind::Text, Part::File)];
        if listing.classes {
            all.push((LABEL.into(), Kind::Text, Part::Label));
        }
        for (at, field) in listing.told.iter().enumerate() {
            all.push((field.name.clone(), field.kind, Part::Told(at)));
        }
        all.push((IMAGE.into(), Kind::Image(target.shape()), Part::Image));
        if listing.told.iter().any(|field| field.name == IMAGE) {
            let message = format!("its CSV file has a column `{IMAGE}`, as the images are called");
            return Err(DataFault::new(folder, message)
                .help("rename the column, to `file` if it names the images")
                .into());
        }
        // The CSV's own column of file names stands for ours.
        if listing.told.iter().any(|field| field.name == FILE) {
            all.remove(0);
        }
        all.retain(|(name, ..)| options.wants(name));
        let fields = all.iter().map(|(name, kind, _)| Field::new(name, *kind));
        let count = listing.pictures.len();
        let detected = format!("{count} images, {}, {}", shown(&target), listing.detected());
        Ok(Self {
            head: Head {
                rows: Some(count as u64),
                ..Head::new(folder, fields.collect(), detected)
            },
            parts: all.iter().map(|(.., part)| *part).collect(),
            listing,
            target,
            next: 0,
            limits: options.limits,
        })
    }

    fn column(&self, part: Part, first: usize, rows: usize) -> Result<Column> {
        let pictures = &self.listing.pictures[first..first + rows];
        let texts = |text: fn(&listing::Picture) -> &str| -> Texts {
            pictures.iter().map(|picture| Some(text(picture))).collect()
        };
        Ok(match part {
            Part::File => Column::Text(texts(|picture| &picture.name)),
            Part::Label => Column::Text(texts(|picture| &picture.class)),
            Part::Told(at) => self.listing.told_column(at, first, rows),
            Part::Image => {
                let pixels: Vec<Vec<f32>> = pictures
                    .par_iter()
                    .map(|picture| self.target.read(&picture.path, &self.limits))
                    .collect::<Vec<_>>()
                    .into_iter()
                    .collect::<Result<_>>()?;
                Column::Images(pixels.concat())
            }
        })
    }
}

impl Batches for ImageFrames {
    fn head(&self) -> &Head {
        &self.head
    }

    fn next_frame(&mut self) -> Result<Option<Batch>> {
        let first = self.next;
        let left = self.listing.pictures.len() - first;
        let size = self.target.shape().size() * size_of::<f32>();
        let rows = left.min((FRAME_BYTES / size).clamp(1, 4096));
        if rows == 0 {
            return Ok(None);
        }
        let columns = self
            .parts
            .iter()
            .map(|&part| self.column(part, first, rows))
            .collect::<Result<Vec<_>>>();
        self.next = match columns {
            Ok(_) => first + rows,
            Err(_) => self.listing.pictures.len(),
        };
        Ok(Some(Batch::new(first as u64 + 1, columns?, rows)))
    }
}

/// "28×28 grey, resized".
fn shown(target: &Target) -> String {
    let Shape::Image {
        height,
        width,
        channels,
    } = target.shape()
    else {
        unreachable!("images have the shape of images")
    };
    let colour = if channels == 1 { "grey" } else { "colour" };
    let resized = if target.resize { ", resized" } else { "" };
    format!("{height}×{width} {colour}{resized}")
}

fn no_pictures(folder: &Path) -> Error {
    DataFault::new(folder, "holds no PNG or JPEG")
        .help("put images into it, or into one sub-folder per class; for tables give a pattern, such as 'folder/*.parquet'")
        .into()
}
