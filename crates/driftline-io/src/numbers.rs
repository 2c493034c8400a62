//! A table of numbers as inputs, without labels and as it stands.

use super::encoding::{Applied, Cleaning, Coding, Encoding, Feature, InputEncoding};
use super::{ColumnChoice, Kind, Notes, ReadOptions, TableSource};
use driftline_core::Result;
use driftline_core::data::Inputs;
use driftline_core::error::DataFault;

/// The number columns of a table: their names, and all rows. Other columns are left out; missing values are refused.
pub fn read_numbers(
    source: &dyn TableSource,
    options: &ReadOptions,
) -> Result<(Vec<String>, Inputs)> {
    let mut frames = source.open(options)?;
    let numbers = frames
        .fields()
        .iter()
        .filter(|field| field.kind == Kind::Number);
    let names: Vec<String> = numbers.map(|field| field.name.clone()).collect();
    let path = &frames.files()[0];
    if names.is_empty() {
        return Err(DataFault::new(path, "has no column of numbers").into());
    }
    let feature = |name: &String| Feature {
        name: name.clone(),
        coding: Coding::Number {
            shift: 0.0,
            scale: 1.0,
            mean: 0.0,
            mark: false,
        },
    };
    let encoding = Encoding {
        label: String::new(),
        classes: vec![],
        input: InputEncoding::Features(names.iter().map(feature).collect()),
        cleaning: Cleaning::default(),
    };
    let applied = Applied::new(
        &encoding,
        &ColumnChoice::default(),
        frames.fields(),
        frames.files(),
    )?;
    let mut buffer = applied.buffer();
    let row_bytes = 4 * names.len() as u64;
    let most = options.limits.memory / row_bytes;
    // What a damaged file announces is not believed beyond the limit.
    let announced = frames.head().rows.unwrap_or(0).min(most) as usize;
    buffer.values.reserve_exact(announced * names.len());
    while let Some(frame) = frames.next_frame()? {
        options.cancel.check()?;
        let rows: Vec<usize> = (0..frame.rows).collect();
        applied.encode(&frame, &rows, &mut buffer, &mut Notes::new())?;
        if buffer.len() as u64 > most {
            let message = format!("needs more than {} bytes of memory", options.limits.memory);
            return Err(DataFault::new(&applied.files[0], message).into());
        }
    }
    Ok((names, buffer.finish(&applied)?.inputs))
}
