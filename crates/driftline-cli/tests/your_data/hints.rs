//! What is said when something is not there or not right: the likely meaning first, in plain words.

use super::files::{Place, SOURCE, STREAM, error};

#[test]
fn names_that_differ_in_capitals_are_found_first() {
    let place = Place::new();
    place.write(
        "table.csv",
        "Start_Lat,start_lot,label\n1,2,a\n2,3,b\n3,4,a\n",
    );
    let fit = "fit --source table.csv --label label --out m.safetensors";
    let message = place.bad(&format!("{fit} --exclude start_lat"), 1);
    assert!(message.contains("did you mean `Start_Lat`?"), "{message}");
}

#[test]
fn many_missing_columns_are_counted_and_listed() {
    let place = Place::new();
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    let predict = "predict m.safetensors --input other.csv --out p.csv";
    place.write("other.csv", "X,Colour,y\n1,red,2\n");
    let message = place.bad(predict, 1);
    for needle in [
        "lacks 2 of the 3 columns",
        "`x`, `colour`",
        "letters differ: it has `X`, `Colour`",
    ] {
        assert!(message.contains(needle), "{needle}: {message}");
    }
    place.write("other.csv", "a,b\n1,2\n");
    let message = place.bad(predict, 1);
    assert!(
        message.contains("lacks 3 of the 3") && message.contains("its columns are `a`, `b`"),
        "{message}"
    );
}

#[test]
fn json_is_recognised() {
    let place = Place::new();
    for text in [
        "{\"x\": 1, \"label\": \"a\"}\n{\"x\": 2, \"label\": \"b\"}\n",
        "[ {\"x\": 1}]",
    ] {
        place.write("rows.jsonl", text);
        let message = place.bad("inspect rows.jsonl", 1);
        assert!(
            message.contains("holds JSON") && message.contains("read_json"),
            "{message}"
        );
    }
}

#[test]
fn usage_is_told_in_plain_words_and_ends_with_two() {
    let place = Place::new();
    let adapt =
        format!("adapt {SOURCE} --stream stream.csv --time day --id id --window 100 --out run");
    let cases = [
        (format!("{adapt} --method gradula"), "'gradual'"),
        (
            format!("{adapt} --windows 0").replace("--window 100", ""),
            "above 0",
        ),
        (
            adapt.replace("--window 100", "--window 0"),
            "expected a whole number above 0",
        ),
        (format!("{adapt} --threads 0"), "above 0"),
        (format!("{adapt} --policy alway"), "'always'"),
        (
            format!("adapt --model linear {STREAM} --out run"),
            "--source",
        ),
        (format!("compare {SOURCE} {STREAM}"), "--truth"),
        (
            format!("compare {SOURCE} {STREAM} --truth label --seeds 0"),
            "--seeds",
        ),
        ("export m.safetensors --onnx m.txt".into(), ".onnx"),
    ];
    for (words, needle) in cases {
        let message = place.bad(&words, 2);
        assert!(message.contains(needle), "{words}: {message}");
    }
    place.good(&format!(
        "fit {SOURCE} --time day --id id --out m.safetensors"
    ));
    let message = place.bad("step m.safetensors --input stream.csv", 1);
    assert!(
        message.contains("m.safetensors: is a file, but the folder of a run is needed"),
        "{message}"
    );
    assert!(
        message.contains("with `driftline adapt --model"),
        "{message}"
    );
}

#[test]
fn completions_know_the_methods() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.good(&format!("completions {shell}"));
        assert!(script.contains("accumulate"), "{shell}");
    }
}

#[test]
fn compare_shows_how_far_it_is() {
    let place = Place::new();
    let output = place.run(&format!(
        "compare {SOURCE} {STREAM} --truth label --seeds 1"
    ));
    let told = error(&output);
    for method in ["Source", "Target ST", "All ST", "Gradual ST"] {
        assert!(told.contains(&format!("{method}, seed 0: done")), "{told}");
    }
}
