//! One of the figures at the top of a page: what it is, the number, and a line about it.

use serde::Serialize;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Card {
    pub name: &'static str,
    pub value: String,
    pub detail: String,
}

impl Card {
    pub fn new(name: &'static str, value: String, detail: String) -> Self {
        Self {
            name,
            value,
            detail,
        }
    }
}
