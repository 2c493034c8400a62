//! The run of a stream in a fleet and the run of `adapt` on that stream alone have the same bytes.

use super::streams::{SOURCE, WINDOWS, decided, place, results};

#[test]
fn a_fleet_of_files_is_what_adapt_makes_of_each() {
    let place = place(3);
    for how in [
        "--truth label",
        "--policy guarded",
        "--alignment standardize --model linear",
    ] {
        let out = how.split('-').next_back().unwrap().replace(' ', "-");
        let told = place.json(&format!(
            "fleet {SOURCE} --stream T/*.csv {WINDOWS} {how} --out {out}"
        ));
        let counts = ["streams", "done", "failed", "held"].map(|name| told[name].clone());
        assert_eq!(counts, [3, 3, 0, 0].map(serde_json::Value::from), "{told}");
        assert_eq!(told["rows"][2]["key"], "s2");
        for stream in 0..3 {
            let (own, alone) = (
                format!("{out}-own-{stream}"),
                format!("{out}-alone-{stream}"),
            );
            place.good(&format!("fleet export {out} --key s{stream} --out {own}"));
            place.good(&format!(
                "adapt {SOURCE} --stream T/s{stream}.csv {WINDOWS} {how} --fail-on never --out {alone}"
            ));
            assert_eq!(decided(&place, &own), decided(&place, &alone), "{how}");
        }
        // A few files, however many runs; reports of those in need come beside them.
        let files = place.contents(&out);
        let own = files
            .iter()
            .filter(|(name, _)| !name.starts_with("reports/"));
        assert_eq!(own.count(), 6);
    }
}

#[test]
fn a_fleet_by_key_is_what_adapt_makes_of_the_rows_of_each() {
    let place = place(3);
    place.good(&format!(
        "fleet {SOURCE} --stream mixed.csv --by sensor {WINDOWS} --out f"
    ));
    place.good(
        "fit --source source.csv --label label --exclude id --exclude day --out m.safetensors",
    );
    for stream in 0..3 {
        place.good(&format!(
            "fleet export f --key k{stream} --out own-{stream}"
        ));
        place.good(&format!(
            "adapt --model m.safetensors --stream mixed.csv --where sensor=k{stream} {WINDOWS} --fail-on never --out alone-{stream}"
        ));
        let (own, alone) = (format!("own-{stream}"), format!("alone-{stream}"));
        assert_eq!(results(&place, &own), results(&place, &alone));
        // The versions are also those of a file that has only these rows.
        place.good(&format!(
            "adapt {SOURCE} --stream T/s{stream}.csv {WINDOWS} --fail-on never --out file-{stream}"
        ));
        for version in 0..=3 {
            let name = format!("checkpoints/window-000{version}.safetensors");
            let read =
                |run: &str| std::fs::read(place.at(&format!("{run}-{stream}/{name}"))).unwrap();
            assert!(read("own") == read("file"), "{name}");
        }
    }
}

#[test]
fn a_source_model_for_each_is_trained_on_the_rows_of_its_key() {
    let place = place(2);
    let keyed = |text: String| {
        let mut lines = text.lines();
        let head = format!("sensor,{}\n", lines.next().unwrap());
        lines.enumerate().fold(head, |all, (row, line)| {
            all + &format!("k{},{line}\n", row / 3 % 2)
        })
    };
    let source = keyed(place.read("source.csv"));
    place.write("keyed.csv", source);
    let source = "--source keyed.csv --label label --exclude id --exclude day --policy always";
    place.good(&format!(
        "fleet {source} --stream mixed.csv --by sensor --fail-on never --source-model each {WINDOWS} --out f"
    ));
    for stream in 0..2 {
        place.good(&format!(
            "fleet export f --key k{stream} --out own-{stream}"
        ));
        place.good(&format!(
            "adapt {source} --stream mixed.csv --where sensor=k{stream} {WINDOWS} --fail-on never --out alone-{stream}"
        ));
        let (own, alone) = (format!("own-{stream}"), format!("alone-{stream}"));
        assert_eq!(results(&place, &own), results(&place, &alone));
    }
    let refused = place.bad(
        &format!("fleet {source} --stream T/*.csv --source-model each --out g"),
        2,
    );
    assert!(refused.contains("--by"), "{refused}");
}

#[test]
fn a_key_in_the_shared_source_is_no_feature() {
    let place = place(2);
    let text = place.read("source.csv");
    let text: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(row, line)| match row {
            0 => format!("sensor,{line}"),
            _ => format!("k{},{line}", row % 2),
        })
        .collect();
    place.write("keyed.csv", text.join("\n") + "\n");
    place.good(&format!(
        "fleet --source keyed.csv --label label --exclude id --exclude day --stream mixed.csv --by sensor {WINDOWS} --out f"
    ));
    let told = place.json("inspect f/source.safetensors");
    assert!(!told["features"].to_string().contains("sensor"), "{told}");
}

#[test]
fn parts_of_a_fleet_make_the_whole() {
    let place = place(3);
    let words = format!("fleet {SOURCE} --stream T/*.csv {WINDOWS}");
    place.good(&format!("{words} --out whole"));
    place.good(&format!("{words} --shard 1/2 --out parts"));
    let told = place.json("fleet status parts");
    assert_eq!(told["streams"], 2, "{told}");
    place.good(&format!("{words} --shard 2/2 --out parts"));
    let told = place.json("fleet status parts");
    assert_eq!((&told["streams"], &told["done"]), (&3.into(), &3.into()));
    assert_eq!(told["rows"], place.json("fleet status whole")["rows"]);
    for stream in 0..3 {
        for fleet in ["whole", "parts"] {
            place.good(&format!(
                "fleet export {fleet} --key s{stream} --out {fleet}-{stream}"
            ));
        }
        let run = |fleet: &str| results(&place, &format!("{fleet}-{stream}"));
        assert_eq!(run("whole"), run("parts"));
    }
    let refused = place.bad(&format!("{words} --shard 3/2 --out parts"), 2);
    assert!(refused.contains("from 1 to n"), "{refused}");
}
