//! Laws of the distances: each is zero only between equals, symmetric, and obeys the triangle inequality; and the
//! relations between them.

use driftline_core::random::Seed;
use driftline_drift::transport::{
    Cloud, Order, kullback_leibler, total_variation, w_infinity, w_infinity_by_flow,
    w_infinity_by_matching, wasserstein,
};
use proptest::prelude::*;

/// Points in the plane with masses; coordinates on a coarse grid, so that points coincide and distances tie.
fn cloud() -> impl Strategy<Value = Cloud> {
    prop::collection::vec((-4i32..5, -4i32..5, 1u32..5), 1..7).prop_map(|atoms| {
        let coordinates = atoms
            .iter()
            .flat_map(|&(x, y, _)| [f64::from(x) / 2.0, f64::from(y) / 2.0])
            .collect();
        let masses: Vec<f64> = atoms.iter().map(|&(_, _, m)| f64::from(m)).collect();
        Cloud::new(2, coordinates)
            .unwrap()
            .with_masses(&masses)
            .unwrap()
    })
}

/// Equally many, equally heavy points anywhere.
fn samples(n: usize) -> impl Strategy<Value = Cloud> {
    prop::collection::vec(-2.0..2.0, 3 * n).prop_map(|values| Cloud::new(3, values).unwrap())
}

type Distance = fn(&Cloud, &Cloud) -> f64;

fn distance(p: &Cloud, q: &Cloud) -> f64 {
    w_infinity(p, q, Seed::new(0)).unwrap().value
}

proptest! {
    #[test]
    fn w_infinity_is_a_metric(p in cloud(), q in cloud(), r in cloud()) {
        prop_assert_eq!(distance(&p, &p), 0.0);
        prop_assert!((distance(&p, &q) - distance(&q, &p)).abs() < 1e-12);
        prop_assert!(distance(&p, &r) <= distance(&p, &q) + distance(&q, &r) + 1e-9);
        let same = total_variation(&p, &q).unwrap() < 1e-12;
        prop_assert_eq!(distance(&p, &q) < 1e-12, same);
    }

    #[test]
    fn so_are_w1_w2_and_total_variation(p in cloud(), q in cloud(), r in cloud()) {
        let all: [Distance; 3] = [
            |p, q| wasserstein(Order::One, p, q).unwrap(),
            |p, q| wasserstein(Order::Two, p, q).unwrap(),
            |p, q| total_variation(p, q).unwrap(),
        ];
        for d in all {
            prop_assert!(d(&p, &p) < 1e-6);
            prop_assert!((d(&p, &q) - d(&q, &p)).abs() < 1e-9);
            prop_assert!(d(&p, &r) <= d(&p, &q) + d(&q, &r) + 1e-9);
        }
    }

    /// W₁ ≤ W₂ ≤ W∞, ‖E X − E X'‖ ≤ W₁, and TV ≤ √(KL/2) (Pinsker).
    #[test]
    fn they_are_ordered(p in cloud(), q in cloud()) {
        let [one, two] = [Order::One, Order::Two].map(|order| wasserstein(order, &p, &q).unwrap());
        prop_assert!(one <= two + 1e-9 && two <= distance(&p, &q) + 1e-9);
        let gap: f64 = p.mean().iter().zip(q.mean()).map(|(a, b)| (a - b) * (a - b)).sum();
        prop_assert!(gap.sqrt() <= one + 1e-9);
        let divergence = kullback_leibler(&p, &q).unwrap();
        prop_assert!(total_variation(&p, &q).unwrap() <= (divergence / 2.0).sqrt() + 1e-9);
    }

    /// Moving everything by one vector moves the distribution by exactly its length.
    #[test]
    fn a_translation_has_its_length(p in samples(6), step in prop::array::uniform3(-3.0..3.0)) {
        let moved: Vec<f64> = p.points().flat_map(|x| [x[0] + step[0], x[1] + step[1], x[2] + step[2]]).collect();
        let q = Cloud::new(3, moved).unwrap();
        let length = step.iter().map(|s| s * s).sum::<f64>().sqrt();
        prop_assert!((distance(&p, &q) - length).abs() < 1e-9);
    }

    /// The Monge form by matching and the Kantorovich form by flows agree on samples of equal size.
    #[test]
    fn matching_and_flow_agree(p in samples(9), q in samples(9)) {
        prop_assert!((w_infinity_by_matching(&p, &q) - w_infinity_by_flow(&p, &q)).abs() < 1e-12);
    }

    /// No projection can be farther apart than the whole.
    #[test]
    fn projections_are_nearer(p in cloud(), q in cloud(), angle in 0.0..std::f64::consts::TAU) {
        let direction = [angle.cos(), angle.sin()];
        prop_assert!(distance(&p.projected(&direction), &q.projected(&direction)) <= distance(&p, &q) + 1e-9);
    }
}

/// Splitting mass can be shorter than any way to move whole points: flows find it.
#[test]
fn unequal_masses_may_split() {
    let p = Cloud::new(1, vec![0.0]).unwrap();
    let q = Cloud::new(1, vec![-1.0, 2.0])
        .unwrap()
        .with_masses(&[0.9, 0.1])
        .unwrap();
    assert_eq!(distance(&p, &q), 2.0);
    assert_eq!(w_infinity_by_flow(&p, &q), 2.0);
}

#[test]
fn samples_that_cannot_be_compared_are_refused() {
    let plane = Cloud::new(2, vec![0.0, 0.0]).unwrap();
    let line = Cloud::new(1, vec![0.0]).unwrap();
    let none = Cloud::new(2, vec![]).unwrap();
    assert!(w_infinity(&plane, &line, Seed::new(0)).is_err());
    assert!(w_infinity(&plane, &none, Seed::new(0)).is_err());
    assert!(Cloud::new(0, vec![]).is_err());
    assert!(Cloud::new(1, vec![f64::NAN]).is_err());
    assert!(line.with_masses(&[0.0]).is_err());
}

/// Too many points to be compared pair by pair: bounds that are equal in theory may cross by a rounding.
#[test]
fn a_translation_of_many_points_has_its_length() {
    use rand::RngExt;
    let mut generator = Seed::new(3).generator();
    let points: Vec<f64> = (0..26_000)
        .map(|_| generator.random_range(-1.0..1.0))
        .collect();
    let moved: Vec<f64> = points
        .chunks(2)
        .flat_map(|p| [p[0] + 0.3, p[1] - 0.4])
        .collect();
    let (p, q) = (
        Cloud::new(2, points).unwrap(),
        Cloud::new(2, moved).unwrap(),
    );
    let found = w_infinity(&p, &q, Seed::new(0)).unwrap();
    assert!(!found.exact);
    assert!(
        (found.lower - 0.5).abs() < 1e-9 && found.lower <= found.upper,
        "{found:?}"
    );
}
