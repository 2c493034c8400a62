//! Input that is wrong: refused with file, row, column and help, exit code 1, and nothing half-written.

use std::fs;

use super::files::{Place, SOURCE, STREAM, error, turning};

const REST: &str = "--time day --id id --window 100 --out run";

/// A faulty table, and what must be said about it.
fn cases() -> Vec<(&'static str, Vec<u8>, Vec<&'static str>)> {
    let good = turning(300, 0.0, 0.5, 5);
    let lines: Vec<&str> = good.lines().collect();
    let changed = |row: usize, line: &str| {
        let mut lines = lines.clone();
        lines[row] = line;
        (lines.join("\n") + "\n").into_bytes()
    };
    // Letters of UTF-8 elsewhere say that this is damage and no other encoding.
    let mut not_text = good.replacen("blue", "bl\u{fc}e", 1).into_bytes();
    let at = good.find("red").unwrap();
    not_text[at] = 0xFF;
    let without = |column: &str| {
        let place = lines[0].split(',').position(|name| name == column).unwrap();
        let cut = |line: &&str| {
            let fields = line.split(',').enumerate();
            let kept: Vec<&str> = fields
                .filter(|(i, _)| *i != place)
                .map(|(_, f)| f)
                .collect();
            kept.join(",")
        };
        lines
            .iter()
            .map(cut)
            .collect::<Vec<_>>()
            .join("\n")
            .into_bytes()
    };
    vec![
        ("empty.csv", vec![], vec!["empty.csv"]),
        (
            "header.csv",
            (lines[0].to_owned() + "\n").into_bytes(),
            vec!["header.csv"],
        ),
        ("ragged.csv", changed(7, "1,2,3"), vec!["ragged.csv", "7"]),
        (
            "text.csv",
            changed(9, "5-8,500000,oops,0.1,red,ant"),
            vec!["text.csv", "row 9", "`x`", "oops"],
        ),
        (
            "missing.csv",
            changed(9, "5-8,500000,,0.1,red,ant"),
            vec!["missing.csv", "row 9", "`x`", "--impute"],
        ),
        ("bytes.csv", not_text, vec!["bytes.csv", "UTF-8"]),
        ("lacking.csv", without("y"), vec!["lacking.csv", "`y`"]),
        ("untimed.csv", without("day"), vec!["untimed.csv", "`day`"]),
        (
            "short.csv",
            (lines[..50].join("\n") + "\n").into_bytes(),
            vec!["49", "100"],
        ),
        (
            "cut.parquet",
            b"PAR1 half a file".to_vec(),
            vec!["cut.parquet"],
        ),
        (
            "cut.npz",
            b"PK\x03\x04 half a file".to_vec(),
            vec!["cut.npz"],
        ),
    ]
}

#[test]
fn faulty_streams_are_refused_with_their_place_and_nothing_is_written() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    for (name, contents, needles) in cases() {
        place.write(name, contents);
        let message = place.bad(
            &format!("adapt --model m.safetensors --stream {name} {REST}"),
            1,
        );
        for needle in needles {
            assert!(
                message.contains(needle),
                "{name}: `{needle}` is missing in: {message}"
            );
        }
        assert!(!place.at("run").exists(), "{name}: something was written");
        // Too short a stream and one without times are good enough to predict for.
        let enough = ["short.csv", "untimed.csv"].contains(&name);
        let output = place.run(&format!("predict m.safetensors --input {name} --out p.csv"));
        let expected = i32::from(!enough);
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{name}: {}",
            error(&output)
        );
        assert_eq!(place.at("p.csv").exists(), enough, "{name}");
        let _ = fs::remove_file(place.at("p.csv"));
        let left = fs::read_dir(place.folder.path()).unwrap();
        let half = left.filter(|e| {
            e.as_ref()
                .unwrap()
                .file_name()
                .to_string_lossy()
                .ends_with(".tmp")
        });
        assert_eq!(half.count(), 0, "{name}");
    }
}

#[test]
fn faulty_sources_are_refused() {
    let place = Place::new();
    let fit = |source: &str, label: &str| {
        place.bad(
            &format!("fit --source {source} --label {label} --out m.safetensors"),
            1,
        )
    };
    let message = fit("source.csv", "lable");
    assert!(
        message.contains("`lable`") && message.contains("label"),
        "{message}"
    );
    assert!(fit("nowhere.csv", "label").contains("nowhere.csv"));
    place.write("one.csv", "x,label\n1,a\n2,a\n3,a\n");
    assert!(fit("one.csv", "label").contains("class"), "one class only");
    place.write("gap.csv", "x,label\n1,a\n2,\n3,b\n");
    let message = fit("gap.csv", "label");
    assert!(
        message.contains("gap.csv") && message.contains("row 2"),
        "{message}"
    );
    place.write("bare.csv", "label\na\nb\n");
    assert!(fit("bare.csv", "label").contains("bare.csv"));
    assert!(!place.at("m.safetensors").exists());
}

#[test]
fn models_and_runs_that_are_none_are_refused() {
    let place = Place::new();
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    place.good("predict run --input stream.csv --out good.csv");
    let model = fs::read(place.at("run/checkpoints/window-0003.safetensors")).unwrap();
    place.write("half.safetensors", &model[..model.len() / 2]);
    place.write("text.safetensors", "not a model");
    for name in [
        "half.safetensors",
        "text.safetensors",
        "none.safetensors",
        "stream.csv",
    ] {
        let message = place.bad(&format!("predict {name} --input stream.csv --out p.csv"), 1);
        assert!(message.contains(name), "{message}");
        place.bad(&format!("export {name} --onnx m.onnx"), 1);
        place.bad(&format!("adapt --model {name} {STREAM} --out other"), 1);
    }
    assert!(
        !place.at("p.csv").exists() && !place.at("m.onnx").exists() && !place.at("other").exists()
    );
    for command in ["step . --input stream.csv", "rollback . --to 0", "report ."] {
        assert!(place.bad(command, 1).contains("manifest.json"), "{command}");
    }
    // A checkpoint that was tampered with.
    let path = place.at("run/checkpoints/window-0006.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&path, bytes).unwrap();
    let message = place.bad("predict run --input stream.csv --out p.csv", 1);
    assert!(message.contains("checksum differs"), "{message}");
    place.good("predict run --version 5 --input stream.csv --out p.csv");
    // A run made by a newer version.
    let manifest = place
        .read("run/manifest.json")
        .replacen("\"format\": 2", "\"format\": 99", 1);
    place.write("run/manifest.json", manifest);
    for command in [
        "predict run --input stream.csv --out q.csv",
        "step run --input source.csv",
        "rollback run --to 1",
        "report run",
        "inspect run",
    ] {
        assert!(place.bad(command, 1).contains("newer version"), "{command}");
    }
    assert!(
        place
            .bad(&format!("adapt {SOURCE} {STREAM} --out run"), 1)
            .contains("newer version")
    );
}

#[test]
fn folders_that_hold_something_else_are_left_alone() {
    let place = Place::new();
    fs::create_dir(place.at("mine")).unwrap();
    place.write("mine/thesis.txt", "precious");
    let message = place.bad(&format!("adapt {SOURCE} {STREAM} --out mine"), 1);
    assert!(
        message.contains("is not empty") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(fs::read_dir(place.at("mine")).unwrap().count(), 1);
    place.good(&format!("adapt {SOURCE} {STREAM} --out run"));
    let before = place.contents("run");
    let other = place.bad(&format!("adapt {SOURCE} {STREAM} --seed 1 --out run"), 1);
    assert!(
        other.contains("another run") && other.contains("--force"),
        "{other}"
    );
    assert_eq!(place.contents("run"), before);
    place.good(&format!(
        "adapt {SOURCE} {STREAM} --seed 1 --out run --force"
    ));
    assert!(
        place
            .bad(&format!("adapt {SOURCE} {STREAM} --out source.csv"), 1)
            .contains("is not a folder")
    );
}

/// Where the process may not write at all; root may write anywhere, so there it cannot be tried.
#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    fs::create_dir(place.at("locked")).unwrap();
    fs::set_permissions(place.at("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(place.at("locked/try"), "").is_ok() {
        eprintln!("skipped: this user may write into read-only folders");
        return;
    }
    let message = place.bad(&format!("adapt {SOURCE} {STREAM} --out locked/run"), 1);
    assert!(
        message.contains("locked") && message.contains("denied"),
        "{message}"
    );
    place.bad(&format!("fit {SOURCE} --out locked/m.safetensors"), 1);
}

/// A device that is always full.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    std::os::unix::fs::symlink("/dev/full", place.at("full.csv")).unwrap();
    let output = place.run("inspect stream.csv");
    assert!(output.status.success());
    let program = assert_cmd::cargo::cargo_bin("driftline");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(program)
        .args(["inspect", "stream.csv"])
        .current_dir(place.folder.path())
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", error(&output));
    assert!(error(&output).contains("standard output"));
}

#[test]
fn what_is_handled_is_noted_and_ends_well() {
    let place = Place::new();
    let answers = "--truth label";
    // A class that the source lacks, columns moved and added, an unknown category, times out of order.
    let text = turning(300, 0.0, 0.3, 6);
    let mut lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(row, line)| {
            let fields: Vec<&str> = line.split(',').collect();
            let [id, day, x, y, colour, label] = fields[..] else {
                panic!("six fields")
            };
            let label = if row == 40 { "dog" } else { label };
            let colour = if row == 50 { "green" } else { colour };
            let extra = if row == 0 { "extra" } else { "1" };
            format!("{label},{extra},{y},{x},{colour},{day},{id}")
        })
        .collect();
    lines.swap(20, 250);
    place.write("odd.csv", lines.join("\n"));
    let output = place.run(&format!(
        "adapt {SOURCE} --stream odd.csv --time day --id id --window 100 {answers} --fail-on never --out run"
    ));
    assert!(output.status.success(), "{}", error(&output));
    let told = error(&output);
    for needle in ["dog", "green", "extra", "sorted"] {
        assert!(told.contains(needle), "`{needle}` is missing in: {told}");
    }
    let all = place.read("run/windows.jsonl") + &place.read("run/manifest.json");
    for code in [
        "unknown-classes",
        "unseen-categories",
        "columns-added",
        "unsorted",
    ] {
        assert!(all.contains(code), "{code}: {all}");
    }
    let unknown: u64 = (place.windows("run").iter())
        .map(|w| w["unknown_answers"].as_u64().unwrap())
        .sum();
    assert_eq!(unknown, 1);
}

/// The filter leaves one class: the window is held, the model kept, and the run goes on.
#[test]
fn a_starved_window_is_held() {
    let place = Place::new();
    let text = turning(300, 0.0, 0.1, 7);
    let only_ants = |(row, line): (usize, &str)| {
        let window = row.saturating_sub(1) / 100;
        match row > 0 && window == 1 {
            true => format!("7-{row},{},10.0,0.0,red,ant", 700_000 + row),
            false => line.to_owned(),
        }
    };
    let lines: Vec<String> = text.lines().enumerate().map(only_ants).collect();
    place.write("ants.csv", lines.join("\n"));
    let output = place.run(&format!(
        "adapt {SOURCE} --stream ants.csv --id id --exclude day --window 100 --model linear --policy always --out run"
    ));
    assert!(output.status.success(), "{}", error(&output));
    assert!(
        error(&output).contains("window 2 was held"),
        "{}",
        error(&output)
    );
    let windows = place.windows("run");
    let held: Vec<bool> = windows
        .iter()
        .map(|w| w["held"].as_bool().unwrap())
        .collect();
    assert_eq!(held, [false, true, false]);
    assert_eq!(windows[1]["notes"][0]["code"], "window-held");
}

#[test]
fn wrong_usage_ends_with_two() {
    let place = Place::new();
    for words in [
        "adapt --stream stream.csv --out run",
        "adapt --source source.csv --stream stream.csv --out run",
        &format!("adapt {SOURCE} --stream stream.csv --window 10 --windows 3 --out run"),
        &format!("adapt {SOURCE} --stream stream.csv --every P7D --out run"),
        &format!("adapt {SOURCE} --stream stream.csv --drop 1.5 --out run"),
        &format!("adapt {SOURCE} --stream stream.csv --window 0 --out run"),
        "fit --source source.csv --out m",
        "predict run --out p.csv",
        "rollback run",
        "export run",
    ] {
        place.bad(words, 2);
    }
    assert!(!place.at("run").exists());
}
