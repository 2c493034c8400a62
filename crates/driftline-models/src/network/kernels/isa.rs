//! Which instruction set the kernels use: found at run time, or chosen for a test or a measurement.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use driftline_core::{Error, Result};

/// An instruction set. Each number of a network is one chain of multiply-adds in an order that no instruction set changes;
/// so all that round a multiply-add once agree bit for bit. Plain Rust rounds twice, so experiments record which it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isa {
    Avx512,
    Avx2,
    Portable,
    /// Plain Rust that rounds as AVX2 and AVX-512 do: slow, and never chosen by itself.
    Fused,
}

impl Isa {
    pub const ALL: [Isa; 4] = [Isa::Avx512, Isa::Avx2, Isa::Portable, Isa::Fused];

    /// The fastest one that this machine has.
    pub fn detect() -> Self {
        Self::ALL
            .into_iter()
            .find(|isa| isa.is_available())
            .unwrap_or(Isa::Portable)
    }

    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => std::arch::is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx512 | Isa::Avx2 => false,
            Isa::Portable | Isa::Fused => true,
        }
    }

    /// Whether results have the same bits as with `other`, on x86-64.
    pub fn rounds_like(self, other: Self) -> bool {
        (self == Isa::Portable) == (other == Isa::Portable)
    }

    /// This one, or else the fastest one of this machine that gives the same bits. Processors other than x86-64 have none to
    /// offer for a foreign one: they keep numbers below the normal range, which x86-64 rounds to zero while it trains.
    pub fn stand_in(self) -> Option<Self> {
        let alike = |isa: &Isa| cfg!(target_arch = "x86_64") && isa.rounds_like(self);
        let others = Self::ALL.into_iter().filter(alike);
        std::iter::once(self)
            .chain(others)
            .find(|isa| isa.is_available())
    }

    /// Refuses an instruction set that this machine lacks.
    pub fn checked(self) -> Result<Self> {
        let missing =
            || Error::out_of_range("the instruction set", self, "one that this machine has");
        self.is_available().then_some(self).ok_or_else(missing)
    }

    /// Registers of channels that one tile has: two where they fill them.
    pub(super) fn registers(self, channels: usize) -> usize {
        1 + usize::from(channels.is_multiple_of(2 * self.lanes()))
    }

    /// As many numbers as one register holds.
    pub(super) fn lanes(self) -> usize {
        match self {
            Isa::Avx512 => 16,
            Isa::Avx2 => 8,
            Isa::Portable | Isa::Fused => 4,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Avx512 => "avx512",
            Isa::Avx2 => "avx2",
            Isa::Portable => "portable",
            Isa::Fused => "fused",
        })
    }
}

impl FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.to_string() == name)
            .ok_or_else(|| {
                Error::out_of_range(
                    "the instruction set",
                    name,
                    "avx512, avx2, portable or fused",
                )
            })
    }
}
