//! A mixture as one array of numbers, and back: how it is remembered between two windows.

use super::{ClassMixture, Spread};

impl ClassMixture {
    /// Everything, one after another: counts, classes, shares, means, spreads, centre and deviations.
    pub fn to_numbers(&self) -> Vec<f32> {
        let spread = match self.spread {
            Spread::Axes => 0,
            Spread::Shared => 1,
            Spread::Own => 2,
        };
        let counts = [self.n_classes, self.size, spread, self.clouds()];
        let whole = counts
            .iter()
            .chain(&self.classes)
            .map(|&count| count as f32);
        let parts = [
            &self.shares,
            &self.means,
            &self.spreads,
            &self.centre,
            &self.deviations,
        ];
        let parts = parts.into_iter().flatten().map(|&value| value as f32);
        whole.chain(parts).collect()
    }

    /// `None` where these are not the numbers of a mixture.
    pub fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let (counts, rest) = numbers.split_at_checked(4)?;
        let count = |at: usize| counts[at] as usize;
        let (n_classes, size, clouds) = (count(0), count(1), count(3));
        let spread = match count(2) {
            0 => Spread::Axes,
            1 => Spread::Shared,
            _ => Spread::Own,
        };
        let width = if spread == Spread::Axes {
            size
        } else {
            size.checked_mul(size)?
        };
        let (classes, mut rest) = rest.split_at_checked(clouds)?;
        let mut take = |n: Option<usize>| {
            let (own, after) = rest.split_at_checked(n?)?;
            rest = after;
            Some(own.iter().copied().map(f64::from).collect::<Vec<f64>>())
        };
        let made = Self {
            n_classes,
            size,
            spread,
            classes: classes.iter().map(|&class| class as usize).collect(),
            shares: take(Some(clouds))?,
            means: take(clouds.checked_mul(size))?,
            spreads: take(clouds.checked_mul(width))?,
            centre: take(Some(size))?,
            deviations: take(Some(size))?,
        };
        let sound = rest.is_empty()
            && size > 0
            && clouds > 0
            && made.classes.iter().all(|&class| class < n_classes);
        sound.then_some(made)
    }

    /// As it will be when it is read again: runs that go on and runs that were stopped see the same bits.
    pub fn rounded(&self) -> Self {
        Self::from_numbers(&self.to_numbers()).unwrap_or_else(|| self.clone())
    }
}
