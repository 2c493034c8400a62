//! Fleets: thousands of streams, each adapted to by a run of its own, from one source model or one for each. All runs live
//! in one compact store of a few files, and each is what `adapt` alone would have made of its stream, byte for byte.

mod adapt;
mod need;
mod pieces;
mod pool;
mod predict;
mod row;
mod shard;
mod step;
mod store;
mod stream_run;
mod streams;
mod table;
mod watch;

pub use adapt::{Fleet, SourceModel};
pub use need::Need;
pub use pieces::{FleetPieces, OpenStream};
pub use predict::{FleetPredicted, predict_fleet};
pub use row::{StreamRow, Tally};
pub use shard::StreamShard;
pub use step::{FleetStep, FleetStepped};
pub use store::{FLEET_FORMAT, FleetFolder, FleetManifest, is_fleet};
pub use table::{fleet_json, write_fleet_tables};
pub use watch::FleetWatch;
