//! Opens reports in headless Chromium, where it is installed, and asserts on what is drawn: the demo's, and those of runs
//! with and without answers.

#[allow(dead_code)]
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::your_data::files;
use tempfile::TempDir;

const METHODS: [&str; 4] = ["Source", "Target ST", "All ST", "Gradual ST"];

/// The first browser on the PATH.
fn browser() -> Option<PathBuf> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let places = names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}

/// Runs the browser with a profile of its own and returns what it printed.
fn browse(browser: &Path, page: &Path, options: &[String]) -> String {
    let profile = TempDir::new().unwrap();
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args(["--hide-scrollbars", "--force-device-scale-factor=1"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(options)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Red, green and blue of every pixel, and the size.
fn pixels(screenshot: &Path) -> (Vec<[u8; 3]>, (u32, u32)) {
    let file = std::io::BufReader::new(fs::File::open(screenshot).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let samples = info.color_type.samples();
    assert!(samples >= 3, "a colour screenshot");
    let pixels = bytes[..info.buffer_size()]
        .chunks_exact(samples)
        .map(|p| [p[0], p[1], p[2]]);
    (pixels.collect(), (info.width, info.height))
}

fn is_light(pixel: &[u8; 3]) -> bool {
    pixel.iter().map(|&part| u32::from(part)).sum::<u32>() > 600
}

fn is_coloured(pixel: &&[u8; 3]) -> bool {
    let (low, high) = (pixel.iter().min().unwrap(), pixel.iter().max().unwrap());
    high - low > 80
}

/// The browser, or a line that says why nothing was opened.
fn browser_or_skip() -> Option<PathBuf> {
    let found = browser();
    if found.is_none() {
        eprintln!(
            "skipped: no chromium, chromium-browser or google-chrome on the PATH, so the report was not opened"
        );
    }
    found
}

#[test]
fn the_demo_report_is_drawn() {
    let Some(browser) = browser_or_skip() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_driftline"))
        .args(["demo", "--paper", "--out"])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let page = folder.path().join("report.html");
    assert!(fs::metadata(&page).unwrap().len() < 100_000);

    let drawn = browse(&browser, &page, &["--dump-dom".into()]);
    assert_eq!(
        drawn.matches("<svg").count(),
        5,
        "why step by step, accuracy, stream, steps, windows"
    );
    assert_eq!(
        drawn.matches("class=\"single\"").count(),
        4 * 5,
        "every trial"
    );
    assert_eq!(
        drawn.matches("class=\"band\"").count(),
        4 + 3 + 2,
        "every curve"
    );
    for method in METHODS {
        assert!(
            drawn.contains(&format!(">{method}</text>")),
            "{method} is named in a chart"
        );
        assert!(
            drawn.contains(&format!("<td>{method}</td>")),
            "{method} is in the table"
        );
    }

    look(&browser, &page, folder.path());
}

/// Light, dark and narrow: of the right tone, and with coloured curves.
fn look(browser: &Path, page: &Path, folder: &Path) {
    for (name, width, scheme) in [("light", 1100, 1), ("dark", 1100, 0), ("narrow", 500, 1)] {
        let screenshot = folder.join(format!("{name}.png"));
        let options = [
            format!("--screenshot={}", screenshot.display()),
            format!("--window-size={width},1800"),
            format!("--blink-settings=preferredColorScheme={scheme}"),
        ];
        browse(browser, page, &options);
        let (pixels, size) = pixels(&screenshot);
        assert_eq!(size, (width, 1800), "{name}");
        let light = pixels.iter().filter(|pixel| is_light(pixel)).count();
        assert_eq!(
            light * 2 > pixels.len(),
            name != "dark",
            "{name}: {light} light pixels"
        );
        let coloured = pixels.iter().filter(is_coloured).count();
        assert!(coloured > 1500, "{name}: {coloured} coloured pixels");
    }
}

#[test]
fn the_reports_of_runs_are_drawn() {
    let Some(browser) = browser_or_skip() else {
        return;
    };
    let place = files::Place::new();
    let words = format!("adapt {} {}", files::SOURCE, files::STREAM);
    place.good(&format!("{words} --truth label --out scored"));
    place.good(&format!("{words} --out blind"));

    let page = place.at("scored/report.html");
    assert!(fs::metadata(&page).unwrap().len() < 300_000);
    let drawn = browse(&browser, &page, &["--dump-dom".into()]);
    assert_eq!(
        drawn.matches("<svg").count(),
        4,
        "accuracy, confidence, steps, balance"
    );
    for name in [
        "adapted",
        "unadapted",
        "as served",
        "used for training",
        "changed vs last",
        "changed vs source",
        "ant",
        "bee",
        "cat",
    ] {
        assert!(
            drawn.contains(&format!(">{name}</text>")),
            "{name} is named in a chart"
        );
    }
    assert_eq!(
        drawn.matches("class=\"line").count(),
        4 + 2 + 3 + 3,
        "every curve"
    );
    assert!(drawn.contains("✓ Adapted, nothing to do"));
    for window in 1..=6 {
        assert!(
            drawn.contains(&format!("<td>{window}</td>")),
            "window {window} is in the table"
        );
    }
    assert!(
        drawn.contains("driftline adapt --source source.csv"),
        "the command to repeat it"
    );
    look(&browser, &page, place.folder.path());
    // On a telephone the titles of wide tables are read without scrolling.
    let measure = "<script>document.body.dataset.beyond = [...document.querySelectorAll('caption')]
        .filter(own => own.getBoundingClientRect().right > document.documentElement.clientWidth).length</script></body>";
    let narrow = place.at("narrow.html");
    fs::write(
        &narrow,
        fs::read_to_string(&page)
            .unwrap()
            .replace("</body>", measure),
    )
    .unwrap();
    let drawn = browse(
        &browser,
        &narrow,
        &["--dump-dom".into(), "--window-size=390,900".into()],
    );
    assert!(
        drawn.contains("data-beyond=\"0\""),
        "titles are cut off at 390 pixels"
    );

    let page = place.at("blind/report.html");
    let drawn = browse(&browser, &page, &["--dump-dom".into()]);
    assert_eq!(
        drawn.matches("<svg").count(),
        3,
        "no accuracy without answers"
    );
    assert!(drawn.contains("there are no labels and no estimate"));
    assert!(!drawn.contains("Accuracy along the stream"));
    // Printed, everything is open and on paper.
    let paper = place.at("page.pdf");
    browse(
        &browser,
        &page,
        &[format!("--print-to-pdf={}", paper.display())],
    );
    assert!(fs::metadata(&paper).unwrap().len() > 10_000);
}

/// Ten thousand rows, every hundredth held and every thousandth failed.
fn many_rows() -> Vec<driftline_fleet::StreamRow> {
    let row = |number: usize| {
        let state = match number {
            n if n % 1000 == 7 => "failed",
            n if n % 100 == 3 => "held",
            n if n % 10 == 1 => "drifting",
            _ => "still",
        };
        let along: Vec<f64> = (0..20)
            .map(|at| 0.9 - 0.02 * ((number + at) % 9) as f64)
            .collect();
        serde_json::json!({
            "key": format!("sensor-{number}"), "state": state, "error": (state == "failed").then_some("</script> was in it"),
            "windows": 20, "planned": 20, "rows": 4000, "version": 20, "in_use": { "value": along[19],
            "low": 0.5, "high": 1.0, "by": "estimate" }, "action": { "do": "keep-serving" }, "step": "deployed", "drift": 0.3,
            "flips": 0.1, "decision": "deploy", "reason": null, "effect": "unknown", "accuracies": along,
            "drifts": vec![0.3; 20], "decisions": "dddddddddddddddddddh",
        })
    };
    let rows = serde_json::Value::Array((0..10_000).map(row).collect());
    serde_json::from_value(rows).unwrap()
}

#[test]
fn the_page_of_ten_thousand_streams_draws_what_is_in_view() {
    let Some(browser) = browser_or_skip() else {
        return;
    };
    let place = files::Place::new();
    fs::create_dir(place.at("T")).unwrap();
    fs::rename(place.at("stream.csv"), place.at("T/a.csv")).unwrap();
    place.good(&format!(
        "fleet {} --exclude id --exclude day --stream T/*.csv --window 100 --out fleet",
        files::SOURCE
    ));
    let fleet = driftline_fleet::FleetFolder::read(&place.at("fleet")).unwrap();
    let reports =
        |row: &driftline_fleet::StreamRow| (row.key == "sensor-3").then(|| "reports/x.html".into());
    let html = driftline_report::fleet_html(fleet.manifest(), &many_rows(), &reports).unwrap();
    let page = place.at("many.html");
    fs::write(&page, html).unwrap();
    let at = |hash: &str| {
        let shown = PathBuf::from(format!("{}{hash}", page.display()));
        browse(
            &browser,
            &shown,
            &["--dump-dom".into(), "--window-size=1200,900".into()],
        )
    };
    let rows = |drawn: &str| drawn.matches("<a class=\"row\"").count();

    let all = at("");
    assert!(all.contains("10,000 of 10,000 streams shown"));
    assert!(
        (10..80).contains(&rows(&all)),
        "{} rows are drawn",
        rows(&all)
    );
    assert!(all.contains("data-opened="), "the script came to its end");
    let first = all.split("<a class=\"row\"").nth(1).unwrap();
    assert!(
        first.contains(">failed<") && first.contains("class=\"spark\""),
        "{first}"
    );

    let found = at("#q=sensor-77");
    assert!(found.contains("111 of 10,000 streams shown"));
    let held = at("#state=held");
    assert!(held.contains("100 of 10,000 streams shown"));
    let first = held.split("<a class=\"row\"").nth(1).unwrap();
    assert!(first.contains(">held<"), "{first}");

    // One click, which is what stands behind the #, opens the stream.
    let own = at("#stream=sensor-3");
    let dialog = own.split("<dialog").nth(1).unwrap();
    assert!(dialog.contains("open=\"\"") && dialog.contains("<h2>sensor-3</h2>"));
    assert!(dialog.contains("href=\"reports/x.html\"") && dialog.contains("<td>20</td>"));
    // The page and report that the command itself has written.
    let written = browse(
        &browser,
        &place.at("fleet/report.html"),
        &["--dump-dom".into()],
    );
    assert!(written.contains("1 of 1 streams shown"));
    let report = browse(
        &browser,
        &place.at("fleet/reports/a.html"),
        &["--dump-dom".into()],
    );
    assert!(report.contains("<svg"));
}
