//! The questions in the terminal: a row with its columns, a key for every class, skip, undo, quit. Each answer is kept
//! before the next question, so that a stop at any moment loses nothing.

use std::io::Write;

use driftline_core::Error;
use driftline_runs::{AskedLine, OTHER_CLASS, ShownRow};

use crate::failure::Result;

/// The keys of classes, in their order; further classes are named in a file.
const KEYS: &str = "123456789abcdefghijklmnoprtvwxyz";
const OTHER: char = '0';

/// Where keys come from.
pub trait Keys {
    /// None: there are no more.
    fn key(&mut self) -> std::io::Result<Option<char>>;
}

impl Keys for console::Term {
    fn key(&mut self) -> std::io::Result<Option<char>> {
        self.read_char().map(Some)
    }
}

type Save<'a> = dyn FnMut(&AskedLine, &str) -> Result<()> + 'a;

pub struct Prompt<'a> {
    pub rows: &'a [ShownRow],
    pub classes: &'a [String],
    /// Keeps a label; an empty one takes it back.
    pub save: &'a mut Save<'a>,
    /// Shows what a terminal cannot.
    pub show: &'a mut dyn FnMut(&ShownRow),
}

/// What a key means.
enum Said<'a> {
    Label(&'a str),
    Skip,
    Undo,
    Quit,
}

impl Prompt<'_> {
    /// Asks about every row; how many have a label in the end.
    pub fn ask(&mut self, keys: &mut impl Keys, out: &mut impl Write) -> Result<usize> {
        let fault = |error| Error::io("the terminal")(error);
        let (rows, classes) = (self.rows, self.classes);
        let mut labelled = vec![false; self.rows.len()];
        let mut at = 0;
        while let Some(row) = rows.get(at) {
            write!(out, "{}", self.question(at)).map_err(fault)?;
            out.flush().map_err(fault)?;
            (self.show)(row);
            let said = loop {
                let Some(key) = keys.key().map_err(fault)? else {
                    break Said::Quit;
                };
                if let Some(said) = meaning(key, classes) {
                    break said;
                }
            };
            let echo = match said {
                Said::Label(label) => {
                    (self.save)(&row.line, label)?;
                    labelled[at] = true;
                    at += 1;
                    label
                }
                Said::Skip => {
                    at += 1;
                    "skipped"
                }
                Said::Undo => {
                    at = at.saturating_sub(1);
                    if std::mem::take(&mut labelled[at]) {
                        (self.save)(&rows[at].line, "")?;
                    }
                    "back"
                }
                Said::Quit => "end",
            };
            writeln!(out, "{echo}").map_err(fault)?;
            if matches!(said, Said::Quit) {
                break;
            }
        }
        Ok(labelled.into_iter().filter(|labelled| *labelled).count())
    }

    fn question(&self, at: usize) -> String {
        let row = &self.rows[at];
        let line = &row.line;
        let mut text = format!(
            "\nrow {} of {}: row {} of window {}, {} row {}\n",
            at + 1,
            self.rows.len(),
            line.window_row,
            line.window,
            line.file,
            line.row
        );
        let wide = row.columns.iter().map(|(name, _)| name.chars().count());
        let wide = wide.max().unwrap_or(0);
        for (name, value) in &row.columns {
            text += &format!("  {name:<wide$}  {value}\n");
        }
        let classes = KEYS.chars().zip(self.classes);
        let classes = classes.map(|(key, class)| format!("{key} {class}"));
        let mut choices: Vec<String> = classes.collect();
        choices.push(format!("{OTHER} {OTHER_CLASS}"));
        text + &format!("  {}; s skip, u undo, q quit: ", choices.join(", "))
    }
}

fn meaning(key: char, classes: &[String]) -> Option<Said<'_>> {
    match key {
        's' => Some(Said::Skip),
        'u' => Some(Said::Undo),
        'q' => Some(Said::Quit),
        OTHER => Some(Said::Label(OTHER_CLASS)),
        key => {
            let at = KEYS.chars().position(|own| own == key)?;
            Some(Said::Label(classes.get(at)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Keys for std::str::Chars<'_> {
        fn key(&mut self) -> std::io::Result<Option<char>> {
            Ok(self.next())
        }
    }

    /// What was kept, in its order, and what was shown.
    fn typed(keys: &str) -> (Vec<(usize, String)>, usize, String) {
        let row = |row: usize| ShownRow {
            line: AskedLine {
                window: 2,
                window_row: row,
                id: row.to_string(),
                file: "t.csv".into(),
                row: row as u64,
                weight: 1.0,
                asked_by: "judge".into(),
                label: String::new(),
            },
            columns: vec![("temp".into(), "21.5".into())],
        };
        let rows = [row(7), row(3), row(5)];
        let classes = ["ant".to_owned(), "bee".to_owned()];
        let (mut kept, mut out) = (vec![], vec![]);
        let mut save = |line: &AskedLine, label: &str| {
            kept.push((line.window_row, label.to_owned()));
            Ok(())
        };
        let mut prompt = Prompt {
            rows: &rows,
            classes: &classes,
            save: &mut save,
            show: &mut |_| {},
        };
        let labelled = prompt.ask(&mut keys.chars(), &mut out).unwrap();
        (kept, labelled, String::from_utf8(out).unwrap())
    }

    #[test]
    fn one_key_labels_skips_takes_back_and_ends() {
        let of = |kept: &[(usize, &str)]| -> Vec<(usize, String)> {
            let owned = |&(row, label): &(usize, &str)| (row, label.to_owned());
            kept.iter().map(owned).collect()
        };
        let (kept, labelled, text) = typed("1s2");
        assert_eq!((kept, labelled), (of(&[(7, "ant"), (5, "bee")]), 2));
        assert!(
            text.contains("row 1 of 3: row 7 of window 2, t.csv row 7"),
            "{text}"
        );
        assert!(text.contains("temp  21.5"), "{text}");
        assert!(
            text.contains("1 ant, 2 bee, 0 another class; s skip, u undo, q quit"),
            "{text}"
        );
        // Other keys mean nothing; undo takes the last answer back and asks again.
        let (kept, labelled, _) = typed("x92u1q");
        assert_eq!(
            (kept, labelled),
            (of(&[(7, "bee"), (7, ""), (7, "ant")]), 1)
        );
        // Undo of a row that was skipped, and at the first one; the end of the input ends it.
        let (kept, labelled, _) = typed("usu0");
        assert_eq!((kept, labelled), (of(&[(7, "another class")]), 1));
        assert_eq!(typed("").1, 0);
    }
}
