//! Labels over HTTP: the same rows, the same versions, and nothing half taken.

use serde_json::{Value, json};

use super::server::Server;
use crate::your_data::files::Place;
use crate::your_data::labels::{asking, copy, filled, made, truth};

#[test]
fn labels_over_http_give_the_same_versions() {
    let place = Place::new();
    let asked_for = asking(&place);
    copy(&place, "run", "by-file");
    let server = Server::start(&place, "run");
    let (status, text) = server.get("/labels");
    assert_eq!(status, 200, "{text}");
    let asked: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(asked["classes"], json!(["ant", "bee", "cat"]));
    let open = asked["open"].as_array().unwrap();
    assert_eq!(open.len(), asked_for);
    assert!(open[0]["columns"]["x"].is_string());

    // All or nothing, and told what is wrong.
    let known = truth(&place, &["first.csv"]);
    let label = |row: &Value| {
        let (file, number) = (row["file"].as_str().unwrap(), row["row"].to_string());
        let class = &known[&(file.to_owned(), number)];
        json!({ "window": row["window"], "window_row": row["window_row"], "label": class })
    };
    let good: Vec<Value> = open.iter().map(label).collect();
    let mut bad = good.clone();
    bad[1]["label"] = json!("dog");
    let wrong = |body: &Value, status: u16| {
        let (found, text) = server.post("/labels", body.to_string().as_bytes());
        assert_eq!(found, status, "{text}");
        assert!(place.contents("run") == place.contents("untouched"));
        text
    };
    let told = wrong(&json!({ "labels": bad }), 400);
    assert!(
        told.contains("dog") && told.contains("another class"),
        "{told}"
    );
    bad[1] = json!({ "window": 2, "window_row": 1000, "label": "ant" });
    let told = wrong(&json!({ "labels": bad }), 400);
    assert!(
        told.contains("row 1000 of window 2 was not asked for"),
        "{told}"
    );
    let told = wrong(&json!({ "rows": [] }), 400);
    assert!(told.contains("expected"), "{told}");
    let body = json!({ "labels": good }).to_string();
    assert_eq!(
        server.post_as("/labels", body.as_bytes(), "text/plain").0,
        415
    );

    let told = server.json("/labels", &json!({ "labels": good }));
    assert_eq!(told, json!({ "labels": asked_for, "open": 0 }));
    place.good("step run --input next.csv --fail-on never");
    place.bad("label by-file --out rows.csv", 3);
    place.write(
        "rows.csv",
        filled(&place, &place.read("rows.csv"), &["first.csv"]),
    );
    place.good("step by-file --input next.csv --labels rows.csv --fail-on never");
    assert!(made(&place, "run") == made(&place, "by-file"));
}

#[test]
fn labels_need_the_token_that_everything_needs() {
    let place = Place::new();
    asking(&place);
    place.write("token", "a-secret-that-nobody-guesses\n");
    let server = Server::start_with(&place, "run", &["--token-file", "token"]);
    assert_eq!(server.get("/labels").0, 401);
    assert_eq!(server.post("/labels", b"{\"labels\": []}").0, 401);
    assert_eq!(
        server.bearing("a-secret-that-nobody-guesses", "/labels"),
        200
    );
}
