//! The rows that are to be labelled as a person sees them: with the columns of the row itself, read again from where the run
//! has read them. The run itself keeps no inputs.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::AskedLine;
use super::csv::{COLUMNS, cells, quoted};
use super::text::cell;
use crate::folder::RunFolder;
use driftline_core::Result;
use driftline_io::{Kind, ReadOptions};

/// A row with its columns by name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownRow {
    #[serde(flatten)]
    pub line: AskedLine,
    #[serde(serialize_with = "as_map")]
    pub columns: Columns,
}

fn as_map<S: serde::Serializer>(columns: &Columns, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(columns.iter().map(|(name, value)| (name, value)))
}

/// The open rows of a run. Columns are left out where the file is not there any more.
pub fn shown(run: &RunFolder, read: &ReadOptions) -> Result<Vec<ShownRow>> {
    let asked = run.asked()?;
    let open = asked.open();
    // What they are to be labelled with is not shown, if the file has it.
    let choice = &run.manifest().settings.choice;
    let hidden: Vec<&str> = choice.answers.iter().map(|own| &**own).collect();
    let mut files: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for line in &open {
        files.entry(&line.file).or_default().push(line.row);
    }
    let mut known: BTreeMap<(&str, u64), Columns> = BTreeMap::new();
    for (file, rows) in files {
        for (row, columns) in columns_of(Path::new(file), &rows, &hidden, read)? {
            known.insert((file, row), columns);
        }
    }
    let show = |line: &&AskedLine| ShownRow {
        columns: known
            .get(&(&*line.file, line.row))
            .cloned()
            .unwrap_or_default(),
        line: (*line).clone(),
    };
    Ok(open.iter().map(show).collect())
}

/// Names and values.
type Columns = Vec<(String, String)>;

/// The columns of some rows of a file, by their numbers.
fn columns_of(
    path: &Path,
    rows: &[u64],
    hidden: &[&str],
    read: &ReadOptions,
) -> Result<Vec<(u64, Columns)>> {
    if !path.exists() {
        return Ok(vec![]);
    }
    let mut found = vec![];
    // As it stands in the file, `007` and all.
    let names = driftline_io::open(path, read)?;
    let names = names.fields().iter().map(|field| field.name.clone());
    let read = ReadOptions {
        text: names.collect(),
        ..read.clone()
    };
    let mut frames = driftline_io::open(path, &read)?;
    let fields = frames.fields().to_vec();
    let pictures = fields.iter().any(|own| matches!(own.kind, Kind::Image(_)));
    while let Some(frame) = frames.next_frame()? {
        for at in (0..frame.rows).filter(|&at| rows.contains(&frame.number_of(at))) {
            let told = fields.iter().zip(&frame.columns);
            let told = told.filter(|(field, _)| !matches!(field.kind, Kind::Image(_)));
            let told = told.filter(|(field, _)| !hidden.contains(&&*field.name));
            let told = told.map(|(field, column)| match &*field.name {
                // The name of a picture in its folder.
                "file" if pictures => {
                    let picture = path.join(cell(column, at));
                    ("image".to_owned(), picture.display().to_string())
                }
                name if COLUMNS.contains(&name) => (format!("its {name}"), cell(column, at)),
                name => (name.to_owned(), cell(column, at)),
            });
            found.push((frame.number_of(at), told.collect()));
        }
        if found.len() == rows.len() {
            break;
        }
    }
    Ok(found)
}

/// The same as a table to be filled in: the columns of the store, and behind them those of the rows.
pub fn shown_csv(rows: &[ShownRow]) -> Vec<u8> {
    let mut names: Vec<&str> = vec![];
    for (name, _) in rows.iter().flat_map(|row| &row.columns) {
        if !names.contains(&&**name) {
            names.push(name);
        }
    }
    let head: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let mut text = [&COLUMNS.map(String::from)[..], &head[..]]
        .concat()
        .join(",")
        + "\n";
    for row in rows {
        let mut line = cells(&row.line);
        line.extend(names.iter().map(|name| {
            let found = row.columns.iter().find(|(own, _)| own == name);
            found.map_or(String::new(), |(_, value)| quoted(value))
        }));
        text += &(line.join(",") + "\n");
    }
    text.into_bytes()
}
