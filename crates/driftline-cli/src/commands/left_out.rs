//! Commands that this build was made without. They stay listed; when called, they say which feature they need.

use std::ffi::OsString;

use clap::Args;
use driftline_core::Error;

use crate::failure::Result;

/// Whatever such a command is given, be it `--help`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Anything {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _rest: Vec<OsString>,
}

/// Stands for the module of a command, with the name of its arguments and whatever else it takes.
macro_rules! left_out {
    ($feature:literal, $command:literal, $module:ident::$args:ident $(, $other:ty)*) => {
        #[cfg(not(feature = $feature))]
        pub mod $module {
            pub use super::Anything as $args;

            pub fn run(_: &$args $(, _: $other)*) -> crate::failure::Result {
                super::missing(concat!("`driftline ", $command, "`"), $feature)
            }
        }
    };
}

left_out!(
    "fetch",
    "data fetch",
    fetch::FetchArgs,
    &driftline_lab::datasets::Cache,
    crate::verbosity::Verbosity
);
left_out!(
    "fleet",
    "fleet",
    fleet::FleetArgs,
    crate::verbosity::Verbosity
);
left_out!(
    "serve",
    "follow",
    follow::FollowArgs,
    crate::verbosity::Verbosity
);
left_out!("man", "completions", completions::CompletionsArgs);
left_out!("man", "man", man::ManArgs);
left_out!("schema", "schema", schema::SchemaArgs);
left_out!(
    "serve",
    "serve",
    serve::ServeArgs,
    crate::verbosity::Verbosity
);

/// Stands for what `data export` writes of digits.
#[cfg(not(feature = "images"))]
pub fn images(_: &driftline_lab::datasets::Digits, folder: &std::path::Path) -> Result<()> {
    missing(
        &format!("{}, a folder of images,", folder.display()),
        "images",
    )
}

fn missing<T>(what: &str, feature: &'static str) -> Result<T> {
    Err(Error::MissingFeature {
        what: what.into(),
        feature,
    }
    .into())
}
