//! The program as a server, and a client for it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use serde_json::{Map, Value};

use crate::your_data::files::Place;

pub const ARROW: &str = "application/vnd.apache.arrow.stream";

/// Ended when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
    client: ureq::Agent,
}

impl Server {
    pub fn start(place: &Place, folder: &str) -> Self {
        Self::start_with(place, folder, &[])
    }

    pub fn start_with(place: &Place, folder: &str, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_driftline"))
            .args(["serve", folder, "--port", "0"])
            .args(more)
            .current_dir(place.folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/');
        let settings = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .build();
        Self {
            child,
            address: address.to_owned(),
            client: settings.into(),
        }
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub fn get(&self, path: &str) -> (u16, String) {
        let mut answer = self.client.get(self.at(path)).call().unwrap();
        (
            answer.status().as_u16(),
            answer.body_mut().read_to_string().unwrap(),
        )
    }

    pub fn bearing(&self, token: &str, path: &str) -> u16 {
        let request = self.client.get(self.at(path));
        let request = request.header("Authorization", format!("Bearer {token}"));
        request.call().unwrap().status().as_u16()
    }

    /// The most memory that it ever had, in bytes, where the system tells it.
    pub fn largest_memory(&self) -> Option<u64> {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(1024 * kilobytes)
    }

    pub fn post(&self, path: &str, body: &[u8]) -> (u16, String) {
        self.post_as(path, body, "application/json")
    }

    pub fn post_as(&self, path: &str, body: &[u8], kind: &str) -> (u16, String) {
        let request = self.client.post(self.at(path)).header("Content-Type", kind);
        let mut answer = request.send(body).unwrap();
        (
            answer.status().as_u16(),
            answer.body_mut().read_to_string().unwrap(),
        )
    }

    pub fn json(&self, path: &str, body: &Value) -> Value {
        let (status, text) = self.post(path, body.to_string().as_bytes());
        assert_eq!(status, 200, "{text}");
        serde_json::from_str(&text).unwrap()
    }

    /// The classes that come back for columns sent as Arrow.
    pub fn arrow(&self, path: &str, columns: &Map<String, Value>) -> Value {
        let column = |(name, values): (&String, &Value)| {
            let values = values.as_array().unwrap();
            let array: ArrayRef = match values[0].is_number() {
                true => Arc::new(values.iter().map(Value::as_f64).collect::<Float64Array>()),
                false => Arc::new(values.iter().map(Value::as_str).collect::<StringArray>()),
            };
            (name.clone(), array)
        };
        let batch = RecordBatch::try_from_iter(columns.iter().map(column)).unwrap();
        let mut writer = StreamWriter::try_new(vec![], &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        let body = writer.into_inner().unwrap();
        let request = self
            .client
            .post(self.at(path))
            .header("Content-Type", ARROW);
        let mut answer = request.send(&body[..]).unwrap();
        assert_eq!(answer.headers()["content-type"], ARROW);
        let bytes = answer.body_mut().read_to_vec().unwrap();
        let batches = StreamReader::try_new(&bytes[..], None).unwrap();
        let classes = batches.flat_map(|batch| {
            let batch = batch.unwrap();
            let classes = batch
                .column_by_name("class")
                .unwrap()
                .as_string::<i32>()
                .clone();
            classes
                .iter()
                .map(|class| Value::from(class.unwrap()))
                .collect::<Vec<_>>()
        });
        classes.collect()
    }

    /// Waits for something that happens while it serves.
    pub fn until(&self, what: &str, mut happened: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !happened() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{what} did not come"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Ends it with no time for anything.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, and says how it did.
    pub fn terminate(&mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
