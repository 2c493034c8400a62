//! `--model trees` through every command, categories and missing values as trees take them, and what `auto` says.

use super::files::{Place, SOURCE, STREAM, error, turning};

/// Classes by a category and by whether a number is there: rows of a source, and of a stream with a category more.
fn gaps(rows: usize, more: bool) -> String {
    let mut text = String::from("kind,size,width,height,depth,label\n");
    for row in 0..rows {
        let class = row * 7 % 3;
        let kind = match row % 5 {
            4 if more => "violet",
            place => ["red", "green", "blue"][(class + place / 4) % 3],
        };
        let size = match class {
            0 => String::new(),
            _ => (row * 31 % 17).to_string(),
        };
        let noise = |factor: usize| row * factor % 101;
        let label = ["ant", "bee", "cat"][class];
        text += &format!(
            "{kind},{size},{},{},{},{label}\n",
            noise(13),
            noise(29),
            noise(53)
        );
    }
    text
}

#[test]
fn all_commands_take_trees() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --model trees --out m.safetensors"
    ));
    place.good(&format!(
        "adapt {SOURCE} {STREAM} --model trees --answers label --fail-on never --out a"
    ));
    let threads = format!(
        "adapt {SOURCE} {STREAM} --model trees --answers label --fail-on never --threads 1 --out b"
    );
    place.good(&threads);
    let bytes = |run: &str| {
        std::fs::read(place.at(&format!("{run}/checkpoints/window-0006.safetensors"))).unwrap()
    };
    assert_eq!(bytes("a"), bytes("b"), "one thread and all of them");
    place.good(&format!("adapt --model m.safetensors {STREAM} --out c"));
    assert_ne!(
        bytes("c"),
        std::fs::read(place.at("m.safetensors")).unwrap()
    );
    let guarded = "--stream stream.csv --time day --id id --window 100 --model trees";
    place.good(&format!("adapt {SOURCE} {guarded} --fail-on never --out g"));
    assert_eq!(place.windows("g").len(), 6);
    place.write("next.csv", turning(100, 1.4, 1.6, 3));
    assert_eq!(place.json("step c --input next.csv")["windows"], 7);
    assert_eq!(place.json("rollback c --to 2")["from"], 7);
    place.good("predict c --input next.csv --id id --out p.csv");
    place.good("export m.safetensors --onnx m.onnx");
    let graph = std::fs::read(place.at("m.onnx")).unwrap();
    let name = b"TreeEnsembleClassifier";
    assert!(graph.windows(name.len()).any(|part| part == name));
    place.good(&format!(
        "compare {SOURCE} {STREAM} --answers label --model trees"
    ));
}

#[test]
fn categories_and_missing_values_are_taken_as_they_are() {
    let place = Place::new();
    place.write("gaps.csv", gaps(300, false));
    place.write("later.csv", gaps(300, true));
    let fit = "fit --source gaps.csv --label label --model trees --out m.safetensors";
    let told = place.bad(fit, 1);
    assert!(told.contains("the value is missing"), "{told}");
    place.good(&format!("{fit} --impute=mark"));
    // Neither the mark nor the unseen category has to be asked for again.
    let output = place.run("predict m.safetensors --input later.csv --answers label --out p.csv");
    let told = error(&output);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains("categories that the source lacks, the first of them `violet`"),
        "{told}"
    );
    assert!(
        told.contains("filled with the source's mean") && told.contains("and marked"),
        "{told}"
    );
    let right = |file: &str| {
        let text = place.read(file);
        let hits = text.lines().skip(1).filter(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            cells[0] == cells[1]
        });
        hits.count()
    };
    assert!(right("p.csv") > 270, "{}", right("p.csv"));
    // Every model has the marks: a linear one tells the class that is known by its gaps.
    for (how, out) in [("--impute=mark", "marked.csv"), ("--impute", "filled.csv")] {
        let fit = fit.replace("trees", "linear");
        place.good(&format!("{fit} {how} --force"));
        let predict = "predict m.safetensors --input later.csv --answers label";
        place.good(&format!("{predict} --out {out}"));
    }
    let (marked, filled) = (right("marked.csv"), right("filled.csv"));
    assert!(marked > filled, "{marked}, {filled}");
}

#[test]
fn auto_says_what_it_chose_and_why() {
    let place = Place::new();
    place.write("gaps.csv", gaps(300, false));
    let fit = "fit --source gaps.csv --label label --impute=mark";
    let output = place.run(&format!("{fit} --out m.safetensors"));
    let told = error(&output);
    assert!(output.status.success(), "{told}");
    let said = told.lines().filter(|line| line.contains("auto chose "));
    let said: Vec<&str> = said.collect();
    assert_eq!(said.len(), 1, "{told}");
    let on = "% on blocks of source rows held out (";
    for part in [on, "linear", "knn", "trees", "mlp"] {
        assert!(said[0].contains(part), "{}", said[0]);
    }
    // The same rows of twenty machines, the newest first.
    let text = gaps(300, false);
    let mut lines = text.lines();
    let mut with_parts = format!("day,machine,{}\n", lines.next().unwrap());
    for (row, line) in lines.enumerate() {
        with_parts += &format!("{},m{},{line}\n", 1000 - row, row % 20);
    }
    place.write("parts.csv", with_parts);
    let fit_parts = fit.replace("gaps.csv", "parts.csv");
    let both = "--time day --id machine --force --out p.safetensors";
    let told = error(&place.run(&format!("{fit_parts} {both}")));
    assert!(
        told.contains("% on source rows of other groups ("),
        "{told}"
    );
    let time = "--time day --exclude machine --force --out p.safetensors";
    let told = error(&place.run(&format!("{fit_parts} {time}")));
    assert!(told.contains("% on source rows of other times ("), "{told}");
    assert!(told.contains("do not ascend"), "{told}");
    let named = place.run(&format!("{fit} --model linear --out n.safetensors"));
    assert!(!error(&named).contains("auto chose"));
}

#[test]
fn weights_that_go_on_are_refused() {
    let place = Place::new();
    for (name, value) in [("anchor", "0.1"), ("average", "0.5")] {
        place.write("s.toml", format!("[self-training]\n{name} = {value}\n"));
        let told = place.bad(
            &format!("adapt {SOURCE} {STREAM} --model trees --settings s.toml --out run"),
            1,
        );
        assert!(
            told.contains(&format!("`{name}`")) && told.contains("fitted again in every step"),
            "{told}"
        );
    }
}

/// `start` decides whether the bins of the source are kept; no weights are.
#[test]
fn a_step_starts_from_the_bins_of_the_source_or_from_nothing() {
    let place = Place::new();
    let last = |start: &str| {
        place.write("s.toml", format!("[self-training]\nstart = \"{start}\"\n"));
        place.good(&format!(
            "adapt {SOURCE} {STREAM} --model trees --settings s.toml --fail-on never --out {start}"
        ));
        std::fs::read(place.at(&format!("{start}/checkpoints/window-0006.safetensors"))).unwrap()
    };
    assert_ne!(last("teacher"), last("scratch"));
}
