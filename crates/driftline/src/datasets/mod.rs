//! Where tasks come from: generators, readers of known data sets, and the cache they lie in.

pub mod cache;
pub mod catalog;
pub mod covertype;
pub mod digits;
pub mod formats;
pub mod image;
pub mod portraits;
pub mod rotating_digits;
pub mod same_digits;

pub use cache::Cache;
pub use catalog::Dataset;
pub use covertype::{Covertype, CovertypeByDistance, Standardization};
pub use digits::Digits;
pub use portraits::{Portraits, PortraitsOverTime};
pub use rotating_digits::{AngleRange, DigitDrift, RotatingDigits};
pub use same_digits::SameDigits;
