//! The groups that the flags of a command are listed in. What most people need has no group and comes first; what only
//! research needs is left out of `-h` and told by `--help`.

pub const DATA: &str = "Data";
pub const WINDOWS: &str = "Windows";
pub const METHOD: &str = "Method";
pub const NETWORKS: &str = "Networks";
pub const OUTPUT: &str = "Output";
pub const FOLLOW: &str = "Follow";

/// Where a flag without a group stands among those; whatever has no place comes after them.
pub mod place {
    pub const SOURCE: usize = 1;
    pub const LABEL: usize = 2;
    pub const STREAM: usize = 3;
    pub const TIME: usize = 4;
    pub const ID: usize = 5;
    pub const WINDOW: usize = 6;
    pub const IMPUTE: usize = 7;
    pub const OUT: usize = 8;
}
