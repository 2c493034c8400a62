//! How a series looks: a colour that the colour-blind can tell from the others, and a dash pattern for print.

/// The number of series classes in `style.css`; more series begin again.
const TONES: usize = 6;

/// One look, the same for one method in all charts of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Grey: what others are compared with.
    Neutral,
    Series(usize),
}

impl Tone {
    pub fn class(self) -> String {
        match self {
            Tone::Neutral => "tone-n".into(),
            Tone::Series(index) => format!("tone-{}", index % TONES),
        }
    }
}
