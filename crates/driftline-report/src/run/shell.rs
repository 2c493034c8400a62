//! A command as a shell takes it, for readers who copy it from the page.

pub fn quoted(command: &[String]) -> String {
    let words: Vec<String> = command.iter().map(|own| word(own)).collect();
    words.join(" ")
}

/// One word of it.
pub fn word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words = ["driftline", "--stream", "s-*.csv", "it's", ""].map(String::from);
        assert_eq!(quoted(&words), r"driftline --stream 's-*.csv' 'it'\''s' ''");
    }
}
