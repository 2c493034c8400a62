//! Benchmarks: tasks with their answers, drawn or read, and the cache that what is read lies in.

pub mod cache;
pub mod catalog;
mod census;
mod color_shift;
mod constructed;
mod covertype;
mod digits;
pub mod gaussian;
pub mod image;
mod numbers;
mod plant;
pub mod portraits;
mod rotating_digits;
mod same_digits;
pub mod stand_in;
mod tabular;
mod timeline;

pub use cache::Cache;
pub use catalog::CatalogEntry;
pub use census::{Census, CensusByYear};
pub use color_shift::ColorShift;
pub use constructed::{Constructed, ConstructedEvent};
pub use covertype::{Covertype, CovertypeByDistance, Standardization};
pub use digits::Digits;
pub use plant::Plant;
pub use portraits::{Portraits, PortraitsOverTime};
pub use rotating_digits::{AngleRange, DigitDrift, RotatingDigits};
pub use same_digits::SameDigits;
pub use tabular::{TableOverTime, TableParts, TablePatterns, TableValues, Unanswered};
