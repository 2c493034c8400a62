//! The order in which mini-batches are drawn: part of every result, and of what methods are compared on.

use std::num::NonZeroUsize;

use driftline_core::random::Seed;
use driftline_models::training::Training;

#[test]
fn every_epoch_sees_every_example_once_in_an_order_of_its_own() {
    let training = Training::paper(NonZeroUsize::new(3).unwrap());
    let mut orders = Vec::new();
    for epoch in 0..3 {
        let order = training.epoch_order(70, epoch, Seed::new(0));
        assert_eq!(order, training.epoch_order(70, epoch, Seed::new(0)));
        assert_ne!(order, training.epoch_order(70, epoch, Seed::new(1)));
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..70).collect::<Vec<_>>());
        assert!(!orders.contains(&order));
        orders.push(order);
    }
    let sizes: Vec<usize> = orders[0]
        .chunks(training.batch_size.get())
        .map(<[usize]>::len)
        .collect();
    assert_eq!(sizes, [32, 32, 6], "the last, smaller batch is kept");
}

#[test]
fn the_order_does_not_depend_on_batch_size_or_number_of_epochs() {
    let short = Training::paper(NonZeroUsize::new(1).unwrap());
    let long = Training {
        batch_size: NonZeroUsize::new(7).unwrap(),
        ..Training::paper(NonZeroUsize::new(9).unwrap())
    };
    assert_eq!(
        short.epoch_order(50, 0, Seed::new(4)),
        long.epoch_order(50, 0, Seed::new(4))
    );
}
