//! An encoding read from a file is believed only after it was checked.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{Cleaning, Coding, Encoding, InputEncoding};
use driftline_core::data::Shape;

/// What a file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unchecked {
    label: String,
    classes: Vec<String>,
    input: InputEncoding,
    #[serde(default)]
    cleaning: Cleaning,
}

impl TryFrom<Unchecked> for Encoding {
    type Error = String;

    fn try_from(unchecked: Unchecked) -> Result<Self, String> {
        let Unchecked {
            label,
            classes,
            input,
            cleaning,
        } = unchecked;
        if cleaning.clip.is_some_and(|clip| !clip.is_sound()) {
            return Err("clips at a bound that is not above 0".into());
        }
        if classes.len() < 2 {
            return Err(format!(
                "names {} classes; at least 2 are needed",
                classes.len()
            ));
        }
        different(&classes, "class")?;
        match &input {
            InputEncoding::Images { shape, .. } => match shape {
                Shape::Image {
                    height: 1..=16_384,
                    width: 1..=16_384,
                    channels: 1 | 3,
                } => {}
                shape => return Err(format!("takes images of {shape}")),
            },
            InputEncoding::Features(features) => {
                if features.is_empty() {
                    return Err("has no features".into());
                }
                different(features.iter().map(|feature| &feature.name), "feature")?;
                for feature in features {
                    let wrong = |what: &str| format!("feature `{}` has {what}", feature.name);
                    match &feature.coding {
                        Coding::Number {
                            shift, scale, mean, ..
                        } => {
                            if !(shift.is_finite() && mean.is_finite()) {
                                return Err(wrong("a mean that is not finite"));
                            }
                            if !(scale.is_finite() && *scale > 0.0) {
                                return Err(wrong("a scale that is not above 0"));
                            }
                        }
                        Coding::OneHot {
                            categories,
                            most_frequent,
                            ..
                        } => {
                            different(categories, "category")?;
                            if *most_frequent >= categories.len() {
                                return Err(wrong("no most frequent category"));
                            }
                        }
                    }
                }
            }
        }
        Ok(Self {
            label,
            classes,
            input,
            cleaning,
        })
    }
}

fn different<'a>(names: impl IntoIterator<Item = &'a String>, what: &str) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(format!("names the {what} `{name}` twice")),
        None => Ok(()),
    }
}
