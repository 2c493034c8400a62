//! Numbers that cannot be out of range: checked when they are made or read, so nothing later has to.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

macro_rules! ranged {
    ($(#[$doc:meta])* $name:ident, $label:literal, $allowed:literal, $test:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            pub fn new(value: f64) -> Result<Self> {
                let allowed: fn(f64) -> bool = $test;
                if allowed(value) {
                    Ok(Self(value))
                } else {
                    Err(Error::out_of_range($label, value, $allowed))
                }
            }

            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = Error;
            fn try_from(value: f64) -> Result<Self> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!($schema)
            }
        }
    };
}

ranged!(
    /// A number in [0, 1].
    Fraction, "the fraction", "in [0, 1]", |v| (0.0..=1.0).contains(&v),
    { "type": "number", "minimum": 0, "maximum": 1 }
);
ranged!(
    /// A finite number above 0.
    Positive, "the value", "finite and above 0", |v| v > 0.0 && v.is_finite(),
    { "type": "number", "exclusiveMinimum": 0 }
);
ranged!(
    /// A finite number, 0 or above.
    NonNegative, "the value", "finite and at least 0", |v| v >= 0.0 && v.is_finite(),
    { "type": "number", "minimum": 0 }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_and_the_rest_is_refused() {
        assert!(Fraction::new(0.0).is_ok() && Fraction::new(1.0).is_ok());
        assert!(Positive::new(1e-300).is_ok() && NonNegative::new(0.0).is_ok());
        for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert!(Fraction::new(bad).is_err(), "{bad}");
        }
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Positive::new(bad).is_err(), "{bad}");
        }
        let message = Fraction::new(1.5).unwrap_err().to_string();
        assert_eq!(message, "the fraction is 1.5, but must be in [0, 1]");
    }
}
