//! One row of an ARFF file into its values.

use std::borrow::Cow;

use super::header::{Attribute, Type};

/// The word at the start of `text`, which ends before a character for which `ends` holds, and the rest. Words may be in
/// single or double quotes, with backslashes before quotes inside; none if a quote is not closed.
pub(super) fn token(text: &str, ends: impl Fn(char) -> bool) -> Option<(Cow<'_, str>, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    let Some(quote) = quote else {
        let end = text.find(ends).unwrap_or(text.len());
        return Some((Cow::Borrowed(text[..end].trim()), &text[end..]));
    };
    let mut word = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => word.push(chars.next()?.1),
            c if c == quote => return Some((Cow::Owned(word), &text[at + 1..])),
            c => word.push(c),
        }
    }
    None
}

/// The value of every attribute in a row.
pub(super) fn fields_of<'a>(
    line: &'a str,
    attributes: &'a [Attribute],
) -> Result<Vec<Cow<'a, str>>, String> {
    if let Some(inside) = line.strip_prefix('{') {
        let inside = inside
            .strip_suffix('}')
            .ok_or("a sparse row does not end with a brace")?;
        return sparse(inside, attributes);
    }
    let mut fields = Vec::with_capacity(attributes.len());
    let mut rest = line;
    loop {
        let (word, after) =
            token(rest, |c| c == ',').ok_or("a quote is open that is never closed")?;
        fields.push(word);
        let after = after.trim_start();
        if after.is_empty() {
            break;
        }
        rest = after
            .strip_prefix(',')
            .ok_or_else(|| format!("`{}` follows a value without a comma", shortened(after)))?
            .trim_start();
        // A weight of the row, `{5}`, may stand at its end.
        if fields.len() == attributes.len() && rest.starts_with('{') {
            break;
        }
        if fields.len() > attributes.len() {
            break;
        }
    }
    if fields.len() == attributes.len() {
        Ok(fields)
    } else {
        let found = match fields.len() > attributes.len() {
            true => "more".to_string(),
            false => fields.len().to_string(),
        };
        Err(format!(
            "has {found} values, but {} attributes are declared",
            attributes.len()
        ))
    }
}

/// `3 x, 7 y`: attributes that are not named are 0, which for declared values means the first of them.
fn sparse<'a>(inside: &'a str, attributes: &'a [Attribute]) -> Result<Vec<Cow<'a, str>>, String> {
    let mut fields: Vec<Option<Cow<'a, str>>> = attributes
        .iter()
        .map(|attribute| match &attribute.kind {
            Type::Numeric => Some(Cow::Borrowed("0")),
            Type::Nominal { first, .. } => Some(Cow::Borrowed(&**first)),
            Type::Text => None,
        })
        .collect();
    let mut rest = inside.trim();
    while !rest.is_empty() {
        let (index, after) = rest
            .split_once(|c: char| c.is_ascii_whitespace())
            .ok_or_else(|| format!("`{}` is not an index and a value", shortened(rest)))?;
        let at = index
            .parse()
            .ok()
            .filter(|&at: &usize| at < attributes.len());
        let at = at.ok_or_else(|| {
            format!(
                "`{}` is not the number of an attribute, 0 to {}",
                shortened(index),
                attributes.len() - 1
            )
        })?;
        let (word, after) = token(after.trim_start(), |c| c == ',')
            .ok_or("a quote is open that is never closed")?;
        fields[at] = Some(word);
        rest = after.trim().strip_prefix(',').unwrap_or("").trim();
    }
    let missing = fields.iter().position(Option::is_none);
    match missing {
        None => Ok(fields.into_iter().flatten().collect()),
        Some(at) => Err(format!(
            "is sparse and does not name attribute `{}`, which is text",
            attributes[at].name
        )),
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes() -> Vec<Attribute> {
        let attribute = |name: &str, kind| Attribute {
            name: name.into(),
            kind,
        };
        vec![
            attribute("a", Type::Numeric),
            attribute("b", Type::Text),
            attribute("c", Type::Numeric),
        ]
    }

    #[test]
    fn dense_and_sparse_rows() {
        let attributes = attributes();
        let fields = |line| fields_of(line, &attributes).map(|f| f.join("|"));
        assert_eq!(fields("1, x ,2").unwrap(), "1|x|2");
        assert_eq!(fields(r#"1,'it\'s, so',?"#).unwrap(), "1|it's, so|?");
        assert_eq!(fields("1,x,2,{5}").unwrap(), "1|x|2");
        assert_eq!(fields("{1 'a b', 2 7}").unwrap(), "0|a b|7");
        for bad in [
            "1,x", "1,x,2,3", "1,'x,2", "1 x 2", "{5 1}", "{0 1}", "{1", "{x}", "1,'x'y,2",
        ] {
            assert!(fields(bad).is_err(), "{bad}");
        }
    }
}
