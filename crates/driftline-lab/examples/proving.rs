//! The proving ground: the policy `guarded` on thousands of random streams, beside the unadapted model, every single
//! candidate and the usual estimates. One line of JSON for each stream and budget of labels; streams that the file already
//! has are skipped.
//!
//!     cargo run --release -p driftline-lab --example proving -- design|test FROM TO OUT.jsonl [--labels 0,10] [--model KIND]

use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::Mutex;

use driftline_lab::proving::{FAMILIES, Half, Trial, draw};
use rayon::prelude::*;

type Fallible<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Fallible {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|own| own == name)?;
        arguments.get(at + 1).cloned()
    };
    let [half, from, to, out, ..] = &arguments[..] else {
        return Err("usage: design|test FROM TO OUT.jsonl [--labels 0,10] [--model KIND]".into());
    };
    let half = match &**half {
        "design" => Half::Design,
        "test" => Half::Test,
        other => return Err(format!("`{other}` is neither `design` nor `test`").into()),
    };
    let labels = option("--labels").unwrap_or_else(|| "0,10".into());
    let labels: Result<Vec<usize>, _> = labels.split(',').map(str::parse).collect();
    let labels = labels?;
    let only = option("--model");
    let done = std::fs::read_to_string(out).unwrap_or_default();
    let file = Mutex::new(OpenOptions::new().create(true).append(true).open(out)?);
    let (from, to): (usize, usize) = (from.parse()?, to.parse()?);
    // Every family in turn, so that a run that was stopped has some of each.
    let families = || FAMILIES.iter().filter(|family| family.half == half);
    let jobs: Vec<_> = (from..to)
        .flat_map(|number| families().map(move |family| (family, number)))
        .collect();
    jobs.par_iter()
        .try_for_each(|(family, number)| -> Fallible {
            let begins = format!("{{\"family\":\"{}\",\"number\":{number},", family.name);
            let stream = draw(family, *number)?;
            if done.contains(&begins) || only.as_ref().is_some_and(|only| *only != stream.model) {
                return Ok(());
            }
            let trials = Trial::run(family.name, *number, &stream, &labels)?;
            let lines: Result<Vec<String>, _> = trials.iter().map(serde_json::to_string).collect();
            let mut file = file.lock().expect("no thread panics while holding it");
            file.write_all((lines?.join("\n") + "\n").as_bytes())?;
            Ok(())
        })
}
