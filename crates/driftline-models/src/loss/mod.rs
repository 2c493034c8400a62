//! Every loss formula of the library, once.

pub mod margin;
pub mod softmax;
