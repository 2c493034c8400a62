//! The pages of a fleet: one of all streams, the reports of those in need beside it, and the same rows as JSON and Parquet.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use driftline_core::Error;
use driftline_core::files::{is_own_page, write_whole};
use driftline_fleet::{FleetFolder, StreamRow, write_fleet_tables};

use crate::commands::report::own_page;
use crate::failure::Result;

const REPORTS: &str = "reports";

/// Writes all of them and says where the page is.
pub fn write(fleet: &FleetFolder, reports: usize) -> Result<PathBuf> {
    let (folder, rows) = (fleet.folder(), fleet.rows());
    let page = own_page(folder)?;
    write_fleet_tables(folder, &rows)?;
    let mut needy: Vec<&StreamRow> = rows.iter().filter(|row| row.windows > 0).collect();
    needy.sort_by_key(|row| row.state);
    needy.truncate(reports);
    let mut written = BTreeSet::new();
    for row in needy {
        written.insert(write_report(fleet, row)?);
    }
    clear_others(&folder.join(REPORTS), &written)?;
    let place = |row: &StreamRow| {
        let name = file_name(&row.key);
        let known = row.windows > 0 && written.contains(&name);
        known.then(|| format!("{REPORTS}/{name}"))
    };
    let html = driftline_report::fleet_html(fleet.manifest(), &rows, &place)?;
    write_whole(&page, html.as_bytes())?;
    Ok(page)
}

/// The report of one stream, made of its run.
pub fn report_of(fleet: &FleetFolder, key: &str) -> Result<String> {
    let aside = tempfile::tempdir().map_err(Error::io(std::env::temp_dir()))?;
    let run = fleet.extract(key, &aside.path().join("run"))?;
    // After `driftline fleet export FLEET --key KEY --out RUN`.
    Ok(driftline_report::run_html_called(&run, "RUN")?)
}

fn write_report(fleet: &FleetFolder, row: &StreamRow) -> Result<String> {
    let folder = fleet.folder().join(REPORTS);
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let name = file_name(&row.key);
    write_whole(&folder.join(&name), report_of(fleet, &row.key)?.as_bytes())?;
    Ok(name)
}

/// Pages of ours that are of yesterday.
fn clear_others(folder: &Path, written: &BTreeSet<String>) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let kept = written.contains(&*name.to_string_lossy());
        if !kept && is_own_page(&path) {
            std::fs::remove_file(&path).map_err(Error::io(&path))?;
        }
    }
    Ok(())
}

/// A key as a name that every file system and every address takes.
fn file_name(key: &str) -> String {
    let letter = |byte: u8| match byte {
        b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(byte).to_string(),
        _ => format!("_{byte:02x}"),
    };
    let name: String = key.bytes().map(letter).collect();
    // Long keys are cut, and stay different by their hash.
    match name.len() {
        ..=100 => name + ".html",
        _ => format!("{}-{:016x}.html", &name[..80], hash(key)),
    }
}

/// Fowler, Noll and Vo's, for names only.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_different() {
        assert_eq!(file_name("sensor-7"), "sensor-7.html");
        assert_eq!(file_name("../a b"), "_2e_2e_2fa_20b.html");
        let long = |end: &str| file_name(&("x".repeat(300) + end));
        assert_ne!(long("1"), long("2"));
        assert!(long("1").len() < 120);
    }
}
