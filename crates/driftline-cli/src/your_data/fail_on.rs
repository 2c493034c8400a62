//! When a run that came to its end counts as a failure all the same: for schedulers, which look at exit codes.

use clap::{Args, ValueEnum};
use driftline_runs::{RunVerdict, Summary};

use crate::failure::Outcome;

#[derive(Args, Clone, Copy, Debug)]
pub struct FailOnArgs {
    /// Exit with code 3 if the run ends held for lack of trust, or also if the verdict is against the version in use
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t = FailOn::Held,
        long_help = "When to exit with code 3 although nothing went wrong. held: the last window was held or taken back \
                     because nothing could be trusted, or left too little to learn from. doubtful: that, or the verdict \
                     on the version in use is `hurt` or `doubtful`"
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
    pub fn judge(self, summary: Option<&Summary>) -> Outcome {
        let fails = summary.is_some_and(|summary| {
            let against = matches!(summary.verdict, RunVerdict::Hurt | RunVerdict::Doubtful);
            match self.fail_on {
                FailOn::Never => false,
                FailOn::Held => summary.last_step_distrusted,
                FailOn::Doubtful => summary.last_step_distrusted || against,
            }
        });
        Outcome::of(!fails)
    }
}
