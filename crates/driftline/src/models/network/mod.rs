//! A small neural-network library.

pub mod kernels;
