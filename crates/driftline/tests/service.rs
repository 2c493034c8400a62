//! The practitioner's operations through the library: model files, runs, resuming, steps, and what is refused.

#[path = "service/going_on.rs"]
mod going_on;
#[path = "service/memory.rs"]
mod memory;
#[path = "service/model_file.rs"]
mod model_file;
#[path = "service/runs.rs"]
mod runs;
