//! The data themselves, where they are in the cache: digits along the drift, and the class balance of the portraits over
//! the years. Never a portrait.

use driftline_core::random::Seed;
use driftline_lab::datasets::{Cache, Digits, Portraits, RotatingDigits, catalog};
use driftline_lab::experiment::{Dataset, Store};

use crate::chart::Figure;
use crate::chart::axis::Axis;
use crate::chart::images::{self, Image};
use crate::chart::lines::{self, Point, Series};
use crate::chart::scale::Ticks;
use crate::chart::tone::Tone;

/// What can be drawn of the experiment's data; what is absent or unreadable is left out.
pub(super) fn figures(store: &Store, cache: &Cache, id: &str) -> Vec<Figure> {
    let manifest = store.manifest();
    let data_seed = manifest.data_seeds.first().copied().unwrap_or(0);
    let seed = Seed::new(data_seed).named("data");
    let draw = |(index, settings): (usize, &serde_json::Value)| {
        let dataset: Dataset = serde_json::from_value(settings.clone()).ok()?;
        if !cache.holds(catalog::find(dataset.files()?).ok()?) {
            return None;
        }
        let id = format!("{id}-{index}");
        match dataset {
            Dataset::RotatingMnist(drift) => digits(&drift, &cache.mnist().ok()?, seed, &id),
            Dataset::RotatingFashionMnist(drift) => {
                digits(&drift, &cache.fashion_mnist().ok()?, seed, &id)
            }
            Dataset::Portraits(_) => class_share(&cache.portraits().ok()?, &id),
            _ => None,
        }
    };
    let settings = manifest.datasets.iter().map(|named| &named.settings);
    settings.enumerate().filter_map(draw).collect()
}

const COLUMNS: usize = 12;

/// Two rows of images, evenly along the stream.
fn digits(drift: &RotatingDigits, digits: &Digits, seed: Seed, id: &str) -> Option<Figure> {
    let last = drift.intermediate.checked_sub(2)?;
    let above = (0..COLUMNS).map(|column| column * last / (COLUMNS - 1));
    let below = above.clone().map(|place| place + 1);
    let places: Vec<usize> = above.chain(below).collect();
    let shown = drift.pictures(digits, seed, &places).ok()?;
    let image = |(angle, values)| Image {
        width: digits.images().width(),
        values,
        label: format!("{angle:.0}°"),
    };
    let shown: Vec<Image> = shown.into_iter().map(image).collect();
    let caption = "Images from the stream, evenly spaced from start to end, with the angle of each. No method sees the \
                   labels.";
    let title = "The drift";
    let chart = images::chart(&shown, COLUMNS);
    Some(Figure::draw(id, "drift", title, caption, "", chart))
}

/// Portraits in one average, and from one average to the next.
const WINDOW: usize = 1000;
const STRIDE: usize = 100;

/// The rolling share of class 0 (female) with its 90 % band, by the mean year of the window.
fn shares(portraits: &Portraits) -> Vec<Point> {
    let years = portraits.years().windows(WINDOW);
    let windows = portraits.labels().as_slice().windows(WINDOW).zip(years);
    let point = |(labels, years): (&[u32], &[i16])| {
        let share = labels.iter().filter(|&&class| class == 0).count() as f64 / WINDOW as f64;
        let half = 1.645 * (share * (1.0 - share) / WINDOW as f64).sqrt();
        let years: f64 = years.iter().map(|&year| f64::from(year)).sum();
        let (low, high) = (100.0 * (share - half), 100.0 * (share + half));
        Point::new(years / WINDOW as f64, 100.0 * share, low, high)
    };
    windows.step_by(STRIDE).map(point).collect()
}

fn class_share(portraits: &Portraits, id: &str) -> Option<Figure> {
    let points = shares(portraits);
    let (first, last) = (points.first()?.x, points.last()?.x);
    let series = [Series::new("female", Tone::Series(0), points)];
    let years = Ticks::around([first, last].into_iter(), (1900.0, 2020.0), 6);
    let x = Axis::new("year", years);
    let mut y = Axis::per_cent("% of the portraits", series[0].extent().chain([50.0]));
    y.mark(50.0, "half");
    let caption = format!(
        "Rolling share over {WINDOW} portraits in order of time, with a 90 % band of ±1.645·√(p(1 − p)/{WINDOW}); only the \
         {} dated portraits. The class balance shifts too, not only the images.",
        portraits.len()
    );
    let title = "Class balance over the years";
    let chart = lines::chart(&x, &y, &series);
    Some(Figure::draw(id, "class-share", title, caption, "", chart))
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_lab::datasets::stand_in;

    #[test]
    fn made_up_data_are_drawn() {
        let portraits = stand_in::portraits(3000, Seed::new(0)).unwrap();
        let points = shares(&portraits);
        assert_eq!(points.len(), 21);
        assert!(points.windows(2).all(|pair| pair[0].x <= pair[1].x));
        assert!(points.iter().all(|p| p.low < p.mean && p.mean < p.high));
        assert!(class_share(&portraits, "x").unwrap().svg.contains("female"));

        let drift = RotatingDigits::paper().scaled_down(500);
        let digits_at_hand = stand_in::digits(drift.used(), Seed::new(0)).unwrap();
        let figure = digits(&drift, &digits_at_hand, Seed::new(0), "x").unwrap();
        assert_eq!(figure.svg.matches("<rect").count(), 2 * COLUMNS);
        assert!(roxmltree::Document::parse(&figure.svg).is_ok());
    }
}
