//! What makes two trials the same: a hash over everything that determines the numbers.

use serde::Serialize;

/// Raised when, and only when, the arithmetic changes: results made with another revision are not comparable bit for
/// bit. A golden test (`tests/golden.rs`) fails when the arithmetic changes and this number does not.
pub const ENGINE_REVISION: u32 = 1;

/// A short name for `content` and the engine's revision.
pub(super) fn hash(content: &impl Serialize) -> String {
    let json =
        serde_json::to_string(&(ENGINE_REVISION, content)).expect("plans have string keys only");
    blake3::hash(json.as_bytes()).to_hex()[..16].to_owned()
}
