//! The charts of a run: accuracy or confidence along the stream, what each step did, and the balance of the classes.

use driftline_adapt::Estimate;
use driftline_models::evaluate::Proportion;
use driftline_runs::{RunFolder, Score, SourceRecord, WindowRecord};

use super::{MOST_POINTS, decisions};
use crate::chart::Figure;
use crate::chart::axis::Axis;
use crate::chart::lines::{self, Point, Series};
use crate::chart::scale::Ticks;
use crate::chart::tone::Tone;
use crate::numbers::per_cent;
use crate::words;

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

/// Adapted and unadapted accuracy with their intervals: counted where there are answers, estimated beside them.
fn accuracy(run: &RunFolder, id: &str) -> Option<Figure> {
    let (records, repeats) = (run.records(), run.manifest().settings.repeats());
    let n_classes = run.manifest().classes.len();
    let counted = |name: &str, tone, secondary, pick: fn(&Score) -> f64| {
        let points = records.iter().map(|record| {
            let Some(score) = &record.score else {
                return gap(record);
            };
            let hits = (pick(score) * score.scored as f64).round() as usize;
            let (low, high) = Proportion::new(hits, score.scored).interval();
            point(record, pick(score), low, high)
        });
        series(name, tone, secondary, points.collect())
    };
    if records.iter().all(|record| record.score.is_none()) {
        return estimates_alone(records, id);
    }
    let before = |s: &Score| s.accuracy_before;
    let mut serving = counted("as served", Tone::Series(0), true, before);
    // One band a model is enough.
    flatten(&mut serving);
    let majority = records.iter().map(|record| {
        let classes = record.score.as_ref().map(|score| (score, &score.classes));
        let most =
            classes.and_then(|(score, all)| Some((score, all.iter().map(|c| c.rows).max()?)));
        most.map_or(gap(record), |(score, most)| {
            flat(record, most as f64 / score.scored as f64)
        })
    });
    let mut all = vec![
        counted("adapted", Tone::Series(0), false, |s| s.accuracy_after),
        counted("unadapted", Tone::Neutral, false, |s| s.accuracy_unadapted),
        serving,
        series("majority class", Tone::Neutral, true, majority.collect()),
    ];
    let [adapted, mut unadapted] = estimates(records);
    unadapted.secondary = true;
    // The interval of the adapted model's estimate is drawn, that of its rival is in the table.
    flatten(&mut unadapted);
    let with_estimates = is_any(&adapted);
    all.extend([adapted, unadapted].into_iter().filter(is_any));
    let mut y = percentages("accuracy, %", &all);
    let caption = if repeats {
        "Every step learns from the same rows and is scored on them. Solid blue: the model after each step. Dotted \
         blue: the model before it. Grey: the source model. Dotted grey: always predicting the most frequent class. \
         Bands: 90 % intervals."
    } else {
        "Solid blue: the model adapted to each window. Dotted blue: as served, by the model that stood when it arrived. Grey: the \
         source model. Dotted grey: always predicting the window’s most frequent class. Bands: 90 % intervals."
    };
    let mut caption = caption.to_owned();
    if with_estimates {
        caption += " Green: estimates without labels, of the adapted model and, dotted, of the source model.";
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
    let mut figure = draw(id, "accuracy", title, caption, &facts, (&y, &all), records);
    figure.under = decisions::strip(records, &all, id).map(Box::new);
    Some(figure)
}

/// What was estimated without answers of the adapted and of the source model, with intervals.
fn estimates(records: &[WindowRecord]) -> [Series; 2] {
    let of = |name: &str, pick: fn(&WindowRecord) -> Option<Estimate>| {
        let points = records.iter().map(|record| match pick(record) {
            Some(own) => point(record, own.accuracy, own.low, own.high),
            None => gap(record),
        });
        series(name, Tone::Series(2), false, points.collect())
    };
    [
        of("estimated", WindowRecord::estimated),
        of("unadapted, est.", |record| {
            record.estimate_unadapted.clone()
        }),
    ]
}

/// Without answers: estimates, and what was decided.
fn estimates_alone(records: &[WindowRecord], id: &str) -> Option<Figure> {
    let [mut adapted, mut unadapted] = estimates(records);
    (adapted.name, unadapted.name) = ("adapted".into(), "unadapted".into());
    unadapted.tone = Tone::Neutral;
    let before = records.iter().map(|record| {
        let estimate = record.estimate_before.as_ref();
        estimate.map_or(gap(record), |own| flat(record, own.accuracy))
    });
    let served = series("as served", Tone::Series(2), true, before.collect());
    let all = [adapted, unadapted, served];
    let all: Vec<Series> = all.into_iter().filter(is_any).collect();
    if all.is_empty() {
        return decisions::strip(records, &[], id);
    }
    let y = percentages("accuracy, %", &all);
    let caption = "Estimated without labels, with 90 % intervals. Green: the version in use after each window. Dotted green: as \
                   served, by the version that stood when the window arrived. Grey: the source model. Gaps: no estimate.";
    let last = records.last()?;
    let told = |own: &Estimate| {
        let [value, low, high] = [own.accuracy, own.low, own.high].map(per_cent);
        format!("{value} % ({low} to {high})")
    };
    let pair = last.estimated().zip(last.estimate_unadapted.as_ref());
    let facts = pair.map_or(String::new(), |(own, unadapted)| {
        format!(
            "In the last window: adapted {}, unadapted {}.",
            told(&own),
            told(unadapted)
        )
    });
    let title = "Estimated accuracy along the stream";
    let mut figure = draw(id, "accuracy", title, caption, &facts, (&y, &all), records);
    figure.under = decisions::strip(records, &all, id).map(Box::new);
    Some(figure)
}

fn is_any(series: &Series) -> bool {
    series.points.iter().any(|point| !point.is_gap())
}

/// Takes the band away.
fn flatten(series: &mut Series) {
    for point in &mut series.points {
        *point = Point::exact(point.x, point.mean);
    }
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
    draw(id, "confidence", title, caption, "", (&y, &all), records)
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
    draw(id, "steps", title, caption, "", (&y, &all), records)
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
    draw(id, "balance", title, caption, "", (&y, &all), records)
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

fn gap(record: &WindowRecord) -> Point {
    Point::gap(record.window as f64)
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

/// Means of neighbours, where there are more points than can be told apart; a gap where none of them has a value.
fn thinned(points: Vec<Point>) -> Vec<Point> {
    let together = points.len().div_ceil(MOST_POINTS).max(1);
    let mean = |part: &[Point]| {
        let known: Vec<&Point> = part.iter().filter(|point| !point.is_gap()).collect();
        let x = part.iter().map(|point| point.x).sum::<f64>() / part.len() as f64;
        let of = |pick: fn(&Point) -> f64| {
            known.iter().map(|point| pick(point)).sum::<f64>() / known.len() as f64
        };
        match known.is_empty() {
            true => Point::gap(x),
            false => Point::new(x, of(|p| p.mean), of(|p| p.low), of(|p| p.high)),
        }
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
    (y, all): (&Axis, &[Series]),
    records: &[WindowRecord],
) -> Figure {
    let points = all.iter().flat_map(|series| &series.points);
    let x = Ticks::whole(points.map(|point| point.x), 10);
    let mut x = Axis::new("window", x);
    let dates = dates(records);
    if !dates.is_empty() {
        x.title = "first date of the window".into();
        x.names = dates;
    }
    Figure::draw(id, name, title, caption, facts, lines::chart(&x, y, all))
}

/// As many dates as stand side by side, if every window has one.
fn dates(records: &[WindowRecord]) -> Vec<(f64, String)> {
    let Some(began) = words::began(records).filter(|began| !began.is_empty()) else {
        return vec![];
    };
    // A day, or a day and a time of day, in a frame of about 380 units.
    let longest = began.iter().map(String::len).max().unwrap_or(0);
    let most = if longest > 10 { 3 } else { 4 };
    let step = began.len().div_ceil(most).max(1);
    let shown = began.into_iter().zip(records).step_by(step);
    shown.map(|(date, own)| (own.window as f64, date)).collect()
}
