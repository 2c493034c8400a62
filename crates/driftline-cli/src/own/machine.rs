//! What a run notes about the machine, and the command that began it.

use std::collections::BTreeMap;

use driftline::models::network::Isa;

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

/// A command as a shell takes it.
pub fn shell(command: &[String]) -> String {
    let quoted = |word: &String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word.clone(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words = ["driftline", "--stream", "s-*.csv", "it's", ""].map(String::from);
        assert_eq!(shell(&words), r"driftline --stream 's-*.csv' 'it'\''s' ''");
    }
}
