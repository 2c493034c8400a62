//! Phrases that no user may meet, in documents, help, errors and reports. The program's tests read this list too.

/// Phrases that read as if translated, and what to write. They appear nowhere in documents, help, errors and reports.
pub const BANNED: &[(&str, &str)] = &[
    ("nobody can see", "name what cannot be detected"),
    ("nobody can know", "name what cannot be known"),
    ("ever went before", "more than in any earlier window"),
    ("but for the", "except the, ignoring the"),
    ("but for those", "except those"),
    ("may have had the", "may contain the"),
    ("as often as which", "give the setting by its name"),
    ("became of", "say what happened to it"),
    ("becomes of", "how it is handled"),
    ("so many", "N, at most N, this many"),
    ("one's own", "your"),
    ("wins nothing", "shows no clear gain"),
    ("nothing that is clear", "shows no clear gain"),
    ("a change of meaning", "a change in p(y|x)"),
    ("to speak of", "say how much"),
    ("by and by", "gradually"),
    ("before it leaps", "say what is checked"),
    ("next to nothing", "little"),
    ("what they are off", "the error"),
    ("is told so", "say who reports what"),
    ("goes astray", "say what goes wrong"),
];

/// In small letters, with one space between words.
pub fn plain(text: &str) -> String {
    let text = text.replace("\\\n", " ").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Where `text` has a banned phrase, with what to write instead.
pub fn hits(name: &str, text: &str) -> Vec<String> {
    let text = plain(text);
    let mut hits = Vec::new();
    for (phrase, instead) in BANNED {
        for (at, _) in text.match_indices(phrase) {
            let before = text[..at].char_indices().rev().take(30).last();
            let start = before.map_or(at, |(start, _)| start);
            let context = &text[start..at + phrase.len()];
            hits.push(format!("{name}: …{context}… ({instead})"));
        }
    }
    hits
}
