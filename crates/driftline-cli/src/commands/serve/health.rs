//! What a monitor wants to know: whether requests are answered, how many, how long they took, and by which version.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use driftline_runs::{By, Verdict, WindowRecord};

use super::following::Following;
use super::models::{Models, Said};
use super::site::Site;

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
}

/// Everything in Prometheus' text format.
pub fn text(site: &Site) -> String {
    let mut all = Families::default();
    all.requests(&site.metrics);
    all.models(&site.models);
    if let Some(following) = &site.following {
        all.following(following);
    }
    all.text
}

/// Families of metrics, one after another.
#[derive(Default)]
struct Families {
    text: String,
}

impl Families {
    fn add(&mut self, name: &str, kind: &str, help: &str, values: &[(String, f64)]) {
        self.text += &format!("# HELP driftline_{name} {help}\n# TYPE driftline_{name} {kind}\n");
        for (label, value) in values {
            self.text += &format!("driftline_{name}{label} {value}\n");
        }
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.add(name, kind, help, &[(String::new(), value)]);
    }

    /// What is not known has no line.
    fn known(&mut self, name: &str, help: &str, value: Option<f64>) {
        if let Some(value) = value {
            self.one(name, "gauge", help, value);
        }
    }

    fn requests(&mut self, metrics: &Metrics) {
        let answers = ["2xx", "4xx", "5xx"].iter().zip(&metrics.answers);
        let answers = answers.map(|(s, n)| (format!("{{status=\"{s}\"}}"), read(n)));
        let answers: Vec<_> = answers.collect();
        let help = "Requests answered, by status.";
        self.add("requests_total", "counter", help, &answers);
        self.one(
            "rows_total",
            "counter",
            "Rows predicted.",
            read(&metrics.rows),
        );
        let all = answers.iter().map(|(_, n)| n).sum();
        let mut below = 0.0;
        let slots = BOUNDS.iter().zip(&metrics.slots).map(|(bound, slot)| {
            below += read(slot);
            (format!("_bucket{{le=\"{bound}\"}}"), below)
        });
        let mut times: Vec<_> = slots.collect();
        times.push(("_bucket{le=\"+Inf\"}".into(), all));
        times.push(("_sum".into(), read(&metrics.micros) / 1e6));
        times.push(("_count".into(), all));
        let help = "Time from the whole request to its answer.";
        self.add("request_seconds", "histogram", help, &times);
        let help = "Connections that are open.";
        self.one("connections", "gauge", help, read(&metrics.open));
    }

    fn models(&mut self, models: &Models) {
        let (streams, version, swaps) = models.counts();
        self.one(
            "streams",
            "gauge",
            "Streams that are served.",
            streams as f64,
        );
        let help = "Times that newer versions took over.";
        self.one("swaps_total", "counter", help, swaps as f64);
        let said = models.said();
        let tasks = said.tasks.iter();
        let tasks: Vec<_> = tasks
            .map(|(task, n)| (format!("{{action=\"{}\"}}", task.name()), *n as f64))
            .collect();
        let help = "Streams by what is to be done, as the report says it.";
        self.add("action", "gauge", help, &tasks);
        if let Some(verdict) = &said.verdict {
            let help =
                "Accuracy on the newest window with its 90 % interval, counted or estimated.";
            self.add("accuracy", "gauge", help, &accuracies(verdict));
        }
        if let Some(version) = version {
            self.one("version", "gauge", "The version in use.", version as f64);
        }
        if let Some(newest) = &said.newest {
            self.newest(newest, &said);
        }
    }

    /// The newest window of a run.
    fn newest(&mut self, record: &WindowRecord, said: &Said) {
        let window = record.window as f64;
        self.one("window", "gauge", "The newest window.", window);
        let held = said.held as f64;
        self.one(
            "windows_held",
            "gauge",
            "Windows of the run that were held.",
            held,
        );
        let help = "Rows that wait for a label.";
        self.one("labels_wanted", "gauge", help, said.open as f64);
        let ends = [
            ("estimated_accuracy", "", record.estimated_accuracy),
            (
                "estimated_accuracy_low",
                ": the lower end of the 90 % interval",
                record.estimated_low,
            ),
            (
                "estimated_accuracy_high",
                ": the upper end of the 90 % interval",
                record.estimated_high,
            ),
        ];
        for (name, end, value) in ends {
            let help = format!(
                "Accuracy of the version in use on the newest window, estimated without its labels{end}."
            );
            self.known(name, &help, value);
        }
        let served = said.verdict.as_ref().and_then(|own| own.served);
        let counted = served.filter(|own| own.by == By::Answers);
        let help = "Accuracy of the version that served, counted by labels.";
        self.known("served_accuracy", help, counted.map(|own| own.value));
        let drift = record.findings().drift;
        let help = "How far the newest window is from the one before.";
        self.known("drift_size", help, drift.as_ref().map(|own| own.size));
        let help = "How far it may be to be followed safely.";
        self.known("drift_limit", help, drift.and_then(|own| own.limit));
    }

    fn following(&mut self, following: &Following) {
        let counts = &following.counts;
        let counters = [
            (
                "rows_logged_total",
                "Rows appended to the log.",
                &counts.logged,
            ),
            (
                "rows_duplicate_total",
                "Rows that had been logged before.",
                &counts.duplicates,
            ),
            (
                "rows_not_logged_total",
                "Rows answered and not logged, for want of room.",
                &counts.not_logged,
            ),
            ("labels_total", "Late labels taken.", &counts.labels),
            ("windows_total", "Windows adapted to.", &counts.windows),
            (
                "windows_held_total",
                "Windows adapted to and held.",
                &counts.held,
            ),
        ];
        for (name, help, value) in counters {
            self.one(name, "counter", help, read(value));
        }
        let (rows, bytes) = {
            let log = following.locked();
            (log.rows(), log.bytes())
        };
        let lag = rows.saturating_sub(following.progress.adapted_to());
        let help = "Rows in the log that no version has seen.";
        self.one("lag_rows", "gauge", help, lag as f64);
        self.one("log_bytes", "gauge", "Bytes of the log.", bytes as f64);
        let flag = |on: bool| f64::from(u8::from(on));
        let help = "Whether answered rows are logged.";
        self.one("logging", "gauge", help, flag(following.is_logging()));
        let help = "Whether windows are adapted to, with no error standing in the way.";
        self.one(
            "adapting",
            "gauge",
            help,
            flag(following.progress.trouble().is_none()),
        );
    }
}

fn read(number: &AtomicU64) -> f64 {
    number.load(Ordering::Relaxed) as f64
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
