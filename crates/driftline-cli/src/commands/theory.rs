//! `driftline theory`: every statement of the paper's sections 3 and 4, computed.

use std::path::PathBuf;

use clap::Args;
use comfy_table::ContentArrangement;
use driftline_core::random::Seed;
use driftline_theory::claims::{self, Claim};
use serde_json::{Value, json};

use super::report::{write, write_all};
use crate::failure::{Outcome, Result};
use crate::output;
use crate::verbosity::Verbosity;

#[derive(Debug, Args)]
pub struct TheoryArgs {
    /// Statements to check, such as 3.4-printed or 4.1; `3.4` means all of its parts [default: all]
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Explain what each statement means and what was found
    #[arg(long)]
    explain: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write the charts of the constructions to this folder, as SVG
    #[arg(long, alias = "pictures", value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Write one page with all statements, explanations and charts
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw the random instances from this seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub fn run(args: &TheoryArgs, verbosity: Verbosity) -> Result {
    let chosen = chosen(&args.ids)?;
    verbosity.say(&format!("checking {} statements", chosen.len()));
    let claims = claims::check_each(&chosen, Seed::new(args.seed))?;
    let (value, text) = (
        || as_json(&claims, args.explain),
        || as_text(&claims, args.explain),
    );
    output::show(args.json, value, text)?;
    if let Some(folder) = &args.figures {
        write_all(folder, driftline_report::theory_figure_files(&claims))?;
    }
    if let Some(path) = &args.html {
        write(path, &driftline_report::theory_html(&claims)?)?;
    }
    Ok(Outcome::of(claims.iter().all(|claim| claim.holds)))
}

/// The ids that were meant: exact ones, or all parts of a numbered statement.
fn chosen(ids: &[String]) -> Result<Vec<&'static str>> {
    let all = || claims::STATEMENTS.iter().map(|statement| statement.id);
    if ids.is_empty() {
        return Ok(all().collect());
    }
    let mut chosen = Vec::new();
    for id in ids {
        let part = format!("{id}-");
        let meant: Vec<&str> = all().filter(|s| s == id || s.starts_with(&part)).collect();
        if meant.is_empty() {
            return Err(claims::unknown(id).into());
        }
        chosen.extend(meant);
    }
    Ok(chosen)
}

fn as_json(claims: &[Claim], explain: bool) -> Value {
    let one = |claim: &Claim| {
        let mut value = json!({
            "id": claim.id, "title": claim.title, "predicted": claim.predicted, "computed": claim.computed,
            "holds": claim.holds,
        });
        if let Some(telling) = claim.telling {
            value["telling"] = json!(telling);
        }
        if !claim.factors.is_empty() {
            value["factors"] = json!(claim.factors);
        }
        if explain {
            value["explanation"] = json!(claim.explanation);
        }
        value
    };
    json!({ "claims": claims.iter().map(one).collect::<Vec<Value>>() })
}

fn as_text(claims: &[Claim], explain: bool) -> String {
    if explain {
        let explained: Vec<String> = claims.iter().map(explained).collect();
        return explained.join("\n");
    }
    let head = ["", "statement", "predicted", "computed", "holds"];
    let mut table = output::table(head, &[]);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    let terminal = console::Term::stdout();
    if let Some((_, width)) = terminal.size_checked().filter(|_| terminal.is_term()) {
        table.set_width(width);
    }
    for claim in claims {
        let holds = if claim.holds { "yes" } else { "NO" };
        let (predicted, computed) = (&*claim.predicted, &*claim.computed);
        table.add_row([claim.id, claim.title, predicted, computed, holds]);
    }
    let held = claims.iter().filter(|claim| claim.holds).count();
    format!("{}\n{held} of {} hold\n", table.trim_fmt(), claims.len())
}

fn explained(claim: &Claim) -> String {
    let (id, title, predicted) = (claim.id, claim.title, &claim.predicted);
    let (computed, explanation) = (&claim.computed, wrapped(&claim.explanation, 100));
    let holds = if claim.holds {
        "holds"
    } else {
        "DOES NOT HOLD"
    };
    format!(
        "{id} · {title} · {holds}\n  predicted  {predicted}\n  computed   {computed}\n\n{explanation}\n"
    )
}

/// Breaks a paragraph into lines of at most `width` characters, indented by two.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is always a line");
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.into());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.iter().map(|line| format!("  {line}\n")).collect()
}
