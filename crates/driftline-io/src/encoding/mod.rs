//! Columns into model inputs. Everything that must not change between the source and later windows is fixed here, on the
//! source: which columns are features, their categories, means and scales, and the names of the classes.

mod apply;
mod awake;
mod check;
mod classes;
mod cleaning;
mod doubts;
mod features;
mod fit;
mod order;
mod parts;
mod plain;
mod statistics;
mod troubles;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{ColumnChoice, ImageOptions, InputDigest, Origins, ReadOptions};
use crate::formats::text_table::is_missing;
pub use driftline_core::data::EncodeOptions;
use driftline_core::data::{Clip, Inputs, Labels, Layout, RowOrder, Shape};

pub(crate) use apply::Applied;
pub use awake::{Usual, UsualValue};
pub use classes::{ClassLookup, class_name, same_text};

/// What the name of a mark ends with.
const MISSING: &str = "missing";

/// What was learned from the source about how rows become inputs. It is stored with the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "check::Unchecked")]
pub struct Encoding {
    pub(super) label: String,
    pub(super) classes: Vec<String>,
    pub(super) input: InputEncoding,
    #[serde(skip_serializing_if = "Cleaning::is_none")]
    pub(super) cleaning: Cleaning,
}

/// What cleaning has done about the columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Cleaning {
    /// Columns that hardly vary in the source, or have no value there: no inputs, and a stream may lack them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
    /// What was in them, where there was anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usual: Vec<Usual>,
    /// Where standardised numbers are cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<Clip>,
}

impl Cleaning {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// What the inputs are made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum InputEncoding {
    /// Columns of a table, side by side.
    Features(Vec<Feature>),
    /// One column of images. `resize` is set if images of another size are brought to this one.
    Images {
        column: String,
        shape: Shape,
        resize: bool,
    },
}

/// One column of the source that is a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    pub name: String,
    pub coding: Coding,
}

/// How a feature becomes inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Coding {
    /// One input, (value − shift) / scale; missing values are `mean` when imputed. Where they are marked, a second input
    /// is 1 for them and 0 for others.
    Number {
        shift: f64,
        scale: f64,
        mean: f64,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mark: bool,
    },
    /// One input per category, 1 for the row's and 0 for the others; missing values are `most_frequent` when imputed, and
    /// 0 in all inputs where they are marked.
    OneHot {
        categories: Vec<String>,
        most_frequent: usize,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mark: bool,
    },
}

/// The source, encoded.
#[derive(Clone, Debug)]
pub struct LabeledRows {
    pub inputs: Inputs,
    pub labels: Labels,
    /// By the columns of time and identifiers, where the source has them. The rows stay as they came.
    pub order: Option<RowOrder>,
    pub origins: Origins,
    /// What was detected about the files.
    pub detected: String,
    /// What the files are known by; of data without files, a hash of the columns that were read.
    pub digests: Vec<InputDigest>,
}

impl Encoding {
    /// The name of the label column in the source.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The classes' names; a class's number is its place here. Numbers ascend, other names are in alphabetical order.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    pub fn input(&self) -> &InputEncoding {
        &self.input
    }

    /// What cleaning has done about the columns.
    pub fn cleaning(&self) -> &Cleaning {
        &self.cleaning
    }

    /// The shape of one encoded row.
    pub fn shape(&self) -> Shape {
        match &self.input {
            InputEncoding::Features(features) => {
                Shape::Vector(features.iter().map(Feature::width).sum())
            }
            InputEncoding::Images { shape, .. } => *shape,
        }
    }

    /// The inputs of each column that is one-hot encoded.
    pub fn one_hot(&self) -> Vec<Range<usize>> {
        let mut end = 0;
        let columns = self.widths().into_iter().zip(self.categories());
        let groups = columns.filter_map(|(width, categories)| {
            end += width;
            categories.map(|_| end - width..end)
        });
        groups.collect()
    }

    /// Which inputs belong to one column.
    pub fn layout(&self) -> Layout {
        let mut marked = vec![];
        if let InputEncoding::Features(features) = &self.input {
            let mut at = 0;
            for feature in features {
                if matches!(feature.coding, Coding::Number { mark: true, .. }) {
                    marked.push(at);
                }
                at += feature.width();
            }
        }
        let one_hot = self.one_hot();
        Layout { one_hot, marked }
    }

    /// The names of the columns that inputs are made of, in their order.
    pub fn columns(&self) -> Vec<&str> {
        match &self.input {
            InputEncoding::Features(features) => {
                features.iter().map(|feature| &*feature.name).collect()
            }
            InputEncoding::Images { column, .. } => vec![column],
        }
    }

    /// The name of each input: the column's, `column=category`, or `column=missing` for a mark. Images have none.
    pub fn input_names(&self) -> Vec<String> {
        let InputEncoding::Features(features) = &self.input else {
            return vec![];
        };
        let names = features.iter().flat_map(|feature| match &feature.coding {
            Coding::Number { mark: false, .. } => vec![feature.name.clone()],
            Coding::Number { mark: true, .. } => {
                vec![feature.name.clone(), format!("{}={MISSING}", feature.name)]
            }
            Coding::OneHot { categories, .. } => categories
                .iter()
                .map(|category| format!("{}={category}", feature.name))
                .collect(),
        });
        names.collect()
    }

    /// The categories of each of [`Encoding::columns`] that is one-hot encoded.
    pub(super) fn categories(&self) -> impl Iterator<Item = Option<&[String]>> {
        let features = match &self.input {
            InputEncoding::Features(features) => &features[..],
            InputEncoding::Images { .. } => &[],
        };
        features.iter().map(|feature| match &feature.coding {
            Coding::OneHot { categories, .. } => Some(&categories[..]),
            Coding::Number { .. } => None,
        })
    }

    /// How many inputs each of [`Encoding::columns`] becomes.
    pub(super) fn widths(&self) -> Vec<usize> {
        match &self.input {
            InputEncoding::Features(features) => features.iter().map(Feature::width).collect(),
            InputEncoding::Images { shape, .. } => vec![shape.size()],
        }
    }

    /// `options` with everything that the source fixes: the columns to read, which of them are text, the images' size.
    pub fn read_options(&self, choice: &ColumnChoice, options: &ReadOptions) -> ReadOptions {
        let mut options = options.clone();
        let parts = choice.text_columns().chain(choice.time.as_deref());
        let asleep = self.cleaning.usual.iter();
        let asleep = asleep.filter(|usual| !choice.exclude.contains(&usual.column));
        let asleep = asleep.map(|usual| (&*usual.column, &usual.value));
        for (column, value) in asleep.clone() {
            if matches!(value, UsualValue::Text(_)) {
                options.categories.push(column.to_owned());
            }
        }
        let columns = parts.chain(self.columns());
        let columns = columns.chain(asleep.map(|(column, _)| column));
        options.columns = Some(columns.map(String::from).collect());
        options.text.extend(choice.text_columns().map(String::from));
        options.decimal_comma = choice.decimal_comma.unwrap_or(options.decimal_comma);
        match &self.input {
            InputEncoding::Features(features) => {
                let text = features
                    .iter()
                    .filter(|feature| matches!(feature.coding, Coding::OneHot { .. }));
                for feature in text {
                    // Models of old may have `NA` for a category.
                    let named = match &feature.coding {
                        Coding::OneHot { categories, .. } => {
                            categories.iter().any(|text| is_missing(text))
                        }
                        Coding::Number { .. } => false,
                    };
                    let wishes = match named {
                        true => &mut options.text,
                        false => &mut options.categories,
                    };
                    wishes.push(feature.name.clone());
                }
            }
            InputEncoding::Images { shape, resize, .. } => {
                options.images = ImageOptions::of(*shape, *resize);
            }
        }
        options
    }
}

impl Feature {
    /// How many inputs it becomes.
    pub fn width(&self) -> usize {
        match &self.coding {
            Coding::Number { mark, .. } => 1 + usize::from(*mark),
            Coding::OneHot { categories, .. } => categories.len(),
        }
    }
}
