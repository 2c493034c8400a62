//! Settings that cannot work are refused before anything is read, and files that do not fit when they are.

use driftline_lab::experiment::Scale;

use super::{Place, rows};

const GOOD: &str =
    "source = \"a.csv\"\nstream = \"b.csv\"\nlabel = \"label\"\nheld-out = 0.2\ntarget-rows = 5";

#[test]
fn settings_are_checked_without_files() {
    let place = Place::new();
    let told = |change: &[(&str, &str)], more: &str| {
        let mut table = GOOD.to_owned();
        for (from, to) in change {
            assert!(table.contains(from));
            table = table.replace(from, to);
        }
        let plan = place.plan(&format!("{table}\n{more}"), Scale::Full);
        plan.map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(told(&[], ""), Ok(()));
    let one_table = ("stream = \"b.csv\"", "");
    let catalog = [("source = \"a.csv\"", "catalog = \"keystroke\""), one_table];
    assert_eq!(told(&catalog, "source-rows = 200"), Ok(()));
    for (change, more, expected) in [
        (&[][..], "lable = 1", "unknown field `lable`"),
        (&[("\"a.csv\"", "{ day = 1 }")], "", "`source-where`"),
        (
            &[("source = \"a.csv\"", "")],
            "",
            "either `source` or `catalog`",
        ),
        (&[], "catalog = \"keystroke\"", "`catalog` names the files"),
        (&[one_table], "", "one table holds source and stream"),
        (
            &[one_table],
            "source-where = { a = 1 }",
            "one table holds source and stream",
        ),
        (
            &[one_table],
            "source-rows = 5\nsource-share = 0.5",
            "stands beside `source-share`",
        ),
        (
            &[one_table],
            "source-rows = 5\ntime = \"day\"",
            "`time` cannot order them",
        ),
        (
            &[one_table],
            "source-share = 0",
            "is 0, but must be above 0",
        ),
        (&[], "source-rows = 5", "files of its own"),
        (
            &[],
            "stream-where = { a = [] }",
            "no value is named for `a`",
        ),
        (&[], "stream-where = { label = 1 }", "must not know"),
        (&[("0.2", "0")], "", "`held-out`: is 0"),
        (&[("0.2", "1")], "", "`held-out`: is 1"),
        (&[("0.2", "1.5")], "", "must be in [0, 1]"),
        (&[], "subsample = 0.9", "more than all"),
        (&[], "target-share = 0.1", "exactly one of `target-rows`"),
        (
            &[("target-rows = 5", "")],
            "",
            "exactly one of `target-rows`",
        ),
        (&[], "unanswered = \"guess\"", "unknown variant `guess`"),
    ] {
        let error = told(change, more).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    for (name, expected) in [("mnist", "single table"), ("keystrokes", "known are")] {
        let change = [
            ("source = \"a.csv\"", &*format!("catalog = \"{name}\"")),
            one_table,
        ];
        let error = told(&change, "source-rows = 200").unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn files_that_do_not_fit_are_named() {
    let place = Place::new();
    let told = |more: &str| {
        let error = place.benchmark(&format!("{GOOD}\n{more}"), 0).unwrap_err();
        error.to_string()
    };
    assert!(
        told("").contains("a.csv: there is no such file"),
        "{}",
        told("")
    );
    place.write("a.csv", rows(0..20));
    assert!(
        told("").contains("b.csv: there is no such file"),
        "{}",
        told("")
    );
    place.write("b.csv", "day,x,y,group\n1,2,3,a\n");
    assert!(
        told("").contains("b.csv: has no column `label`"),
        "{}",
        told("")
    );
    place.write("b.csv", rows(20..23));
    assert!(
        told("").contains("at least the 5 rows asked for, but has 3"),
        "{}",
        told("")
    );
    let error = told("exclude = [\"colour\"]");
    assert!(error.contains("has no column `colour`"), "{error}");
    let error = told("source-where = { day = 99 }");
    assert!(error.contains("a.csv: no rows match"), "{error}");
    place.write("a.csv", rows(0..1));
    let error = told("");
    assert!(error.contains("at least two are needed"), "{error}");
}
