//! Sections as Markdown: headings, paragraphs, pipe tables.

use super::{Card, Grid, Section};

pub fn page(title: &str, sections: &[Section]) -> String {
    let mut page = Page::default();
    let several = sections.len() != 1;
    if several {
        page.paragraph(&format!("# {}", escaped(title)));
    }
    let level = if several { "##" } else { "#" };
    for section in sections {
        page.section(section, level);
    }
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn section(&mut self, section: &Section, level: &str) {
        self.paragraph(&format!("{level} {}", escaped(&section.title)));
        if let Some(now) = &section.now {
            self.paragraph(&escaped(now));
        }
        if !section.cards.is_empty() {
            let mut now = Grid::new("Now", 3, "||");
            let row = |card: &Card| vec![card.name.into(), card.value.clone(), card.detail.clone()];
            now.rows = section.cards.iter().map(row).collect();
            self.grid(&now, level);
        }
        self.paragraph(&escaped(&section.outcome));
        if let Some((_, verdict)) = &section.verdict {
            self.paragraph(&format!("**{}.**", escaped(verdict)));
        }
        for grid in section.results.iter().chain(&section.tables) {
            self.grid(grid, level);
        }
        let limits = "Assumptions and limits";
        for (title, points) in [("Notes", &section.notes), (limits, &section.limits)] {
            if !points.is_empty() {
                self.paragraph(&format!("{level}# {title}"));
                let points = points.iter().map(|point| format!("- {}", escaped(point)));
                self.paragraph(&points.collect::<Vec<_>>().join("\n"));
            }
        }
        for grid in section.means.iter().chain(&section.settings) {
            self.grid(grid, level);
        }
        let facts = section.facts.iter().cloned();
        self.grid(&Grid::pairs("Provenance", facts), level);
        self.paragraph("To run it again:");
        let command = section.command.replace(char::is_control, " ");
        self.paragraph(&format!("    {command}"));
    }

    fn grid(&mut self, grid: &Grid, level: &str) {
        self.paragraph(&format!("{level}# {}", escaped(&grid.title)));
        let line = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("| {} |", cells.join(" | "))
        };
        let rule = |column| if column < grid.words { "---" } else { "---:" };
        let rules: Vec<&str> = (0..grid.head.len()).map(rule).collect();
        let mut lines = vec![line(&grid.head), format!("| {} |", rules.join(" | "))];
        lines.extend(grid.rows.iter().map(|row| line(row)));
        self.paragraph(&lines.join("\n"));
        for note in &grid.notes {
            self.paragraph(&escaped(note));
        }
    }

    fn paragraph(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text += text;
        self.text.push('\n');
    }
}

/// Text from files must neither break a table nor become markup; what stands between backticks is code.
fn escaped(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return plain(text);
    }
    let part = |(place, part): (usize, &&str)| match place % 2 {
        0 => plain(part),
        _ => format!(
            "`{}`",
            part.replace('|', "\\|").replace(char::is_control, " ")
        ),
    };
    parts.iter().enumerate().map(part).collect()
}

fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped += "&lt;",
            '&' => escaped += "&amp;",
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_survive_pipes_and_line_breaks() {
        let mut grid = Grid::new("A", 1, "Name|n");
        grid.rows.push(vec!["a|b\n<c>".into(), "1".into()]);
        let mut page = Page::default();
        page.grid(&grid, "#");
        assert_eq!(
            page.text,
            "## A\n\n| Name | n |\n| --- | ---: |\n| a\\|b &lt;c> | 1 |\n"
        );
    }
}
