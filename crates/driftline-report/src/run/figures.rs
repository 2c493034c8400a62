//! The charts of a run: accuracy or confidence along the stream, what each step did, and the balance of the classes.

use driftline_models::evaluate::Proportion;
use driftline_runs::{RunFolder, Score, SourceRecord, WindowRecord};

use super::{MOST_POINTS, decisions};
use crate::chart::Figure;
use crate::chart::axis::Axis;
use crate::chart::lines::{self, Point, Series};
use crate::chart::scale::Ticks;
use crate::chart::tone::Tone;
use crate::numbers::per_cent;

/// More classes than there are tones would only confuse.
const MOST_CLASSES: usize = 6;

pub fn all(run: &RunFolder, source: &SourceRecord, id: &str) -> Vec<Figure> {
    let records = run.records();
    if records.is_empty() {
        return vec![];
    }
    let mut figures: Vec<Figure> = accuracy(run, id).into_iter().collect();
    figures.push(confidence(records, source, id));
    figures.push(steps(records, id));
    figures.push(balance(records, id));
    figures
}

/// Adapted and unadapted accuracy with their intervals.
fn accuracy(run: &RunFolder, id: &str) -> Option<Figure> {
    let (records, repeats) = (run.records(), run.manifest().settings.repeats());
    let n_classes = run.manifest().classes.len();
    let curve = |name: &str, tone, secondary, pick: fn(&Score) -> f64| {
        let points = records.iter().filter_map(|record| {
            let score = record.score.as_ref()?;
            let hits = (pick(score) * score.scored as f64).round() as usize;
            let (low, high) = Proportion::new(hits, score.scored).interval();
            Some(point(record, pick(score), low, high))
        });
        series(name, tone, secondary, points.collect())
    };
    let estimated = estimated(records);
    let mut all = vec![
        curve("adapted", Tone::Series(0), false, |s| s.accuracy_after),
        curve("unadapted", Tone::Neutral, false, |s| s.accuracy_unadapted),
    ];
    if all[0].points.is_empty() {
        return estimates_alone(records, estimated, id);
    }
    let before = |s: &Score| s.accuracy_before;
    let mut serving = curve("before adapting", Tone::Series(0), true, before);
    // One band a model is enough.
    for point in &mut serving.points {
        *point = Point::exact(point.x, point.mean);
    }
    all.push(serving);
    let majority = records.iter().filter_map(|record| {
        let score = record.score.as_ref()?;
        let most = score.classes.iter().map(|class| class.rows).max()?;
        Some(flat(record, most as f64 / score.scored as f64))
    });
    let majority = majority.collect();
    all.push(series("majority class", Tone::Neutral, true, majority));
    let with_estimates = !estimated.points.is_empty();
    if with_estimates {
        all.push(estimated);
    }
    let mut y = percentages("accuracy, %", &all);
    let caption = if repeats {
        "Every step learns from the same rows and is scored on them. Solid blue: the model after each step. Dotted \
         blue: the model before it. Grey: the source model. Dotted grey: always answering the most frequent class. \
         Bands: 90 % intervals."
    } else {
        "Solid blue: the model adapted to each window. Dotted blue: the model in service when it arrived. Grey: the \
         source model. Dotted grey: always answering the window’s most frequent class. Bands: 90 % intervals."
    };
    let mut caption = caption.to_owned();
    if with_estimates {
        caption += " Green: the accuracy that was estimated without answers.";
    }
    if y.mark(100.0 / n_classes as f64, "guessing") {
        caption += " Horizontal dotted line: guessing.";
    }
    let last = records.iter().rev().find_map(|r| r.score.as_ref())?;
    let (adapted, unadapted) = (
        per_cent(last.accuracy_after),
        per_cent(last.accuracy_unadapted),
    );
    let facts = format!("In the last window: adapted {adapted} %, unadapted {unadapted} %.");
    let title = "Accuracy along the stream";
    let mut figure = draw(id, "accuracy", title, caption, &facts, &y, &all);
    figure.under = decisions::strip(records, &all, id).map(Box::new);
    Some(figure)
}

/// What was estimated without answers, with its interval.
fn estimated(records: &[WindowRecord]) -> Series {
    let points = records.iter().filter_map(|record| {
        let (low, high) = record.estimated_low.zip(record.estimated_high)?;
        Some(point(record, record.estimated_accuracy?, low, high))
    });
    series("estimated", Tone::Series(2), false, points.collect())
}

/// Without answers: estimates, and what was decided.
fn estimates_alone(records: &[WindowRecord], estimated: Series, id: &str) -> Option<Figure> {
    let before = records.iter().filter_map(|record| {
        let estimate = record.estimate_before.as_ref()?;
        Some(flat(record, estimate.accuracy))
    });
    let before = series("before the step", Tone::Neutral, true, before.collect());
    let mut all = vec![estimated, before];
    all.retain(|series| !series.points.is_empty());
    if all.is_empty() {
        return decisions::strip(records, &[], id);
    }
    let y = percentages("accuracy, %", &all);
    let caption = "Green: the accuracy of the deployed version on each window, estimated without answers, with its interval. \
                   Gaps: not measurable.";
    let title = "Estimated accuracy along the stream";
    let mut figure = draw(id, "accuracy", title, caption, "", &y, &all);
    figure.under = decisions::strip(records, &all, id).map(Box::new);
    Some(figure)
}

fn confidence(records: &[WindowRecord], source: &SourceRecord, id: &str) -> Figure {
    let all = [
        curve(records, "adapted", Tone::Series(0), |r| r.confidence_after),
        curve(records, "unadapted", Tone::Neutral, |r| {
            r.confidence_unadapted
        }),
    ];
    let level = source
        .validation
        .map(|held_out| 100.0 * held_out.confidence);
    let values = all.iter().flat_map(Series::extent).chain(level);
    let mut y = Axis::per_cent("mean confidence, %", values);
    let mut caption =
        "Self-training raises confidence whether the model is right or not; the source model’s confidence is the \
         better sign of drift."
            .to_owned();
    if let Some(level) = level {
        y.reference = Some((level, "source".into()));
        caption += " Horizontal dotted line: held-out source rows.";
    }
    let title = "Confidence along the stream";
    draw(id, "confidence", title, caption, "", &y, &all)
}

fn steps(records: &[WindowRecord], id: &str) -> Figure {
    let all = [
        // Of a window that was held nothing was learned, whatever the filter left.
        curve(records, "used for training", Tone::Series(2), |r| {
            if r.held { 0.0 } else { r.kept_fraction }
        }),
        curve(records, "changed vs last", Tone::Series(1), |r| {
            r.disagreement
        }),
        curve(records, "changed vs source", Tone::Series(3), |r| r.flips),
    ];
    let y = percentages("% of the window", &all);
    let caption = "Changed vs last: rows whose class changed in this step. Changed vs source: rows where the adapted model \
                   differs from the source model.";
    let title = "What each step did";
    draw(id, "steps", title, caption, "", &y, &all)
}

/// The classes, or those whose share changes most.
fn balance(records: &[WindowRecord], id: &str) -> Figure {
    let names = &records[0].class_balance.0;
    let share = |record: &WindowRecord, class: usize| {
        let share = record.class_balance.0.get(class);
        share.map_or(0.0, |(_, share)| *share)
    };
    let spread = |class: usize| {
        let shares = || records.iter().map(|record| share(record, class));
        shares().fold(f64::MIN, f64::max) - shares().fold(f64::MAX, f64::min)
    };
    let mut classes: Vec<usize> = (0..names.len()).collect();
    let hidden = classes.len().saturating_sub(MOST_CLASSES);
    if hidden > 0 {
        classes.sort_by(|&a, &b| spread(b).total_cmp(&spread(a)));
        classes.truncate(MOST_CLASSES);
        classes.sort_unstable();
    }
    let shares = classes.iter().enumerate().map(|(tone, &class)| {
        let points = records.iter().map(|r| flat(r, share(r, class)));
        series(&names[class].0, Tone::Series(tone), false, points.collect())
    });
    let all: Vec<Series> = shares.collect();
    let y = percentages("% of the window", &all);
    let mut caption =
        "How the adapted model divides each window among the classes. Self-training most often fails by losing a class."
            .to_owned();
    if hidden > 0 {
        caption +=
            &format!(" Shown: the {MOST_CLASSES} classes that change most; {hidden} are left out.");
    }
    let title = "Predicted class balance";
    draw(id, "balance", title, caption, "", &y, &all)
}

fn curve(
    records: &[WindowRecord],
    name: &str,
    tone: Tone,
    pick: fn(&WindowRecord) -> f64,
) -> Series {
    let points = records.iter().map(|record| flat(record, pick(record)));
    series(name, tone, false, points.collect())
}

/// A point from fractions.
fn point(record: &WindowRecord, mean: f64, low: f64, high: f64) -> Point {
    let x = record.window as f64;
    Point::new(x, 100.0 * mean, 100.0 * low, 100.0 * high)
}

/// One without a band.
fn flat(record: &WindowRecord, value: f64) -> Point {
    point(record, value, value, value)
}

fn series(name: &str, tone: Tone, secondary: bool, points: Vec<Point>) -> Series {
    Series {
        secondary,
        ..Series::new(name, tone, thinned(points))
    }
}

/// Means of neighbours, where there are more points than can be told apart.
fn thinned(points: Vec<Point>) -> Vec<Point> {
    let together = points.len().div_ceil(MOST_POINTS).max(1);
    let mean = |part: &[Point]| {
        let of = |pick: fn(&Point) -> f64| part.iter().map(pick).sum::<f64>() / part.len() as f64;
        Point::new(of(|p| p.x), of(|p| p.mean), of(|p| p.low), of(|p| p.high))
    };
    points.chunks(together).map(mean).collect()
}

fn percentages(title: &str, all: &[Series]) -> Axis {
    Axis::per_cent(title, all.iter().flat_map(Series::extent))
}

fn draw(
    id: &str,
    name: &str,
    title: &str,
    caption: impl Into<String>,
    facts: &str,
    y: &Axis,
    all: &[Series],
) -> Figure {
    let points = all.iter().flat_map(|series| &series.points);
    let x = Axis::new("window", Ticks::whole(points.map(|point| point.x), 10));
    Figure::draw(id, name, title, caption, facts, lines::chart(&x, y, all))
}
