//! Unlabelled examples that are made when a method first asks for them: most methods never do.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Domain, Shape};
use crate::Result;

/// A domain that is there already, or a way to make it. Clones share what was made.
#[derive(Clone)]
pub struct Pool {
    shape: Shape,
    state: Arc<Mutex<State>>,
}

enum State {
    Made(Domain),
    /// Dropped with all that it holds as soon as it has succeeded.
    Later(Box<dyn Fn() -> Result<Domain> + Send>),
}

impl Pool {
    /// Examples of this shape, made by `make`, which is called again only if it failed.
    pub fn later(shape: Shape, make: impl Fn() -> Result<Domain> + Send + 'static) -> Self {
        Self::new(shape, State::Later(Box::new(make)))
    }

    fn new(shape: Shape, state: State) -> Self {
        let state = Arc::new(Mutex::new(state));
        Self { shape, state }
    }

    /// Refuses a pool of another shape than `expected`.
    pub fn expect_shape(&self, expected: Shape) -> Result<()> {
        self.shape.expect(expected)
    }

    pub fn domain(&self) -> Result<Domain> {
        // Held while making, so that two threads do not make the same.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let domain = match &*state {
            State::Made(domain) => return Ok(domain.clone()),
            State::Later(make) => make()?,
        };
        domain.inputs.expect_shape(self.shape)?;
        *state = State::Made(domain.clone());
        Ok(domain)
    }
}

impl From<Domain> for Pool {
    fn from(domain: Domain) -> Self {
        Self::new(domain.inputs.shape(), State::Made(domain))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::data::Inputs;

    fn pool(size: usize, calls: &Arc<AtomicUsize>) -> Pool {
        let calls = calls.clone();
        Pool::later(Shape::Vector(size), move || {
            calls.fetch_add(1, Ordering::Relaxed);
            Inputs::new(vec![0.5; 6], Shape::Vector(3)).map(Domain::new)
        })
    }

    #[test]
    fn examples_are_made_once_and_only_when_asked_for() {
        let calls = Arc::default();
        let pool = pool(3, &calls);
        assert_eq!(calls.load(Ordering::Relaxed), 0);
        assert_eq!(pool.domain().unwrap().len(), 2);
        assert_eq!(pool.clone().domain().unwrap(), pool.domain().unwrap());
        assert_eq!(calls.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn examples_of_another_shape_are_refused() {
        let error = pool(4, &Arc::default()).domain().unwrap_err();
        let expected = "one example should have 4 features, but has 3 features";
        assert_eq!(error.to_string(), expected);
    }
}
