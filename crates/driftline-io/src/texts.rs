//! Many short texts in one buffer, some of them missing.

/// The texts of one column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    text: String,
    /// Where each text ends in `text`; the highest bit marks a missing one.
    ends: Vec<usize>,
}

const MISSING: usize = 1 << (usize::BITS - 1);

impl Texts {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, text: Option<&str>) {
        self.text.push_str(text.unwrap_or_default());
        let missing = if text.is_none() { MISSING } else { 0 };
        self.ends.push(self.text.len() | missing);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of `row`, or none if it is missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        let end = self.ends[row];
        let start = match row {
            0 => 0,
            _ => self.ends[row - 1] & !MISSING,
        };
        (end & MISSING == 0).then(|| &self.text[start..end])
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&str>> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + size_of::<usize>() * self.ends.len()
    }
}

impl<'a> FromIterator<Option<&'a str>> for Texts {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(texts: I) -> Self {
        let mut all = Self::new();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_was_pushed_comes_back(texts: Vec<Option<String>>) {
            let all: Texts = texts.iter().map(Option::as_deref).collect();
            prop_assert_eq!(all.len(), texts.len());
            prop_assert!(all.iter().eq(texts.iter().map(Option::as_deref)));
        }
    }
}
