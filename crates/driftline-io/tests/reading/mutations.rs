//! A thousand damaged copies of every kind of file: whatever is wrong with them, reading ends with rows or with an error.
//! The damage is drawn from a fixed seed, so a failure names a copy that can be made again.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;

use driftline_core::Result;
use driftline_core::data::{Shape, Tail, Windowing};
use driftline_core::random::{Generator, Seed};
use driftline_io::{
    ColumnChoice, EncodeOptions, Encoding, Files, Limits, Notes, ReadOptions, TableSource,
    WindowedStream, catching_panics, open,
};
use driftline_models::network::{Architecture, Network};
use parquet::basic::Compression;
use rand::RngExt;

use super::Folder;
use super::make::{gzip, npy, parquet, picture, zip};

/// How many copies; `DRIFTLINE_MUTATIONS=50000` tries more, among them the usual ones.
#[expect(
    clippy::disallowed_methods,
    reason = "a longer search is asked for by hand"
)]
fn copies() -> usize {
    let asked = std::env::var("DRIFTLINE_MUTATIONS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(1000)
}

/// Limits low enough that a copy which claims much costs little.
fn options() -> ReadOptions {
    ReadOptions {
        limits: Limits {
            columns: 5_000,
            record: 1 << 16,
            unpacked: 4 << 20,
            memory: 4 << 20,
            ..Limits::default()
        },
        ..ReadOptions::default()
    }
}

/// Reads a file to its end, or as far as a reader that believes in billions of rows needs to be followed; then learns an
/// encoding from it and walks it as a stream, if it can.
fn read(path: &Path) -> bool {
    let whole = read_frames(path);
    if whole {
        let _ = fit_and_walk(path);
    }
    whole
}

fn fit_and_walk(path: &Path) -> Result<()> {
    let files = Files::new([path])?;
    let fields = files.open(&options())?.fields().to_vec();
    let texts = fields.iter().rev().map(|field| field.name.clone());
    let label = texts.clone().find(|name| name != "image");
    let choice = ColumnChoice {
        label: label.clone(),
        exclude: vec!["when".into()],
        impute: true,
        ..ColumnChoice::default()
    };
    let mut notes = Notes::new();
    let how = EncodeOptions::default();
    let (encoding, _) = Encoding::fit(&files, &choice, &options(), how, &mut notes)?;
    let when = fields.iter().find(|field| field.name == "when");
    let choice = ColumnChoice {
        answers: label,
        time: when.map(|field| field.name.clone()),
        ..choice
    };
    let cut = Windowing::Size(NonZeroUsize::MIN.saturating_add(6), Tail::Merge);
    let stream = WindowedStream::open(Box::new(files), &encoding, &choice, &cut, &options())?;
    for window in stream.take(2000) {
        assert!(!window?.rows.is_empty());
    }
    Ok(())
}

fn read_frames(path: &Path) -> bool {
    let Ok(mut frames) = open(path, &options()) else {
        return false;
    };
    let (mut rows, mut last) = (0, 0);
    while rows < 300_000 {
        match frames.next_frame() {
            Ok(Some(frame)) => {
                assert!(frame.rows > 0, "an empty frame");
                assert!(frame.first_row > last, "rows are numbered upwards");
                last = frame.first_row;
                rows += frame.rows;
            }
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
    true
}

/// One to four kinds of damage.
fn damage(bytes: &[u8], generator: &mut Generator) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..generator.random_range(1..=4) {
        let n = bytes.len().max(1);
        // Heads and tails hold the lengths: half of all damage goes there.
        let at = match generator.random_range(0..4) {
            0 => generator.random_range(0..n.min(64)),
            1 => n - 1 - generator.random_range(0..n.min(128)),
            _ => generator.random_range(0..n),
        };
        let at = at.min(bytes.len());
        let end = (at + generator.random_range(1..=32)).min(bytes.len());
        match generator.random_range(0..8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << generator.random_range(0..8),
            1 if at < bytes.len() => {
                bytes[at] = *pick(
                    generator,
                    &[0, 1, 0x7f, 0x80, 0xff, b'"', b'\'', b'\n', b','],
                )
            }
            2 => bytes.truncate(at),
            3 => {
                let new: Vec<u8> = (at..end).map(|_| generator.random()).collect();
                bytes.splice(at..at, new);
            }
            4 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            5 => drop(bytes.drain(at..end)),
            // A length field that claims too much.
            6 => write_at(&mut bytes, at, &pick(generator, &LARGE32).to_le_bytes()),
            _ => {
                let large = u64::from(*pick(generator, &LARGE32)) << generator.random_range(0..33);
                let (little, big) = (large.to_le_bytes(), large.to_be_bytes());
                write_at(
                    &mut bytes,
                    at,
                    if generator.random() { &little } else { &big },
                );
            }
        }
    }
    bytes
}

const LARGE32: [u32; 7] = [
    0,
    1,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x00ff_ffff,
    0x0100_0000,
];

fn pick<'a, T>(generator: &mut Generator, from: &'a [T]) -> &'a T {
    &from[generator.random_range(0..from.len())]
}

fn write_at(bytes: &mut [u8], at: usize, new: &[u8]) {
    for (old, new) in bytes.iter_mut().skip(at).zip(new) {
        *old = *new;
    }
}

/// Caught panics are part of the test; only those that escape are worth a line.
fn silence_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !catching_panics() {
                usual(info);
            }
        }));
    });
}

/// Reads the damaged copies of `bytes`; the whole file must be readable, and some copies must not be.
fn thousand(name: &str, bytes: &[u8], mut read: impl FnMut(&[u8]) -> bool) {
    silence_guarded_panics();
    assert!(read(bytes), "{name} itself cannot be read");
    let mut refused = 0;
    for copy in 0..copies() {
        let mut generator = Seed::new(6).named(name).nth(copy).generator();
        let bad = damage(bytes, &mut generator);
        match catch_unwind(AssertUnwindSafe(|| read(&bad))) {
            Ok(good) => refused += usize::from(!good),
            Err(_) => panic!("copy {copy} of {name} made it panic"),
        }
    }
    assert!(
        refused > copies() / 20,
        "only {refused} copies of {name} were refused"
    );
}

fn file(name: &str, bytes: &[u8]) {
    let folder = Folder::new();
    thousand(name, bytes, |bytes| read(&folder.write(name, bytes)));
}

fn reference(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/tables");
    std::fs::read(folder.join(name)).unwrap()
}

#[test]
fn csv() {
    let text = reference("semicolons.csv");
    file("t.csv", &text);
    file("t.csv.gz", &gzip(&text));
}

#[test]
fn arff() {
    file("t.arff", &reference("liac.arff"));
}

#[test]
fn parquet_of_other_software() {
    for name in ["pandas.parquet", "gzip.parquet", "lz4.parquet"] {
        file(name, &reference(name));
    }
}

#[test]
fn parquet_in_other_encodings() {
    for name in [
        "polars-zstd.parquet",
        "pages-v2.parquet",
        "byte-split.parquet",
    ] {
        file(name, &reference(name));
    }
    file("own.parquet", &parquet(3000, 1000, Compression::SNAPPY));
}

#[test]
fn npy_and_npz() {
    file("columns-first.npy", &reference("columns-first.npy"));
    file("numpy.npz", &reference("numpy.npz"));
    file("packed.npz", &reference("packed.npz"));
    let pictures = npy("|u1", "(5, 4, 3)", &[7; 60]);
    file("images.npz", &zip(&[("x.npy", &pictures)], true, None));
}

#[test]
fn mat() {
    for name in ["plain.mat", "packed.mat", "pictures.mat"] {
        file(name, &reference(name));
    }
}

#[test]
fn idx() {
    let mut idx = vec![0, 0, 8, 3, 0, 0, 0, 9, 0, 0, 0, 4, 0, 0, 0, 5];
    idx.extend((0..180).map(|pixel| pixel as u8));
    file("a-images-idx3-ubyte", &idx);
    file("a-images-idx3-ubyte.gz", &gzip(&idx));
}

#[test]
fn pictures() {
    for (extension, colour) in [
        ("png", false),
        ("png", true),
        ("jpeg", false),
        ("jpeg", true),
    ] {
        let folder = Folder::new();
        let whole = picture(12, 9, 3, colour, extension);
        folder.write(&format!("a.{extension}"), &whole);
        let name = format!("b.{extension}");
        thousand(&name, &whole, |bytes| {
            folder.write(&name, bytes);
            read(folder.0.path())
        });
    }
}

#[test]
fn lists_of_pictures() {
    let folder = Folder::new();
    for name in ["a.png", "b.png"] {
        folder.write(name, picture(2, 2, 1, false, "png"));
    }
    let list = b"file,label,year\na.png,x,1930\nb.png,y,1931\n";
    thousand("list.csv", list, |bytes| {
        folder.write("list.csv", bytes);
        read(folder.0.path())
    });
}

#[test]
fn networks() {
    let blueprint = Architecture::mlp().build(Shape::Vector(3), 2).unwrap();
    let network = Network::initial(blueprint, Seed::new(1)).unwrap();
    thousand("model.safetensors", &network.to_bytes(), |bytes| {
        Network::from_bytes(bytes).is_ok()
    });
}
