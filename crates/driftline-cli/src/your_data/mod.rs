//! What the commands on the user's own data share: arguments, the first model, progress, and facts of the machine.

pub mod arguments;
pub mod fail_on;
pub mod headings;
pub mod machine;
pub mod method;
pub mod standard;
pub mod start;
pub mod watch;
