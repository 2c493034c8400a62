//! Documents with numbers from the results: what stands between `<!-- driftline: REQUEST -->` and `<!-- end -->` is made
//! anew, and so are the charts that the document shows; everything else is left as it was written.

use std::path::Path;

use driftline_core::files::write_whole;

use super::blocks::block;
use super::library::Library;
use crate::failure::{Failure, Result};
use crate::verbosity::Verbosity;

const BEGIN: &str = "<!-- driftline: ";
const END: &str = "<!-- end -->";

/// Rewrites `path` in place, whole or not at all.
pub fn fill(path: &Path, library: &Library<'_>, verbosity: Verbosity) -> Result<()> {
    let text = std::fs::read_to_string(path).map_err(driftline_core::Error::io(path))?;
    let filled = filled(&text, |request| block(request, library))
        .map_err(|fault| fault.at(path.display()))?;
    for chart in charts(&filled) {
        draw(path, chart, library, verbosity)?;
    }
    if filled != text {
        write_whole(path, filled.as_bytes())?;
    }
    Ok(())
}

/// The document with every marked part made by `make`.
fn filled(text: &str, make: impl Fn(&str) -> Result<String>) -> Result<String> {
    let mut out = String::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        out += &format!("{line}\n");
        let Some(request) = line.trim().strip_prefix(BEGIN) else {
            continue;
        };
        let fault = |what: &str| Failure::told(format!("line {}: {what}", number + 1));
        let request = request.strip_suffix("-->");
        let request = request.ok_or_else(|| fault("the marker has no `-->`"))?;
        if !lines.any(|(_, line)| line.trim() == END) {
            return Err(fault(&format!("the part has no `{END}` after it")));
        }
        // Markdown wants an empty line between a comment and a table.
        out += &format!("\n{}\n{END}\n", make(request.trim())?);
    }
    Ok(out)
}

/// The SVG files that the document shows.
fn charts(text: &str) -> impl Iterator<Item = &str> {
    let links = text.split("](").skip(1);
    let links = links.filter_map(|rest| rest.split(')').next());
    links.filter(|target| target.ends_with(".svg") && !target.contains("://"))
}

/// A chart that cannot be made here, for want of results or data, is left as it is.
fn draw(document: &Path, chart: &str, library: &Library<'_>, verbosity: Verbosity) -> Result<()> {
    let folder = document.parent().unwrap_or(Path::new("."));
    let path = folder.join(chart);
    let name = chart.rsplit('/').next().unwrap_or(chart);
    // The longest name that fits: `table1-gaussian` begins the files of `table1-gaussian-draws` too.
    let plans = library.plans().iter();
    let plans = plans.filter(|plan| name.starts_with(&format!("{}-", plan.name)));
    let mut plans: Vec<_> = plans.collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.name.len()));
    for plan in plans {
        let files = driftline_report::figure_files(&library.store(plan)?, library.cache());
        if let Some((_, svg)) = files.iter().find(|(file, _)| file == name) {
            let parent = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(driftline_core::Error::io(parent))?;
            return Ok(write_whole(&path, svg.as_bytes())?);
        }
    }
    if !path.exists() {
        verbosity.say(&format!(
            "{}: {name} cannot be drawn yet: its results or data are not here",
            document.display()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_parts_are_replaced_and_the_rest_is_kept() {
        let text = "# A\n\n<!-- driftline: results x -->\nold\nold\n<!-- end -->\n\nWords.\n";
        let once = filled(text, |request| Ok(format!("<{request}>\n"))).unwrap();
        assert_eq!(
            once,
            "# A\n\n<!-- driftline: results x -->\n\n<results x>\n\n<!-- end -->\n\nWords.\n"
        );
        let twice = filled(&once, |request| Ok(format!("<{request}>\n"))).unwrap();
        assert_eq!(once, twice);
    }

    #[test]
    fn broken_markers_are_named_by_their_line() {
        let make = |_: &str| Ok(String::new());
        let open = filled("a\n<!-- driftline: results x -->\nb\n", make).unwrap_err();
        assert!(open.to_string().contains("line 2"), "{open}");
        let broken = filled("<!-- driftline: results x\n", make).unwrap_err();
        assert!(broken.to_string().contains("line 1"), "{broken}");
    }

    #[test]
    fn charts_are_found_in_links() {
        let text = "![a](figures/a.svg) [b](b.md) ![c](https://example.org/c.svg)";
        assert_eq!(charts(text).collect::<Vec<_>>(), ["figures/a.svg"]);
    }
}
