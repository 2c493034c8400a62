//! Settings in layers: what one layer leaves open, the layer behind it says. A struct is declared once, and how its fields
//! are read, written and merged follows from the declaration.

/// Something that a file may leave out.
pub(super) trait Layer {
    /// This, or `behind` where this says nothing.
    fn over(self, behind: Self) -> Self;

    /// Whether files are written without it.
    fn is_absent(&self) -> bool {
        false
    }
}

impl<T> Layer for Option<T> {
    fn over(self, behind: Self) -> Self {
        self.or(behind)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl Layer for bool {
    fn over(self, behind: Self) -> Self {
        self || behind
    }

    fn is_absent(&self) -> bool {
        !self
    }
}

/// A struct of layers, with field names in files in kebab-case.
macro_rules! layered {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$field_about:meta])* pub $field:ident: $type:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_about])* #[serde(skip_serializing_if = "Layer::is_absent")] pub $field: $type,)*
        }

        impl $name {
            /// Field by field.
            fn merged(self, behind: Self) -> Self {
                Self { $($field: Layer::over(self.$field, behind.$field),)* }
            }
        }
    };
}
pub(super) use layered;
