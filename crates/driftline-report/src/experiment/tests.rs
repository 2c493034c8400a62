//! The structure of reports made from folders of every kind: whole, partial, empty, and with hostile names.

use std::fs;

use driftline_lab::experiment::{ExperimentManifest, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{html, markdown};
use crate::words;

/// What a folder is made of.
struct Made {
    methods: &'static [&'static str],
    data_seeds: u64,
    seeds: u64,
    /// Accuracy by method, data seed and seed; `None` for a trial that is not finished.
    accuracy: fn(usize, u64, u64) -> Option<f64>,
}

fn whole() -> Made {
    Made {
        methods: &["Source", "Target ST", "Gradual ST"],
        data_seeds: 1,
        seeds: 5,
        accuracy: |method, _, seed| Some([0.4, 0.5, 0.98][method] + seed as f64 * 0.002),
    }
}

fn draws() -> Made {
    Made {
        data_seeds: 20,
        seeds: 1,
        accuracy: |method, draw, _| Some([0.5, [0.0, 0.5, 0.99][draw as usize % 3], 0.99][method]),
        ..whole()
    }
}

fn outcome(accuracy: f64, gradual: bool) -> Value {
    let labeling = json!({"seen": 500, "kept": 450, "class_counts": [450, 0]});
    let stages: Vec<Value> = (0..4)
        .map(|t| match t {
            0 => json!({"target": 0.4, "next_window": gradual.then_some(0.9)}),
            _ => {
                json!({"target": accuracy, "window": gradual.then_some(0.9), "labeling": labeling})
            }
        })
        .collect();
    let right = (accuracy * 1000.0).round() as usize;
    json!({
        "accuracy": accuracy, "balanced_accuracy": accuracy, "held_out_source": 0.99,
        "confusion": [[right, 0], [1000 - right.min(1000), 0]],
        "stages": stages, "along_stream": [0.9, 0.8, accuracy], "remainder": {"dropped": 7},
    })
}

impl Made {
    fn store(&self, folder: &TempDir) -> Store {
        let settings = |name: &str| match name {
            "Source" => json!({"curriculum": "source-only", "student": null}),
            _ => json!({"curriculum": {"gradual": {"window": 500}}, "student": {"drop": 0.1}}),
        };
        let methods: Vec<Value> = self
            .methods
            .iter()
            .map(|name| json!({"name": name, "settings": settings(name)}))
            .collect();
        let manifest: ExperimentManifest = serde_json::from_value(json!({
            "kind": "experiment", "name": "made", "title": "Made <up>", "table": null, "notes": ["a & b"],
            "scale": "full", "plan": "0", "engine": 1, "version": "0.1.0",
            "seeds": (0..self.seeds).collect::<Vec<_>>(), "data_seeds": (0..self.data_seeds).collect::<Vec<_>>(),
            "datasets": [{"name": "Gaussian", "settings": {"dimension": 2}}], "methods": methods,
            "checks": [{"method": self.methods[0], "at-least": 99.0}],
            "expected": [{"dataset": "Gaussian", "method": self.methods[0], "mean": 47.7, "half_width": 0.3}],
        }))
        .unwrap();
        fs::write(
            folder.path().join("manifest.json"),
            serde_json::to_string(&manifest).unwrap(),
        )
        .unwrap();
        let mut lines = String::new();
        for (index, method) in self.methods.iter().enumerate() {
            for data_seed in 0..self.data_seeds {
                for seed in 0..self.seeds {
                    if let Some(accuracy) = (self.accuracy)(index, data_seed, seed) {
                        let trial = json!({
                            "id": format!("{index}-{data_seed}-{seed}"), "dataset": "Gaussian", "method": method,
                            "data_seed": data_seed, "seed": seed, "engine": 1, "version": "0.1.0",
                            "outcome": outcome(accuracy, index == self.methods.len() - 1),
                        });
                        lines += &format!("{trial}\n");
                    }
                }
            }
        }
        fs::write(folder.path().join("trials.jsonl"), lines).unwrap();
        let store = Store::read(folder.path()).unwrap();
        assert_eq!(store.warnings, []);
        store
    }

    fn page(&self) -> (String, String, String) {
        let folder = TempDir::new().unwrap();
        let stores = [self.store(&folder)];
        let page = html(&stores, None).unwrap();
        check_structure(&page);
        (page, markdown(&stores), words::experiment(&stores[0]))
    }
}

/// What must hold for every page.
fn check_structure(page: &str) {
    for chart in charts(page) {
        let parsed =
            roxmltree::Document::parse(chart).unwrap_or_else(|error| panic!("{error}: {chart}"));
        let root = parsed.root_element();
        assert_eq!(root.attribute("role"), Some("img"));
        for id in root.attribute("aria-labelledby").unwrap().split(' ') {
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
    }
    assert!(
        !page.contains("NaN") && !page.contains("inf "),
        "not a number"
    );
    let bare = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    assert!(
        !bare.contains("http://") && !bare.contains("https://"),
        "a link to elsewhere"
    );
    assert!(!bare.contains("src=") && !bare.contains("@import") && !bare.contains("url("));
    assert!(page.len() < 100_000, "{} bytes", page.len());
}

fn charts(page: &str) -> Vec<&str> {
    page.match_indices("<svg")
        .map(|(start, _)| {
            let end = page[start..].find("</svg>").unwrap() + "</svg>".len();
            &page[start..start + end]
        })
        .collect()
}

#[test]
fn one_draw_has_bands_single_trials_and_the_printed_number() {
    let (page, markdown, explained) = whole().page();
    assert_eq!(charts(&page).len(), 4, "accuracy, stream, steps, windows");
    assert_eq!(page.matches("class=\"single\"").count(), 15);
    assert_eq!(page.matches("<title>paper: 47.7 ± 0.3</title>").count(), 1);
    assert!(page.contains("class=\"band\"") && !page.contains("class=\"thin\""));
    assert!(page.contains("the last 7 examples fill no window and were dropped"));
    assert!(page.contains("✗ 1 of 1 checks fail"));
    assert!(page.contains("Made &lt;up&gt;") && page.contains("a &amp; b"));
    for text in [&page, &markdown, &explained] {
        assert!(
            text.contains("Over 5 training seeds, Gradual ST averages 98.4 %"),
            "{text}"
        );
    }
    assert!(
        explained.contains("58.0 ± 0.0 points above the unadapted source model (40.4 %)"),
        "{explained}"
    );
    assert!(
        markdown.contains("| Gaussian | Source | 40.40 ± 0.30 | ± 0.21 | 47.7 ± 0.3 | 5 |"),
        "{markdown}"
    );
}

#[test]
fn several_draws_are_shown_one_by_one() {
    let (page, markdown, explained) = draws().page();
    assert_eq!(charts(&page).len(), 5);
    assert_eq!(page.matches("class=\"draw\"").count(), 60);
    assert!(page.contains("class=\"thin\"") && !page.contains("class=\"band\""));
    assert!(markdown.contains("Target accuracy over draws"));
    assert!(
        explained.contains("its 20 trials range from 0.0 to 99.0 %"),
        "{explained}"
    );
}

#[test]
fn a_worse_last_method_is_called_worse() {
    let made = Made {
        accuracy: |method, _, seed| Some([0.9, 0.5, 0.6][method] + seed as f64 * 0.001),
        ..whole()
    };
    let (_, _, explained) = made.page();
    assert!(
        explained.contains("30.0 ± 0.0 points below the unadapted source model"),
        "{explained}"
    );
    assert!(
        explained.contains("Target ST reaches 50.2 % (10.0 ± 0.0 points below Gradual ST)"),
        "{explained}"
    );
}

#[test]
fn unfinished_single_and_empty_folders_have_reports_too() {
    let none = Made {
        accuracy: |_, _, _| None,
        ..whole()
    };
    let (page, _, explained) = none.page();
    assert!(charts(&page).is_empty() && explained == "No trial is finished yet.");

    let one = Made {
        accuracy: |method, _, seed| (method == 1 && seed == 0).then_some(0.5),
        ..whole()
    };
    let (_, _, explained) = one.page();
    assert!(
        explained.contains("So far 1 of 15 trials are finished. In a single trial, Target ST"),
        "{explained}"
    );

    let apart = Made {
        accuracy: |method, _, seed| (method as u64 == seed).then_some(0.5),
        ..whole()
    };
    assert!(apart.page().2.contains("no trial in common"));

    let alone = Made {
        methods: &["Source"],
        ..whole()
    };
    assert!(
        alone
            .page()
            .2
            .contains("Source averages 40.4 % accuracy on the target.")
    );
}

#[test]
fn names_from_files_stay_text() {
    let made = Made {
        methods: &["<script>alert(1)</script>", "a\"b|c'&", "x\u{1}y"],
        ..whole()
    };
    let (page, markdown, _) = made.page();
    assert_eq!(page.matches("<script").count(), 1, "our own only");
    assert!(!markdown.contains("<script") && markdown.contains("a\"b\\|c'&amp;"));
}

#[test]
fn a_method_that_never_varied_and_stages_that_are_missing() {
    let folder = TempDir::new().unwrap();
    whole().store(&folder);
    let path = folder.path().join("trials.jsonl");
    let lines: Vec<String> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(|line| {
            let mut trial: Value = serde_json::from_str(line).unwrap();
            trial["outcome"]["stages"] = json!([]);
            trial["outcome"]["along_stream"] = json!([]);
            trial["outcome"]["held_out_source"] = Value::Null;
            trial["outcome"]["confusion"] = json!([]);
            trial.to_string()
        })
        .collect();
    fs::write(&path, lines.join("\n") + "\nhalf a li").unwrap();
    let stores = [
        Store::read(folder.path()).unwrap(),
        Store::read(folder.path()).unwrap(),
    ];
    let page = html(&stores, None).unwrap();
    check_structure(&page);
    assert_eq!(charts(&page).len(), 2, "the accuracies of two experiments");
    assert!(page.contains("Line 16 of trials.jsonl cannot be read"));
    assert!(page.contains("href=\"#e2\"") && markdown(&stores).contains("# 2 experiments"));
}
