//! placeholder
use driftline::Result;
use driftline::experiment::Store;
pub fn html(_s: &[Store]) -> Result<String> {
    Ok(String::new())
}
pub fn markdown(_s: &[Store]) -> String {
    String::new()
}
pub fn explain(_s: &Store) -> String {
    String::new()
}
