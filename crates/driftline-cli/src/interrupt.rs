//! Ctrl-C: the trial at work is given up, everything finished is on disk already.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static STOP: AtomicBool = AtomicBool::new(false);

/// How long a stage may take to notice before the process ends anyway; files are renamed into place whole, so nothing
/// can be left half-written.
const PATIENCE: Duration = Duration::from_secs(2);

/// From now on Ctrl-C asks for an orderly end.
pub fn listen() {
    let stop = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        crate::output::tell("\nstopping; what is finished is kept");
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            std::process::exit(130);
        });
    };
    // Fails only where a handler is set already, which then does the same.
    let _ = ctrlc::set_handler(stop);
}

pub fn requested() -> bool {
    STOP.load(Ordering::SeqCst)
}
