//! Grey images and what is done to them.

mod grey;
pub mod rotation;

pub use grey::GreyImages;
