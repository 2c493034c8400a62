//! One reader per file format, each giving frames.

pub mod arff;
pub(crate) mod arrays;
pub mod csv;
pub mod idx;
pub mod images;
pub mod mat;
pub(crate) mod memory;
pub mod npy;
pub mod parquet;
mod text_table;
