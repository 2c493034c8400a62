//! The boundary around other people's decoders: a panic inside becomes an error about the file.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use driftline_core::Result;
use driftline_core::error::DataFault;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a decoder whose panics are caught: a program's panic hook can then stay silent.
pub fn catching_panics() -> bool {
    CATCHING.get()
}

/// Runs `work`; a panic is reported as a fault of the file `path`.
#[cfg_attr(
    not(any(feature = "images", feature = "parquet")),
    expect(dead_code, reason = "only the decoders of other crates need it")
)]
pub(crate) fn catch_panics<T>(path: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(DataFault::new(path, format!("cannot be decoded ({said})"))
            .help("the file is probably damaged; write it again with the software that made it")
            .into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use driftline_core::Error;

    #[test]
    fn a_panic_becomes_an_error_about_the_file() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !catching_panics() {
                hook(info);
            }
        }));
        let error =
            catch_panics::<()>(Path::new("a.png"), || panic!("index {} of 3", 7)).unwrap_err();
        assert_eq!(error.to_string(), "a.png: cannot be decoded (index 7 of 3)");
        assert!(error.help().is_some());
        assert!(!catching_panics());
        let fine = catch_panics(Path::new("a.png"), || Ok::<_, Error>(catching_panics()));
        assert!(fine.unwrap());
    }
}
