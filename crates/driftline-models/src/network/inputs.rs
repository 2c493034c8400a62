//! The inputs of a group: how they come into the padded first tensor, plain or varied; the gradient with respect to them,
//! and the step along its sign that adversarial training takes.

use super::group::{Batch, Context, Group};
use super::program::{Kind, Program};
use super::variation::Variation;

impl Group {
    /// Copies inputs into the padded first tensor.
    #[inline(always)]
    pub fn load<'a>(
        &mut self,
        program: &Program,
        [first, images]: [usize; 2],
        row: impl Fn(usize) -> &'a [f32],
    ) {
        let tensor = &program.tensors[0];
        let [_, width, channels] = tensor.volume;
        let pixels = tensor.values.inside(first);
        for image in 0..images {
            for (y, line) in row(image).chunks_exact(width * channels).enumerate() {
                let at = pixels.origin + image * pixels.image + y * pixels.row;
                self.values[0][at..at + line.len()].copy_from_slice(line);
            }
        }
    }

    /// Moves and mixes inputs on their way into the padded first tensor.
    #[inline(always)]
    pub(super) fn load_varied(
        &mut self,
        program: &Program,
        [first, images]: [usize; 2],
        batch: &Batch,
        variation: &Variation,
    ) {
        let volume = program.tensors[0].volume;
        let size = volume.iter().product();
        let [mut own, mut other, target] = std::mem::take(&mut self.scratch);
        own.resize(size, 0.0);
        other.resize(size, 0.0);
        for image in first..first + images {
            let at = self.part.start + image;
            let row = |at: usize| batch.examples.inputs().row(batch.rows[at]);
            variation.moved(row(at), volume, batch.place + at, &mut own);
            if variation.mixes() {
                let partner = batch.rows.len() - 1 - at;
                let part = variation.own_part(batch.place + at);
                variation.moved(row(partner), volume, batch.place + partner, &mut other);
                for (x, y) in own.iter_mut().zip(&other) {
                    *x = part * *x + (1.0 - part) * y;
                }
                self.own_parts[image] = part;
            }
            self.load(program, [image, 1], |_| &own);
        }
        self.scratch = [own, other, target];
    }

    /// The gradient with respect to the inputs of a slice whose first step has just been gone back through.
    #[inline(always)]
    pub(super) fn differentiate_inputs(&mut self, [first, images]: [usize; 2], context: &Context) {
        let program = context.program;
        let step = &program.steps[0];
        let Kind::Affine(affine) = &step.kind else {
            return;
        };
        let (from, to) = (&program.tensors[step.from], &program.tensors[step.to]);
        let first_delta = if to.keeps_deltas { first } else { 0 };
        self.input_gradient.resize(self.values[0].len(), 0.0);
        affine.first_gradient(
            [first, first_delta, images],
            from,
            to,
            &self.deltas[step.to],
            &context.weights[program.parameters[affine.kernel].range()],
            &mut self.input_gradient,
        );
    }

    /// The gradient with respect to the inputs, without the border.
    pub fn plain_input_gradient(&self, program: &Program) -> Vec<f32> {
        let [height, width, channels] = program.tensors[0].volume;
        let pixels = program.tensors[0].values.inside(0);
        let rows = (0..self.part.len()).flat_map(|image| (0..height).map(move |y| (image, y)));
        rows.flat_map(|(image, y)| {
            let at = pixels.origin + image * pixels.image + y * pixels.row;
            self.input_gradient[at..at + width * channels]
                .iter()
                .copied()
        })
        .collect()
    }

    /// x ← x + radius·sign(∂L/∂x), inside the border.
    pub fn move_inputs(&mut self, program: &Program, radius: f32) {
        let tensor = &program.tensors[0];
        let [height, width, channels] = tensor.volume;
        let pixels = tensor.values.inside(0);
        for image in 0..self.part.len() {
            for y in 0..height {
                let at = pixels.origin + image * pixels.image + y * pixels.row;
                let own = at..at + width * channels;
                let gradient = &self.input_gradient[own.clone()];
                for (x, &g) in self.values[0][own].iter_mut().zip(gradient) {
                    let sign = f32::from(g > 0.0) - f32::from(g < 0.0);
                    *x += radius * sign;
                }
            }
        }
    }
}
