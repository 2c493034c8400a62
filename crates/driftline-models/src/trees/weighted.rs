//! Examples as trees take them: hard labels with weights. A row whose target is a distribution becomes one row for each
//! class that has a share of it, with the share as its weight: the cross-entropy is the same sum.

use driftline_core::data::{Examples, Inputs, Targets};

/// Smaller shares of a class are left out: they change no split, and a softmax gives every class some.
const LEAST_SHARE: f32 = 1e-3;

pub(super) struct Rows {
    /// Which example each row is; none where they are all, in their order.
    places: Option<Vec<usize>>,
    pub(super) labels: Vec<u32>,
    pub(super) weights: Option<Vec<f32>>,
}

impl Rows {
    pub(super) fn of(examples: &Examples) -> Self {
        let probabilities = match examples.targets() {
            Targets::Hard(labels) => {
                return Self {
                    places: None,
                    labels: labels.as_slice().to_vec(),
                    weights: examples.weights().map(<[f32]>::to_vec),
                };
            }
            Targets::Soft(probabilities) => probabilities,
        };
        let (mut places, mut labels, mut weights) = (vec![], vec![], vec![]);
        for (place, shares) in probabilities.iter().enumerate() {
            for (class, &share) in (0..)
                .zip(shares)
                .filter(|(_, share)| **share >= LEAST_SHARE)
            {
                places.push(place);
                labels.push(class);
                weights.push(share * examples.weight(place));
            }
        }
        Self {
            places: Some(places),
            labels,
            weights: Some(weights),
        }
    }

    pub(super) fn inputs(&self, inputs: &Inputs) -> Inputs {
        match &self.places {
            Some(places) => inputs.pick(places),
            None => inputs.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::data::{Probabilities, Shape};

    #[test]
    fn a_distribution_is_one_row_for_each_class_with_a_share() {
        let shares = vec![0.25, 0.75, 0.0, 0.0, 1.0, 0.0];
        let soft = Targets::Soft(Probabilities::new(shares, 3).unwrap());
        let inputs = Inputs::new(vec![5.0, 6.0], Shape::Vector(1)).unwrap();
        let examples = Examples::new(inputs, soft).unwrap();
        let rows = Rows::of(&examples.with_weights(vec![2.0, 3.0]).unwrap());
        assert_eq!(rows.labels, [0, 1, 1]);
        assert_eq!(rows.weights, Some(vec![0.5, 1.5, 3.0]));
        let inputs = Inputs::new(vec![5.0, 6.0], Shape::Vector(1)).unwrap();
        assert_eq!(&*rows.inputs(&inputs).contiguous(), [5.0, 5.0, 6.0]);
    }
}
