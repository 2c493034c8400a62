//! Fast kernels, the only place of the library with `unsafe`: safe functions that check their bounds once per call and
//! then run register tiles, chosen at run time for AVX-512, AVX2 or any other machine.

mod aligned;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod denormals;
mod dispatch;
mod isa;
mod outer;
mod outer_tile;
mod peak;
mod portable;
mod simd;
mod team;
mod vectorize;
mod window;
mod window_tile;

pub use aligned::Aligned;
pub use denormals::FlushDenormals;
pub use isa::Isa;
pub use outer::OuterProducts;
pub use peak::peak;
pub use team::Team;
pub use vectorize::vectorized;
pub use window::{Finish, Pixels, Windows};

/// Channel counts inside buffers are multiples of this, whatever the instruction set: layouts do not depend on it.
pub const CHANNEL_BLOCK: usize = 16;
