//! The file beside a run's newest checkpoint: where the chains chain that are not deployed, and what the policy remembers.
//! Only the newest is kept, so that a folder does not grow by what only the next window needs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::method::Registry;
use driftline_adapt::{ChainState, ResumeState, State, StoredState, StoredVersion, Version};
use driftline_core::Result;
use driftline_core::data::{Domain, Inputs, Shape};
use driftline_models::{Array, Arrays, write_arrays};

const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: u32,
    /// The version of driftline that wrote the file.
    driftline: String,
    chains: Vec<StoredStand>,
    policy: Option<StoredState>,
    /// Rows and shape of the window before.
    previous: Option<(usize, Shape)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredStand {
    candidate: String,
    version: StoredVersion,
    own: Option<(Value, StoredVersion)>,
}

/// The place of the file after this window.
pub fn chains_name(window: usize) -> String {
    format!("chains/window-{window:04}.safetensors")
}

/// The bytes of the file.
pub fn to_bytes(resume_state: &ResumeState) -> Result<Vec<u8>> {
    let mut arrays: Vec<Array> = vec![];
    let mut chains = vec![];
    for (place, chain) in resume_state.chains.iter().enumerate() {
        let version = chain
            .version
            .store(&format!("chain:{place}:"), &mut arrays)?;
        let own = chain.own.as_ref().map(|(learner, first)| {
            let first = first.store(&format!("first:{place}:"), &mut arrays)?;
            Ok::<_, driftline_core::Error>((serde_json::json!(learner), first))
        });
        chains.push(StoredStand {
            candidate: chain.candidate.clone(),
            version,
            own: own.transpose()?,
        });
    }
    let policy = resume_state.policy.store("policy", &mut arrays)?;
    let previous = resume_state.previous.as_ref().map(|window| {
        let (rows, shape) = (window.len(), window.inputs.shape());
        let values = window.inputs.contiguous();
        arrays.push(Array::single("previous", &[rows, shape.size()], &values));
        (rows, shape)
    });
    let header = Header {
        format: FORMAT,
        driftline: env!("CARGO_PKG_VERSION").into(),
        chains,
        policy,
        previous,
    };
    Ok(write_arrays(&header, &arrays))
}

/// Reads what [`to_bytes`] wrote; the message says what is wrong with anything else.
pub fn from_bytes(bytes: &[u8], registry: &Registry) -> Result<ResumeState, String> {
    let (header, mut values) = Arrays::open::<Header>(bytes, FORMAT)?;
    let kinds = registry.models();
    let mut resume_state = ResumeState::default();
    for (place, stored) in header.chains.into_iter().enumerate() {
        let mut version = |stored: StoredVersion, what: &str| {
            Version::restore(stored, &format!("{what}:{place}:"), &mut values, kinds)
        };
        let chain = version(stored.version, "chain")?;
        let own = stored.own.map(|(learner, first)| {
            let learner = kinds.stored_learner(&learner)?;
            Ok::<_, String>((learner, version(first, "first")?))
        });
        resume_state.chains.push(ChainState {
            candidate: stored.candidate,
            version: chain,
            own: own.transpose()?,
        });
    }
    resume_state.policy = State::restore(header.policy, "policy", &mut values, kinds)?;
    if let Some((rows, shape)) = header.previous {
        let size = shape.checked_size().ok_or("its inputs have no shape")?;
        let window = values.single("previous", &[rows, size])?;
        let window = Inputs::new(window, shape).map_err(|error| error.to_string())?;
        resume_state.previous = Some(Domain::new(window));
    }
    values.finish()?;
    Ok(resume_state)
}
