//! What the commands on the user's own data share: arguments, progress, notes and the machine they run on.

pub mod arguments;
pub mod machine;
pub mod say;
pub mod start;
pub mod watch;
