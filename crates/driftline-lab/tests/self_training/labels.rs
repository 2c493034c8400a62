//! What a teacher's labels are: ties, soft labels, and an empty window.

use super::*;

#[test]
fn an_empty_domain_is_refused() {
    let mut adaptation = start(candidate(), teacher(|_| [1.0, 0.0]));
    let step = one_step(&mut adaptation, domain(0));
    assert!(matches!(step, Err(Error::Empty { .. })));
}

#[test]
fn a_tie_is_labelled_with_the_first_class() {
    let keep_all = Filter::DropFraction(Fraction::new(0.0).unwrap());
    let tied = teacher(|i| if i == 0 { [0.5, 0.5] } else { [0.25, 0.75] });
    let hard = labeling(LabelKind::Hard, keep_all, OnEmptyWindow::Fail);
    let labeled = hard.of(&tied, &domain(4)).unwrap();
    let Targets::Hard(labels) = labeled.examples.unwrap().targets().clone() else {
        panic!("hard labels")
    };
    assert_eq!(labels.as_slice(), [0, 1, 1, 1]);
    assert_eq!(labeled.labeling.class_counts, [1, 3]);
}

#[test]
fn soft_labels_are_the_teachers_probabilities_of_what_is_kept() {
    let rising = teacher(|i| [0.05 * i as f32, 1.0 - 0.05 * i as f32]);
    let soft = labeling(LabelKind::Soft, at_least(0.7), OnEmptyWindow::Fail);
    let sided = soft.of(&rising, &domain(21)).unwrap();
    let Targets::Soft(kept) = sided.examples.unwrap().targets().clone() else {
        panic!("soft labels")
    };
    // |2p − 1| ≥ 0.7 for p ≤ 0.15 and p ≥ 0.85, up to the rounding of p itself.
    let all = rising.probabilities(&domain(21).inputs).unwrap();
    let sure: Vec<usize> = (0..21)
        .filter(|&i| Confidence::Spread.of(all.row(i)) >= 0.7)
        .collect();
    assert_eq!(kept, all.pick(&sure));
    assert!(sure.len() < 10 && sure.contains(&0) && sure.contains(&20));
    assert_eq!(sided.labeling.kept, sure.len());
}
