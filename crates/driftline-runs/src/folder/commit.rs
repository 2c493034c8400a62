//! Windows on their way to disk: checkpoint, predictions, line, and last the manifest that makes them count. It costs the
//! same for the first window as for the thousandth, and goes on while the next windows are worked on: whatever has come
//! up meanwhile is made safe together.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::super::asked::{ASKED, AskedLine, AskedRows, to_csv};
use super::super::chains_file::{self, chains_name};
use super::super::model_file::ModelFile;
use super::super::predictions::WindowTable;
use super::super::record::{Checksum, WindowRecord};
use super::claim::is_of_window;
use super::manifest::RunManifest;
use super::{CHAINS, MANIFEST, WINDOWS, checkpoint_name, predictions_name};
use driftline_adapt::{ResumeState, Version};
use driftline_core::files::{is_leftover, remove_files, write_whole};
use driftline_core::{Error, Result};

/// So many windows may wait to be written, or more as long as they have so many rows in all; then the work waits for the
/// disk. What waits is made safe together: small windows come faster than a disk can be sure of each.
const QUEUE: usize = 4;
const QUEUED_ROWS: usize = 5_000;
const LONGEST_QUEUE: usize = 32;
/// Files that are written at the same time: a disk takes long to be sure, and is sure of several at once.
const HANDS: usize = 8;

/// The hash of the finished lines, ready to take in more.
#[derive(Clone, Debug)]
pub(super) struct Log {
    hasher: blake3::Hasher,
}

impl Log {
    pub fn of(lines: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(lines);
        Self { hasher }
    }

    pub fn sum(&self) -> Checksum {
        Checksum {
            bytes: self.hasher.count(),
            blake3: self.hasher.finalize().to_hex().to_string(),
        }
    }

    /// Writes lines behind the finished ones, over whatever a killed writer may have left there.
    fn append(&mut self, path: &Path, lines: &str) -> Result<()> {
        let mut file = File::options()
            .write(true)
            .open(path)
            .map_err(Error::io(path))?;
        let end = self.hasher.count();
        let written = file
            .set_len(end)
            .and_then(|()| file.seek(SeekFrom::Start(end)))
            .and_then(|_| file.write_all(lines.as_bytes()))
            .and_then(|()| file.sync_data());
        written.map_err(Error::io(path))?;
        self.hasher.update(lines.as_bytes());
        Ok(())
    }
}

/// A finished window.
#[derive(Debug)]
pub(super) struct Finished {
    pub record: WindowRecord,
    pub model_file: ModelFile,
    pub resume_state: Option<ResumeState>,
    pub predictions: Option<WindowTable>,
}

/// How far the folder has come.
#[derive(Debug)]
pub(super) struct Progress {
    pub manifest: RunManifest,
    pub log: Log,
    /// The store of asked rows.
    pub asked: Vec<AskedLine>,
    /// The windows stored since the writer began, with the checksums of their files.
    pub records: Vec<WindowRecord>,
}

/// Writes windows in their order, beside the work.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<SyncSender<Finished>>,
    thread: JoinHandle<(Progress, Result<()>)>,
    /// The versions that may not be on disk yet.
    recent: Vec<Version>,
    /// How many these are at most: those in the queue, those being written, and the next.
    most: usize,
}

impl Writer {
    /// For windows of about so many rows.
    pub fn begin(
        folder: PathBuf,
        manifest: RunManifest,
        log: Log,
        asked: Vec<AskedLine>,
        rows: usize,
    ) -> Self {
        let room = (QUEUED_ROWS / rows.max(1)).clamp(QUEUE, LONGEST_QUEUE);
        let (queue, windows) = sync_channel(room);
        let progress = Progress {
            manifest,
            log,
            asked,
            records: vec![],
        };
        Self {
            queue: Some(queue),
            thread: std::thread::spawn(move || store_all(&folder, progress, &windows)),
            recent: vec![],
            most: 2 * room + 3,
        }
    }

    /// Hands over a window; false where the writer has given up.
    pub fn add(&mut self, window: Finished) -> bool {
        self.recent.push(window.model_file.version.clone());
        let old = self.recent.len().saturating_sub(self.most);
        self.recent.drain(..old);
        let queue = self.queue.as_ref();
        queue.is_some_and(|queue| queue.send(window).is_ok())
    }

    pub fn recent(&self, number: usize) -> Option<&Version> {
        self.recent.iter().find(|version| version.number == number)
    }

    /// Waits until everything is stored; how far it came, and what went wrong if it did not come to the end.
    pub fn finish(mut self) -> Result<(Progress, Result<()>)> {
        self.queue = None;
        self.thread.join().map_err(|_| Error::NotSupported {
            what: "a window".into(),
            how: "stored: its writer panicked".into(),
        })
    }
}

fn store_all(
    folder: &Path,
    mut progress: Progress,
    windows: &Receiver<Finished>,
) -> (Progress, Result<()>) {
    while let Ok(first) = windows.recv() {
        let mut batch = vec![first];
        batch.extend(windows.try_iter());
        // Not the records: a copy of them all would cost more with every window.
        let (manifest, log) = (progress.manifest.clone(), progress.log.clone());
        let (records, asked) = (progress.records.len(), progress.asked.len());
        if let Err(error) = store(folder, &mut progress, batch) {
            progress.records.truncate(records);
            progress.asked.truncate(asked);
            let before = Progress {
                manifest,
                log,
                asked: progress.asked,
                records: progress.records,
            };
            return (before, Err(error));
        }
    }
    (progress, Ok(()))
}

/// Makes some windows safe: their files, side by side; then their lines; then the manifest. Of the chains only the newest
/// are kept.
fn store(folder: &Path, progress: &mut Progress, batch: Vec<Finished>) -> Result<()> {
    let files = write_files(folder, &batch)?;
    let newest = batch.last().and_then(|window| {
        let resume_state = window.resume_state.as_ref()?;
        Some((chains_name(window.record.window), resume_state))
    });
    let chains = newest.map(|(name, resume_state)| {
        let (path, bytes) = (folder.join(&name), chains_file::to_bytes(resume_state)?);
        std::fs::create_dir_all(folder.join(CHAINS)).map_err(Error::io(&path))?;
        write_whole(&path, &bytes)?;
        Ok::<_, Error>((name, Checksum::of(&bytes)))
    });
    let chains = chains.transpose()?;
    let (mut lines, before) = (String::new(), progress.records.len());
    for (window, files) in batch.into_iter().zip(files) {
        let mut record = window.record;
        record.files.extend(files);
        lines += &line(&record);
        progress.manifest.windows = record.window;
        progress.manifest.current = record.window;
        progress.records.push(record);
    }
    let new = AskedRows::of(&progress.records[before..], &progress.manifest.classes);
    if !new.is_empty() {
        progress.asked.extend(new.lines().iter().cloned());
        write_asked(folder, &progress.asked)?;
    }
    progress.log.append(&folder.join(WINDOWS), &lines)?;
    let sum = progress.log.sum();
    let files = &mut progress.manifest.files;
    files.insert(WINDOWS.into(), sum);
    files.retain(|name, _| !is_of_chains(name));
    files.extend(chains);
    write_manifest(folder, &mut progress.manifest)?;
    clear_old_chains(folder, &progress.manifest)
}

/// Checkpoint and predictions of every window; their names and checksums, window by window.
fn write_files(folder: &Path, batch: &[Finished]) -> Result<Vec<Vec<(String, Checksum)>>> {
    let files: Vec<(usize, Option<&WindowTable>)> = batch
        .iter()
        .enumerate()
        .flat_map(|(at, window)| {
            let table = window.predictions.as_ref();
            std::iter::once((at, None)).chain(table.map(|table| (at, Some(table))))
        })
        .collect();
    let write = |&(at, table): &(usize, Option<&WindowTable>)| -> Result<_> {
        let model_file = &batch[at].model_file;
        let (name, bytes) = match table {
            Some(table) => (predictions_name(model_file.number()), table.to_csv()),
            None => (checkpoint_name(model_file.number()), model_file.to_bytes()?),
        };
        write_whole(&folder.join(&name), &bytes)?;
        Ok((at, (name, Checksum::of(&bytes))))
    };
    let hands = HANDS.min(files.len());
    let written = std::thread::scope(|scope| {
        let begin = |hand: usize| {
            let own = files.iter().skip(hand).step_by(hands);
            scope.spawn(move || own.map(write).collect::<Result<Vec<_>>>())
        };
        let begun: Vec<_> = (0..hands).map(begin).collect();
        let end = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread.join().unwrap_or_else(|_| {
                Err(Error::NotSupported {
                    what: "a file of a window".into(),
                    how: "written: its writer panicked".into(),
                })
            })
        };
        begun.into_iter().map(end).collect::<Result<Vec<_>>>()
    })?;
    let mut of_windows: Vec<Vec<_>> = batch.iter().map(|_| vec![]).collect();
    for (at, file) in written.into_iter().flatten() {
        of_windows[at].push(file);
    }
    Ok(of_windows)
}

fn is_of_chains(name: &str) -> bool {
    Path::new(name).parent() == Some(Path::new(CHAINS))
}

/// Removes chains that the manifest does not name: those of earlier windows, and what a killed writer left.
pub(super) fn clear_old_chains(folder: &Path, manifest: &RunManifest) -> Result<()> {
    remove_files(&folder.join(CHAINS), |name| {
        let named = format!("{CHAINS}/{}", name.to_string_lossy());
        (is_of_window(name) || is_leftover(name)) && !manifest.files.contains_key(&named)
    })
}

/// Writes the store of asked rows. Lines of a window count once the manifest counts the window.
pub(super) fn write_asked(folder: &Path, lines: &[AskedLine]) -> Result<()> {
    let path = folder.join(ASKED);
    let parent = path.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).map_err(Error::io(parent))?;
    write_whole(&path, &to_csv(lines))
}

/// A record as it stands in `windows.jsonl`.
pub fn line(record: &WindowRecord) -> String {
    serde_json::to_string(record).expect("a record has string keys only") + "\n"
}

pub(super) fn write_manifest(folder: &Path, manifest: &mut RunManifest) -> Result<()> {
    manifest.driftline = env!("CARGO_PKG_VERSION").into();
    write_whole(&folder.join(MANIFEST), &manifest.to_bytes())
}
