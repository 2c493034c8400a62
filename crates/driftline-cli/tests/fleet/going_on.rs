//! What comes after the first fleet: the next month, predictions, and streams that are new.

use std::fs;

use super::streams::{SOURCE, WINDOWS, mixed, place, results, status};
use crate::your_data::files::turning;

#[test]
fn a_step_of_a_fleet_is_a_step_of_each() {
    let place = place(2);
    for how in ["", "--policy guarded"] {
        let out = how.replace([' ', '-'], "") + "f";
        place.good(&format!(
            "fleet {SOURCE} --stream T/*.csv {WINDOWS} {how} --out {out}"
        ));
        for stream in 0..2 {
            place.good(&format!(
                "fleet export {out} --key s{stream} --out {out}-run-{stream}"
            ));
        }
        let _ = fs::create_dir(place.at("next"));
        for stream in 0..3 {
            place.write(
                &format!("next/s{stream}.csv"),
                turning(90, 1.3, 1.4, 50 + stream),
            );
        }
        let told: serde_json::Value = serde_json::from_slice(
            &place
                .run(&format!("fleet step {out} --input next/*.csv --json"))
                .stdout,
        )
        .unwrap();
        assert_eq!(
            (&told["streams"], &told["done"]),
            (&3.into(), &3.into()),
            "{told}"
        );
        assert_eq!(told["rows"][1]["windows"], 4);
        assert_eq!(told["rows"][2]["windows"], 1, "a stream that is new begins");
        for stream in 0..2 {
            let run = format!("{out}-run-{stream}");
            place.run(&format!("step {run} --input next/s{stream}.csv"));
            place.good(&format!(
                "fleet export {out} --key s{stream} --out {out}-own-{stream}"
            ));
            assert_eq!(
                results(&place, &run),
                results(&place, &format!("{out}-own-{stream}"))
            );
        }
        let again = place.run(&format!("fleet step {out} --input next/*.csv"));
        let said = crate::your_data::files::error(&again);
        assert!(
            said.contains("the input of 3 streams was seen before"),
            "{said}"
        );
        let outcome = String::from_utf8_lossy(&again.stdout);
        assert!(!outcome.contains("  \n"), "{outcome}");
        assert_eq!(status(&place, &out)["rows"][0]["windows"], 4);
    }
}

#[test]
fn predictions_of_a_fleet_are_those_of_each() {
    let place = place(2);
    place.good(&format!(
        "fleet {SOURCE} --stream mixed.csv --by sensor {WINDOWS} --out f"
    ));
    let today: Vec<String> = (0..3).map(|n| turning(40, 1.3, 1.4, 70 + n)).collect();
    place.write("today.csv", mixed(&today));
    let told = place.json("fleet predict f --input today.csv --id id --out p.csv");
    assert_eq!((&told["rows"], &told["streams"]), (&120.into(), &3.into()));
    assert_eq!(told["unknown"], serde_json::json!(["k2"]));
    let all = place.read("p.csv");
    for (stream, table) in today.iter().enumerate() {
        place.write("one.csv", table);
        let run = match stream {
            2 => "f/source.safetensors".to_owned(),
            _ => {
                place.good(&format!(
                    "fleet export f --key k{stream} --out run-{stream}"
                ));
                format!("run-{stream}")
            }
        };
        place.good(&format!(
            "predict {run} --input one.csv --id id --out one-{stream}.csv"
        ));
        let alone = place.read(&format!("one-{stream}.csv"));
        let mut own = all
            .lines()
            .filter(|line| line.starts_with(&format!("k{stream},")));
        for line in alone.lines().skip(1) {
            assert_eq!(own.next().unwrap(), format!("k{stream},{line}"));
        }
        assert!(own.next().is_none());
    }
    place.good("fleet predict f --input today.csv --out p.parquet");
}
