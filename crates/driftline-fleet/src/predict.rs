//! Predictions for the rows of many streams, each by the version that its stream has in use.

use std::path::Path;

use super::store::FleetFolder;
use super::streams::Streams;
use driftline_core::files::write_with;
use driftline_core::{Error, Result};
use driftline_io::{ColumnChoice, Files, IdColumn, ReadOptions, RowReader, StoredType};
use driftline_models::Runtime;
use driftline_runs::{Format, ModelFile, Sink, limited};

/// What was predicted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FleetPredicted {
    pub streams: usize,
    pub rows: usize,
    /// Streams that the fleet does not know: the source model predicted them.
    pub unknown: Vec<String>,
}

/// The column that names the stream where every file is one.
const STREAM: &str = "stream";

/// Writes the predictions for `data` to `out`, whole or not at all: stream by stream, and within one in the order of the
/// files. `choice` names the columns to pass through.
pub fn predict_fleet(
    fleet: &FleetFolder,
    data: &Files,
    choice: &ColumnChoice,
    read: &ReadOptions,
    out: &Path,
    runtime: &Runtime,
) -> Result<FleetPredicted> {
    runtime.install(|| {
        let format = Format::of(out)?;
        let read = limited(read, runtime);
        let by = fleet.manifest().by.as_deref();
        let streams = match by {
            None => Streams::files(data.paths()),
            Some(by) => {
                let encoding = fleet.source().map(|source| &source.encoding);
                let folder = out.parent().filter(|folder| *folder != Path::new(""));
                let folder = folder.unwrap_or(Path::new("."));
                Streams::parts(data, by, encoding, choice, &read, folder)?
            }
        };
        let mut predicted = FleetPredicted {
            streams: streams.len(),
            rows: 0,
            unknown: vec![],
        };
        let classes = classes(fleet)?;
        write_with(out, |file| {
            let name = by.unwrap_or(STREAM);
            let ids = choice.ids.iter().filter(|id| *id != name);
            let mut columns = vec![(name.to_owned(), StoredType::Text)];
            columns.extend(ids.clone().map(|id| (id.clone(), StoredType::Text)));
            let ids: Vec<String> = ids.cloned().collect();
            let mut sink = Sink::new(format, file, out, &columns, &classes)?;
            for (place, (key, _)) in streams.keys().into_iter().enumerate() {
                let model_file = model(fleet, &key, &mut predicted)?.with_runtime(runtime)?;
                if model_file.classes() != classes {
                    return Err(Error::mismatch(
                        format!("the stream `{key}`"),
                        format!("the classes {}, as the others", classes.join(", ")),
                        model_file.classes().join(", "),
                    ));
                }
                let mut own = streams.choice(&key, choice);
                own.ids = ids.clone();
                own.impute |= model_file.source.choice.impute;
                let data = streams.data(place)?;
                let mut reader = RowReader::open(&*data, &model_file.encoding, &own, &read)?;
                while let Some(mut batch) = reader.next_rows()? {
                    let (labels, probabilities) = model_file.predict(&batch)?;
                    predicted.rows += labels.len();
                    let keys = IdColumn {
                        name: name.to_owned(),
                        values: vec![key.clone(); labels.len()],
                    };
                    batch.ids.insert(0, keys);
                    sink.write(&batch.ids, &labels, &probabilities)?;
                }
            }
            sink.finish()
        })?;
        Ok(predicted)
    })
}

/// The classes that all streams tell apart.
fn classes(fleet: &FleetFolder) -> Result<Vec<String>> {
    if let Some(source) = fleet.source() {
        return Ok(source.classes().to_vec());
    }
    let rows = fleet.rows();
    let first = rows.iter().find(|row| row.windows > 0);
    let first = first.ok_or_else(|| Error::empty("the fleet"))?;
    Ok(fleet.model(&first.key)?.classes().to_vec())
}

fn model(fleet: &FleetFolder, key: &str, predicted: &mut FleetPredicted) -> Result<ModelFile> {
    let known = fleet.entry(key).is_some_and(|entry| entry.windows > 0);
    match (known, fleet.source()) {
        (false, Some(source)) => {
            predicted.unknown.push(key.to_owned());
            Ok(source.clone())
        }
        _ => fleet.model(key),
    }
}
