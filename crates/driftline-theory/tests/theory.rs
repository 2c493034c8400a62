//! The paper's statements, computed: every one must come out as our reading predicts, whatever the random instances.

use driftline_core::random::Seed;
use driftline_theory::claims::{LEAST_TELLING, check_all, check_each};

/// Ids that readers and other programs rely on.
const PROMISED: [&str; 32] = [
    "3.1",
    "3.1-max-margin",
    "3.2",
    "3.2-kantorovich",
    "3.2-samples",
    "3.2-label-shift",
    "3.2-printed",
    "3.3-printed",
    "3.3-tight",
    "3.3-samples",
    "3.3-separable",
    "3.4-printed",
    "3.4-two-step",
    "3.4-three-step",
    "3.5",
    "3.6",
    "3.7-hinge",
    "3.7-ramp",
    "3.8",
    "4.1",
    "4.1-self-training",
    "4-descent",
    "A.1",
    "A.2",
    "A.3",
    "A.4",
    "A.5",
    "A.6",
    "A.7",
    "A.8",
    "B.1",
    "B.3",
];

#[test]
fn every_statement_comes_out_as_we_read_it() {
    let claims = check_all(Seed::new(0)).unwrap();
    for id in PROMISED {
        assert!(claims.iter().any(|claim| claim.id == id), "{id} is missing");
    }
    for claim in &claims {
        assert!(
            claim.holds,
            "{}: predicted {}, computed {}",
            claim.id, claim.predicted, claim.computed
        );
        assert!(
            claim.explanation.len() > 80,
            "{} is not explained",
            claim.id
        );
    }
    let printed = claims
        .iter()
        .find(|claim| claim.id == "3.4-printed")
        .unwrap();
    assert_eq!(
        (&*printed.predicted, &*printed.computed),
        ("fails", "fails")
    );
}

/// Every bound, and how many of its factors are changed one at a time.
const BOUNDS: [(&str, usize); 16] = [
    ("3.2", 4),
    ("3.2-kantorovich", 4),
    ("3.2-samples", 4),
    ("3.2-label-shift", 4),
    ("3.3-printed", 4),
    ("3.3-tight", 5),
    ("3.3-samples", 3),
    ("3.8", 2),
    ("4-descent", 1),
    ("A.1", 4),
    ("A.2", 3),
    ("A.3", 2),
    ("A.4", 1),
    ("A.5", 1),
    ("A.6", 2),
    ("A.7", 2),
];

/// With other random instances: enough of them could have shown a violation, and each of these bounds is refuted once one
/// of its factors is another.
#[test]
fn every_factor_of_every_bound_is_needed() {
    let ids: Vec<&str> = BOUNDS.iter().map(|(id, _)| *id).collect();
    let claims = check_each(&ids, Seed::new(1)).unwrap();
    for ((id, factors), claim) in BOUNDS.iter().zip(claims) {
        let telling = claim.telling.expect("a statement about a bound");
        assert!(telling.bounds >= LEAST_TELLING, "{id}: {telling}");
        assert!(claim.computed.contains(&telling.to_string()), "{id}");
        assert_eq!(claim.factors.len(), *factors, "{id}");
        for factor in &claim.factors {
            assert!(factor.refuted && factor.violations > 0, "{id}: {factor:?}");
        }
        assert!(claim.holds, "{id}: {}", claim.computed);
    }
}

/// The other statements whose bounds are checked in cases of their own.
#[test]
fn constructions_and_distances_have_factors_too() {
    let ids = ["3.4-two-step", "3.4-three-step", "B.1"];
    for claim in check_each(&ids, Seed::new(1)).unwrap() {
        assert!(claim.holds && claim.factors.len() >= 2, "{}", claim.id);
        assert!(
            claim.factors.iter().all(|f| f.refuted),
            "{:?}",
            claim.factors
        );
    }
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let ids = ["3.3-tight", "3.8", "A.2", "B.3"];
    let texts = || -> Vec<String> {
        let claims = check_each(&ids, Seed::new(7)).unwrap();
        claims
            .into_iter()
            .map(|claim| claim.computed + &claim.explanation)
            .collect()
    };
    assert_eq!(texts(), texts());
}

#[test]
fn an_unknown_statement_is_refused_with_the_known_ones() {
    let message = check_each(&["9.9"], Seed::new(0)).unwrap_err().to_string();
    assert!(
        message.contains("9.9") && message.contains("3.4-printed"),
        "{message}"
    );
}
