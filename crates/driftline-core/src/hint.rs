//! How to mend a fault, in words that name settings by what they are: the program shows them as flags, Python as
//! arguments, and a library as what they are called.

use std::fmt;

/// A setting that advice may speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    Answers,
    Category,
    Dates,
    Decimal,
    Delimiter,
    Encoding,
    Every,
    Exclude,
    Id,
    ImageColour,
    ImageSize,
    Impute,
    KeepConstantColumns,
    Label,
    Source,
    Tail,
    Time,
    Where,
    Window,
    Windows,
}

const NAMES: [(&str, Setting); 20] = [
    ("answers", Setting::Answers),
    ("category", Setting::Category),
    ("dates", Setting::Dates),
    ("decimal", Setting::Decimal),
    ("delimiter", Setting::Delimiter),
    ("encoding", Setting::Encoding),
    ("every", Setting::Every),
    ("exclude", Setting::Exclude),
    ("id", Setting::Id),
    ("image-colour", Setting::ImageColour),
    ("image-size", Setting::ImageSize),
    ("impute", Setting::Impute),
    ("keep-constant-columns", Setting::KeepConstantColumns),
    ("label", Setting::Label),
    ("source", Setting::Source),
    ("tail", Setting::Tail),
    ("time", Setting::Time),
    ("where", Setting::Where),
    ("window", Setting::Window),
    ("windows", Setting::Windows),
];

impl Setting {
    /// `image-size`: what the program puts two hyphens before.
    pub fn name(self) -> &'static str {
        let found = NAMES.iter().find(|(_, setting)| *setting == self);
        found.map_or("", |(name, _)| name)
    }
}

/// Text in which settings stand apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Setting(Setting),
}

impl Hint {
    /// The settings that it speaks of.
    pub fn settings(&self) -> impl Iterator<Item = Setting> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Setting(setting) => Some(*setting),
        })
    }

    /// The words, with settings as `name` writes them.
    pub fn words(&self, name: impl Fn(Setting) -> String) -> String {
        let word = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Setting(setting) => name(*setting),
        };
        self.parts.iter().map(word).collect()
    }
}

/// `{exclude}` stands for a setting; every other text is taken as it is.
impl<T: AsRef<str>> From<T> for Hint {
    fn from(text: T) -> Self {
        let mut parts = vec![];
        let mut rest = text.as_ref();
        let marker = |text: &str| {
            let markers = NAMES.iter().filter_map(|(name, setting)| {
                let marker = format!("{{{name}}}");
                Some((text.find(&marker)?, marker.len(), *setting))
            });
            markers.min_by_key(|(at, ..)| *at)
        };
        while let Some((at, length, setting)) = marker(rest) {
            parts.push(Part::Text(rest[..at].to_owned()));
            parts.push(Part::Setting(setting));
            rest = &rest[at + length..];
        }
        parts.push(Part::Text(rest.to_owned()));
        Self { parts }
    }
}

/// With settings in backquotes.
impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(|setting| format!("`{}`", setting.name())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_named_by_whoever_shows_them() {
        let advice = Hint::from("leave `a{b}` out with {exclude}, or {id} it");
        assert_eq!(
            advice.to_string(),
            "leave `a{b}` out with `exclude`, or `id` it"
        );
        let flags = advice.words(|setting| format!("--{}", setting.name()));
        assert_eq!(flags, "leave `a{b}` out with --exclude, or --id it");
        let named: Vec<Setting> = advice.settings().collect();
        assert_eq!(named, [Setting::Exclude, Setting::Id]);
    }
}
