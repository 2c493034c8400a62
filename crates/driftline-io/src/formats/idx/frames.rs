//! IDX files as frames: images with the labels and years that lie beside them, or a plain array.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::read_dimensions;
use crate::ReadOptions;
use crate::elements::Order;
use crate::formats::arrays::{Array, ArrayFrames};
use crate::formats::bytes::unpacked;
use driftline_core::{Error, Result};

/// Opens an IDX file. Beside `P-images-idx3-ubyte` every `P-WORD-idx1-…` is a column, called `label` for `labels`.
pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<ArrayFrames> {
    let mut arrays = vec![array(path, String::new())?];
    let mut detected = "IDX".to_string();
    if arrays[0].dimensions.len() > 2 {
        arrays[0].name = "image".into();
        for (name, beside) in companions(path)? {
            detected += &format!(", {name} from {}", beside.display());
            arrays.push(array(&beside, name)?);
        }
    }
    ArrayFrames::new(path, arrays, detected, options)
}

fn array(path: &Path, name: String) -> Result<Array> {
    let file = File::open(path).map_err(Error::io(path))?;
    let whole = unpacked(file).map_err(Error::io(path))?;
    let mut values = BufReader::with_capacity(1 << 18, whole);
    let (kind, dimensions) = read_dimensions(&mut values, path)?;
    Ok(Array {
        path: path.to_path_buf(),
        name,
        element: kind.element,
        order: Order::Big,
        dimensions,
        values: Box::new(values),
    })
}

/// The columns beside a file of images, by name.
fn companions(path: &Path) -> Result<Vec<(String, PathBuf)>> {
    let Some(own) = path.file_name().and_then(|name| name.to_str()) else {
        return Ok(vec![]);
    };
    let Some((prefix, _)) = own.split_once("images-idx3-") else {
        return Ok(vec![]);
    };
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let name = entry.map_err(Error::io(folder))?.file_name();
        let word = name
            .to_str()
            .and_then(|name| name.strip_prefix(prefix))
            .and_then(|rest| rest.split_once("-idx1-"))
            .map(|(word, _)| word.strip_suffix('s').unwrap_or(word).to_string());
        if let Some(word) = word.filter(|word| !word.is_empty()) {
            found.push((word, folder.join(&name)));
        }
    }
    found.sort();
    // A file and its packed copy are one column.
    found.dedup_by(|later, first| later.0 == first.0);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::idx::Idx;
    use crate::{Batches, Column, Numbers};

    #[test]
    fn labels_and_years_are_found_beside_the_pictures() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, idx: Result<Idx>| {
            let bytes = idx.unwrap().encode();
            std::fs::write(folder.path().join(name), bytes).unwrap();
        };
        write(
            "a-images-idx3-ubyte",
            Idx::of_bytes(vec![2, 1, 2], vec![0, 255, 51, 0]),
        );
        write("a-labels-idx1-ubyte", Idx::of_bytes(vec![2], vec![1, 0]));
        write("a-years-idx1-short", Idx::of_shorts(vec![2], &[1905, 1906]));
        write("b-labels-idx1-ubyte", Idx::of_bytes(vec![3], vec![1, 0, 7]));
        let path = folder.path().join("a-images-idx3-ubyte");
        let mut frames = open(&path, &ReadOptions::default()).unwrap();
        let names: Vec<_> = frames.fields().iter().map(|field| &*field.name).collect();
        assert_eq!(names, ["image", "label", "year"]);
        let frame = frames.next_frame().unwrap().unwrap();
        assert_eq!(frame.columns[0], Column::Images(vec![0.0, 1.0, 0.2, 0.0]));
        assert_eq!(
            frame.columns[2],
            Column::Numbers(Numbers::Single(vec![1905.0, 1906.0]))
        );
        assert!(frames.next_frame().unwrap().is_none());
    }

    #[test]
    fn labels_of_another_length_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (name, dimensions) in [
            ("images-idx3-ubyte", vec![2, 1, 1]),
            ("labels-idx1-ubyte", vec![3]),
        ] {
            let n = dimensions.iter().product();
            let idx = Idx::of_bytes(dimensions, vec![0; n]).unwrap();
            std::fs::write(folder.path().join(name), idx.encode()).unwrap();
        }
        let path = folder.path().join("images-idx3-ubyte");
        let error = open(&path, &ReadOptions::default()).err().unwrap();
        assert!(
            error
                .to_string()
                .contains("different lengths: label 3, image 2"),
            "{error}"
        );
    }
}
