//! When a run that came to its end counts as a failure all the same: for schedulers, which look at exit codes.

use clap::{Args, ValueEnum};
use driftline_runs::{Attention, RunVerdict, Summary};

use super::headings::OUTPUT;
use crate::failure::Outcome;
use crate::verbosity::Verbosity;

#[derive(Args, Clone, Copy, Debug)]
pub struct FailOnArgs {
    /// Exit with 3 on: held, doubtful, never [default: held]
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t = FailOn::Held,
        hide_default_value = true,
        hide_possible_values = true,
        help_heading = OUTPUT,
        long_help = "When to exit with code 3 although the run came to its end. held: the last window was held or taken \
                     back, for whatever reason, or labels are asked for, or there are no answers and the model shows \
                     signs of going wrong. doubtful: that, or answers say `hurt` or `doubtful` of the version in use"
    )]
    fail_on: FailOn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Held,
    Doubtful,
    Never,
}

impl FailOnArgs {
    /// Says why, too: an exit code alone tells a person nothing.
    pub fn judge(self, summary: Option<&Summary>, verbosity: Verbosity) -> Outcome {
        let why = summary.and_then(|summary| self.why(summary));
        if let Some(why) = why {
            verbosity.say(&format!(
                "exit code 3: {why} (--fail-on never ends with 0 all the same)"
            ));
        }
        Outcome::of(why.is_none())
    }

    fn why(self, summary: &Summary) -> Option<&'static str> {
        let attention = summary.attention.map(|attention| match attention {
            Attention::Asked => "the last window was held, and a few labels would settle it",
            Attention::TakenBack => "the last window was taken back",
            Attention::Held => "the last window was held",
            _ => "the model shows signs of going wrong",
        });
        let against = matches!(summary.verdict, RunVerdict::Hurt | RunVerdict::Doubtful);
        let against = against.then_some("the verdict is against the version in use");
        match self.fail_on {
            FailOn::Never => None,
            FailOn::Held => attention,
            FailOn::Doubtful => attention.or(against),
        }
    }
}
