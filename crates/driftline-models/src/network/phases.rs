//! A training step as stretches of work that need no other group, cut where a batch norm needs them all.

use std::ops::Range;

use super::program::Program;

/// One stretch of work between two meetings of all groups.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    /// The batch is new: inputs are loaded first.
    pub load: bool,
    /// Steps to go forward through; a batch norm among them must be the first.
    pub forward: Range<usize>,
    /// Then the loss, and steps to go back through in reverse.
    pub loss: bool,
    pub backward: Range<usize>,
    /// The batch norm whose statistics the meeting combines: of its input, or of its output's gradient.
    pub measure: Option<usize>,
    pub measure_gradient: Option<usize>,
}

/// Cuts a step into phases at its batch norms: m norms make 2m + 1 of them.
pub(super) fn phases(program: &Program) -> Vec<Phase> {
    let norms: Vec<usize> = program.norms().map(|(step, _)| step).collect();
    let n = program.steps.len();
    let mut phases: Vec<Phase> = vec![];
    let mut from = 0;
    for &norm in &norms {
        phases.push(Phase {
            load: phases.is_empty(),
            forward: from..norm,
            loss: false,
            backward: 0..0,
            measure: Some(norm),
            measure_gradient: None,
        });
        from = norm;
    }
    let mut until = n;
    for &norm in norms.iter().rev() {
        phases.push(Phase {
            load: false,
            forward: if until == n { from..n } else { 0..0 },
            loss: until == n,
            backward: norm + 1..until,
            measure: None,
            measure_gradient: Some(norm),
        });
        until = norm + 1;
    }
    phases.push(Phase {
        load: norms.is_empty(),
        forward: if norms.is_empty() { 0..n } else { 0..0 },
        loss: norms.is_empty(),
        backward: 0..until,
        measure: None,
        measure_gradient: None,
    });
    phases
}
