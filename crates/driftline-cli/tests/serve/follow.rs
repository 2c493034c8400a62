//! `serve --follow` and `driftline follow`: what was acknowledged is there once, and makes the windows and versions that the same
//! rows make in files, wherever the process is killed.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use super::{Server, rows};
use crate::your_data::files::{Place, error, turning};

const ADAPT: &str = "adapt --source source.csv --label label --id id --exclude day --model linear --stream stream.csv --window 100 --labels-per-window 4 --fail-on never --out run";
const WINDOW: usize = 100;

/// A run, and rows that come after its stream.
fn place(live: usize) -> (Place, Vec<Value>) {
    let place = Place::new();
    place.write("stream.csv", turning(200, 0.0, 0.3, 2));
    place.good(ADAPT);
    place.write("live.csv", turning(live, 0.3, 0.8, 5));
    let mut rows = rows(&place, "live.csv");
    for row in &mut rows {
        let row = row.as_object_mut().unwrap();
        row.remove("label");
        row.remove("day");
    }
    (place, rows)
}

fn feed(place: &Place, words: &str, lines: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_driftline"))
        .args(words.split_whitespace())
        .current_dir(place.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

fn told(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The windows of a run but for the names of files, and its models.
fn made(place: &Place, run: &str) -> (Vec<Value>, Vec<(String, Vec<u8>)>) {
    let windows = place.windows(run).into_iter().map(|mut window| {
        let fields = window.as_object_mut().unwrap();
        fields.remove("inputs");
        fields["files"]
            .as_object_mut()
            .unwrap()
            .retain(|name, _| name.starts_with("checkpoints/"));
        for place in ["first", "last"] {
            fields[place]["file"].take();
        }
        for asked in fields
            .get_mut("asked")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            asked["place"]["file"].take();
        }
        window
    });
    let models = place.contents(run).into_iter();
    let models = models.filter(|(name, _)| name.starts_with("checkpoints/"));
    (windows.collect(), models.collect())
}

/// The ids of all rows that a run has logged in windows, in their order.
fn logged(place: &Place, run: &str) -> Vec<String> {
    let mut tables: Vec<(usize, String)> = std::fs::read_dir(place.at(&format!("{run}/rows")))
        .unwrap()
        .map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            (name.split('-').next().unwrap().parse().unwrap(), name)
        })
        .collect();
    tables.sort();
    let text = tables
        .iter()
        .map(|(_, name)| place.read(&format!("{run}/rows/{name}")));
    let ids = text.flat_map(|text| {
        let at = text
            .lines()
            .next()
            .unwrap()
            .split(',')
            .position(|name| name == "id")
            .unwrap();
        let lines: Vec<String> = text.lines().skip(1).map(String::from).collect();
        lines
            .into_iter()
            .map(move |line| line.split(',').nth(at).unwrap().to_owned())
    });
    ids.collect()
}

fn id(row: &Value) -> String {
    row["id"].as_str().unwrap().to_owned()
}

#[test]
fn rows_from_standard_input_make_the_versions_of_step() {
    let (place, rows) = place(350);
    crate::your_data::labels::copy(&place, "run", "stepped");
    let first = feed(&place, "follow run", &lines(&rows[..120]));
    assert_eq!(first.status.code(), Some(0), "{}", error(&first));
    let found = told(&first);
    assert_eq!((found.len(), &found[0]["rows"]), (2, &json!([1, 100])));
    assert_eq!(
        found[1],
        json!({ "line": 120, "logged": 120, "duplicates": 0, "refused": 0, "waiting": 20 })
    );

    // The rest with some again, and lines that are no rows.
    let mut more = lines(&rows[90..200])
        + "nonsense\n\n{\"x\": \"word\", \"y\": 1, \"colour\": \"red\", \"id\": 7}\n";
    more += &lines(&rows[200..]);
    let second = feed(&place, "follow run", &more);
    assert_eq!(second.status.code(), Some(3));
    let complaints = error(&second);
    assert!(
        complaints.contains("line 111 is passed over"),
        "{complaints}"
    );
    assert!(
        complaints.contains("line 113 is passed over"),
        "{complaints}"
    );
    let found = told(&second);
    assert_eq!(found.len(), 3);
    assert_eq!(
        found[2],
        json!({ "line": 263, "logged": 230, "duplicates": 30, "refused": 2, "waiting": 50 })
    );

    let text = place.read("live.csv");
    let text: Vec<&str> = text.lines().collect();
    for (at, part) in text[1..].chunks_exact(WINDOW).enumerate() {
        place.write(
            &format!("part-{at}.csv"),
            format!("{}\n{}\n", text[0], part.join("\n")),
        );
        place.good(&format!(
            "step stepped --input part-{at}.csv --fail-on never"
        ));
    }
    let (own, other) = (made(&place, "run"), made(&place, "stepped"));
    assert_eq!(own.0.len(), 5);
    for (mut own, mut other) in own.0.into_iter().zip(other.0) {
        // The tables here have columns that are left out, in another order.
        for window in [&mut own, &mut other] {
            window.as_object_mut().unwrap().remove("notes");
        }
        assert_eq!(own, other);
    }
    assert!(own.1 == other.1);
    assert!(place.read("run/report.html").contains("<svg"));
}

#[test]
fn answered_rows_are_logged_and_make_versions_that_take_over() {
    let (place, rows) = place(250);
    let server = Server::start_with(&place, "run", &["--follow", "--log", "journal.jsonl"]);
    let answer = server.json("/predict", &json!({ "rows": rows[..30] }));
    assert_eq!(
        (&answer["logged"], &answer["row"], &answer["version"]),
        (&json!(30), &json!(1), &json!(2))
    );
    // Again, and with others.
    let answer = server.json("/predict", &json!({ "rows": rows[20..60] }));
    assert_eq!(
        (&answer["logged"], &answer["row"], &answer["duplicates"]),
        (&json!(30), &json!(31), &json!(10))
    );
    // Refused rows are not logged: no id, no such column, no number.
    let mut bad = rows[60..62].to_vec();
    bad[1]["x"] = json!("word");
    assert_eq!(
        server
            .post("/predict", json!({ "rows": bad }).to_string().as_bytes())
            .0,
        400
    );
    assert_eq!(
        server
            .post(
                "/predict",
                br#"{"rows": [{"x": 1, "y": 2, "colour": "red"}]}"#
            )
            .0,
        400
    );
    for rows in rows[60..].chunks(32) {
        server.json("/predict", &json!({ "rows": rows }));
    }
    let health = || -> Value { serde_json::from_str(&server.get("/health").1).unwrap() };
    server.until("two windows", || health()["follow"]["lag"] == 50);
    server.until("the newest version", || health()["version"] == 4);
    assert_eq!(health()["follow"]["logging"], "on");
    let answer = server.json("/predict", &json!({ "rows": rows[..5] }));
    assert_eq!(
        (&answer["version"], &answer["logged"], &answer["duplicates"]),
        (&json!(4), &json!(0), &json!(5))
    );
    let metrics = server.get("/metrics").1;
    for line in [
        "driftline_rows_logged_total 250\n",
        "driftline_lag_rows 50\n",
        "driftline_logging 1\n",
        "driftline_adapting 1\n",
        "driftline_windows_total 2\n",
        "driftline_version 4\n",
        "driftline_rows_duplicate_total 15\n",
        "driftline_drift_size ",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
    assert_eq!(
        logged(&place, "run"),
        rows[..200].iter().map(id).collect::<Vec<_>>()
    );
    let mut server = server;
    assert_eq!(server.terminate(), Some(0));
    let journal = place.read("journal.jsonl");
    let events: Vec<Value> = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let count = |event: &str| events.iter().filter(|own| own["event"] == event).count();
    assert_eq!(count("window"), 2);
    assert!(count("swap") >= 1 && count("request") > 10);
    assert!(
        events
            .iter()
            .any(|own| own["path"] == "/predict" && own["status"] == 400)
    );
}

/// Killed under load, a few times: what was acknowledged is there once, and nothing differs from the same rows in one go.
#[test]
fn a_killed_server_loses_nothing_that_it_acknowledged() {
    let (place, rows) = place(500);
    crate::your_data::labels::copy(&place, "run", "whole");
    let mut sent = 0;
    for kill in 0..4 {
        let mut server = Server::start_with(&place, "run", &["--follow", "--fsync", "never"]);
        for _ in 0..=3 * kill {
            let body = json!({ "rows": rows[sent..(sent + 17).min(rows.len())] });
            let answer = server.json("/predict", &body);
            let duplicates = answer["duplicates"].as_u64().unwrap_or(0);
            assert_eq!(answer["logged"].as_u64().unwrap() + duplicates, 17);
            sent += 17;
        }
        server.kill();
        // Nobody heard of the last answer: it is asked again.
        sent -= 17;
        if kill == 2 {
            let log = place.at("run/log/00000001.log");
            let mut torn = std::fs::OpenOptions::new().append(true).open(log).unwrap();
            torn.write_all(b"00000999 0123456789abcdef\n{\"rows\":{\"first\"")
                .unwrap();
        }
    }
    let rest = feed(&place, "follow run", &lines(&rows[sent..]));
    assert_eq!(rest.status.code(), Some(0), "{}", error(&rest));
    assert_eq!(
        logged(&place, "run"),
        rows.iter().map(id).collect::<Vec<_>>()
    );
    let whole = feed(&place, "follow whole", &lines(&rows));
    assert_eq!(told(&whole).len(), 6);
    let (own, other) = (made(&place, "run"), made(&place, "whole"));
    assert_eq!(own.0, other.0);
    assert!(own.1 == other.1);
}

#[test]
fn late_labels_by_id_and_by_row_score_and_train_if_asked_to() {
    let (place, rows) = place(200);
    let server = Server::start_with(&place, "run", &["--follow", "--learn"]);
    server.json("/predict", &json!({ "rows": rows[..110] }));
    server.until("a window", || {
        server
            .get("/metrics")
            .1
            .contains("driftline_windows_total 1\n")
    });
    let truth: Vec<String> = place
        .read("live.csv")
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap().to_owned())
        .collect();
    let mut labels: Vec<Value> = (0..60)
        .map(|at| json!({ "id": id(&rows[at]), "label": truth[at] }))
        .collect();
    labels.extend((60..100).map(|at| json!({ "row": at + 1, "label": truth[at] })));
    labels.push(json!({ "id": "nobody", "label": "ant" }));
    let answer = server.json("/labels", &json!({ "labels": labels }));
    assert_eq!(answer, json!({ "labels": 100, "unknown": ["nobody"] }));
    server.until("the score", || {
        server
            .get("/metrics")
            .1
            .contains("driftline_served_accuracy ")
    });
    assert_eq!(place.windows("run")[2]["scored"], 100);
    for (bad, why) in [
        (json!([{ "row": 1, "label": "dog" }]), "not a class"),
        (json!([{ "row": 1, "id": "x", "label": "ant" }]), "either"),
        (
            json!([{ "row": 1, "window": 3, "label": "ant" }]),
            "another way",
        ),
    ] {
        let (status, text) =
            server.post("/labels", json!({ "labels": bad }).to_string().as_bytes());
        assert!(status == 400 && text.contains(why), "{status} {text}");
    }
    // The next window is adapted to by a version that has learned from them.
    server.json("/predict", &json!({ "rows": rows[110..] }));
    server.until("both versions", || place.windows("run").len() == 5);
    let windows = place.windows("run");
    assert_eq!(windows[3]["findings"]["labels_of"], 3);
    assert_eq!(windows[4]["teacher"], 4);
}

#[test]
fn what_cannot_be_followed_is_told() {
    let (place, rows) = place(10);
    let told = place.bad("serve run --window 10", 2);
    assert!(told.contains("--follow"), "{told}");
    let told = place.bad("follow run --keep 1", 2);
    assert!(told.contains("64K"), "{told}");
    let told = place.bad("follow run --every PT1H", 1);
    assert!(told.contains("has no time column"), "{told}");
    let server = Server::start_with(&place, "run", &["--follow"]);
    let told = place.bad("follow run", 1);
    assert!(told.contains("one process follows a run"), "{told}");
    server.json("/predict", &json!({ "rows": rows }));
    drop(server);
    std::fs::create_dir(place.at("T")).unwrap();
    place.write("T/a.csv", turning(200, 0.0, 0.1, 2));
    place.run("fleet --source source.csv --label label --exclude id --exclude day --stream T/*.csv --window 100 --out f");
    let told = place.bad("serve f --follow", 2);
    assert!(told.contains("this is a fleet"), "{told}");
    // A log whose middle was damaged is not guessed at.
    let log = place.at("run/log/00000001.log");
    let bytes = std::fs::read(&log).unwrap();
    std::fs::write(&log, [&bytes[..], &bytes[28..]].concat()).unwrap();
    let told = place.bad("follow run", 1);
    assert!(told.contains("00000001.log"), "{told}");
}
