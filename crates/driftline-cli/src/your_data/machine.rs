//! What a run notes about the machine, and the command that began it.

use std::collections::BTreeMap;

use driftline_models::network::Isa;

/// Names and values for the manifest.
pub fn environment() -> BTreeMap<String, String> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    BTreeMap::from([
        fact("system", std::env::consts::OS.into()),
        fact("processor", std::env::consts::ARCH.into()),
        fact("instruction set", Isa::detect().to_string()),
        fact("driftline", env!("CARGO_PKG_VERSION").into()),
    ])
}

/// The command line, to be repeated from the same folder. Quiet or verbose is a matter of the moment.
pub fn command() -> Vec<String> {
    let mut command = vec!["driftline".to_owned()];
    let asides = ["-q", "-v", "--quiet", "--verbose", "--json"];
    let arguments = std::env::args_os().skip(1);
    command.extend(
        arguments
            .map(|argument| argument.to_string_lossy().into_owned())
            .filter(|argument| !asides.contains(&&**argument)),
    );
    command
}
