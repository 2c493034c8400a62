//! One request, whole in memory, into one answer.

use driftline::runs::RunFolder;
use serde_json::json;

use super::health::Metrics;
use super::models::Models;
use super::{arrow, json as by_json, table};
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
        let body = json!({ "error": message }).to_string().into_bytes();
        Self {
            status,
            kind: JSON,
            body,
        }
    }

    fn good(kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            kind,
            body,
        }
    }
}

/// The request as far as it matters.
pub struct Asked<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub kind: &'a str,
    pub accepts: &'a str,
    pub body: &'a [u8],
}

pub fn answer(asked: &Asked<'_>, models: &Models, metrics: &Metrics) -> Answer {
    let path = asked.path.trim_matches('/');
    let parts: Vec<&str> = path.split('/').collect();
    match (asked.method, &parts[..]) {
        ("GET", [""]) => page(models),
        ("GET", ["health"]) => {
            let (streams, version, _) = models.counts();
            let told = json!({ "status": "ok", "streams": streams, "version": version });
            Answer::good(JSON, told.to_string().into_bytes())
        }
        ("GET", ["metrics"]) => {
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            Answer::good(kind, metrics.text(models).into_bytes())
        }
        ("POST", ["predict"]) => predict(asked, None, models, metrics),
        ("POST", ["streams", key, "predict"]) => {
            predict(asked, Some(&decoded(key)), models, metrics)
        }
        ("GET", ["streams", key]) => match models.row(&decoded(key)) {
            Some(row) => Answer::good(JSON, json!(row).to_string().into_bytes()),
            None => unknown(),
        },
        ("GET", ["streams", key, "report"]) => match models.fleet() {
            Some(fleet) if fleet.row(&decoded(key)).is_some_and(|row| row.windows > 0) => {
                html(report_of(&fleet, &decoded(key)).map_err(|error| error.to_string()))
            }
            _ => unknown(),
        },
        (_, ["" | "health" | "metrics" | "predict"] | ["streams", ..]) => {
            Answer::told(405, "GET for looking, POST for predictions")
        }
        _ => Answer::told(404, "there is nothing here; see `driftline serve --help`"),
    }
}

fn unknown() -> Answer {
    Answer::told(404, "there is no such stream")
}

fn predict(asked: &Asked<'_>, key: Option<&str>, models: &Models, metrics: &Metrics) -> Answer {
    let bundle = match models.model(key) {
        Ok(Some(bundle)) => bundle,
        Ok(None) if key.is_none() => {
            return Answer::told(404, "name the stream: /streams/KEY/predict");
        }
        Ok(None) => return unknown(),
        Err(error) => return Answer::told(500, &error.to_string()),
    };
    let is_arrow = asked.kind.starts_with(arrow::TYPE);
    let table = match is_arrow {
        true => arrow::read(asked.body),
        false => by_json::read(asked.body),
    };
    let predicted = table.and_then(|table| table::predict(&bundle, &table));
    let predicted = match predicted {
        Ok(predicted) => predicted,
        Err(message) => return Answer::told(400, &message),
    };
    metrics.predicted(predicted.labels.len());
    let wants_arrow = match asked.accepts {
        "" | "*/*" => is_arrow,
        accepts => accepts.contains(arrow::TYPE),
    };
    match wants_arrow {
        true => match arrow::write(&bundle, &predicted) {
            Ok(body) => Answer::good(arrow::TYPE, body),
            Err(message) => Answer::told(500, &message),
        },
        false => Answer::good(JSON, by_json::write(&bundle, &predicted)),
    }
}

fn page(models: &Models) -> Answer {
    html(match models.fleet() {
        Some(fleet) => {
            let place = |row: &driftline::fleet::StreamRow| {
                (row.windows > 0).then(|| format!("/streams/{}/report", encoded(&row.key)))
            };
            driftline_report::fleet_html(fleet.manifest(), &fleet.rows(), &place)
                .map_err(|error| error.to_string())
        }
        None => RunFolder::read(models.folder())
            .map_err(|error| error.to_string())
            .and_then(|run| {
                driftline_report::runs_html(std::slice::from_ref(&run))
                    .map_err(|error| error.to_string())
            }),
    })
}

fn html(page: Result<String, String>) -> Answer {
    match page {
        Ok(page) => Answer::good(HTML, page.into_bytes()),
        Err(message) => Answer::told(500, &message),
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
    let letter = |byte: u8| match byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
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
