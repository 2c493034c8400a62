//! A command as a shell takes it, for readers who copy it from the page.

pub fn quoted(command: &[String]) -> String {
    let word = |word: &String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word.clone()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    command.iter().map(word).collect::<Vec<_>>().join(" ")
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
