//! What the fuzz targets share: bytes become a file, and the file is read to its end under low limits.

use std::path::Path;
use std::sync::Once;

use driftline_io::{Limits, ReadOptions, open};

/// Reads `bytes` as a file called `name`; errors are fine, anything else is a finding.
pub fn read(name: &str, bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).expect("a temporary file");
    read_path(&path);
}

/// Reads a folder that holds `bytes` as its one picture.
pub fn read_pictures(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.png"), bytes).expect("a temporary file");
    read_path(folder.path());
}

fn read_path(path: &Path) {
    catch_guarded_panics();
    let options = ReadOptions {
        limits: Limits {
            columns: 5_000,
            record: 1 << 16,
            unpacked: 4 << 20,
            memory: 4 << 20,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    let Ok(mut frames) = open(path, &options) else {
        return;
    };
    let mut rows = 0;
    while rows < 300_000 {
        match frames.next_frame() {
            Ok(Some(frame)) => rows += frame.rows,
            _ => return,
        }
    }
}

/// libFuzzer aborts on every panic; those that the library catches are not findings.
fn catch_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let abort = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !driftline_io::catching_panics() {
                abort(info);
            }
        }));
    });
}
