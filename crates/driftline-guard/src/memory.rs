//! What the guard remembers from window to window. In the files of a run it is a [`State`]: the plain values are the fields
//! of [`Memory`] by name, beside the arrays and models that are kept by name. What cannot be read is an error, never forgotten.

use serde::{Deserialize, Serialize};

use super::source_profile::SourceProfile;
use super::tracking::{Place, Track, WAYS};
use driftline_adapt::State;
use driftline_core::{Error, Result};
use driftline_drift::ClassMixture;

/// The format that is written; 1 and 2 differ in having a number.
const FORMAT: u32 = 2;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Memory {
    format: u32,
    /// The candidate in use; none: the source model.
    #[serde(skip_serializing_if = "is_default")]
    pub in_use: Option<String>,
    /// What the source says, once it was asked.
    #[serde(skip_serializing_if = "is_default")]
    pub evidence: Option<SourceProfile>,
    /// The gains of the last windows.
    #[serde(skip_serializing_if = "is_default")]
    pub gains: Vec<Vec<f64>>,
    #[serde(rename = "track", skip_serializing_if = "is_default")]
    pub mixture_track: Track,
    #[serde(rename = "track/clusters", skip_serializing_if = "is_default")]
    pub clusters_track: Track,
    /// By how much the clusters explained and foresaw a row better than the mixture, window by window.
    #[serde(rename = "track/lead", skip_serializing_if = "is_default")]
    pub leads: Vec<[f64; 2]>,
    #[serde(skip_serializing_if = "is_default")]
    pub places: Vec<Place>,
    /// Images: how far a class is from its nearest, and whether a step was too large.
    #[serde(skip_serializing_if = "is_default")]
    pub class_distance: Option<f64>,
    #[serde(skip_serializing_if = "is_default")]
    pub jumped: bool,
    /// Arrays and models: the clouds where they stand, and chains in rehearsal.
    #[serde(skip)]
    pub kept: State,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Memory {
    /// What [`Memory::store`] has stored, here or in an earlier version.
    pub fn read(state: &State) -> Result<Self> {
        let (mut memory, kept): (Self, State) = state.typed()?;
        if memory.format > FORMAT {
            let allowed = format!("at most {FORMAT}, which this version of driftline knows");
            return Err(Error::out_of_range(
                "the format of what the guard remembers",
                memory.format,
                allowed,
            ));
        }
        memory.kept = kept;
        Ok(memory)
    }

    pub fn store(mut self) -> State {
        self.format = FORMAT;
        let kept = std::mem::take(&mut self.kept);
        kept.with_typed(&self)
    }

    /// Whether all of it can be read.
    pub fn check(&self) -> Result<()> {
        let places = self.places.iter().map(Place::mixture_name);
        let ways = WAYS.into_iter().map(String::from);
        ways.chain(places)
            .try_for_each(|name| self.mixture(&name).map(drop))
    }

    /// A mixture of the classes; none where none is kept under this name.
    pub fn mixture(&self, name: &str) -> Result<Option<ClassMixture>> {
        let Some((_, numbers)) = self.kept.get(name) else {
            return Ok(None);
        };
        match ClassMixture::from_numbers(numbers) {
            Some(mixture) => Ok(Some(mixture)),
            None => {
                let what = format!("the array `{name}` of what the guard remembers");
                Err(Error::mismatch(what, "a mixture of the classes", "none"))
            }
        }
    }

    pub fn set_mixture(&mut self, name: &str, mixture: &ClassMixture) -> Result<()> {
        let numbers = mixture.to_numbers();
        self.kept.set(name, &[numbers.len()], numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn state(values: &[(&str, Value)]) -> State {
        let mut state = State::default();
        for (name, value) in values {
            state.set_value(name, value.clone());
        }
        state
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let mut memory = Memory {
            in_use: Some("plain".into()),
            gains: vec![vec![0.0, 0.1]],
            leads: vec![[0.5, -0.25]],
            jumped: true,
            ..Memory::default()
        };
        memory.kept.set("clusters/behind", &[1], vec![2.0]).unwrap();
        let again = Memory::read(&memory.clone().store()).unwrap();
        memory.format = FORMAT;
        assert_eq!(again, memory);
        again.check().unwrap();
    }

    /// As version 0.1 wrote it: no number, and null for the source model.
    #[test]
    fn memories_without_a_number_are_read() {
        let track = json!({ "steps": [0.1, null], "likely": [-2.0, -2.5], "jumped": true });
        let place =
            json!({ "version": 3, "in_use": null, "likely": -2.0, "tracks": [track, track] });
        let old = state(&[
            ("in-use", Value::Null),
            ("gains", json!([[0.0, 0.02]])),
            ("track", track),
            ("track/lead", json!([[0.1, 0.2]])),
            ("places", json!([place])),
            ("class-distance", json!(1.5)),
        ]);
        let memory = Memory::read(&old).unwrap();
        assert_eq!((memory.format, &memory.in_use), (0, &None));
        assert!(memory.mixture_track.jumped(), "a jump is not forgotten");
        assert_eq!(memory.clusters_track, Track::default());
        assert_eq!((memory.places.len(), memory.class_distance), (1, Some(1.5)));
    }

    #[test]
    fn what_cannot_be_read_is_an_error_that_names_it() {
        let damaged = [
            ("in-use", json!(3)),
            ("evidence", json!({ "held_out": 0.9 })),
            ("gains", json!([["much"]])),
            ("track", json!({ "steps": [], "jumped": "often" })),
            ("track/clusters", json!([])),
            ("track/lead", json!([[0.1]])),
            ("places", json!([{ "version": -1 }])),
            ("class-distance", json!("far")),
            ("jumped", json!(1)),
            ("unheard-of", json!(1)),
        ];
        for (name, value) in damaged {
            let error = Memory::read(&state(&[("format", json!(2)), (name, value)]));
            let told = error.unwrap_err().to_string();
            assert!(told.contains(&format!("`{name}`")), "{told}");
        }
        let newer = Memory::read(&state(&[("format", json!(FORMAT + 1))])).unwrap_err();
        assert!(newer.to_string().contains("at most 2"), "{newer}");
        let mut memory = Memory::default();
        memory.kept.set(WAYS[0], &[1], vec![1.0]).unwrap();
        let told = memory.check().unwrap_err().to_string();
        assert!(told.contains("mixture/moved"), "{told}");
    }
}
