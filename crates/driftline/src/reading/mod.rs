//! Files into what models take. A reader gives [`Frames`]; an [`Encoding`], fitted on the labelled source, turns them
//! into [`Rows`]; a [`WindowedStream`] walks a stream of them window by window.

mod ahead;
mod as_memory;
mod column_choice;
mod columns;
mod digest;
mod elements;
mod encoding;
mod file_list;
mod files;
pub mod formats;
mod frame;
mod glob;
mod guard;
mod natural;
mod notes;
mod numbers;
mod options;
mod partition;
mod rows;
mod schema;
mod selection;
mod table;
mod texts;
mod windows;

pub(crate) use crate::data::time;
pub use crate::data::{Period, Time};
pub(crate) use as_memory::AsMemory;
pub use column_choice::{ColumnChoice, RowFilter};
pub use digest::InputDigest;
pub(crate) use digest::blake3;
pub(crate) use encoding::ClassLookup;
pub use encoding::{
    Cleaning, Coding, EncodeOptions, Encoding, Feature, InputEncoding, LabeledRows,
};
pub use files::{Files, open};
pub use frame::{Column, Field, Frame, FrameSource, Frames, Kind, Numbers, StoredType};
pub use guard::is_guarded;
pub(crate) use natural::natural_order;
pub use notes::{Note, NoteCode, Notes};
pub use numbers::read_numbers;
pub use options::{Colour, ImageOptions, Limits, ReadOptions};
pub(crate) use partition::SentParts;
pub use partition::{Partition, TablePart};
pub(crate) use rows::read_all_hashed;
pub use rows::{Answer, IdColumn, Origins, RowReader, Rows, read_all};
pub use table::Table;
pub use texts::Texts;
pub use windows::{AnswerCounts, Outline, Window, WindowOutline, WindowedStream};
