//! Fleets as a user meets them: every run is what `adapt` alone makes of its stream, a stream that fails does so alone, and
//! whatever is killed is gone on with.

#[path = "fleet/alone.rs"]
mod alone;
#[allow(dead_code)]
#[path = "fleet/going_on.rs"]
mod going_on;
#[cfg(unix)]
#[path = "fleet/killed.rs"]
mod killed;
#[path = "fleet/streams.rs"]
mod streams;
#[path = "fleet/trouble.rs"]
mod trouble;
