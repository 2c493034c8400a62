//! What a monitor wants to know: whether requests are answered, how many, how long they took, and by which version.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use driftline_runs::{By, Verdict};

use super::models::Models;

/// Upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 11] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0,
];

#[derive(Default)]
pub struct Metrics {
    /// By the first digit of the status: 2, 4, 5.
    answers: [AtomicU64; 3],
    rows: AtomicU64,
    slots: [AtomicU64; BOUNDS.len()],
    micros: AtomicU64,
    open: AtomicU64,
}

impl Metrics {
    pub fn answered(&self, status: u16, took: Duration) {
        let class = match status {
            200..=399 => 0,
            400..=499 => 1,
            _ => 2,
        };
        self.answers[class].fetch_add(1, Ordering::Relaxed);
        let seconds = took.as_secs_f64();
        if let Some(slot) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.slots[slot].fetch_add(1, Ordering::Relaxed);
        }
        let micros = took.as_micros() as u64;
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub fn predicted(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub fn opened(&self) {
        self.open.fetch_add(1, Ordering::Relaxed);
    }

    pub fn closed(&self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }

    /// In Prometheus' text format.
    pub fn text(&self, models: &Models) -> String {
        let read = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let (streams, version, swaps) = models.counts();
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, values: &[(String, f64)]| {
            text += &format!("# HELP driftline_{name} {help}\n# TYPE driftline_{name} {kind}\n");
            for (label, value) in values {
                text += &format!("driftline_{name}{label} {value}\n");
            }
        };
        let one = |value: u64| [(String::new(), value as f64)];
        let answers = ["2xx", "4xx", "5xx"].iter().zip(&self.answers);
        let answers = answers.map(|(s, n)| (format!("{{status=\"{s}\"}}"), read(n) as f64));
        let answers: Vec<_> = answers.collect();
        let help = "Requests answered, by status.";
        family("requests_total", "counter", help, &answers);
        family(
            "rows_total",
            "counter",
            "Rows predicted.",
            &one(read(&self.rows)),
        );
        let all = answers.iter().map(|(_, n)| n).sum();
        let mut below = 0;
        let slots = BOUNDS.iter().zip(&self.slots).map(|(bound, slot)| {
            below += read(slot);
            (format!("_bucket{{le=\"{bound}\"}}"), below as f64)
        });
        let mut times: Vec<_> = slots.collect();
        times.push(("_bucket{le=\"+Inf\"}".into(), all));
        times.push(("_sum".into(), read(&self.micros) as f64 / 1e6));
        times.push(("_count".into(), all));
        let help = "Time from the whole request to its answer.";
        family("request_seconds", "histogram", help, &times);
        let help = "Connections that are open.";
        family("connections", "gauge", help, &one(read(&self.open)));
        let help = "Streams that are served.";
        family("streams", "gauge", help, &one(streams as u64));
        let help = "Times that newer versions took over.";
        family("swaps_total", "counter", help, &one(swaps));
        let said = models.said();
        let tasks = said.tasks.iter();
        let tasks: Vec<_> = tasks
            .map(|(task, n)| (format!("{{action=\"{}\"}}", task.name()), *n as f64))
            .collect();
        let help = "Streams by what is to be done, as the report says it.";
        family("action", "gauge", help, &tasks);
        if let Some(verdict) = &said.verdict {
            let numbers = accuracies(verdict);
            let help =
                "Accuracy on the newest window with its 90 % interval, counted or estimated.";
            family("accuracy", "gauge", help, &numbers);
        }
        if let Some(version) = version {
            family(
                "version",
                "gauge",
                "The version in use.",
                &one(version as u64),
            );
        }
        text
    }
}

/// The numbers of the verdict: of which model, which end of the interval, and how it is known.
fn accuracies(verdict: &Verdict) -> Vec<(String, f64)> {
    let all = [
        ("served", verdict.served),
        ("unadapted", verdict.unadapted),
        ("in-use", verdict.in_use),
    ];
    let known = all.into_iter().filter_map(|(of, own)| Some((of, own?)));
    let lines = known.flat_map(|(of, own)| {
        let by = match own.by {
            By::Answers => "answers",
            By::Estimate => "estimate",
        };
        let ends = [("value", own.value), ("low", own.low), ("high", own.high)];
        ends.map(|(end, value)| (format!("{{of=\"{of}\",end=\"{end}\",by=\"{by}\"}}"), value))
    });
    lines.collect()
}
