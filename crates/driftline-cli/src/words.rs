//! Arguments that several commands read the same way: words that the library knows by the same names, and shards.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::DeserializeOwned;
use serde_json::json;

/// One of a few words, as the library reads it.
pub fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    let read = |word: String| serde_json::from_value(json!(word));
    PossibleValuesParser::new(words).map(move |word| read(word).expect("the library knows it"))
}

/// `i/n`: the i-th of n shares.
pub fn shard<T>(
    text: &str,
    make: fn(usize, usize) -> driftline_core::Result<T>,
) -> Result<T, String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let (index, count) = parts.ok_or("expected i/n, such as 1/3")?;
    make(index, count).map_err(|error| error.to_string())
}
