//! Named arrays in the safetensors format, with a JSON description in the header: what every model is written as.
//! Reading believes nothing that it has not checked.

use std::collections::HashMap;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The key of the description in the header.
const KEY: &str = "driftline";

/// More classes than any model here is meant to have.
const MOST_CLASSES: usize = 1 << 16;

/// An array to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    name: String,
    dimensions: Vec<usize>,
    kind: Dtype,
    bytes: Vec<u8>,
}

impl Array {
    pub fn single(name: impl Into<String>, dimensions: &[usize], values: &[f32]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self::new(name.into(), dimensions, Dtype::F32, bytes)
    }

    pub fn double(name: impl Into<String>, dimensions: &[usize], values: &[f64]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self::new(name.into(), dimensions, Dtype::F64, bytes)
    }

    /// Bytes that only their owner understands.
    pub fn bytes(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self::new(name.into(), &[bytes.len()], Dtype::U8, bytes)
    }

    fn new(name: String, dimensions: &[usize], kind: Dtype, bytes: Vec<u8>) -> Self {
        Self {
            name,
            dimensions: dimensions.to_vec(),
            kind,
            bytes,
        }
    }

    /// The same behind `prefix`: one of several things in a file.
    pub fn under(mut self, prefix: &str) -> Self {
        self.name.insert_str(0, prefix);
        self
    }
}

/// The bytes of a file. `description` must have a field `format`.
pub fn write(description: &impl Serialize, arrays: &[Array]) -> Vec<u8> {
    let views = arrays.iter().map(|array| {
        let view = TensorView::new(array.kind, array.dimensions.clone(), &array.bytes);
        (
            &array.name,
            view.expect("the bytes were made for the dimensions"),
        )
    });
    let text = serde_json::to_string(description).expect("a description has no odd keys");
    let header = HashMap::from([(KEY.to_string(), text)]);
    safetensors::serialize(views, Some(header)).expect("the arrays are in memory already")
}

/// The step count of an optimiser, if it leaves room to go on counting.
pub(crate) fn checked_step(step: u64) -> Result<u64, String> {
    match step < 1 << 53 {
        true => Ok(step),
        false => Err(format!(
            "counts {step} optimiser steps, which is beyond reason"
        )),
    }
}

/// A name, dimensions and numbers.
pub(crate) type NamedNumbers = (String, Vec<usize>, Vec<f32>);

/// The arrays of a file, each to be taken once.
#[derive(Debug)]
pub struct Arrays<'a> {
    tensors: SafeTensors<'a>,
    taken: usize,
    /// What all names begin with: where one of several things is read.
    prefix: String,
}

/// What can be said of any description, however new.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

impl<'a> Arrays<'a> {
    /// Takes the bytes of a file apart; a description of a format above `format` is refused unread.
    pub fn open<D: DeserializeOwned>(bytes: &'a [u8], format: u32) -> Result<(D, Self), String> {
        let broken = |error| format!("not a whole safetensors file: {error}");
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let text = header.metadata().as_ref().and_then(|data| data.get(KEY));
        let text = text.ok_or("a safetensors file, but not one of driftline")?;
        let unreadable = |error| format!("the description cannot be read: {error}");
        let found: Format = serde_json::from_str(text).map_err(unreadable)?;
        if found.format > format {
            return Err(format!(
                "was written by a newer version: it has format {}, and this version reads formats up to {format}",
                found.format
            ));
        }
        let description = serde_json::from_str(text).map_err(unreadable)?;
        let tensors = SafeTensors::deserialize(bytes).map_err(broken)?;
        let arrays = Self {
            tensors,
            taken: 0,
            prefix: String::new(),
        };
        Ok((description, arrays))
    }

    /// Refuses a number of classes that no model here is meant to have.
    pub(crate) fn expect_classes(&self, n_classes: usize) -> Result<(), String> {
        match (2..=MOST_CLASSES).contains(&n_classes) {
            true => Ok(()),
            false => Err(format!(
                "has {n_classes} classes, but must have from 2 to {MOST_CLASSES}"
            )),
        }
    }

    /// Reads one of several things in a file: whatever it asks for stands behind `prefix`.
    pub fn within<T>(&mut self, prefix: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.prefix.len();
        self.prefix.push_str(prefix);
        let found = read(self);
        self.prefix.truncate(outer);
        found
    }

    /// Dimensions and numbers of every array whose name begins so, in the order of the names: for state that only its
    /// owner understands.
    pub fn all_single(&mut self, prefix: &str) -> Result<Vec<NamedNumbers>, String> {
        let full = format!("{}{prefix}", self.prefix);
        let names = self.tensors.names().into_iter();
        let own = names.filter_map(|name| name.strip_prefix(&*full));
        let mut own: Vec<String> = own.map(String::from).collect();
        own.sort_unstable();
        let take = |name: String| {
            let tensor = self.tensors.tensor(&format!("{full}{name}"));
            let dimensions = tensor.map_err(|error| error.to_string())?.shape().to_vec();
            let values = self.single(&format!("{prefix}{name}"), &dimensions)?;
            Ok((name, dimensions, values))
        };
        own.into_iter().map(take).collect()
    }

    /// Whether any array's name begins so.
    pub fn has(&self, prefix: &str) -> bool {
        let own = |name: &str| {
            name.strip_prefix(&*self.prefix)
                .map(|name| name.starts_with(prefix))
        };
        let names = self.tensors.names();
        names.into_iter().any(|name| own(name) == Some(true))
    }

    /// An array of finite numbers in single precision.
    pub fn single(&mut self, name: &str, dimensions: &[usize]) -> Result<Vec<f32>, String> {
        let data = self.take(name, Dtype::F32, dimensions)?.as_chunks().0;
        finite(name, data.iter().map(|bytes| f32::from_le_bytes(*bytes)))
    }

    /// An array of finite numbers in double precision.
    pub fn double(&mut self, name: &str, dimensions: &[usize]) -> Result<Vec<f64>, String> {
        let data = self.take(name, Dtype::F64, dimensions)?.as_chunks().0;
        finite(name, data.iter().map(|bytes| f64::from_le_bytes(*bytes)))
    }

    /// Bytes that only their owner understands, so many.
    pub fn bytes(&mut self, name: &str, length: usize) -> Result<Vec<u8>, String> {
        Ok(self.take(name, Dtype::U8, &[length])?.to_vec())
    }

    fn take(&mut self, name: &str, kind: Dtype, dimensions: &[usize]) -> Result<&[u8], String> {
        let name = format!("{}{name}", self.prefix);
        let missing = |_| format!("has no array `{name}`");
        let tensor = self.tensors.tensor(&name).map_err(missing)?;
        if tensor.dtype() != kind || tensor.shape() != dimensions {
            return Err(format!(
                "array `{name}` is {:?} {:?}, but must be {kind:?} {dimensions:?}",
                tensor.dtype(),
                tensor.shape(),
            ));
        }
        self.taken += 1;
        Ok(tensor.data())
    }

    /// Refuses arrays that nobody asked for.
    pub fn finish(self) -> Result<(), String> {
        match self.tensors.len() {
            found if found == self.taken => Ok(()),
            found => Err(format!(
                "has {found} arrays, but the model it describes has {}",
                self.taken
            )),
        }
    }
}

fn finite<T: Copy + Into<f64>>(
    name: &str,
    values: impl Iterator<Item = T> + Clone,
) -> Result<Vec<T>, String> {
    let bad = values
        .clone()
        .map(Into::into)
        .find(|value: &f64| !value.is_finite());
    match bad {
        Some(bad) => Err(format!("array `{name}` holds {bad}")),
        None => Ok(values.collect()),
    }
}
