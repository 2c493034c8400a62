//! Which of two models gets more of a window right, label by label: a confidence sequence for the sum of a finite population
//! drawn without replacement, by betting (Waudby-Smith and Ramdas 2020). Whoever looks after every label, and stops when they
//! like, is wrong with probability at most [`PairedRows::LEVEL`]. Only the m rows count that the two class differently: z = +1
//! where the rival alone is right, −1 where the model in use alone is, else 0; the accuracies on n rows differ by Σz / n.

use super::PairedRows;

/// Shares of the largest bet that loses nothing for certain; the capital is the mean over all of them, on either side.
const BETS: [f64; 10] = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8];

/// Labels of rows on which two models differ, in the order of a draw.
#[derive(Clone, Debug, PartialEq)]
pub struct Settling {
    /// Rows of the window, and those that the two class differently.
    rows: usize,
    differing: usize,
    /// +1, 0 or −1 for each label so far.
    signs: Vec<i8>,
}

impl Settling {
    pub fn new(rows: usize, differing: usize) -> Self {
        Self {
            rows: rows.max(1),
            differing: differing.min(rows),
            signs: vec![],
        }
    }

    /// One more label: whether the model in use and its rival have it right.
    pub fn add(&mut self, in_use: bool, rival: bool) {
        if self.signs.len() < self.differing {
            self.signs.push(i8::from(rival) - i8::from(in_use));
        }
    }

    pub fn labels(&self) -> usize {
        self.signs.len()
    }

    /// The rival's accuracy less that of the model in use, as the labels so far suggest it.
    pub fn difference(&self) -> f64 {
        let sum: i64 = self.signs.iter().map(|&sign| i64::from(sign)).sum();
        let share = sum as f64 / self.labels().max(1) as f64;
        share * self.differing as f64 / self.rows as f64
    }

    /// All differences that the labels so far leave possible, whenever they are looked at.
    pub fn interval(&self) -> (f64, f64) {
        let most = self.differing as i64;
        let sum: i64 = self.signs.iter().map(|&sign| i64::from(sign)).sum();
        let likely = sum as f64 / self.labels().max(1) as f64 * most as f64;
        // No capital grows against what was seen; from there to either side less and less is possible.
        let end = |mut outside: i64, mut inside: i64| {
            if self.is_possible(outside) {
                return outside;
            }
            while (outside - inside).abs() > 1 {
                let middle = (outside + inside) / 2;
                match self.is_possible(middle) {
                    true => inside = middle,
                    false => outside = middle,
                }
            }
            inside
        };
        let likely = likely.round() as i64;
        let share = |sum: i64| sum as f64 / self.rows as f64;
        (share(end(-most, likely)), share(end(most, likely)))
    }

    /// Whether the rival is the better one, once that is settled.
    pub fn settled(&self) -> Option<bool> {
        let (low, high) = self.interval();
        match () {
            () if low > 0.0 => Some(true),
            () if high < 0.0 => Some(false),
            () => None,
        }
    }

    /// Which of the two the labels so far speak for, settled or not; none before the first that tells them apart. After
    /// a tie it is what it was before the last label.
    pub fn leaning(&self) -> Option<bool> {
        if let Some(settled) = self.settled() {
            return Some(settled);
        }
        let (mut sum, mut leaning) = (0, None);
        for &sign in &self.signs {
            sum += i64::from(sign);
            if sum != 0 {
                leaning = Some(sum > 0);
            }
        }
        leaning
    }

    /// Whether the z of all differing rows may add up to `sum`: no capital that bet against it has grown twenty-fold,
    /// which is the level divided by the two sides.
    fn is_possible(&self, sum: i64) -> bool {
        // y = (z + 1)/2 lies between 0 and 1; what is left of the total is spread over the rows that are left.
        let mut total = (sum + self.differing as i64) as f64 / 2.0;
        let mut left = self.differing as f64;
        let (mut above, mut below) = ([1.0; BETS.len()], [1.0; BETS.len()]);
        let enough = 2.0 / PairedRows::LEVEL;
        for &sign in &self.signs {
            let mean = total / left;
            // More or less than the rows that are left can hold.
            if !(-1e-9..=1.0 + 1e-9).contains(&mean) {
                return false;
            }
            let y = (f64::from(sign) + 1.0) / 2.0;
            for (place, bet) in BETS.iter().enumerate() {
                above[place] *= 1.0 + bet / mean.max(1e-9) * (y - mean);
                below[place] *= 1.0 - bet / (1.0 - mean).max(1e-9) * (y - mean);
            }
            let capital = |side: &[f64; BETS.len()]| side.iter().sum::<f64>() / BETS.len() as f64;
            if capital(&above) >= enough || capital(&below) >= enough {
                return false;
            }
            total -= y;
            left -= 1.0;
        }
        (-1e-9..=left + 1e-9).contains(&total)
    }

    /// The width of the interval after so many labels if they go on as half and half: what labels are worth at least.
    pub fn width_after(&self, labels: usize) -> f64 {
        let mut then = self.clone();
        while then.labels() < labels.min(self.differing) {
            let rival = then.labels().is_multiple_of(2);
            then.add(!rival, rival);
        }
        let (low, high) = then.interval();
        high - low
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand::seq::SliceRandom;

    use super::*;
    use driftline_core::random::Seed;

    /// A window in which a rival is right on so many of the differing rows, and the model in use on the others.
    fn window(differing: usize, rival: usize, seed: u64) -> Vec<bool> {
        let mut rows: Vec<bool> = (0..differing).map(|row| row < rival).collect();
        rows.shuffle(&mut Seed::new(seed).named("settling").generator());
        rows
    }

    /// What the audit promises: two models that are 5 points apart and differ on 20 % of the rows (windows of 500 to
    /// 20,000 rows), 30 labels, looked at after every one. The wrong one is chosen at most once in ten times.
    #[test]
    fn thirty_labels_choose_the_better_of_two_models() {
        for rows in [500, 2000, 20_000] {
            let differing = rows / 5;
            // A gain of 5 points on a fifth of the rows: the rival has 62.5 % of them.
            for (rival, better) in [(differing * 5 / 8, true), (differing * 3 / 8, false)] {
                let (mut wrong, mut early) = (0, 0);
                let repeats = 600;
                for repeat in 0..repeats {
                    let mut settling = Settling::new(rows, differing);
                    for &rival in window(differing, rival, repeat).iter().take(30) {
                        settling.add(!rival, rival);
                        if settling.settled().is_some() {
                            early += 1;
                            break;
                        }
                    }
                    wrong += u64::from(settling.leaning() != Some(better));
                }
                let share = wrong as f64 / repeats as f64;
                assert!(
                    share <= 0.1,
                    "{rows} rows, {better}: {share}, {early} early"
                );
            }
        }
    }

    /// With disagreement on a tenth of the rows, 5 points are three quarters of it: hardly ever wrong, and often early.
    #[test]
    fn where_fewer_rows_differ_fewer_labels_are_needed() {
        let (rows, differing) = (1000, 100);
        let (mut wrong, mut labels) = (0, 0);
        for repeat in 0..300 {
            let mut settling = Settling::new(rows, differing);
            for &rival in window(differing, 75, repeat).iter().take(30) {
                settling.add(!rival, rival);
                if settling.settled().is_some() {
                    break;
                }
            }
            wrong += usize::from(settling.leaning() != Some(true));
            labels += settling.labels();
        }
        assert!(wrong <= 3, "{wrong} of 300");
        assert!(labels < 300 * 28, "{labels}");
    }

    /// Whoever looks after every label, to the last: the true difference leaves the interval in less than one of ten
    /// windows, ties and rows that neither gets right included.
    #[test]
    fn the_truth_stays_in_the_interval_whenever_it_is_looked_at() {
        let (rows, differing) = (300, 60);
        let mut missed = 0;
        for repeat in 0..200 {
            let mut generator = Seed::new(repeat).named("truth").generator();
            let p: f64 = generator.random_range(0.2..0.8);
            let signs: Vec<(bool, bool)> = (0..differing)
                .map(|_| match generator.random_range(0.0..1.0) {
                    x if x < 0.2 => (false, false),
                    x => (x >= 0.2 + 0.8 * p, x < 0.2 + 0.8 * p),
                })
                .collect();
            let sum: i64 = signs
                .iter()
                .map(|&(a, b)| i64::from(b) - i64::from(a))
                .sum();
            let truth = sum as f64 / rows as f64;
            let mut settling = Settling::new(rows, differing);
            let mut inside = true;
            for &(in_use, rival) in &signs {
                settling.add(in_use, rival);
                let (low, high) = settling.interval();
                inside &= (low - 1e-9..=high + 1e-9).contains(&truth);
            }
            missed += usize::from(!inside);
            let (low, high) = settling.interval();
            assert!(
                (low - truth).abs() + (high - truth).abs() < 1e-9,
                "all is known"
            );
        }
        assert!(missed <= 20, "{missed} of 200");
    }

    #[test]
    fn labels_are_worth_what_they_narrow() {
        let fresh = Settling::new(1000, 200);
        assert_eq!(fresh.interval(), (-0.2, 0.2));
        assert_eq!(fresh.leaning(), None);
        let widths = [0, 10, 30, 100, 200].map(|labels| fresh.width_after(labels));
        assert!(widths.is_sorted_by(|a, b| a > b), "{widths:?}");
        assert_eq!(widths[4], 0.0);
    }
}
