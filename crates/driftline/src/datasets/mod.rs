//! Benchmarks: tasks with their answers, drawn or read, and the cache that what is read lies in.

pub mod cache;
pub mod catalog;
pub mod census;
mod constructed;
pub mod covertype;
pub mod digits;
pub mod gaussian;
pub mod image;
mod numbers;
pub mod portraits;
pub mod rotating_digits;
pub mod same_digits;
pub mod stand_in;
mod tabular;

pub use cache::Cache;
pub use catalog::CatalogEntry;
pub use census::{Census, CensusByYear};
pub use constructed::{Constructed, ConstructedEvent};
pub use covertype::{Covertype, CovertypeByDistance, Standardization};
pub use digits::Digits;
pub use portraits::{Portraits, PortraitsOverTime};
pub use rotating_digits::{AngleRange, DigitDrift, RotatingDigits};
pub use same_digits::SameDigits;
pub use tabular::{TableOverTime, TableParts, TablePatterns, TableValues, Unanswered};
