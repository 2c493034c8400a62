//! Labels that come late, and what is decided without them: score, audit, watch, the policy `never`, the source sample.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use super::files::{Place, SOURCE, STREAM, turning};
use super::labels::{cells, filled, truth};

/// The answers of the rows of a window, as a file that names every row.
fn labels(place: &Place, window: usize) -> String {
    let answers: Vec<String> = place
        .read("stream.csv")
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().unwrap().to_owned())
        .collect();
    let mut text = "file,row,label\n".to_owned();
    for (at, answer) in answers
        .iter()
        .enumerate()
        .skip((window - 1) * 100)
        .take(100)
    {
        text += &format!("stream.csv,{},{answer}\n", at + 1);
    }
    text
}

#[test]
fn a_window_is_scored_by_labels_that_come_late() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    place.good(&format!(
        "adapt {SOURCE} {STREAM} --answers label --out scored"
    ));
    assert!(place.windows("run")[2].get("accuracy_after").is_none());
    place.write("late.csv", labels(&place, 3));
    let before = place.windows("run").len();
    let told = place.json("score run --window 3 --labels late.csv");
    let (late, at_once) = (&place.windows("run")[2], &place.windows("scored")[2]);
    for field in [
        "accuracy_before",
        "accuracy_after",
        "accuracy_unadapted",
        "scored",
        "classes",
    ] {
        assert_eq!(late[field], at_once[field], "{field}");
    }
    assert_eq!(
        told["scored"]["score"]["accuracy_after"],
        late["accuracy_after"]
    );
    assert_eq!(place.windows("run").len(), before, "nothing was trained");

    // Without places there must be one for each row; a few will do where places are named.
    let column: Vec<String> = labels(&place, 3)
        .lines()
        .map(|l| l.rsplit(',').next().unwrap().to_owned())
        .collect();
    place.write("in-order.csv", column.join("\n"));
    place.good("score run --window 3 --labels in-order.csv");
    assert_eq!(
        place.windows("run")[2]["accuracy_after"],
        late["accuracy_after"]
    );
    let few: Vec<String> = labels(&place, 3)
        .lines()
        .take(11)
        .map(String::from)
        .collect();
    place.write("few.csv", few.join("\n"));
    place.good("score run --window 3 --labels few.csv");
    assert_eq!(place.windows("run")[2]["scored"], 10);
    let wrong = place.bad("score run --window 2 --labels few.csv", 1);
    assert!(
        wrong.contains("row 201 of `stream.csv` is not of this window"),
        "{wrong}"
    );
    let wrong = place.bad("score run --window 9 --labels few.csv", 1);
    assert!(wrong.contains("from 1 to 6"), "{wrong}");
    let wrong = place.bad("score run --window 3 --labels few.csv --label class", 1);
    assert!(wrong.contains("no column `class`"), "{wrong}");
    place.write("short.csv", column[..50].join("\n"));
    let wrong = place.bad("score run --window 3 --labels short.csv", 1);
    assert!(wrong.contains("49 labels for the 100 rows"), "{wrong}");

    // The next version learns only where that is asked for, and only once.
    place.good(
        "score run --window 6 --labels late6.csv --learn"
            .replace("late6", {
                place.write("late6.csv", labels(&place, 6));
                "late6"
            })
            .as_str(),
    );
    let windows = place.windows("run");
    assert_eq!(windows.len(), 7);
    assert_eq!(windows[6]["candidate"], "labels");
    assert_eq!(windows[6]["teacher"], 6);
    place.good("score run --window 6 --labels late6.csv --learn");
    assert_eq!(place.windows("run").len(), 7);
    place.good("predict run --input stream.csv --id id --out p.csv");
    place.write("next.csv", turning(100, 1.4, 1.6, 5));
    place.good("step run --input next.csv");
    place.good("inspect run");
}

#[test]
fn an_audit_asks_for_rows_that_tell() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let asked = place.json("audit run --budget 5 --against 0");
    let audit = &asked["audit"];
    let rows = audit["asked"].as_array().unwrap();
    let differing = audit["differing"].as_u64().unwrap();
    assert!(differing > 5, "{audit}");
    assert_eq!(rows.len(), 5);
    for row in rows {
        assert_ne!(row["class"], row["class_rival"]);
        assert!(
            (501..=600).contains(&row["row"].as_u64().unwrap()),
            "of the newest window"
        );
    }
    assert!(audit["width_after"].as_f64() < audit["width"].as_f64());
    assert_eq!(
        place.json("audit run --budget 5 --against 0")["audit"],
        *audit,
        "drawn once"
    );

    // All labels: settled for the version that is really better, and nothing more is asked.
    place.write("all.csv", labels(&place, 6));
    let settled = &place.json("audit run --against 0 --labels all.csv")["audit"];
    assert_eq!(
        settled["settled"], false,
        "the adapted version is better: {settled}"
    );
    assert_eq!(settled["asked"].as_array().unwrap().len(), 0);
    assert!(settled["labels"].as_u64().unwrap() <= differing);
    // The run has kept the labels of what it had asked for.
    let kept = &place.json("audit run --against 0 --budget 0")["audit"];
    assert_eq!(kept["labels"], 5);
    // Only from the top: what was skipped ends what may be counted.
    place.good(&format!("adapt {SOURCE} {STREAM} --out fresh"));
    place.good("audit fresh --against 0 --budget 3 --out rows.csv");
    let text = place.read("rows.csv");
    assert!(
        text.starts_with("window,window_row,id,file,row,weight,asked_by,label,"),
        "{text}"
    );
    let second: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| {
            if at == 2 {
                line.replacen(": the source model,,", ": the source model,ant,", 1)
            } else {
                line.into()
            }
        })
        .collect();
    place.write("second.csv", second.join("\n"));
    let skipped = &place.json("audit fresh --against 0 --labels second.csv")["audit"];
    assert_eq!(skipped["labels"], 0);
    let wrong = place.bad("audit run --against nobody", 2);
    assert!(
        wrong.contains("no candidate of this run `nobody`"),
        "{wrong}"
    );
    let wrong = place.bad("audit run --budget 3 --out rows.csv", 1);
    assert!(wrong.contains("--force"), "{wrong}");
}

/// What an audit draws where versions disagree says nothing about how often one is right.
#[test]
fn labels_of_an_audit_are_refused_or_weighed_by_score() {
    let place = Place::new();
    let adapt = format!("adapt {SOURCE} {STREAM}");
    place.good(&format!("{adapt} --out run"));
    place.good(&format!("{adapt} --truth label --out scored"));
    let right = place.windows("scored")[5]["accuracy_after"]
        .as_f64()
        .unwrap();
    let files = ["stream.csv"];
    place.good("audit run --against 0 --budget 20 --out rows.csv");
    place.write("rows.csv", filled(&place, &place.read("rows.csv"), &files));
    let before = place.contents("run");
    let wrong = place.bad("score run --labels rows.csv", 1);
    for word in [
        "drawn where versions differ",
        "of the 100 rows of window 6",
        "--agreeing 20",
    ] {
        assert!(wrong.contains(word), "{wrong}");
    }
    assert!(place.contents("run") == before, "nothing was stored");

    // With rows that both class alike the others count for what they stand for.
    place.good("label run --labels rows.csv");
    place.good("audit run --against 0 --budget 0 --agreeing 20 --out more.csv");
    place.write("more.csv", filled(&place, &place.read("more.csv"), &files));
    place.good("label run --labels more.csv");
    let asked = cells(&place.read("run/labels/asked.csv"));
    let weights = asked[1..]
        .iter()
        .map(|line| line[5].parse::<f64>().unwrap());
    assert!((weights.sum::<f64>() - 100.0).abs() < 1e-6);
    let told = place.json("score run");
    let late = &told["scored"];
    let weighed = late["score"]["accuracy_after"].as_f64().unwrap();
    assert_eq!(late["score"]["scored"], asked.len() - 1);
    let effective = late["score"]["effective_rows"].as_f64().unwrap();
    assert!(effective < asked.len() as f64, "{effective}");
    assert!(
        (weighed - right).abs() < 0.12,
        "{weighed} instead of {right}"
    );
    // Some more that nobody asked for stand for the rest.
    let known = truth(&place, &files);
    let mut text = "file,row,label\n".to_owned();
    for ((file, row), class) in known
        .iter()
        .filter(|((_, row), _)| row.parse::<usize>().unwrap() > 500)
    {
        text += &format!("{file},{row},{class}\n");
    }
    place.write("all.csv", text);
    let all = place.json("score run --labels all.csv");
    assert_eq!(all["scored"]["score"]["accuracy_after"], right);

    // They may join training.
    place.good("score run --learn");
    let windows = place.windows("run");
    assert_eq!(
        (windows.len(), &windows[6]["candidate"]),
        (7, &"labels".into())
    );
    place.good("score run --window 6 --learn");
    assert_eq!(place.windows("run").len(), 7, "once");
    let wrong = place.bad("score run --window 2", 1);
    assert!(wrong.contains("has no labels for window 2 yet"), "{wrong}");
}

#[test]
fn the_policy_never_watches_and_tells_of_a_fall() {
    let place = Place::new();
    // That it holds is no failure; that 14 % are right in the end, by the answers, is one.
    let told = place.bad(
        &format!("adapt {SOURCE} --stream stream.csv --time day --id id --window 100 --answers label --policy never --out run"),
        3,
    );
    assert!(
        told.contains("exit code 3: In doubt: label 20 rows"),
        "{told}"
    );
    // The rows are there to be named, although no other version differs.
    place.good("audit run --budget 10 --agreeing 10 --out rows.csv");
    assert_eq!(place.read("rows.csv").lines().count(), 21);
    let windows = place.windows("run");
    assert_eq!(windows.len(), 6);
    for window in &windows {
        assert_eq!(window["decision"], "hold");
        assert!(window["candidate"].is_null() && window["estimated_accuracy"].is_null());
        assert_eq!(window["accuracy_after"], window["accuracy_unadapted"]);
        assert_eq!(window["accuracy_before"], window["accuracy_unadapted"]);
    }
}

#[test]
fn rows_of_the_source_are_stored_unless_it_is_private() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out sample.safetensors"
    ));
    place.good(&format!(
        "fit {SOURCE} --time day --id id --no-source-sample --out bare.safetensors"
    ));
    let size = |name: &str| std::fs::metadata(place.at(name)).unwrap().len();
    assert!(size("sample.safetensors") > size("bare.safetensors") + 150 * 4 * 4);
    for model in ["sample", "bare"] {
        place.good(&format!(
            "adapt --model {model}.safetensors {STREAM} --out {model}"
        ));
    }
    let last = |run: &str| place.windows(run)[5]["confidence_after"].clone();
    assert_eq!(last("sample"), last("bare"));
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let refused = place.bad(
        &format!("adapt {SOURCE} {STREAM} --no-source-card --out run"),
        1,
    );
    assert!(refused.contains("stores rows of the source"), "{refused}");
}

struct Watching(Child, String);

impl Watching {
    fn of(place: &Place) -> Self {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("driftline"))
            .current_dir(place.folder.path())
            .args(["watch", "run", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line
            .trim()
            .strip_prefix("http://")
            .unwrap()
            .trim_end_matches('/')
            .to_owned();
        Self(child, address)
    }

    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.1).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        // A request that is cut off may be answered while it is still being sent.
        let _ = stream.read_to_string(&mut reply);
        reply
    }

    fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.1))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_report_is_served_to_this_machine_only_and_follows_the_run() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let before = place.contents("run");
    let watching = Watching::of(&place);
    assert!(watching.1.starts_with("127.0.0.1:"), "{}", watching.1);
    let page = watching.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("<!DOCTYPE html>") && page.contains("/state"));
    let state = watching.get("/state");
    assert!(state.contains("\"state\":\"6-6-"), "{state}");
    for (request, status) in [
        ("GET /manifest.json HTTP/1.1\r\nHost: H\r\n\r\n", "404"),
        (
            "GET /../run/manifest.json HTTP/1.1\r\nHost: H\r\n\r\n",
            "404",
        ),
        ("POST / HTTP/1.1\r\nHost: H\r\n\r\n", "405"),
        ("GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", "403"),
        ("GET / HTTP/1.1\r\n\r\n", "403"),
        ("hello\r\n\r\n", "400"),
    ] {
        let reply = watching.ask(&request.replace("Host: H", &format!("Host: {}", watching.1)));
        assert!(
            reply.starts_with(&format!("HTTP/1.1 {status}")),
            "{request}: {reply}"
        );
    }
    let long = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n",
        watching.1,
        "x".repeat(20_000)
    );
    assert!(!watching.ask(&long).contains("200 OK"));
    assert!(place.contents("run") == before, "nothing is written");
    // One more window: the state is another, and so is the page.
    place.write("next.csv", turning(100, 1.4, 1.6, 5));
    place.good("step run --input next.csv");
    assert!(watching.get("/state").contains("\"state\":\"7-7-"));
    assert!(watching.get("/").starts_with("HTTP/1.1 200 OK"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_watch() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let mut watching = Watching::of(&place);
    let id = watching.0.id().to_string();
    Command::new("kill").args(["-INT", &id]).status().unwrap();
    let status = watching.0.wait().unwrap();
    assert_eq!(status.code(), Some(0));
}
