//! The contract that every learner and every curriculum of the library keeps. To add one, add a test at the end of
//! `contract/learners.rs` or `contract/curricula.rs`.

#[path = "contract/curricula.rs"]
mod curricula;
#[path = "contract/learner_laws.rs"]
mod learner_laws;
#[path = "contract/learners.rs"]
mod learners;
