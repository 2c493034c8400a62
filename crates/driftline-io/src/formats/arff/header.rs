//! The declarations at the head of an ARFF file.

use std::collections::BTreeSet;

use super::line::token;

/// A declared column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub name: String,
    pub kind: Type,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Numeric,
    /// One of these values.
    Nominal {
        first: String,
        values: BTreeSet<String>,
    },
    /// Text or a date.
    Text,
}

/// What a line of the head says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    Attribute(Attribute),
    Data,
    Other,
}

pub(super) fn parse(line: &str) -> Result<Line, String> {
    let (keyword, rest) = line
        .split_once(|c: char| c.is_ascii_whitespace())
        .unwrap_or((line, ""));
    match keyword.to_ascii_lowercase().as_str() {
        "@relation" => Ok(Line::Other),
        "@data" => Ok(Line::Data),
        "@attribute" => attribute(rest.trim()).map(Line::Attribute),
        _ => Err(format!(
            "`{}` is not `@relation`, `@attribute` or `@data`",
            keyword.chars().take(40).collect::<String>()
        )),
    }
}

fn attribute(text: &str) -> Result<Attribute, String> {
    let (name, rest) = token(text, |c| c.is_ascii_whitespace() || c == '{')
        .ok_or("an attribute has a quote that is not closed")?;
    if name.is_empty() {
        return Err("an attribute has no name".into());
    }
    let rest = rest.trim();
    let word = rest
        .split(|c: char| c.is_ascii_whitespace())
        .next()
        .unwrap_or("");
    let kind = match word.to_ascii_lowercase().as_str() {
        "numeric" | "real" | "integer" => Type::Numeric,
        "string" | "date" => Type::Text,
        "relational" => {
            return Err(format!(
                "attribute `{name}` is relational, which is not read"
            ));
        }
        _ => values(&name, rest)?,
    };
    Ok(Attribute {
        name: name.into_owned(),
        kind,
    })
}

/// `{a, 'b c', d}`.
fn values(name: &str, text: &str) -> Result<Type, String> {
    let broken = || format!("attribute `{name}` has neither a type nor values in braces");
    let mut rest = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
        .ok_or_else(broken)?
        .trim();
    let mut values = BTreeSet::new();
    let mut first = None;
    while !rest.is_empty() {
        let (value, after) = token(rest, |c| c == ',').ok_or_else(broken)?;
        first.get_or_insert_with(|| value.to_string());
        values.insert(value.into_owned());
        rest = after.trim().strip_prefix(',').unwrap_or("").trim();
    }
    let first = first.ok_or_else(|| format!("attribute `{name}` declares no values"))?;
    Ok(Type::Nominal { first, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_in_all_their_spellings() {
        let attribute = |line: &str| match parse(line) {
            Ok(Line::Attribute(attribute)) => attribute,
            other => panic!("{other:?}"),
        };
        let plain = attribute("@attribute width NUMERIC");
        assert_eq!((&*plain.name, plain.kind), ("width", Type::Numeric));
        let quoted = attribute("@ATTRIBUTE 'petal width' real");
        assert_eq!(quoted.name, "petal width");
        let nominal = attribute(r#"@attribute class {a, 'b, c',"d"}"#);
        let first = "a".to_string();
        let values = ["a", "b, c", "d"].map(String::from).into();
        assert_eq!(nominal.kind, Type::Nominal { first, values });
        let tight = attribute("@attribute class{x,y}");
        assert!(matches!(tight.kind, Type::Nominal { values, .. } if values.len() == 2));
        assert_eq!(attribute("@attribute t date \"yyyy\"").kind, Type::Text);
        assert_eq!(parse("@DATA").unwrap(), Line::Data);
        for bad in [
            "data",
            "@attribute",
            "@attribute a",
            "@attribute a {x",
            "@attribute 'a numeric",
            "@attribute a relational",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
