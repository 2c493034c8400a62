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
        long_help = "When to exit with code 3 although the run came to its end. action: somebody has to do something, \
                     which is to label rows or to roll back. held: that, or the last window was held or taken back, for \
                     whatever reason. doubtful: that, or answers say `hurt` or `doubtful` of the version in use. never: \
                     whatever happens"
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
            "exit code 3: {why} (--fail-on never ends with 0 all the same)"
        ));
        Outcome::CheckFailed
    }
}
