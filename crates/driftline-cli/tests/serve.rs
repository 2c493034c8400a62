//! `driftline serve` as a client meets it: the predictions of `driftline predict` over HTTP, in JSON and Arrow; requests that
//! are wrong, too large or too slow; newer versions; and the end.

#[path = "serve/follow.rs"]
mod follow;
#[path = "serve/labels.rs"]
mod labels;
#[allow(dead_code)]
#[path = "serve/server.rs"]
mod server;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::your_data::files::{Place, turning};
use serde_json::{Value, json};
pub use server::Server;

const ADAPT: &str = "adapt --source source.csv --label label --exclude id --exclude day --stream stream.csv --window 200";

/// A place with a run.
fn place() -> Place {
    let place = Place::new();
    place.good(&format!("{ADAPT} --out run"));
    place.write("today.csv", turning(32, 1.3, 1.4, 9));
    place
}

/// The rows of a table, its numbers as numbers.
fn rows(place: &Place, name: &str) -> Vec<Value> {
    let text = place.read(name);
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = line.split(',').zip(&names).map(|(cell, name)| {
            let value = cell
                .parse::<f64>()
                .map_or(json!(cell), |number| json!(number));
            (name.to_string(), value)
        });
        Value::Object(cells.collect())
    };
    lines.map(row).collect()
}

#[test]
fn predictions_are_those_of_predict() {
    let place = place();
    let server = Server::start(&place, "run");
    let rows = rows(&place, "today.csv");
    let answer = server.json("/predict", &json!({ "rows": rows }));
    assert_eq!(answer["version"], 3);
    place.good("predict run --input today.csv --out p.csv");
    let table = place.read("p.csv");
    for (at, line) in table.lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(answer["class"][at], cells[0]);
        for (class, cell) in cells[1..].iter().enumerate() {
            let given: f32 = answer["probabilities"][at][class]
                .to_string()
                .parse()
                .unwrap();
            assert_eq!(given, cell.parse::<f32>().unwrap());
        }
    }
    // The same rows as columns.
    let mut columns = serde_json::Map::new();
    for name in ["x", "y", "colour"] {
        let column: Vec<Value> = rows.iter().map(|row| row[name].clone()).collect();
        columns.insert(name.into(), Value::Array(column));
    }
    assert_eq!(
        server.json("/predict", &json!({ "columns": columns })),
        answer
    );
    assert_eq!(server.arrow("/predict", &columns), answer["class"]);
    let health: Value = serde_json::from_str(&server.get("/health").1).unwrap();
    assert_eq!(
        (&health["status"], &health["version"]),
        (&"ok".into(), &3.into())
    );
    let metrics = server.get("/metrics").1;
    assert!(metrics.contains("driftline_rows_total 96\n"), "{metrics}");
    assert!(
        metrics.contains("driftline_requests_total{status=\"2xx\"} 4\n"),
        "{metrics}"
    );
    assert!(server.get("/").1.contains("<svg"));
    assert_eq!(server.get("/nothing").0, 404);
    assert_eq!(server.get("/predict").0, 405);
}

#[test]
fn a_fleet_answers_for_each_of_its_streams() {
    let place = Place::new();
    std::fs::create_dir(place.at("T")).unwrap();
    place.write("T/near.csv", turning(300, 0.0, 0.1, 2));
    place.write("T/far off.csv", turning(300, 0.0, 1.4, 3));
    place.run("fleet --source source.csv --label label --exclude id --exclude day --stream T/*.csv --window 100 --out f");
    place.write("today.csv", turning(60, 1.4, 1.4, 9));
    let server = Server::start(&place, "f");
    let body = json!({ "rows": rows(&place, "today.csv") });
    let near = server.json("/streams/near/predict", &body);
    let far = server.json("/streams/far%20off/predict", &body);
    assert_ne!(near["class"], far["class"]);
    assert_eq!(
        server
            .post("/streams/else/predict", body.to_string().as_bytes())
            .0,
        404
    );
    assert_eq!(server.post("/predict", body.to_string().as_bytes()).0, 404);
    let row: Value = serde_json::from_str(&server.get("/streams/near").1).unwrap();
    assert_eq!((&row["key"], &row["windows"]), (&"near".into(), &3.into()));
    assert!(server.get("/").1.contains("/streams/far%20off/report"));
    assert!(server.get("/streams/near/report").1.contains("<svg"));
    // Next month comes while it serves.
    std::fs::create_dir(place.at("next")).unwrap();
    place.write("next/near.csv", turning(90, 0.1, 0.2, 5));
    place.run("fleet step f --input next/near.csv");
    server.until("the newer version", || {
        server.json("/streams/near/predict", &body)["version"] == 4
    });
    assert_eq!(
        server.json("/streams/far%20off/predict", &body)["version"],
        3
    );
}

#[test]
fn a_newer_version_takes_over_without_a_request_lost() {
    let place = place();
    let server = Server::start(&place, "run");
    let body = json!({ "rows": rows(&place, "today.csv") }).to_string();
    place.write("next.csv", turning(90, 1.4, 1.5, 5));
    std::thread::scope(|scope| {
        let stepping = scope.spawn(|| place.run("step run --input next.csv"));
        let begun = Instant::now();
        let mut versions = vec![];
        while begun.elapsed() < Duration::from_secs(60) {
            let (status, text) = server.post("/predict", body.as_bytes());
            assert_eq!(status, 200);
            let answer: Value = serde_json::from_str(&text).unwrap();
            versions.push(answer["version"].as_u64().unwrap());
            if versions.last() == Some(&4) {
                break;
            }
        }
        stepping.join().unwrap();
        assert!(
            versions.first() == Some(&3) && versions.last() == Some(&4) && versions.is_sorted()
        );
    });
    assert!(server.get("/metrics").1.contains("driftline_version 4\n"));
}

#[test]
fn requests_that_are_wrong_or_too_large_are_told_and_hurt_nobody() {
    let place = place();
    let server = Server::start_with(&place, "run", &["--max-body", "20000"]);
    let good = json!({ "rows": rows(&place, "today.csv") }).to_string();
    let wrong: [&[u8]; 8] = [
        b"",
        b"nonsense",
        b"{}",
        b"{\"rows\":[{\"x\":1}]}",
        b"\xff\xfe\x00",
        b"{\"rows\":[{\"x\":{}}]}",
        b"{\"columns\":{\"x\":[1],\"y\":[\"no number\"],\"colour\":[\"red\"]}}",
        b"[[[[[[[[",
    ];
    for round in 0..20 {
        for body in wrong {
            let (status, told) = server.post("/predict", body);
            assert!(status == 400 && told.contains("error"), "{status} {told}");
        }
        assert_eq!(server.post("/predict", &vec![b' '; 20_001 + round]).0, 413);
        let damaged: Vec<u8> = (0..300u32)
            .map(|at| (at * 7 + round as u32) as u8)
            .collect();
        assert_eq!(server.post_as("/predict", &damaged, server::ARROW).0, 400);
        // A message of two gigabytes, it says.
        let claimed = b"\xff\xff\xff\xff\xff\xff\xff\x7fand no more";
        assert_eq!(server.post_as("/predict", claimed, server::ARROW).0, 400);
        assert_eq!(server.post("/predict", good.as_bytes()).0, 200);
    }
    if let Some(memory) = server.largest_memory() {
        assert!(memory < 200_000_000, "{memory} bytes");
    }
    // Bytes that are no HTTP at all.
    for junk in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "POST /predict HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        stream.write_all(junk.as_bytes()).unwrap();
        let _ = stream.read_to_end(&mut vec![]);
    }
    assert_eq!(server.post("/predict", good.as_bytes()).0, 200);
}

/// Whoever sends a request has no file, no flags and no memory to be told about.
#[test]
fn errors_speak_of_the_request() {
    let place = place();
    let server = Server::start(&place, "run");
    let cases = [
        (
            r#"{"rows":[{"x":1,"y":0.1,"colour":"red"},{"x":null,"y":0.1,"colour":"red"}]}"#,
            "row 2, column `x`: the value is missing",
        ),
        (
            r#"{"columns":{"x":[1],"y":["much"],"colour":["red"]}}"#,
            "row 1, column `y`: `much` is not a finite number",
        ),
        (r#"{"rows":[{"x":1}]}"#, "the request lacks"),
    ];
    for (body, needle) in cases {
        let (status, told) = server.post("/predict", body.as_bytes());
        assert_eq!(status, 400);
        let told: Value = serde_json::from_str(&told).unwrap();
        let told = told["error"].as_str().unwrap();
        assert!(told.contains(needle), "{needle}: {told}");
        assert!(!told.contains("memory") && !told.contains("--"), "{told}");
    }
}

#[test]
fn slow_requests_are_given_up_and_hold_up_nobody() {
    let place = place();
    let server = Server::start_with(&place, "run", &["--timeout", "2"]);
    let good = json!({ "rows": rows(&place, "today.csv") }).to_string();
    let begin = |head: &str| {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    let heads = (0..100).map(|_| begin("POST /predict HTTP/1.1\r\nHost: x\r\n"));
    let bodies =
        (0..100).map(|_| begin("POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"));
    let slow: Vec<TcpStream> = heads.chain(bodies).collect();
    assert_eq!(server.post("/predict", good.as_bytes()).0, 200);
    let mut given_up = 0;
    for mut stream in slow {
        let mut text = vec![];
        // To its end: the server closes it.
        let ended = stream.read_to_end(&mut text).is_ok();
        given_up += usize::from(ended && (text.is_empty() || text.starts_with(b"HTTP/1.1 408")));
    }
    assert_eq!(given_up, 200);
    assert_eq!(server.post("/predict", good.as_bytes()).0, 200);
}

#[test]
fn strangers_need_a_token() {
    let place = place();
    let refused = place.bad("serve run --address 0.0.0.0", 2);
    assert!(refused.contains("--token-file"), "{refused}");
    place.write("short", "abc\n");
    assert!(
        place
            .bad("serve run --token-file short", 2)
            .contains("at least 16")
    );
    place.write("token", "a-secret-of-many-letters\n");
    let server = Server::start_with(&place, "run", &["--token-file", "token"]);
    assert_eq!(server.get("/health").0, 200);
    assert_eq!(server.get("/metrics").0, 401);
    assert_eq!(server.bearing("a-secret-of-many-letterz", "/metrics"), 401);
    assert_eq!(server.bearing("a-secret-of-many-letters", "/metrics"), 200);
    assert!(place.bad("serve nowhere", 1).contains("nowhere"));
}

#[cfg(unix)]
#[test]
fn it_ends_well_when_it_is_told_to() {
    let place = place();
    let mut server = Server::start(&place, "run");
    assert_eq!(server.get("/health").0, 200);
    assert_eq!(server.terminate(), Some(0));
}
