//! The last following of a window, kept: a candidate follows the mixture, and the policy that judges it follows the same
//! mixture through the same window. What comes out is the same whether it is known or worked out.

use std::sync::{Arc, Mutex, PoisonError};

use super::{ClassMixture, FollowFrom, FollowedWindow};
use crate::points::RowPoints;

/// Remembers one window. A clone remembers nothing.
#[derive(Debug, Default)]
pub struct LastFollowed(Mutex<Option<Arc<Followed>>>);

#[derive(Debug)]
struct Followed {
    mixture: ClassMixture,
    window: RowPoints,
    from: FollowFrom,
    came_to: (ClassMixture, FollowedWindow),
}

impl LastFollowed {
    /// What [`ClassMixture::follow`] does.
    pub fn follow(
        &self,
        mixture: &mut ClassMixture,
        window: &RowPoints,
        from: FollowFrom,
    ) -> FollowedWindow {
        let last = self.slot().clone();
        let same = |last: &Arc<Followed>| {
            last.from == from && last.mixture == *mixture && last.window == *window
        };
        if let Some(last) = last.filter(same) {
            let (after, window) = &last.came_to;
            *mixture = after.clone();
            return window.clone();
        }
        let before = mixture.clone();
        let came = mixture.follow(window, from);
        *self.slot() = Some(Arc::new(Followed {
            mixture: before,
            window: window.clone(),
            from,
            came_to: (mixture.clone(), came.clone()),
        }));
        came
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<Arc<Followed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for LastFollowed {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mixture::Spread;
    use driftline_core::random::Seed;

    #[test]
    fn what_is_known_is_what_would_be_worked_out() {
        let points = |shift: f64| {
            let values = (0..40).map(|i| f64::from(i * i % 13) + f64::from(i % 2) * 30.0 + shift);
            RowPoints::new(values.collect(), 1)
        };
        let labels: Vec<u32> = (0..40).map(|i| i % 2).collect();
        let fitted = ClassMixture::fit(&points(0.0), &labels, 2, 1, Spread::Axes, Seed::new(0));
        let last = LastFollowed::default();
        for (shift, from) in [
            (1.0, FollowFrom::Moved),
            (1.0, FollowFrom::Moved),
            (1.0, FollowFrom::Stay),
            (2.0, FollowFrom::Stay),
        ] {
            let (mut plain, mut kept) = (fitted.clone(), fitted.clone());
            let window = points(shift);
            let expected = plain.follow(&window, from);
            assert_eq!(last.follow(&mut kept, &window, from), expected);
            assert_eq!(kept, plain);
        }
    }
}
