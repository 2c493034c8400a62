//! Parameters as the kernels want them: channels filled up with zeros to whole registers, one array for all. The zeros
//! stay zero under every optimiser, since their gradients are.

use std::ops::Range;

/// Where one learned tensor lies in the packed array, as `taps × inputs_padded × outputs_padded`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub offset: usize,
    pub taps: usize,
    pub inputs: usize,
    pub inputs_padded: usize,
    pub outputs: usize,
    pub outputs_padded: usize,
    /// λ in λ·ΣW².
    pub l2: f32,
}

impl Packed {
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.taps * self.inputs_padded * self.outputs_padded
    }

    /// Numbers without padding.
    pub fn len(&self) -> usize {
        self.taps * self.inputs * self.outputs
    }

    /// The rows of outputs: where each begins in the packed array.
    fn rows(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.taps).flat_map(move |tap| {
            (0..self.inputs).map(move |input| {
                self.offset + (tap * self.inputs_padded + input) * self.outputs_padded
            })
        })
    }

    pub fn pack(&self, plain: &[f32], packed: &mut [f32]) {
        for (at, row) in self.rows().zip(plain.chunks_exact(self.outputs)) {
            packed[at..at + self.outputs].copy_from_slice(row);
        }
    }

    pub fn unpack(&self, packed: &[f32], plain: &mut [f32]) {
        for (at, row) in self.rows().zip(plain.chunks_exact_mut(self.outputs)) {
            row.copy_from_slice(&packed[at..at + self.outputs]);
        }
    }
}

/// Packs the tensors of a model, which lie one after another in `plain`.
pub(crate) fn pack_all(parameters: &[Packed], plain: &[f32], packed: &mut [f32]) {
    let mut rest = plain;
    for parameter in parameters {
        let (own, others) = rest.split_at(parameter.len());
        parameter.pack(own, packed);
        rest = others;
    }
}

/// The inverse of [`pack_all`].
pub(crate) fn unpack_all(parameters: &[Packed], packed: &[f32], plain: &mut [f32]) {
    let mut rest = plain;
    for parameter in parameters {
        let (own, others) = rest.split_at_mut(parameter.len());
        parameter.unpack(packed, own);
        rest = others;
    }
}
