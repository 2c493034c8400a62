//! The contract that every learner, labeler and curriculum of the library keeps. To add one, add a test at the end of
//! `contract/learners.rs`, `contract/labelers.rs` or `contract/curricula.rs`.

#[path = "contract/alignments.rs"]
mod alignments;
#[path = "contract/curricula.rs"]
mod curricula;
#[path = "contract/labelers.rs"]
mod labelers;
#[path = "contract/learner_laws.rs"]
mod learner_laws;
#[path = "contract/learners.rs"]
mod learners;
