//! A way to stop long work from outside: one token, given once, asked by everything that takes time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{Error, Result};

/// Clones share one state: cancel any of them, and all work that holds one ends with [`Error::Interrupted`].
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
}

impl Cancel {
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everything that holds this token to stop.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Lets work begin again after everything has stopped.
    pub fn clear(&self) {
        self.asked.store(false, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// An error once cancelled: `cancel.check()?` between two pieces of work.
    pub fn check(&self) -> Result<()> {
        match self.is_cancelled() {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }
}

/// Whether stopping one stops the other.
impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.asked, &other.asked)
    }
}

impl Eq for Cancel {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_stop_together_and_strangers_do_not() {
        let (cancel, other) = (Cancel::new(), Cancel::new());
        let clone = cancel.clone();
        assert!(clone.check().is_ok());
        cancel.cancel();
        assert!(matches!(clone.check(), Err(Error::Interrupted)));
        assert!(!other.is_cancelled());
        assert!(clone == cancel && other != cancel);
    }
}
