//! The paper's statements, computed: every one must come out as our reading predicts, whatever the random instances.

use driftline_core::random::Seed;
use driftline_theory::claims::{STATEMENTS, check_all, check_each};

/// Ids that readers and other programs rely on.
const PROMISED: [&str; 27] = [
    "3.1",
    "3.1-max-margin",
    "3.2",
    "3.2-kantorovich",
    "3.3-printed",
    "3.3-tight",
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

/// The cheap statements with other random instances: nothing above hinges on one lucky seed.
#[test]
fn other_instances_agree() {
    let slow = ["4.1", "3.1-samples", "4-descent", "3.2", "3.2-kantorovich"];
    let ids: Vec<&str> = STATEMENTS
        .iter()
        .map(|s| s.id)
        .filter(|id| !slow.contains(id))
        .collect();
    for seed in 1..3 {
        for claim in check_each(&ids, Seed::new(seed)).unwrap() {
            assert!(
                claim.holds,
                "{} with seed {seed}: {}",
                claim.id, claim.computed
            );
        }
    }
}

/// A bound that nothing can exceed is never violated: statements about bounds say how many could have been.
#[test]
fn bounds_are_drawn_where_they_can_fail() {
    for (id, least) in [("3.8", 1.0), ("A.1", 0.9), ("3.3-tight", 0.5)] {
        let claim = check_each(&[id], Seed::new(1)).unwrap().remove(0);
        let telling = claim.telling.expect("a statement about a bound");
        assert!(telling.of > 1_000, "{id}: {telling}");
        assert!(
            telling.bounds as f64 >= least * telling.of as f64,
            "{id}: {telling}"
        );
        assert!(claim.computed.contains(&telling.to_string()), "{id}");
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
