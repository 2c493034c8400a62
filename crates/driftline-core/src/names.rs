//! Names that have changed. Files written before the change, and the hashes that identify stored results, keep the old name;
//! people read and write the new one. Both are understood everywhere.

/// (the name that people use, the name in stored files).
const RENAMED: [(&str, &str); 4] = [
    ("coral", "correlation"),
    ("ensemble", "voting"),
    ("goat", "generated"),
    ("hog", "gradients"),
];

/// The name in stored files of what people call so.
pub fn stored(name: &str) -> &str {
    let found = RENAMED.iter().find(|(shown, _)| *shown == name);
    found.map_or(name, |(_, stored)| stored)
}

/// What people call the thing that is stored under this name.
pub fn shown(name: &str) -> &str {
    let found = RENAMED.iter().find(|(_, stored)| *stored == name);
    found.map_or(name, |(shown, _)| shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_new_names_lead_to_each_other() {
        for (new, old) in RENAMED {
            assert_eq!((stored(new), stored(old)), (old, old));
            assert_eq!((shown(new), shown(old)), (new, new));
        }
        assert_eq!((stored("linear"), shown("linear")), ("linear", "linear"));
    }
}
