//! One reader per file format, each giving frames.

pub(crate) mod arff;
pub(crate) mod arrays;
pub(crate) mod bytes;
mod cp1252;
pub(crate) mod csv;
pub mod idx;
#[cfg(feature = "images")]
pub mod images;
pub(crate) mod mat;
pub(crate) mod npy;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod text_file;
pub(crate) mod text_table;
