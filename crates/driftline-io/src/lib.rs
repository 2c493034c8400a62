//! Files into what models take. A reader gives [`Batches`]; an [`Encoding`], fitted on the labelled source, turns them
//! into [`Rows`]; a [`WindowedStream`] walks a stream of them window by window.

mod ahead;
mod as_memory;
mod batch;
mod column_choice;
mod columns;
mod digest;
mod elements;
mod encoding;
mod file_list;
mod files;
pub mod formats;
mod from_arrays;
mod glob;
mod natural;
mod notes;
mod numbers;
mod options;
mod panics;
mod partition;
mod rows;
mod schema;
mod selection;
mod table;
mod texts;
mod windows;

pub use as_memory::AsMemory;
pub use batch::{Batch, Batches, Column, Field, Head, Kind, Numbers, StoredType, TableSource};
pub use column_choice::{ColumnChoice, RowFilter};
pub use digest::InputDigest;
pub use digest::blake3;
pub use driftline_core::data::time;
pub use driftline_core::data::time::DateOrder;
pub use driftline_core::data::{Period, Time};
pub use encoding::{ClassLookup, class_name};
pub use encoding::{
    Cleaning, Coding, EncodeOptions, Encoding, Feature, InputEncoding, LabeledRows, Usual,
    UsualValue,
};
pub use files::{Files, open};
pub use formats::text_table::is_missing;
pub use natural::natural_order;
pub use notes::{Note, NoteCode, Notes};
pub use numbers::read_numbers;
pub use options::{Colour, ImageOptions, Limits, ReadOptions, TextEncoding};
pub use panics::catching_panics;
pub use partition::SentParts;
pub use partition::{Partition, TablePart};
pub use rows::read_all_hashed;
pub use rows::{Answer, IdColumn, Origins, RowReader, Rows, read_all};
pub use table::Table;
pub use texts::Texts;
pub use windows::{AnswerCounts, Outline, Window, WindowOutline, WindowedStream};
