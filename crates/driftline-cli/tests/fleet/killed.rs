//! A fleet that is killed at any moment and gone on with ends with the same runs: nothing is lost, nothing done twice.

use std::process::{Command, Stdio};
use std::time::Duration;

use super::streams::{SOURCE, place, results, status};

#[test]
fn a_killed_fleet_goes_on() {
    let place = place(6);
    let words =
        format!("fleet {SOURCE} --stream mixed.csv --by sensor --window 20 --policy guarded --out");
    place.run(&format!("{words} whole"));
    for wait in [150, 300, 450, 700, 1000, 1500] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_driftline"))
            .args(format!("{words} killed").split_whitespace())
            .current_dir(place.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.run(&format!("{words} killed"));
    for stream in 0..6 {
        for fleet in ["whole", "killed"] {
            place.good(&format!(
                "fleet export {fleet} --key k{stream} --out {fleet}-{stream}"
            ));
        }
        let run = |fleet: &str| results(&place, &format!("{fleet}-{stream}"));
        assert!(run("whole") == run("killed"), "stream {stream}");
    }
    let rows = |fleet: &str| status(&place, fleet)["rows"].clone();
    assert_eq!(rows("whole"), rows("killed"));
}
