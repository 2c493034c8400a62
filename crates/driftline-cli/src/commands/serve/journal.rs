//! `--log FILE`: what was asked and what changed, one JSON object a line. It is written once a second: what a killed process had not
//! written yet is lost, which rows in the run's own log never are.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use driftline_core::Error;
use driftline_io::Time;
use serde_json::Value;

use crate::failure::Result;

pub struct Journal {
    file: Mutex<BufWriter<File>>,
}

/// Lines wait in so many bytes of memory for the next second.
const WAITING: usize = 1 << 20;

impl Journal {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.map_err(Error::io(path))?;
        Ok(Self {
            file: Mutex::new(BufWriter::with_capacity(WAITING, file)),
        })
    }

    /// Adds a line; `fields` is an object. A journal that cannot be written holds nothing up.
    pub fn tell(&self, event: &str, fields: Value) {
        let mut line = serde_json::json!({ "time": now(), "event": event });
        if let (Value::Object(line), Value::Object(fields)) = (&mut line, fields) {
            line.extend(fields);
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(file, "{line}");
    }

    /// One request.
    pub fn request(&self, method: &str, path: &str, status: u16, took: Duration) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let path = Value::from(path);
        let (time, micros) = (now(), took.as_micros());
        let _ = writeln!(
            file,
            "{{\"time\":\"{time}\",\"event\":\"request\",\"method\":\"{method}\",\"path\":{path},\"status\":{status},\"micros\":{micros}}}"
        );
    }

    pub fn flush(&self) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = file.flush();
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.flush();
    }
}

fn now() -> String {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let micros = since.map_or(0, |since| since.as_micros());
    Time::Moment(i64::try_from(micros).unwrap_or(i64::MAX)).to_string()
}
