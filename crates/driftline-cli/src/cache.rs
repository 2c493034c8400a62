//! Where data sets are kept: the folder named on the command line or in the environment, else the platform's.

use std::path::PathBuf;

use clap::Args;
use driftline::datasets::Cache;

use crate::failure::{Failure, Result};

#[derive(Args, Clone, Debug, Default)]
pub struct CacheArgs {
    /// Folder that data sets are kept in [default: `driftline` in the platform's cache folder]
    #[arg(long, global = true, env = "DRIFTLINE_CACHE", value_name = "DIR")]
    pub cache: Option<PathBuf>,
}

impl CacheArgs {
    pub fn open(&self) -> Result<Cache> {
        let folder = match &self.cache {
            Some(folder) => folder.clone(),
            None => dirs::cache_dir()
                .ok_or_else(|| {
                    Failure::with_help(
                        "this platform names no cache folder for the current user",
                        "name a folder with `--cache DIR` or DRIFTLINE_CACHE",
                    )
                })?
                .join("driftline"),
        };
        Ok(Cache::at(folder))
    }
}
