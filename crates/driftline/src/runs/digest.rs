//! What data a model or a run was made from, under the name that manifests know it by.

pub use crate::reading::InputDigest;
pub(crate) use crate::reading::blake3;
