//! A table of a file that holds settings beside keys of its own. What `#[serde(flatten)]` is for, except that every
//! value is read where it stands, so that an error still has its line.

use std::fmt;

use serde::de::value::{self, MapAccessDeserializer, MapDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use driftline_runs::method::Settings;

/// Reads a table: keys that are settings into `settings`, all others into the struct that is read from this.
pub(super) struct Beside<'a, T> {
    table: T,
    settings: &'a mut Settings,
}

impl<'a, T> Beside<'a, T> {
    pub fn new(table: T, settings: &'a mut Settings) -> Self {
        Self { table, settings }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Beside<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let visitor = Beside::new(visitor, self.settings);
        self.table.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Beside<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<V::Value, A::Error> {
        self.table.visit_map(Beside::new(table, self.settings))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Beside<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        own: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let mut own = Some(own);
        loop {
            match self.table.next_key_seed(Key(&mut own))? {
                None => return Ok(None),
                Some(Known::Own(key)) => return Ok(Some(key)),
                Some(Known::Setting(key)) => {
                    let entry = Entry(Some(&key), &mut self.table);
                    let one = Settings::deserialize(MapAccessDeserializer::new(entry))?;
                    *self.settings = one.or(self.settings);
                }
            }
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.table.next_value_seed(seed)
    }
}

/// A key of the struct, which takes it, or of the settings.
struct Key<'a, K>(&'a mut Option<K>);

enum Known<T> {
    Own(T),
    Setting(String),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<'_, K> {
    type Value = Known<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let key = String::deserialize(deserializer)?;
        let entry = MapDeserializer::<_, value::Error>::new([(&*key, ())].into_iter());
        let unknown = Settings::deserialize(entry)
            .err()
            .map(|error| error.to_string());
        let unknown = unknown.filter(|message| message.starts_with("unknown field"));
        let Some(unknown) = unknown else {
            return Ok(Known::Setting(key));
        };
        let own = self.0.take().ok_or_else(|| D::Error::custom(&unknown))?;
        let own = own.deserialize(StrDeserializer::<value::Error>::new(&key));
        own.map(Known::Own).map_err(|error| {
            let settings = unknown
                .split_once("expected one of ")
                .map_or("", |(_, names)| names);
            D::Error::custom(format!("{error}, {settings}"))
        })
    }
}

/// The entry that a table has come to, as a table of its own.
struct Entry<'a, A>(Option<&'a str>, &'a mut A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entry<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let key = self.0.take().map(StrDeserializer::new);
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, A::Error> {
        self.1.next_value_seed(seed)
    }
}
