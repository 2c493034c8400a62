//! How columns are scaled and cleaned, as the source has them: one set of rules for tables read from files and for
//! arrays in memory. Columns of numbers get mean 0 and deviation 1; the inputs of a one-hot encoded column are 0 or 1 and
//! stay so.

use std::ops::Range;

use super::column_cleaning::{Clip, ColumnCleaning, hardly_varies, is_few};
use super::{Inputs, LabeledDomain, Layout, Shape};
use crate::Result;

/// How the columns of a table become inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Give every number column mean 0 and standard deviation 1 (dividing by n) over the source; constant ones are only
    /// centred. Images and categories stay as they are.
    pub standardize: bool,
    /// A column of numbers is dropped if fewer than 2 % of its values differ from their median, a column of categories
    /// if fewer than 2 % differ from the most frequent one. Rare categories of a column that varies stay: their inputs
    /// are 0 or 1 and are divided by nothing.
    pub cleaning: ColumnCleaning,
}

impl Default for EncodeOptions {
    fn default() -> Self {
        Self {
            standardize: true,
            cleaning: ColumnCleaning::OFF,
        }
    }
}

/// How much a column of the source varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// All its values are equal.
    None,
    /// Fewer than 2 % differ from the median, or from the most frequent category.
    Hardly,
    Some,
}

/// A column of numbers: an input is (value − shift) / scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberColumn {
    pub shift: f64,
    pub scale: f64,
    pub mean: f64,
}

/// One value of a column of numbers, in double precision until it is scaled.
#[inline]
pub fn scaled(value: f64, shift: f64, scale: f64) -> f32 {
    ((value - shift) / scale) as f32
}

impl EncodeOptions {
    /// A column of numbers, of which `each` shows every one; how much it varies is worked out as far as it decides
    /// anything. What is not finite does not count; `None` if no number does.
    pub fn numbers(self, each: impl Fn(&mut dyn FnMut(f64))) -> Option<(NumberColumn, Variation)> {
        let moments = Moments::of(&each)?;
        let hardly = || {
            let mut numbers = vec![];
            each(&mut |value| numbers.push(value));
            hardly_varies(numbers)
        };
        let variation = if moments.constant {
            Variation::None
        } else if self.cleaning.drop && hardly() {
            Variation::Hardly
        } else {
            Variation::Some
        };
        let column = NumberColumn {
            shift: if self.standardize { moments.mean } else { 0.0 },
            scale: if self.standardize { moments.scale } else { 1.0 },
            mean: moments.mean,
        };
        Some((column, variation))
    }

    /// A column of categories, by how often each occurs.
    pub fn categories(self, counts: impl Iterator<Item = u64> + Clone) -> Variation {
        let (rows, most): (u64, u64) = (counts.clone().sum(), counts.clone().max().unwrap_or(0));
        if rows == most {
            Variation::None
        } else if is_few((rows - most) as usize, rows as usize) {
            Variation::Hardly
        } else {
            Variation::Some
        }
    }

    /// Which columns stay. If none varies all do: a model needs inputs, were it only to say the most frequent class.
    pub fn kept(self, columns: impl Iterator<Item = Variation> + Clone) -> Vec<bool> {
        let varies = |variation| variation == Variation::Some;
        let all = !self.cleaning.drop || !columns.clone().any(varies);
        columns.map(|variation| all || varies(variation)).collect()
    }

    /// Where standardised numbers are cut off.
    pub fn clip(self) -> Option<Clip> {
        (self.standardize && self.cleaning.clip).then(Clip::default)
    }
}

/// Mean and spread of some numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Moments {
    mean: f64,
    /// The standard deviation (dividing by n), or 1 where nothing can be divided by it.
    scale: f64,
    /// All of them are equal.
    constant: bool,
}

impl Moments {
    /// `each` shows every number, twice; those that are not finite do not count. `None` if no number does.
    fn of(each: impl Fn(&mut dyn FnMut(f64))) -> Option<Self> {
        let (mut n, mut sum) = (0u64, 0.0);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        each(&mut |value| {
            if value.is_finite() {
                n += 1;
                sum += value;
                (least, most) = (least.min(value), most.max(value));
            }
        });
        if n == 0 {
            return None;
        }
        let mean = sum / n as f64;
        let mut squares = 0.0;
        each(&mut |value| {
            if value.is_finite() {
                squares += (value - mean) * (value - mean);
            }
        });
        let deviation = (squares / n as f64).sqrt();
        let constant = least == most;
        let usable = !constant && deviation.is_finite() && deviation > 0.0;
        Some(Self {
            // The mean of equal values may be off by rounding, and the sum of large ones infinite.
            mean: if constant || !mean.is_finite() {
                least
            } else {
                mean
            },
            scale: if usable { deviation } else { 1.0 },
            constant,
        })
    }
}

/// The columns of inputs in memory, scaled and cleaned before a method sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    columns: Vec<Column>,
    /// How many columns come in.
    width: usize,
    clip: Option<Clip>,
}

/// Inputs that stay: one that holds numbers, or those of a one-hot encoded column.
#[derive(Clone, Debug, PartialEq)]
enum Column {
    Number(usize, NumberColumn),
    OneHot(Range<usize>),
    /// The mark of the number before it.
    Mark(usize),
}

impl Column {
    fn width(&self) -> usize {
        match self {
            Column::Number(..) | Column::Mark(_) => 1,
            Column::OneHot(group) => group.len(),
        }
    }
}

impl Scaling {
    /// Fitted on the source, of which it is known which inputs are one-hot encoded; `None` for images, which stay as they
    /// are, and where there is nothing to do.
    pub fn fit(source: &LabeledDomain, how: EncodeOptions) -> Option<Self> {
        Self::of(source.inputs(), source.layout(), how)
    }

    /// Legacy, for the experiments that were run so: every input counts as a column of numbers.
    pub fn legacy(source: &LabeledDomain, how: EncodeOptions) -> Option<Self> {
        Self::of(source.inputs(), &Layout::default(), how)
    }

    fn of(source: &Inputs, layout: &Layout, how: EncodeOptions) -> Option<Self> {
        let Shape::Vector(width) = source.shape() else {
            return None;
        };
        if !how.standardize && !how.cleaning.drop {
            return None;
        }
        let number = |at: usize| {
            let each = |see: &mut dyn FnMut(f64)| {
                source.iter().for_each(|row| see(f64::from(row[at])));
            };
            let (column, variation) = how.numbers(each)?;
            Some((Column::Number(at, column), variation))
        };
        let categories = |group: &Range<usize>| {
            let count = |at: usize| source.iter().filter(|row| row[at] != 0.0).count() as u64;
            let variation = how.categories(group.clone().map(count));
            Some((Column::OneHot(group.clone()), variation))
        };
        let mut fitted = vec![];
        let mut at = 0;
        while at < width {
            let group = layout.one_hot.iter().find(|group| group.start == at);
            fitted.push(group.map_or_else(|| number(at), categories)?);
            at = group.map_or(at + 1, |group| group.end);
            if layout.marked.contains(&(at - 1)) {
                // A mark goes wherever its number goes.
                let (_, variation) = fitted[fitted.len() - 1];
                fitted.push((Column::Mark(at), variation));
                at += 1;
            }
        }
        let kept = how.kept(fitted.iter().map(|(_, variation)| *variation));
        let columns = fitted.into_iter().zip(kept).filter(|(_, kept)| *kept);
        Some(Self {
            columns: columns.map(|((column, _), _)| column).collect(),
            width,
            clip: how.clip(),
        })
    }

    /// Which of the inputs that stay belong to one column.
    pub fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        let mut at = 0;
        for column in &self.columns {
            match column {
                Column::Number(..) => {}
                Column::OneHot(group) => layout.one_hot.push(at..at + group.len()),
                Column::Mark(_) => layout.marked.push(at - 1),
            }
            at += column.width();
        }
        layout
    }

    /// The shape that inputs come in.
    pub fn shape(&self) -> Shape {
        Shape::Vector(self.width)
    }

    /// Inputs of the stream, or of anything that is to be predicted.
    pub fn apply(&self, inputs: &Inputs) -> Result<Inputs> {
        self.within(inputs, self.clip.map(|clip| clip.stream))
    }

    /// Inputs of the source, which models are trained on.
    pub fn apply_to_source(&self, inputs: &Inputs) -> Result<Inputs> {
        self.within(inputs, self.clip.map(|clip| clip.source))
    }

    fn within(&self, inputs: &Inputs, bound: Option<f32>) -> Result<Inputs> {
        inputs.expect_shape(self.shape())?;
        let bound = bound.unwrap_or(f32::INFINITY);
        let width = self.columns.iter().map(Column::width).sum();
        let mut values = Vec::with_capacity(inputs.len() * width);
        for row in inputs.iter() {
            for column in &self.columns {
                match column {
                    Column::Number(at, NumberColumn { shift, scale, .. }) => {
                        let value = scaled(f64::from(row[*at]), *shift, *scale);
                        values.push(value.clamp(-bound, bound));
                    }
                    Column::OneHot(group) => values.extend_from_slice(&row[group.clone()]),
                    Column::Mark(at) => values.push(row[*at]),
                }
            }
        }
        Inputs::new(values, Shape::Vector(width))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;

    fn table(values: Vec<f32>, width: usize) -> LabeledDomain {
        let inputs = Inputs::new(values, Shape::Vector(width)).unwrap();
        let labels = Labels::new(vec![0; inputs.len()], 2).unwrap();
        LabeledDomain::new(inputs, labels).unwrap()
    }

    fn how(standardize: bool, cleaning: ColumnCleaning) -> EncodeOptions {
        EncodeOptions {
            standardize,
            cleaning,
        }
    }

    #[test]
    fn scaled_columns_have_mean_0_and_deviation_1() {
        let source = table(vec![1.0, 7.0, 3.0, 7.0], 2);
        let scaling = Scaling::fit(&source, EncodeOptions::default()).unwrap();
        let scaled = scaling.apply(source.inputs()).unwrap();
        assert_eq!(&*scaled.contiguous(), [-1.0, 0.0, 1.0, 0.0]);
        let other = Inputs::new(vec![0.0; 3], Shape::Vector(3)).unwrap();
        assert!(scaling.apply(&other).is_err());
    }

    #[test]
    fn cleaning_leaves_out_what_hardly_varies_and_clips_the_rest() {
        let mut values: Vec<f32> = (0..100).flat_map(|row| [row as f32, 5.0]).collect();
        values[1] = 6.0;
        let source = table(values, 2);
        let scaling = Scaling::fit(&source, how(true, ColumnCleaning::ON)).unwrap();
        let far = Inputs::new(vec![1e6, 0.0, -1e6, 0.0, 49.5, 1e6], Shape::Vector(2)).unwrap();
        assert_eq!(
            &*scaling.apply(&far).unwrap().contiguous(),
            [8.0, -8.0, 0.0]
        );
        let clipped = scaling.apply_to_source(&far).unwrap();
        assert_eq!(&*clipped.contiguous(), [4.0, -4.0, 0.0]);
        // Without scaling there is nothing to clip; a table of constants keeps them.
        let plain = Scaling::fit(&source, how(false, ColumnCleaning::ON)).unwrap();
        assert_eq!(&*plain.apply(&far).unwrap().contiguous(), [1e6, -1e6, 49.5]);
        assert_eq!(Scaling::fit(&source, how(false, ColumnCleaning::OFF)), None);
        let flat = table(vec![1.0; 4], 2);
        let scaling = Scaling::fit(&flat, how(true, ColumnCleaning::ON)).unwrap();
        let scaled = scaling.apply(flat.inputs()).unwrap();
        assert_eq!(&*scaled.contiguous(), [0.0; 4]);
    }

    /// A number, a column of two categories that varies, one that hardly does, and rare categories of one that varies.
    #[test]
    fn categories_are_kept_or_dropped_by_their_column_and_never_scaled() {
        let category =
            |at: usize, of: usize| (0..of).map(move |one| f32::from(u8::from(one == at)));
        let row = |row: usize| {
            let number = [row as f32].into_iter();
            let rare = if row < 1 { 2 } else { row % 2 };
            let parts = number.chain(category(row % 2, 2));
            parts
                .chain(category(usize::from(row == 5), 2))
                .chain(category(rare, 3))
        };
        let source =
            table((0..100).flat_map(row).collect(), 8).with_one_hot(vec![1..3, 3..5, 5..8]);
        let cleaned = |scaling: Option<Scaling>| {
            let inputs = scaling
                .unwrap()
                .apply(&source.inputs().slice(0..1))
                .unwrap();
            inputs.contiguous().to_vec()
        };
        let all = how(true, ColumnCleaning::ON);
        let by_column = cleaned(Scaling::fit(&source.slice(0..100), all));
        assert_eq!(by_column[1..], [1.0, 0.0, 0.0, 0.0, 1.0]);
        // Every category for itself: the rare one is dropped, the others are scaled.
        let legacy = cleaned(Scaling::legacy(&source, all));
        assert_eq!(legacy.len(), 5);
        assert_eq!((legacy[0], legacy[1]), (by_column[0], 1.0));
        assert!(legacy[3] < -0.9, "{legacy:?}");
        let kept = Scaling::fit(&source, all).unwrap().layout();
        assert_eq!((kept.one_hot, kept.marked), (vec![1..3, 3..6], vec![]));
    }

    /// A number with a mark, one that hardly varies with its mark, and a number.
    #[test]
    fn marks_stay_as_they_are_beside_their_number() {
        let row = |row: usize| {
            [
                row as f32,
                f32::from(u8::from(row == 3)),
                7.0,
                0.0,
                -(row as f32),
            ]
        };
        let layout = Layout {
            marked: vec![0, 2],
            ..Layout::default()
        };
        let source = table((0..100).flat_map(row).collect(), 5).with_layout(layout);
        let scaling = Scaling::fit(&source, how(true, ColumnCleaning::ON)).unwrap();
        assert_eq!(scaling.layout().marked, [0]);
        let scaled = scaling.apply(&source.inputs().slice(3..4)).unwrap();
        assert_eq!(scaled.row(0).len(), 3);
        assert_eq!(
            (scaled.row(0)[1], scaled.row(0)[0]),
            (1.0, -scaled.row(0)[2])
        );
    }
}
