//! Several candidates side by side, one of them with a model of its own: each goes on whether it is deployed or not, and a
//! run that is stopped knows where all of them stand.

use driftline_adapt::{
    Context, Decision, Estimate, PartSpec, Policy, PolicyOutcome, Proposal, State,
};
use driftline_core::{Cancel, Error, Result};
use driftline_io::ReadOptions;
use driftline_models::{AnyLearner, Classifier, Runtime};
use driftline_runs::method::{Registry, Settings};
use driftline_runs::{
    Adapter, DecisionKind, FileRun, RunFolder, Start, Stepped, chains_name, step,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::model::NearestMean;
use super::run::{OneByOne, contents};
use crate::one_loop::data::{Drift, ROWS, WINDOW, table};

/// Does as it is told, window by window: the name of a candidate, `hold`, or the number of a version to go back to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Told {
    turns: Vec<String>,
}

const CANDIDATES: [&str; 3] = ["plain", "bold", "means"];

impl Policy for Told {
    fn candidates(&self, _: &AnyLearner) -> Option<Vec<String>> {
        Some(CANDIDATES.map(String::from).into())
    }

    fn decide(
        &self,
        now: &Context<'_>,
        state: &State,
        proposals: &[Proposal<'_>],
    ) -> Result<PolicyOutcome> {
        let names: Vec<&str> = proposals.iter().map(|p| &*p.candidate.name).collect();
        assert_eq!(now.source_sample, now.source, "60 rows need no choice");
        let turn = state.value("turn").map_or(0, |turn| turn.as_u64().unwrap()) as usize;
        assert_eq!(turn + 1, now.number);
        let rows = state.get("rows").map_or(0, |(dimensions, _)| dimensions[0]);
        let remembered = state.version("bold");
        let findings = json!({
            "turn": turn, "rows": rows, "candidates": names,
            "stands where it stood": remembered.map(|bold| bold == proposals[1].before),
        });
        assert_eq!(
            now.archive.version(now.deployed.number)?.number,
            now.deployed.number
        );
        let why = String::from("told so");
        let said = self.turns.get(turn).map_or("hold", String::as_str);
        let decision = match (said, said.parse()) {
            ("hold", _) => Decision::Hold { why },
            (_, Ok(to)) => Decision::RollBack { to, why },
            (name, _) => {
                let place = names.iter().position(|known| *known == name);
                match place.filter(|&place| proposals[place].version.is_some()) {
                    Some(place) => Decision::Deploy(place),
                    None => Decision::Hold { why },
                }
            }
        };
        let mut state = State::default();
        state.set_value("turn", turn + 1);
        // A roll-back takes the chains with it.
        if !matches!(decision, Decision::RollBack { .. }) {
            let stays = || proposals[1].before.numbered(now.number);
            let bold = proposals[1].version.cloned().unwrap_or_else(stays);
            state.set_version("bold", bold);
            state.set("rows", &[turn + 1, 2], vec![0.5; 2 * turn + 2])?;
        }
        let mut judgement = PolicyOutcome::new(decision, state);
        judgement.reason = Some(format!("turn {turn}"));
        judgement.estimate = Some(Estimate::new(0.1 * turn as f64 + 1.0 / 3.0, 0.25, 0.75));
        judgement.findings = findings;
        Ok(judgement)
    }
}

fn registry() -> Registry {
    let read = |changes| serde_json::from_value::<Settings>(changes).unwrap();
    Registry::new()
        .with_model::<NearestMean>()
        .with_policy::<Told>("told")
        .with_candidate(
            "bold",
            read(json!({ "self-training": { "filter": { "drop": 0.0 } } })),
        )
        .with_candidate("means", read(json!({ "model": "nearest-mean" })))
}

fn settings(turns: &[&str]) -> Settings {
    let mut settings = Settings::for_own_data().with_window(WINDOW);
    settings.model = Some(PartSpec::plain("linear"));
    settings.policy = Some(PartSpec::new("told", json!({ "turns": turns })));
    settings
}

fn adapt(folder: &std::path::Path, turns: &[&str]) -> FileRun {
    let mut adapt = FileRun::new(folder).answers("label");
    adapt.settings = settings(turns);
    adapt.registry = registry();
    adapt
}

fn start(drift: &Drift) -> Start {
    Start::source("label", table(&drift.source))
}

const TURNS: [&str; 6] = ["hold", "means", "hold", "hold", "2", "bold"];

#[test]
fn chains_go_on_whether_deployed_or_not() {
    let drift = Drift::new(0);
    let folder = tempfile::tempdir().unwrap();
    let run_of = |name: &str, turns: &[&str]| {
        let path = folder.path().join(name);
        let run = adapt(&path, turns).run(start(&drift), table(&drift.stream), &());
        run.unwrap()
    };
    // Deployed at once or held for three windows: the plain chain comes to the same, which is what `always` comes to.
    let mut always = FileRun::new(folder.path().join("always")).answers("label");
    always.settings = settings(&[]);
    always.settings.policy = Some(PartSpec::plain("always"));
    let always = always
        .run(start(&drift), table(&drift.stream), &())
        .unwrap();
    assert!(always.resume_state().unwrap().is_none());
    let late = run_of("late", &["hold", "hold", "plain"]);
    let version = |run: &RunFolder, n| run.model(Some(n)).unwrap().version;
    assert_eq!(version(&late, 3), version(&always, 3));
    assert_eq!(version(&late, 2), version(&always, 0).numbered(2));

    let run = run_of("run", &TURNS);
    let fates: Vec<DecisionKind> = run.records().iter().map(|record| record.decision).collect();
    use DecisionKind::{Deploy as D, Hold as H, RollBack as R};
    assert_eq!(fates, [H, D, H, H, R, D]);
    let candidates: Vec<_> = run
        .records()
        .iter()
        .map(|r| r.candidate.as_deref())
        .collect();
    assert_eq!(
        candidates,
        [None, Some("means"), None, None, None, Some("bold")]
    );
    assert_eq!(version(&run, 2).model.kind(), "nearest-mean");
    assert_eq!(version(&run, 4), version(&run, 2).numbered(4));
    assert_eq!(version(&run, 5), version(&run, 2).numbered(5));
    // The linear chains went back to a version of another kind, and began afresh from its labels.
    assert_eq!(version(&run, 6).model.kind(), "linear");
    let record = &run.records()[1];
    assert_eq!(record.estimated_accuracy, Some(0.1 + 1.0 / 3.0));
    assert_eq!(
        (record.estimated_low, record.estimated_high),
        (Some(0.25), Some(0.75))
    );
    assert_eq!(record.reason.as_deref(), Some("turn 1"));
    for (turn, record) in run.records().iter().enumerate() {
        assert_eq!(record.findings["turn"], turn);
        assert_eq!(record.findings["candidates"], json!(CANDIDATES));
        // Of a roll-back it remembers nothing, and before the first window there is nothing.
        let remembers = turn != 0 && fates[turn - 1] != R;
        let stands = &record.findings["stands where it stood"];
        assert_eq!(*stands, json!(remembers.then_some(true)), "{turn}");
        assert_eq!(record.findings["rows"], if remembers { turn } else { 0 });
    }
    let score = record.score.as_ref().unwrap();
    assert_eq!(score.scored, WINDOW);
    // The version deployed after the decision is the one that is scored.
    let rows = table(&drift.stream.slice(WINDOW..2 * WINDOW));
    let own = run.model(Some(2)).unwrap();
    let choice = driftline_io::ColumnChoice {
        answers: Some("label".into()),
        ..Default::default()
    };
    let (read, mut notes) = (ReadOptions::default(), driftline_io::Notes::new());
    let rows = driftline_io::read_all(&rows, &own.encoding, &choice, &read, &mut notes);
    let labels = own.version.predict(&rows.unwrap().inputs).unwrap();
    let right = labels.agreement(&drift.stream.labels().slice(WINDOW..2 * WINDOW));
    assert_eq!(Some(score.accuracy_after), right.estimate());
}

#[test]
fn a_run_that_is_stopped_after_every_window_knows_where_its_chains_stand() {
    let drift = Drift::new(1);
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("whole"), folder.path().join("part"));
    let stream = || table(&drift.stream);
    let run = adapt(&whole, &TURNS)
        .run(start(&drift), stream(), &())
        .unwrap();
    for finished in 1..=6 {
        let watch = OneByOne(Cancel::new());
        let runtime = Runtime::default().with_cancel(watch.0.clone());
        let stopped = adapt(&part, &TURNS).runtime(runtime);
        let stopped = stopped.run(start(&drift), stream(), &watch);
        assert!(matches!(stopped, Err(Error::Interrupted)));
        // Only the newest chains are kept, so that a folder does not grow by them.
        let kept: Vec<_> = std::fs::read_dir(part.join("chains")).unwrap().collect();
        assert_eq!(kept.len(), 1);
        assert!(part.join(chains_name(finished)).exists());
    }
    adapt(&part, &TURNS)
        .run(start(&drift), stream(), &())
        .unwrap();
    assert!(contents(&part) == contents(&whole));

    // Arrays come to the same version; and windows that come by themselves are as if they had been in the stream.
    let labels = drift.source.labels().as_slice();
    let builder = || {
        Adapter::auto()
            .settings(settings(&TURNS))
            .registry(registry())
    };
    let mut arrays = builder().fit(drift.source.inputs(), labels).unwrap();
    arrays.adapt(drift.stream.inputs()).unwrap();
    assert_eq!(*arrays.version(), run.model(None).unwrap().version);
    let stepped = folder.path().join("stepped");
    let first = table(&drift.stream.slice(0..2 * WINDOW));
    let mut steps = adapt(&stepped, &TURNS)
        .run(start(&drift), first, &())
        .unwrap();
    for index in 2..6 {
        let end = if index == 5 {
            ROWS
        } else {
            (index + 1) * WINDOW
        };
        let data = table(&drift.stream.slice(index * WINDOW..end));
        let (read, runtime) = (ReadOptions::default(), Runtime::default());
        let taken = step(&mut steps, &data, None, &read, &runtime).unwrap();
        assert_eq!(taken, Stepped::Added(index + 1));
    }
    assert_eq!(
        steps.model(None).unwrap().version,
        run.model(None).unwrap().version
    );
    assert_eq!(steps.resume_state().unwrap(), run.resume_state().unwrap());
}

/// Somebody goes back by hand: the chains follow, and what the policy remembers stays.
#[test]
fn chains_follow_a_roll_back_by_hand() {
    let drift = Drift::new(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let turns = [
        "plain", "hold", "hold", "hold", "hold", "hold", "2", "plain",
    ];
    let mut run = adapt(&path, &turns)
        .run(start(&drift), table(&drift.stream), &())
        .unwrap();
    run.roll_back(1).unwrap();
    let data = table(&drift.stream.slice(0..WINDOW));
    let (read, runtime) = (ReadOptions::default(), Runtime::default());
    step(&mut run, &data, None, &read, &runtime).unwrap();
    let record = run.records().last().unwrap();
    assert_eq!(
        (record.window, record.decision),
        (7, DecisionKind::RollBack)
    );
    assert_eq!(record.findings["turn"], 6, "what it remembers stays");
    assert_eq!(record.findings["stands where it stood"], false);

    // In memory as in the folder.
    let labels = drift.source.labels().as_slice();
    let builder = Adapter::auto()
        .settings(settings(&turns))
        .registry(registry());
    let mut arrays = builder.fit(drift.source.inputs(), labels).unwrap();
    arrays.adapt(drift.stream.inputs()).unwrap();
    arrays.roll_back(1).unwrap();
    arrays.step(drift.stream.slice(0..WINDOW).inputs()).unwrap();
    assert_eq!(arrays.records()[6].findings, record.findings);
    assert_eq!(*arrays.version(), run.model(None).unwrap().version);
}

/// The source is known to a run from a model file by its sample; without one, a candidate with a model of its own is left out.
#[test]
fn a_sample_stands_for_the_source() {
    let drift = Drift::new(3);
    let folder = tempfile::tempdir().unwrap();
    let labels = drift.source.labels().as_slice();
    let fit = |sample| {
        let builder = Adapter::auto()
            .settings(settings(&TURNS))
            .registry(registry());
        let adapter = builder
            .source_sample(sample)
            .fit(drift.source.inputs(), labels);
        let path = folder.path().join(format!("{sample}.safetensors"));
        adapter.unwrap().save(&path).unwrap();
        path
    };
    let from = |model: std::path::PathBuf, name: &str| {
        let mut adapt = adapt(&folder.path().join(name), &TURNS);
        adapt.choice.answers = None;
        let model_file = driftline_runs::ModelFile::load_with(&model, &registry()).unwrap();
        let start = Start::Model(Box::new(model_file), vec![model]);
        let stream = driftline_io::Table::from(drift.stream.inputs());
        adapt.run(start, stream, &())
    };
    let sampled = from(fit(true), "sampled").unwrap();
    assert_eq!(
        sampled.model(Some(0)).unwrap().source_sample.unwrap().len(),
        drift.source.len()
    );
    assert!(
        sampled.model(Some(3)).unwrap().source_sample.is_none(),
        "said once"
    );
    let sourced = adapt(&folder.path().join("sourced"), &TURNS);
    let sourced = sourced
        .run(start(&drift), table(&drift.stream), &())
        .unwrap();
    assert_eq!(
        sampled.model(None).unwrap().version,
        sourced.model(None).unwrap().version
    );
    let bare = fit(false);
    assert!(std::fs::metadata(&bare).unwrap().len() < 4000);
    let alone = from(bare, "bare").unwrap();
    let candidates = &alone.records()[0].findings["candidates"];
    assert_eq!(*candidates, json!(["plain", "bold"]));
    assert_eq!(
        alone.records()[1].decision,
        DecisionKind::Hold,
        "there was none to deploy"
    );
}
