//! What the judge remembers from window to window. In the files of a run it is a [`State`]: the plain values are the fields
//! of [`Memory`] by name, beside arrays that are kept by name. What cannot be read is an error, never forgotten.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::labels::Heard;
use super::profile::SourceProfile;
use super::scenario::Trace;
use super::told::Told;
use driftline_adapt::State;
use driftline_core::{Error, Result};
use driftline_drift::ClassMixture;

/// The format that is written.
const FORMAT: u32 = 1;

/// The held-out probabilities of the source sample are kept under this name, its mixture under the other.
const HELD_OUT: &str = "held-out";
const SOURCE_CLOUDS: &str = "clouds/source";
/// Where classes stood, under this and the name of the scenario.
const PLACES: &str = "places/";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(super) struct Memory {
    format: u32,
    /// The candidate in use; none: the source model.
    #[serde(skip_serializing_if = "is_default")]
    pub in_use: Option<String>,
    /// What the source says, once it was asked.
    #[serde(skip_serializing_if = "is_default")]
    pub profile: Option<SourceProfile>,
    /// The misfits of every scenario so far, beyond those of the best one.
    #[serde(skip_serializing_if = "is_default")]
    pub misfits: BTreeMap<String, f64>,
    /// The largest step so far, in safe steps.
    #[serde(skip_serializing_if = "is_default")]
    pub largest_step: f64,
    /// How far the classes of scenarios that follow them have moved.
    #[serde(skip_serializing_if = "is_default")]
    pub traces: BTreeMap<String, Trace>,
    /// How far the newest steps leapt, in distances between classes; half of it is left after every window.
    #[serde(skip_serializing_if = "is_default")]
    pub leap: f64,
    /// What labels said.
    #[serde(skip_serializing_if = "is_default")]
    pub heard: Heard,
    /// Rows that were asked about, the oldest first.
    #[serde(skip_serializing_if = "is_default")]
    pub told: Vec<Told>,
    /// Arrays: clouds, held-out probabilities, inputs of rows that were asked about.
    #[serde(skip)]
    pub kept: State,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Memory {
    /// What [`Memory::store`] has stored.
    pub fn read(state: &State) -> Result<Self> {
        let (mut memory, kept): (Self, State) = state.typed()?;
        if memory.format > FORMAT {
            let allowed = format!("at most {FORMAT}, which this version of driftline knows");
            let what = "the format of what the judge remembers";
            return Err(Error::out_of_range(what, memory.format, allowed));
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
        for name in [SOURCE_CLOUDS, super::scenario::CLOUDS] {
            self.clouds(name)?;
        }
        Ok(())
    }

    /// A mixture of the classes; none where none is kept under this name.
    pub fn clouds(&self, name: &str) -> Result<Option<ClassMixture>> {
        let Some((_, numbers)) = self.kept.get(name) else {
            return Ok(None);
        };
        match ClassMixture::from_numbers(numbers) {
            Some(clouds) => Ok(Some(clouds)),
            None => {
                let what = format!("the array `{name}` of what the judge remembers");
                Err(Error::mismatch(what, "a mixture of the classes", "none"))
            }
        }
    }

    pub fn set_clouds(&mut self, name: &str, clouds: &ClassMixture) -> Result<()> {
        let numbers = clouds.to_numbers();
        self.kept.set(name, &[numbers.len()], numbers)
    }

    /// Where the classes of a scenario stood, one after the other.
    pub fn places(
        &self,
        scenario: &str,
        (classes, columns): (usize, usize),
    ) -> Result<Option<Vec<Vec<f64>>>> {
        let name = format!("{PLACES}{scenario}");
        let Some((_, places)) = self.kept.get(&name) else {
            return Ok(None);
        };
        if places.len() != classes * columns {
            let what = format!("the array `{name}` of what the judge remembers");
            let right = format!("{classes} × {columns} numbers");
            return Err(Error::mismatch(what, right, places.len()));
        }
        let place = |place: &[f32]| place.iter().map(|&x| f64::from(x)).collect();
        Ok(Some(places.chunks(columns).map(place).collect()))
    }

    pub fn set_places(&mut self, scenario: &str, places: &[Vec<f64>]) -> Result<()> {
        let numbers: Vec<f32> = places.iter().flatten().map(|&x| x as f32).collect();
        self.kept
            .set(&format!("{PLACES}{scenario}"), &[numbers.len()], numbers)
    }

    /// What was kept of the source's arrays.
    pub fn source(&self) -> Result<Option<(Vec<f64>, Option<ClassMixture>)>> {
        let Some((_, held_out)) = self.kept.get(HELD_OUT) else {
            return Ok(None);
        };
        let held_out = held_out.iter().map(|&p| f64::from(p)).collect();
        Ok(Some((held_out, self.clouds(SOURCE_CLOUDS)?)))
    }

    pub fn set_source(&mut self, held_out: &[f64], clouds: Option<&ClassMixture>) -> Result<()> {
        let single = held_out.iter().map(|&p| p as f32).collect();
        self.kept.set(HELD_OUT, &[held_out.len()], single)?;
        clouds.map_or(Ok(()), |clouds| self.set_clouds(SOURCE_CLOUDS, clouds))
    }
}

#[cfg(test)]
mod tests {
    use super::super::labels::Evidence;
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
            misfits: BTreeMap::from([("same".into(), 1.5)]),
            largest_step: 0.25,
            leap: 0.5,
            heard: Heard {
                candidates: BTreeMap::from([("plain".into(), Evidence::default())]),
                ..Heard::default()
            },
            ..Memory::default()
        };
        memory.set_source(&[0.25, 0.75], None).unwrap();
        let again = Memory::read(&memory.clone().store()).unwrap();
        memory.format = FORMAT;
        assert_eq!(again, memory);
        assert_eq!(again.source().unwrap(), Some((vec![0.25, 0.75], None)));
        again.check().unwrap();
    }

    #[test]
    fn what_cannot_be_read_is_an_error_that_names_it() {
        let damaged = [
            ("in-use", json!(3)),
            ("profile", json!({ "held_out": 0.9 })),
            ("misfits", json!({ "same": "much" })),
            ("largest-step", json!("far")),
            ("leap", json!("far")),
            ("labels", json!([])),
            ("unheard-of", json!(1)),
        ];
        for (name, value) in damaged {
            let error = Memory::read(&state(&[("format", json!(FORMAT)), (name, value)]));
            let told = error.unwrap_err().to_string();
            assert!(told.contains(&format!("`{name}`")), "{told}");
        }
        let newer = Memory::read(&state(&[("format", json!(FORMAT + 1))])).unwrap_err();
        assert!(newer.to_string().contains("at most 1"), "{newer}");
        let mut memory = Memory::default();
        memory.kept.set(SOURCE_CLOUDS, &[1], vec![1.0]).unwrap();
        let told = memory.check().unwrap_err().to_string();
        assert!(told.contains(SOURCE_CLOUDS), "{told}");
        memory.set_places("followed", &[vec![1.0, 2.0]]).unwrap();
        let read = |classes| memory.places("followed", (classes, 2));
        assert_eq!(read(1).unwrap(), Some(vec![vec![1.0, 2.0]]));
        let told = read(3).unwrap_err().to_string();
        assert!(told.contains("3 × 2 numbers"), "{told}");
    }
}
