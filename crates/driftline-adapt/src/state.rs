//! What a part wants to remember between two windows: arrays, versions and plain values under names that only their owner
//! understands. A labeler's is stored with its version, a policy's with the run.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::version::{StoredVersion, Version};
use driftline_core::{Error, Result};
use driftline_models::{Array, Arrays, ModelKinds, Runtime};

/// Named things. A clone shares the arrays and the models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    arrays: BTreeMap<String, (Vec<usize>, Arc<Vec<f32>>)>,
    versions: BTreeMap<String, Version>,
    values: BTreeMap<String, Value>,
}

/// How it stands in a file, beside its arrays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoredState {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    versions: BTreeMap<String, StoredVersion>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    values: BTreeMap<String, Value>,
}

impl State {
    /// Keeps an array of finite numbers under a name; `dimensions` multiply to the number of `values`.
    pub fn set(&mut self, name: &str, dimensions: &[usize], values: Vec<f32>) -> Result<()> {
        if dimensions.iter().product::<usize>() != values.len() {
            return Err(Error::mismatch(
                format!("the array `{name}`"),
                format!("{dimensions:?} numbers"),
                values.len(),
            ));
        }
        // What is not finite would be refused when it is read again.
        if let Some(bad) = values.iter().find(|value| !value.is_finite()) {
            let what = format!("a number of the array `{name}`");
            return Err(Error::out_of_range(what, bad, "finite"));
        }
        let values = Arc::new(values);
        self.arrays
            .insert(name.into(), (dimensions.to_vec(), values));
        Ok(())
    }

    pub fn get(&self, name: &str) -> Option<(&[usize], &[f32])> {
        let (dimensions, values) = self.arrays.get(name)?;
        Some((dimensions, values))
    }

    /// Keeps a version: a model, the alignment before it, and what its labeler remembers.
    pub fn set_version(&mut self, name: &str, version: Version) {
        self.versions.insert(name.into(), version);
    }

    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.get(name)
    }

    /// Keeps whatever JSON can say; numbers come back to the last bit.
    pub fn set_value(&mut self, name: &str, value: impl Into<Value>) {
        self.values.insert(name.into(), value.into());
    }

    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// All values as the fields of one type, and the rest. An error names the field.
    pub fn typed<T: DeserializeOwned>(&self) -> Result<(T, State)> {
        fn fields<T: DeserializeOwned>(values: &BTreeMap<String, Value>) -> serde_json::Result<T> {
            let values = values.iter().map(|(name, value)| (&**name, value));
            T::deserialize(MapDeserializer::new(values))
        }
        let typed = fields(&self.values).map_err(|error| {
            let alone = |(name, value): (&String, &Value)| {
                let one = BTreeMap::from([(name.clone(), value.clone())]);
                fields::<T>(&one)
                    .err()
                    .map(|error| format!("`{name}`: {error}"))
            };
            let named = self.values.iter().find_map(alone);
            Error::Other(named.unwrap_or_else(|| error.to_string()).into())
        })?;
        let rest = State {
            values: BTreeMap::new(),
            ..self.clone()
        };
        Ok((typed, rest))
    }

    /// With the fields of `typed`, which serialises as a map, for all its values.
    pub fn with_typed<T: Serialize>(self, typed: &T) -> Self {
        let values = match serde_json::to_value(typed) {
            Ok(Value::Object(fields)) => fields.into_iter().collect(),
            other => unreachable!("a memory is a map of fields, not {other:?}"),
        };
        Self { values, ..self }
    }

    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty() && self.versions.is_empty() && self.values.is_empty()
    }

    /// Takes in everything of another, the names behind `prefix`.
    pub fn join(&mut self, prefix: &str, other: &State) {
        fn join<T: Clone>(
            own: &mut BTreeMap<String, T>,
            prefix: &str,
            other: &BTreeMap<String, T>,
        ) {
            own.extend(
                other
                    .iter()
                    .map(|(name, one)| (format!("{prefix}{name}"), one.clone())),
            );
        }
        join(&mut self.arrays, prefix, &other.arrays);
        join(&mut self.versions, prefix, &other.versions);
        join(&mut self.values, prefix, &other.values);
    }

    /// Drops what has a name that begins so.
    pub fn forget(&mut self, prefix: &str) {
        self.arrays.retain(|name, _| !name.starts_with(prefix));
        self.versions.retain(|name, _| !name.starts_with(prefix));
        self.values.retain(|name, _| !name.starts_with(prefix));
    }

    /// What has a name that begins so, without that beginning.
    pub fn part(&self, prefix: &str) -> State {
        fn part<T: Clone>(all: &BTreeMap<String, T>, prefix: &str) -> BTreeMap<String, T> {
            let own =
                |(name, one): (&String, &T)| Some((name.strip_prefix(prefix)?.into(), one.clone()));
            all.iter().filter_map(own).collect()
        }
        State {
            arrays: part(&self.arrays, prefix),
            versions: part(&self.versions, prefix),
            values: part(&self.values, prefix),
        }
    }

    /// The same with its models computing in another way.
    pub(crate) fn with_runtime(mut self, runtime: &Runtime) -> Result<Self> {
        for version in self.versions.values_mut() {
            *version = version.clone().with_runtime(runtime)?;
        }
        Ok(self)
    }

    /// Adds its arrays behind `stem` to those of a file: `stem.name`, and `stem:0:…` for what is in the first version.
    /// The description is left out where arrays are all there is.
    pub fn store(&self, stem: &str, arrays: &mut Vec<Array>) -> Result<Option<StoredState>> {
        for (name, (dimensions, values)) in &self.arrays {
            arrays.push(Array::single(format!("{stem}.{name}"), dimensions, values));
        }
        let mut stored = StoredState {
            versions: BTreeMap::new(),
            values: self.values.clone(),
        };
        for (place, (name, version)) in self.versions.iter().enumerate() {
            let version = version.store(&format!("{stem}:{place}:"), arrays)?;
            stored.versions.insert(name.clone(), version);
        }
        Ok((stored != StoredState::default()).then_some(stored))
    }

    pub fn restore(
        stored: Option<StoredState>,
        stem: &str,
        arrays: &mut Arrays<'_>,
        kinds: &ModelKinds,
    ) -> Result<Self, String> {
        let StoredState { versions, values } = stored.unwrap_or_default();
        let own = arrays.all_single(&format!("{stem}."))?.into_iter();
        let own = own.map(|(name, dimensions, values)| (name, (dimensions, Arc::new(values))));
        let mut state = Self {
            arrays: own.collect(),
            versions: BTreeMap::new(),
            values,
        };
        for (place, (name, version)) in versions.into_iter().enumerate() {
            let prefix = format!("{stem}:{place}:");
            let version = Version::restore(version, &prefix, arrays, kinds)?;
            state.versions.insert(name, version);
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_holds_what_can_be_read_again() {
        let mut state = State::default();
        assert!(state.set("a", &[2, 2], vec![0.0; 3]).is_err());
        for bad in [f32::NAN, f32::INFINITY] {
            assert!(state.set("a", &[1], vec![bad]).is_err());
        }
        assert!(state.is_empty());
        state.set("a", &[1, 2], vec![1.0, -0.0]).unwrap();
        assert_eq!(state.get("a"), Some((&[1, 2][..], &[1.0, -0.0][..])));
        assert_eq!(state.get("b"), None);
    }
}
