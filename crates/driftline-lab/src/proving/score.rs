//! How right decisions were.

pub(super) fn accuracy(own: &[u32], truth: &[u32]) -> f64 {
    let right = own.iter().zip(truth).filter(|(own, truth)| own == truth);
    right.count() as f64 / truth.len().max(1) as f64
}

/// The mean recall of the classes of the source that are there.
pub(super) fn balanced(own: &[u32], truth: &[u32], n_classes: usize) -> f64 {
    let recall = |class: usize| {
        let rows = own
            .iter()
            .zip(truth)
            .filter(|(_, truth)| **truth as usize == class);
        let (right, all) = rows.fold((0.0, 0.0), |(right, all), (own, truth)| {
            (right + f64::from(u8::from(own == truth)), all + 1.0)
        });
        (all > 0.0).then_some(right / all)
    };
    let recalls: Vec<f64> = (0..n_classes).filter_map(recall).collect();
    recalls.iter().sum::<f64>() / recalls.len().max(1) as f64
}
