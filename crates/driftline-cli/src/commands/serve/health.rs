//! What a monitor wants to know: whether requests are answered, how many, how long they took, and by which version.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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
        self.micros
            .fetch_add(took.as_micros() as u64, Ordering::Relaxed);
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
        let mut text = String::new();
        let mut say = |line: std::fmt::Arguments<'_>| {
            let _ = text.write_fmt(line);
            text.push('\n');
        };
        say(format_args!(
            "# HELP driftline_requests_total Requests answered, by status."
        ));
        say(format_args!("# TYPE driftline_requests_total counter"));
        for (status, answers) in ["2xx", "4xx", "5xx"].iter().zip(&self.answers) {
            say(format_args!(
                "driftline_requests_total{{status=\"{status}\"}} {}",
                read(answers)
            ));
        }
        say(format_args!("# HELP driftline_rows_total Rows predicted."));
        say(format_args!("# TYPE driftline_rows_total counter"));
        say(format_args!("driftline_rows_total {}", read(&self.rows)));
        say(format_args!(
            "# HELP driftline_request_seconds Time from the whole request to its answer."
        ));
        say(format_args!("# TYPE driftline_request_seconds histogram"));
        let mut below = 0;
        for (bound, slot) in BOUNDS.iter().zip(&self.slots) {
            below += read(slot);
            say(format_args!(
                "driftline_request_seconds_bucket{{le=\"{bound}\"}} {below}"
            ));
        }
        let all: u64 = self.answers.iter().map(read).sum();
        say(format_args!(
            "driftline_request_seconds_bucket{{le=\"+Inf\"}} {all}"
        ));
        say(format_args!(
            "driftline_request_seconds_sum {}",
            read(&self.micros) as f64 / 1e6
        ));
        say(format_args!("driftline_request_seconds_count {all}"));
        let (streams, version, swaps) = models.counts();
        say(format_args!(
            "# HELP driftline_connections Connections that are open."
        ));
        say(format_args!("# TYPE driftline_connections gauge"));
        say(format_args!("driftline_connections {}", read(&self.open)));
        say(format_args!(
            "# HELP driftline_streams Streams that are served."
        ));
        say(format_args!("# TYPE driftline_streams gauge"));
        say(format_args!("driftline_streams {streams}"));
        say(format_args!(
            "# HELP driftline_swaps_total Times that newer versions took over."
        ));
        say(format_args!("# TYPE driftline_swaps_total counter"));
        say(format_args!("driftline_swaps_total {swaps}"));
        if let Some(version) = version {
            say(format_args!("# HELP driftline_version The version in use."));
            say(format_args!("# TYPE driftline_version gauge"));
            say(format_args!("driftline_version {version}"));
        }
        text
    }
}
