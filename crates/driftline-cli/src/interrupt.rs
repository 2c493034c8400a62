//! Ctrl-C: the work at hand is given up, everything finished is on disk already.

use std::time::Duration;

use driftline_core::Cancel;

/// How long the work may take to notice before the process ends anyway; files are renamed into place whole, so nothing
/// can be left half-written.
const PATIENCE: Duration = Duration::from_secs(2);

/// From now on Ctrl-C cancels the token that is returned, and a second one ends the process at once.
pub fn listen() -> Cancel {
    listen_and(|| crate::output::tell("\nstopping; finished work is kept"))
}

/// The same for what has nothing to finish.
pub fn listen_quietly() -> Cancel {
    listen_and(|| {})
}

fn listen_and(said: impl Fn() + Send + 'static) -> Cancel {
    let cancel = Cancel::new();
    let asked = cancel.clone();
    let stop = move || {
        if asked.is_cancelled() {
            std::process::exit(130);
        }
        asked.cancel();
        said();
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            std::process::exit(130);
        });
    };
    // Fails only where a handler is set already: each command sets one.
    let _ = ctrlc::set_handler(stop);
    cancel
}
