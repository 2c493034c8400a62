//! How many rows of a window each labelled one stands for. Rows that were asked for were not drawn evenly: an audit draws
//! them where versions differ, the judge more often there than elsewhere.

use super::labels::Answers;
use crate::asked::AskedLine;
use crate::folder::RunFolder;
use driftline_core::Result;
use driftline_core::error::DataFault;
use driftline_io::Answer;

/// Asked rows that stand for fewer rows than this share of the window say nothing about the rest.
const ENOUGH: f64 = 0.99;

/// The weight of every row of `window`; `None` where labels count alike. Labels of rows that were asked for only where
/// versions differ are refused.
pub(super) fn weights(
    run: &RunFolder,
    window: usize,
    answers: &Answers,
) -> Result<Option<Vec<f64>>> {
    let all = run.asked()?;
    let asked = all.lines().iter().filter(|line| line.window == window);
    let asked: Vec<&AskedLine> = asked.collect();
    let rows = answers.of_rows.len();
    let is_labelled = |row: usize| answers.of_rows[row] != Answer::Missing;
    let labelled: Vec<usize> = (0..rows).filter(|&row| is_labelled(row)).collect();
    let mut is_asked = vec![false; rows];
    for line in asked.iter().filter(|line| line.window_row <= rows) {
        is_asked[line.window_row - 1] = true;
    }
    let (drawn, others): (Vec<usize>, Vec<usize>) =
        labelled.iter().partition(|&&row| is_asked[row]);
    if drawn.is_empty() || labelled.len() == rows {
        return Ok(None);
    }
    let mut weights = vec![0.0; rows];
    if !others.is_empty() {
        // Those that nobody asked for stand for one another.
        let each = (rows - drawn.len()) as f64 / others.len() as f64;
        drawn.iter().for_each(|&row| weights[row] = 1.0);
        others.iter().for_each(|&row| weights[row] = each);
        return Ok(Some(weights));
    }
    let of = |by: &str| asked.iter().filter(|line| line.asked_by == by).count();
    let by = asked.iter().map(|line| &*line.asked_by);
    let by = by.max_by_key(|by| of(by)).unwrap_or_default();
    let lines: Vec<&&AskedLine> = asked.iter().filter(|line| line.asked_by == by).collect();
    // Rows of the same weight were drawn from the same set: those with a label stand for those without.
    let mut total = 0.0;
    for line in &lines {
        let alike = || lines.iter().filter(|own| own.weight == line.weight);
        let known = alike()
            .filter(|own| is_labelled(own.window_row - 1))
            .count();
        if known > 0 && is_labelled(line.window_row - 1) {
            let weight = line.weight * alike().count() as f64 / known as f64;
            weights[line.window_row - 1] = weight;
            total += weight;
        }
    }
    if total < ENOUGH * rows as f64 {
        let message = format!(
            "labels {} rows that `{by}` asked for, which stand for {total:.0} of the {rows} rows of window {window}: they were drawn where versions differ, so they do not show how accurate either is",
            drawn.len()
        );
        let help = format!(
            "`driftline audit {} --agreeing 20` also names rows that both versions class alike; label these too",
            run.folder().display()
        );
        return Err(DataFault::new(&answers.path, message).help(help).into());
    }
    Ok(Some(weights))
}
