//! Where data sets and long training are kept: the folder named on the command line or in the environment, else the platform's.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use driftline_lab::datasets::Cache;
use driftline_lab::experiment::Memo;

use crate::failure::{Failure, Result};
use crate::verbosity::Verbosity;

#[derive(Args, Clone, Debug, Default)]
pub struct CacheArgs {
    /// Cache folder for data sets and long training [default: `driftline` in the platform's cache folder]
    #[arg(long, global = true, env = "DRIFTLINE_CACHE", value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl CacheArgs {
    pub fn open(&self) -> Result<Cache> {
        let usual = || Some(dirs::cache_dir()?.join("driftline"));
        let folder = self.cache.clone().or_else(usual).ok_or_else(|| {
            Failure::with_help(
                "this platform names no cache folder for the current user",
                "name a folder with `--cache DIR` or DRIFTLINE_CACHE",
            )
        })?;
        Ok(Cache::at(folder))
    }

    /// Where long training is kept for the next time; a folder that cannot be used costs time only.
    pub fn memo(&self, verbosity: Verbosity) -> Option<Arc<Memo>> {
        let memo = Memo::open(self.open().ok()?.folder().join("steps"));
        if let Err(error) = &memo {
            verbosity.say(&format!("warning: long training cannot be cached: {error}"));
        }
        memo.ok().map(Arc::new)
    }
}
