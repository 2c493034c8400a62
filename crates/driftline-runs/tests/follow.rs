//! Runs that follow a log of live rows: the windows, versions and decisions of `adapt` and `step`; nothing lost and nothing twice,
//! wherever the process ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use driftline::prelude::*;
use driftline_adapt::PartSpec;
use driftline_core::data::Windowing;
use driftline_io::{Column, Numbers, RowReader, Table, Texts};
use driftline_runs::{
    Appended, Closed, Cut, Follower, Fsync, LineColumns, Lines, LogOptions, LogState, LoggedLabel,
    RowLog, RunFolder, Start, Turn, step,
};
use serde_json::{Value, json};
use tempfile::TempDir;

const WINDOW: usize = 60;
/// Rows of the run's own stream, and of the live rows after it.
const FIRST: usize = 2 * WINDOW;
const LIVE: usize = 4 * WINDOW + 17;
const KEEP: u64 = 1 << 30;

struct Place {
    folder: TempDir,
    /// The live rows as lines of CSV.
    lines: Vec<String>,
}

const HEADER: &str = "id,day,x,y,colour,label\n";

/// Two classes on a line that turns.
fn row(at: usize, seed: usize) -> String {
    let noise = |k: usize| ((at * 7919 + k * 104_729 + seed * 31) % 1009) as f64 / 504.5 - 1.0;
    let (class, angle) = (at % 2, at as f64 / 200.0);
    let sign = [-2.0, 2.0][class];
    let (x, y) = (sign * angle.cos() + noise(1), sign * angle.sin() + noise(2));
    let colour = ["red", "blue", "green"][at % 3];
    let label = ["ant", "bee"][class];
    format!("{seed}-{at},{},{x:.4},{y:.5},{colour},{label}", at / 10)
}

impl Place {
    /// A folder with a run of two windows.
    fn new(policy: Value) -> Self {
        let place = Self {
            folder: TempDir::new().unwrap(),
            lines: (FIRST..FIRST + LIVE).map(|at| row(at, 2)).collect(),
        };
        let source: Vec<String> = (0..300).map(|at| row(at % 20, 1 + at)).collect();
        place.table("source.csv", &source);
        let stream: Vec<String> = (0..FIRST).map(|at| row(at, 2)).collect();
        place.table("stream.csv", &stream);
        place.adapt("run", &["stream.csv"], policy);
        place
    }

    fn guarded() -> Self {
        Self::new(json!({}))
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Without labels, but for the source.
    fn table(&self, name: &str, lines: &[String]) {
        let header = HEADER.trim_end().to_owned();
        let lines = std::iter::once(&header).chain(lines);
        let cut = |line: &String| match name {
            "source.csv" => format!("{line}\n"),
            _ => format!("{}\n", line.rsplit_once(',').unwrap().0),
        };
        fs::write(self.at(name), lines.map(cut).collect::<String>()).unwrap();
    }

    fn adapt(&self, run: &str, stream: &[&str], policy: Value) {
        let mut file_run = FileRun::new(self.at(run)).model("linear");
        let windows = json!({ "window": WINDOW, "tail": "drop" });
        file_run.settings = file_run.settings.with_windows(windows);
        file_run.settings.policy = Some(PartSpec::new("guarded", policy));
        file_run.choice.ids = vec!["id".into()];
        file_run.choice.time = Some("day".into());
        let source = Start::source("label", Files::new([self.at("source.csv")]).unwrap());
        let stream = Files::new(stream.iter().map(|name| self.at(name))).unwrap();
        file_run.run(source, stream, &()).unwrap();
    }

    fn copy(&self, from: &str, to: &str) {
        let (from, to) = (self.at(from), self.at(to));
        for (name, bytes) in contents(&from) {
            let path = to.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    fn live(&self, run: &str) -> Live {
        self.live_with(run, KEEP, None, false)
    }

    fn live_with(&self, run: &str, keep: u64, cut: Option<Windowing>, learns: bool) -> Live {
        let run = self.at(run);
        let options = LogOptions {
            sync: Fsync::Never,
            keep,
        };
        let (log, recovered) = RowLog::open(&run, options).unwrap();
        let folder = RunFolder::read(&run).unwrap();
        let cut = Cut::of(&folder, cut.as_ref()).unwrap();
        let columns = log.columns().clone();
        let log = Arc::new(Mutex::new(log));
        let runtime = Runtime::default();
        Live {
            follower: Follower::open(&run, log.clone(), cut, learns, runtime).unwrap(),
            model: folder.model(None).unwrap(),
            waiting: recovered.waiting,
            torn: recovered.torn.map_or(0, |(_, bytes)| bytes),
            columns,
            cut,
            log,
            run,
        }
    }
}

/// What a process holds.
struct Live {
    run: PathBuf,
    log: Arc<Mutex<RowLog>>,
    follower: Follower,
    columns: LineColumns,
    cut: Cut,
    model: ModelFile,
    waiting: u64,
    torn: usize,
}

impl Live {
    /// Lines as a request brings them.
    fn lines(&self, lines: &[String]) -> Lines {
        let cell = |line: &String, at: usize| line.split(',').nth(at).unwrap().to_owned();
        let texts = |at: usize| -> Column {
            let cells: Vec<String> = lines.iter().map(|line| cell(line, at)).collect();
            Column::Text(cells.iter().map(|cell| Some(&**cell)).collect::<Texts>())
        };
        let numbers = |at: usize| {
            let cells = lines.iter().map(|line| cell(line, at).parse().unwrap());
            Column::Numbers(Numbers::Double(cells.collect()))
        };
        let mut table = Table::new();
        for (at, name) in HEADER.trim().split(',').enumerate().take(5) {
            let column = match name {
                "id" | "colour" => texts(at),
                _ => numbers(at),
            };
            table = table.with_column(name, column).unwrap();
        }
        let read = driftline_io::ReadOptions::default();
        let mut reader =
            RowReader::open(&table, &self.model.encoding, self.columns.choice(), &read).unwrap();
        let rows = reader.next_rows().unwrap().unwrap();
        self.columns.lines(&table, &rows, None, &self.cut).unwrap()
    }

    fn append(&self, lines: &[String]) -> Appended {
        let lines = self.lines(lines);
        self.log.lock().unwrap().append(&lines)
    }

    fn label(&self, labels: &[(u64, &str)]) {
        let labels = labels.iter().map(|(row, label)| LoggedLabel {
            row: *row,
            label: (*label).to_owned(),
        });
        let labels: Vec<LoggedLabel> = labels.collect();
        self.log.lock().unwrap().label(&labels).unwrap();
    }

    /// Adapts to all that is there.
    fn catch_up(&mut self) -> Vec<Closed> {
        let mut all = vec![];
        loop {
            match self.follower.turn().unwrap() {
                Turn::Idle => return all,
                Turn::Window(closed) => all.push(*closed),
                Turn::Labels(_, refused) => assert!(refused.is_empty(), "{refused:?}"),
            }
        }
    }
}

/// Every file below a folder but locks, by name.
fn contents(root: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut all, mut open) = (vec![], vec![root.to_owned()]);
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            match path.is_dir() {
                true => open.push(path),
                false if name.ends_with(".lock") => {}
                false => all.push((name, fs::read(path).unwrap())),
            }
        }
    }
    all.sort();
    all
}

/// The windows of a run but for the files that their rows came from, and the bytes of all models.
fn made(run: &Path) -> (Vec<Value>, Vec<(String, Vec<u8>)>) {
    let text = fs::read_to_string(run.join("windows.jsonl")).unwrap();
    let windows = text.lines().map(|line| {
        let mut window: Value = serde_json::from_str(line).unwrap();
        let fields = window.as_object_mut().unwrap();
        fields.remove("inputs");
        for place in ["first", "last"] {
            fields[place]["file"].take();
            fields[place]["row"].take();
        }
        let asked = fields.get_mut("asked").and_then(Value::as_array_mut);
        for asked in asked.into_iter().flatten() {
            asked["place"]["file"].take();
        }
        // Predictions name the files too.
        let files = fields["files"].as_object_mut().unwrap();
        files.retain(|name, _| name.starts_with("checkpoints/"));
        window
    });
    let models = contents(run).into_iter();
    let models =
        models.filter(|(name, _)| name.starts_with("checkpoints/") || name.starts_with("chains/"));
    (windows.collect(), models.collect())
}

/// The law: live rows give what the same rows in files give.
#[test]
fn live_rows_give_the_windows_and_versions_of_step_and_adapt() {
    let place = Place::guarded();
    place.copy("run", "stepped");
    let mut live = place.live("run");
    // Requests know nothing of windows.
    for lines in place.lines.chunks(13) {
        let told = live.append(lines);
        assert_eq!((told.logged, told.duplicates), (lines.len(), 0));
        if told.first.is_multiple_of(3) {
            live.catch_up();
        }
    }
    live.catch_up();
    assert_eq!(live.follower.adapted_to(), 4 * WINDOW as u64);
    let mut stepped = RunFolder::open(&place.at("stepped")).unwrap();
    for (at, lines) in place.lines.chunks_exact(WINDOW).enumerate() {
        let name = format!("part-{at}.csv");
        place.table(&name, lines);
        let data = Files::new([place.at(&name)]).unwrap();
        let read = driftline_io::ReadOptions::default();
        step(&mut stepped, &data, None, &read, &Runtime::default()).unwrap();
    }
    drop(stepped);
    let (windows, models) = made(&place.at("run"));
    assert_eq!(windows.len(), 6);
    let by_step = made(&place.at("stepped"));
    assert_eq!(windows, by_step.0);
    assert!(models == by_step.1);

    let parts: Vec<String> = (0..4).map(|at| format!("part-{at}.csv")).collect();
    let files: Vec<&str> = std::iter::once("stream.csv")
        .chain(parts.iter().map(|own| &**own))
        .collect();
    place.adapt("adapted", &files, json!({}));
    let by_adapt = made(&place.at("adapted"));
    assert!(models == by_adapt.1);
    for (own, other) in windows.iter().zip(&by_adapt.0) {
        for field in [
            "teacher",
            "decision",
            "reason",
            "findings",
            "estimated_accuracy",
            "class_balance",
            "rows",
        ] {
            assert_eq!(own[field], other[field], "{field}");
        }
    }
}

/// Whatever moment the process ends at, the same bytes come out in the end.
#[test]
fn a_process_that_begins_again_ends_with_the_same_bytes() {
    let place = Place::new(json!({ "labels-per-window": 4 }));
    place.copy("run", "before");
    let labels = |live: &Live, done: usize| {
        if done >= 2 * WINDOW {
            live.label(&[(3, "ant"), (done as u64 - 20, "bee")]);
        }
    };
    let whole = {
        let mut live = place.live("run");
        for (at, lines) in place.lines.chunks(13).enumerate() {
            live.append(lines);
            labels(&live, (at + 1) * 13);
            live.catch_up();
        }
        drop(live);
        contents(&place.at("run"))
    };
    fs::remove_dir_all(place.at("run")).unwrap();
    place.copy("before", "run");
    for (at, lines) in place.lines.chunks(13).enumerate() {
        let mut live = place.live("run");
        assert_eq!(live.torn > 0, at > 0);
        live.append(lines);
        labels(&live, (at + 1) * 13);
        if at % 3 == 1 {
            live.catch_up();
        }
        // Killed in the middle of a record.
        drop(live);
        let log = place.at("run/log/00000001.log");
        let mut bytes = fs::read(&log).unwrap();
        bytes.extend_from_slice(&b"00000040 0123456789abcdef\n{\"rows\":"[..5 + at]);
        fs::write(log, bytes).unwrap();
    }
    let mut live = place.live("run");
    live.catch_up();
    drop(live);
    let found = contents(&place.at("run"));
    let names =
        |all: &[(String, Vec<u8>)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&found), names(&whole));
    for (own, other) in found.iter().zip(&whole) {
        assert!(own == other, "{} differs", own.0);
    }
}

#[test]
fn rows_that_were_logged_are_not_logged_again() {
    let place = Place::guarded();
    let mut live = place.live("run");
    assert_eq!(live.append(&place.lines[..10]).logged, 10);
    let told = live.append(&place.lines[5..20]);
    assert_eq!((told.first, told.logged, told.duplicates), (11, 10, 5));
    let twice = [&place.lines[20..22], &place.lines[20..22]].concat();
    assert_eq!(live.append(&twice).logged, 2);
    live.append(&place.lines[22..WINDOW + 5]);
    assert_eq!(live.catch_up().len(), 1);
    drop(live);
    // Those of finished windows, and those that wait.
    let live = place.live("run");
    assert_eq!(live.waiting, 5);
    let told = live.append(&place.lines[..WINDOW + 6]);
    assert_eq!((told.first, told.logged), (WINDOW as u64 + 6, 1));
    let id = |row: usize| place.lines[row].split(',').next().unwrap().to_owned();
    let log = live.log.lock().unwrap();
    assert_eq!(log.row_of(&id(0)), Some(1));
    assert_eq!(log.row_of(&id(WINDOW + 5)), Some(WINDOW as u64 + 6));
    assert_eq!(log.row_of("another"), None);
}

#[test]
fn a_log_without_room_says_so_and_goes_on_when_there_is_some() {
    let place = Place::guarded();
    let window = WINDOW as u64 * 40;
    let mut live = place.live_with("run", 2 * window, None, false);
    let mut logged = 0;
    for lines in place.lines.chunks(10) {
        let told = live.append(lines);
        logged += told.logged;
        if told.logged == 0 {
            assert!(told.why_not.unwrap().contains("--keep"));
            assert_eq!(*live.log.lock().unwrap().state(), LogState::Full);
            break;
        }
    }
    assert!(logged >= WINDOW && logged < place.lines.len());
    assert!(!live.catch_up().is_empty());
    let told = live.append(&place.lines[logged..logged + 10]);
    assert_eq!((told.first, told.logged), (logged as u64 + 1, 10));
    live.catch_up();
    let tables = fs::read_dir(place.at("run/rows")).unwrap().count();
    assert!((1..4).contains(&tables), "{tables}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_log_and_nothing_else() {
    let place = Place::guarded();
    let mut live = place.live("run");
    std::os::unix::fs::symlink("/dev/full", place.at("run/log/00000001.log")).unwrap();
    let told = live.append(&place.lines[..10]);
    assert_eq!((told.logged, told.duplicates), (0, 0));
    assert!(told.why_not.unwrap().contains("No space left"));
    let why = live.append(&place.lines[..10]).why_not.unwrap();
    assert!(why.contains("No space left"), "{why}");
    live.log.lock().unwrap().try_again();
    let told = live.append(&place.lines[..WINDOW]);
    assert_eq!((told.first, told.logged), (1, WINDOW));
    assert_eq!(live.catch_up().len(), 1);
}

/// A window of a period ends when a row of a later one comes; late rows belong to the window at hand.
#[test]
fn windows_end_by_the_time_of_their_rows() {
    let place = Place::guarded();
    // Days 12, 13, … of ten rows each, counted from the run's first day.
    let four = Windowing::Every(driftline_core::data::Period::Number(4.0));
    let mut live = place.live_with("run", KEEP, Some(four), false);
    let mut lines = place.lines[..95].to_vec();
    lines.swap(30, 45);
    for lines in lines.chunks(7) {
        live.append(lines);
    }
    let spans: Vec<(u64, u64)> = live
        .catch_up()
        .iter()
        .map(|own| (own.first, own.last))
        .collect();
    assert_eq!(spans, [(1, 30), (31, 80)]);
    drop(live);
    let mut live = place.live_with("run", KEEP, Some(four_again()), false);
    assert!(live.catch_up().is_empty());
}

fn four_again() -> Windowing {
    Windowing::Every(driftline_core::data::Period::Number(4.0))
}

#[test]
fn labels_score_and_train_only_if_that_is_wanted() {
    let place = Place::new(json!({ "labels-per-window": 6 }));
    place.copy("run", "learning");
    let label = |row: u64| ["ant", "bee"][(FIRST + row as usize - 1) % 2];
    let labels: Vec<(u64, &str)> = (1..=WINDOW as u64 + 5)
        .map(|row| (row, label(row)))
        .collect();
    let versions = |run: &str, learns: bool| {
        let mut live = place.live_with(run, KEEP, None, learns);
        live.append(&place.lines[..WINDOW + 10]);
        // Some of them before their window was adapted to.
        live.label(&labels);
        live.catch_up();
        let folder = RunFolder::read(&live.run).unwrap();
        let score = folder.records()[2].score.clone().unwrap();
        assert_eq!(score.scored, WINDOW);
        let asked = folder.asked().unwrap();
        let open = asked.open().iter().filter(|own| own.window == 3).count();
        assert_eq!(open, 0, "labels answer what was asked");
        live.append(&place.lines[WINDOW + 10..3 * WINDOW]);
        let learned: Vec<usize> = live
            .catch_up()
            .iter()
            .flat_map(|own| own.learned.clone())
            .collect();
        let folder = RunFolder::read(&live.run).unwrap();
        assert!(
            folder.records()[3..]
                .iter()
                .any(|own| !own.labels_taken.is_empty())
        );
        assert!(
            folder
                .records()
                .iter()
                .any(|own| own.score.as_ref().is_some_and(|own| own.scored == 5))
        );
        (folder.manifest().windows, learned)
    };
    assert_eq!(versions("run", false), (5, vec![]));
    assert_eq!(versions("learning", true), (7, vec![4, 6]));
}

#[test]
fn a_run_that_is_replaced_takes_its_log_along() {
    let place = Place::guarded();
    let mut live = place.live("run");
    live.append(&place.lines[..WINDOW + 5]);
    live.catch_up();
    drop(live);
    let mut file_run = FileRun::new(place.at("run")).model("linear").window(WINDOW);
    file_run.replace = true;
    file_run.choice.exclude = vec!["id".into(), "day".into()];
    let source = Start::source("label", Files::new([place.at("source.csv")]).unwrap());
    let stream = Files::new([place.at("stream.csv")]).unwrap();
    file_run.run(source, stream, &()).unwrap();
    let live = place.live("run");
    assert_eq!((live.waiting, live.log.lock().unwrap().rows()), (0, 0));
}
