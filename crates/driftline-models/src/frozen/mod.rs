//! An encoder that stays as the source has made it, and a head that goes on learning: head(encoder(x)). What the head
//! learns from may be made up in the encoder's space, where a mean of two features still means something.

mod learner;
mod model;

pub use learner::{FrozenEncoderLearner, FrozenEncoderSpec};
pub use model::FrozenEncoder;
