//! Parts by name: how a file says `gradual = { window = 500 }`, and how that becomes an object.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::{DeserializeSeed, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// What every part has: settings that say all that decides what it does. Deriving `Serialize` is enough.
pub trait Part: Send + Sync + fmt::Debug {
    fn settings(&self) -> Value;
}

impl<T: Serialize + Send + Sync + fmt::Debug> Part for T {
    fn settings(&self) -> Value {
        serde_json::to_value(self).expect("settings have string keys only")
    }
}

/// A part as an object, under the name that it was chosen by.
pub struct NamedPart<T: ?Sized> {
    name: String,
    part: Arc<T>,
}

impl<T: ?Sized> NamedPart<T> {
    pub fn new(name: impl Into<String>, part: Arc<T>) -> Self {
        Self {
            name: name.into(),
            part,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

impl<T: Part + ?Sized> NamedPart<T> {
    /// The name, with the settings where there are any: what a file would say.
    pub fn to_value(&self) -> Value {
        match self.part.settings() {
            Value::Null => Value::String(self.name.clone()),
            settings => Value::Object(Map::from_iter([(self.name.clone(), settings)])),
        }
    }
}

impl<T: ?Sized> Clone for NamedPart<T> {
    fn clone(&self) -> Self {
        Self::new(self.name.clone(), self.part.clone())
    }
}

impl<T: ?Sized> Deref for NamedPart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.part
    }
}

impl<T: Part + ?Sized> fmt::Debug for NamedPart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_value())
    }
}

impl<T: Part + ?Sized> PartialEq for NamedPart<T> {
    fn eq(&self, other: &Self) -> bool {
        self.to_value() == other.to_value()
    }
}

impl<T: Part + ?Sized> Serialize for NamedPart<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}

/// A kind of part, as far as files are concerned: what the settings of the library's own look like.
pub trait PartKind {
    /// For messages: "curriculum".
    const WHAT: &'static str;

    /// Reads the settings of the part `name`, and refuses them with their place in the file if they are not its own.
    /// Those of a name that the library does not know are taken as they are.
    fn read<'de, D: Deserializer<'de>>(name: &str, settings: D) -> Result<Value, D::Error>;

    /// Whether the name may stand alone.
    #[cfg(feature = "schema")]
    fn schemas(
        _generator: &mut schemars::SchemaGenerator,
    ) -> Vec<(&'static str, schemars::Schema)> {
        vec![]
    }
}

/// `"name"`, or `{ name = { settings } }`.
pub struct PartSpec<S> {
    pub name: String,
    /// Null where the name stands alone.
    pub settings: Value,
    seam: PhantomData<fn() -> S>,
}

impl<S> PartSpec<S> {
    pub fn new(name: impl Into<String>, settings: Value) -> Self {
        Self {
            name: name.into(),
            settings,
            seam: PhantomData,
        }
    }

    /// A name that stands alone.
    pub fn plain(name: impl Into<String>) -> Self {
        Self::new(name, Value::Null)
    }
}

impl<S> Clone for PartSpec<S> {
    fn clone(&self) -> Self {
        Self::new(self.name.clone(), self.settings.clone())
    }
}

impl<S> PartialEq for PartSpec<S> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.settings == other.settings
    }
}

impl<S> fmt::Debug for PartSpec<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name, self.settings)
    }
}

impl<S> Serialize for PartSpec<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        match &self.settings {
            Value::Null => serializer.serialize_str(&self.name),
            settings => serializer.collect_map([(&self.name, settings)]),
        }
    }
}

/// Settings whose name is known already.
struct SettingsOf<'a, S>(&'a str, PhantomData<S>);

impl<'de, S: PartKind> DeserializeSeed<'de> for SettingsOf<'_, S> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        S::read(self.0, deserializer)
    }
}

impl<'de, S: PartKind> Deserialize<'de> for PartSpec<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneName<S>(PhantomData<S>);
        impl<'de, S: PartKind> Visitor<'de> for OneName<S> {
            type Value = PartSpec<S>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let article = if S::WHAT.starts_with('a') { "an" } else { "a" };
                write!(
                    f,
                    "{article} {} by its name, alone or with its settings",
                    S::WHAT
                )
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<PartSpec<S>, E> {
                Ok(PartSpec::plain(name))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<PartSpec<S>, A::Error> {
                use serde::de::Error;
                let name: Option<String> = map.next_key()?;
                let name = name.ok_or_else(|| A::Error::custom(format!("names no {}", S::WHAT)))?;
                let settings = map.next_value_seed(SettingsOf::<S>(&name, PhantomData))?;
                match map.next_key::<String>()? {
                    None => Ok(PartSpec::new(name, settings)),
                    Some(other) => Err(A::Error::custom(format!(
                        "names two of {}: `{name}` and `{other}`",
                        S::WHAT
                    ))),
                }
            }
        }
        deserializer.deserialize_any(OneName(PhantomData))
    }
}

#[cfg(feature = "schema")]
impl<S: PartKind> schemars::JsonSchema for PartSpec<S> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        S::WHAT.into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let own = S::schemas(generator).into_iter().map(|(name, schema)| {
            let one = Value::Object(Map::from_iter([(name.to_owned(), schema.to_value())]));
            serde_json::json!({ "type": "object", "properties": one, "required": [name], "additionalProperties": false })
        });
        let alone = serde_json::json!({ "type": "string" });
        let any: Vec<Value> = own.chain([alone]).collect();
        schemars::json_schema!({ "anyOf": any })
    }
}

/// Reads settings as those of `T`, for the place of whatever is wrong with them.
pub fn checked<'de, T: Deserialize<'de> + Serialize, D: Deserializer<'de>>(
    settings: D,
) -> Result<Value, D::Error> {
    let part = T::deserialize(settings)?;
    serde_json::to_value(part).map_err(serde::de::Error::custom)
}
