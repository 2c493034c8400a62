//! One request, whole in memory, into one answer.

use bytes::Bytes;
use driftline_fleet::StreamRow;
use driftline_runs::RunFolder;
use serde_json::{Value, json};

use super::following::Following;
use super::models::Models;
use super::site::Site;
use super::{arrow, health, json as by_json, labels, table};
use crate::commands::fleet::report_of;

/// What goes back.
pub struct Answer {
    pub status: u16,
    pub kind: &'static str,
    pub body: Vec<u8>,
}

const JSON: &str = "application/json";
const HTML: &str = "text/html; charset=utf-8";

impl Answer {
    pub fn told(status: u16, message: &str) -> Self {
        let answer = Self::json(&json!({ "error": message }));
        Self { status, ..answer }
    }

    fn json(value: &Value) -> Self {
        Self::good(JSON, value.to_string())
    }

    fn good(kind: &'static str, body: impl Into<Vec<u8>>) -> Self {
        let (status, body) = (200, body.into());
        Self { status, kind, body }
    }
}

/// The request as far as it matters.
pub struct Asked {
    pub method: String,
    pub path: String,
    pub kind: String,
    pub accepts: String,
    /// What the request goes by, where it says so.
    pub key: String,
    pub body: Bytes,
}

pub fn answer(asked: &Asked, site: &Site) -> Answer {
    let models = &site.models;
    let path = asked.path.trim_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    match (&*asked.method, &parts[..]) {
        ("GET", [""]) => page(models),
        ("GET", ["health"]) => {
            let (streams, version, _) = models.counts();
            let mut told = json!({ "status": "ok", "streams": streams, "version": version });
            if let Some(following) = &site.following {
                told["follow"] = following.told();
            }
            Answer::json(&told)
        }
        ("GET", ["metrics"]) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            Answer::good(kind, health::text(site))
        }
        ("GET", ["labels"]) => of_run(models, || labels::open(models.folder())),
        ("POST", ["labels"]) if !asked.kind.starts_with(JSON) => {
            // A page of another site cannot send this type without being asked first.
            Answer::told(
                415,
                "labels come as JSON, with the content type application/json",
            )
        }
        ("POST", ["labels"]) => of_run(models, || labels::take(site, &asked.body)),
        ("POST", ["predict"]) => predict(asked, None, site),
        ("POST", ["streams", key, "predict"]) => predict(asked, Some(&decoded(key)), site),
        ("GET", ["streams", key]) => match models.row(&decoded(key)) {
            Some(row) => Answer::json(&json!(row)),
            None => unknown(),
        },
        ("GET", ["streams", key, "report"]) => match models.fleet() {
            Some(fleet) if fleet.row(&decoded(key)).is_some_and(|row| row.windows > 0) => {
                html(report_of(&fleet, &decoded(key)))
            }
            _ => unknown(),
        },
        (_, ["" | "health" | "labels" | "metrics" | "predict"] | ["streams", ..]) => {
            Answer::told(405, "GET for looking, POST for predictions and labels")
        }
        _ => Answer::told(404, "there is nothing here; see `driftline serve --help`"),
    }
}

/// Labels are asked for by runs only.
fn of_run(models: &Models, answer: impl FnOnce() -> Result<Value, labels::Told>) -> Answer {
    if models.fleet().is_some() {
        return Answer::told(404, "a fleet asks for no labels; serve the run of a stream");
    }
    match answer() {
        Ok(value) => Answer::json(&value),
        Err((status, message)) => Answer::told(status, &message),
    }
}

fn unknown() -> Answer {
    Answer::told(404, "there is no such stream")
}

fn predict(asked: &Asked, key: Option<&str>, site: &Site) -> Answer {
    let model_file = match site.models.model(key) {
        Ok(Some(model_file)) => model_file,
        Ok(None) if key.is_none() => {
            return Answer::told(404, "name the stream: /streams/KEY/predict");
        }
        Ok(None) => return unknown(),
        Err(error) => return Answer::told(500, &error.to_string()),
    };
    let is_arrow = asked.kind.starts_with(arrow::TYPE);
    let read = match is_arrow {
        true => arrow::read(&asked.body).map(|table| (table, None)),
        false => by_json::read(&asked.body),
    };
    let following = site.following.as_ref();
    let answered = read.and_then(|(table, ids)| {
        let choice = following.map(Following::choice);
        let (rows, predicted) = table::predict(&model_file, &table, choice)?;
        let ids = ids.or_else(|| asked.row_ids(rows.len()));
        let logged = following.map(|following| following.log(&table, &rows, ids));
        Ok((predicted, logged.transpose()?))
    });
    let (predicted, logged) = match answered {
        Ok(answered) => answered,
        Err(message) => return Answer::told(400, &message),
    };
    site.metrics.predicted(predicted.labels.len());
    let wants_arrow = match &*asked.accepts {
        "" | "*/*" => is_arrow,
        accepts => accepts.contains(arrow::TYPE),
    };
    if !wants_arrow {
        return Answer::good(
            JSON,
            by_json::write(&model_file, &predicted, logged.as_ref()),
        );
    }
    match arrow::write(&model_file, &predicted, logged.as_ref()) {
        Ok(body) => Answer::good(arrow::TYPE, body),
        Err(message) => Answer::told(500, &message),
    }
}

impl Asked {
    /// What the rows go by where only the request has a name.
    fn row_ids(&self, rows: usize) -> Option<Vec<String>> {
        let id = |row: usize| format!("{}/{}", self.key, row + 1);
        (!self.key.is_empty()).then(|| (0..rows).map(id).collect())
    }
}

fn page(models: &Models) -> Answer {
    html(match models.fleet() {
        Some(fleet) => {
            let place = |row: &StreamRow| {
                (row.windows > 0).then(|| format!("/streams/{}/report", encoded(&row.key)))
            };
            driftline_report::fleet_html(fleet.manifest(), &fleet.rows(), &place)
        }
        None => {
            let run = RunFolder::read(models.folder()).map_err(driftline_report::Error::from);
            run.and_then(|run| driftline_report::run_html(&run))
        }
    })
}

fn html<E: std::fmt::Display>(page: Result<String, E>) -> Answer {
    match page {
        Ok(page) => Answer::good(HTML, page),
        Err(error) => Answer::told(500, &error.to_string()),
    }
}

/// A part of an address as the key that it stands for.
fn decoded(part: &str) -> String {
    let bytes = part.as_bytes();
    let mut all = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let hex = part.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                all.push(byte);
                at += 3;
            }
            None => {
                all.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

fn encoded(key: &str) -> String {
    let letter = |byte: u8| match byte {
        b'-' | b'_' | b'.' | b'~' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    key.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_an_address() {
        for key in ["plain", "a b/c%20", "Größe", "100%", "%zz", ""] {
            assert_eq!(decoded(&encoded(key)), key);
        }
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
