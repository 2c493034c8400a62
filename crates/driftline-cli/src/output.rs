//! Results go to stdout; a reader that stops reading is no error.

use std::io::{ErrorKind, Write};

use miette::{IntoDiagnostic, Result};

/// Writes `text` and a line end.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.into_diagnostic(),
    }
}

pub fn print_json(value: &impl serde::Serialize) -> Result<()> {
    print(&serde_json::to_string_pretty(value).into_diagnostic()?)
}
