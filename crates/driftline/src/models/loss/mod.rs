//! Every loss formula of the library, once.

pub mod softmax;
