//! When a run that came to its end counts as a failure all the same: for schedulers, which look at exit codes.

use clap::Args;
use driftline_report::words;
use driftline_runs::{FailOn, StepKind, Verdict};

use super::headings::OUTPUT;
use crate::failure::Outcome;
use crate::verbosity::Verbosity;
use crate::words::one_of;

#[derive(Args, Clone, Copy, Debug)]
pub struct FailOnArgs {
    /// Exit 3 on: action, held, doubtful, never [action]
    #[arg(
        long,
        value_parser = one_of::<FailOn>(&["action", "held", "doubtful", "never"]),
        value_name = "WHEN",
        default_value = "action",
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = OUTPUT,
        long_help = "When to exit with code 3 although the run finished. action: rows need labels, or a version should be rolled back. held: also if the last window was held or taken back, for any reason. doubtful: also if labels show that adapting hurt or is doubtful. never: always exit with 0"
    )]
    pub fail_on: FailOn,
}

impl FailOnArgs {
    /// Says why, too: an exit code alone tells a person nothing.
    pub fn judge(self, verdict: Option<&Verdict>, verbosity: Verbosity) -> Outcome {
        let Some(verdict) = verdict.filter(|verdict| verdict.fails(self.fail_on)) else {
            return Outcome::Done;
        };
        let why = match verdict.last_step.kind {
            _ if verdict.action.is_for_a_person() => {
                words::todo(&verdict.action, verdict.last_step.kind)
            }
            StepKind::Held => "the last window was held".into(),
            StepKind::TakenBack => "the last window was taken back".into(),
            _ => "the verdict is against the version in use".into(),
        };
        verbosity.say(&format!(
            "exit code 3: {why} (use --fail-on never to exit with 0)"
        ));
        Outcome::CheckFailed
    }
}
