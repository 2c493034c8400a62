//! How the drift is followed, as flags or as a file of settings: whatever an experiment file can say of a method.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use driftline_adapt::{AlignmentParts, Filter, LabelerParts, PartSpec};
use driftline_core::data::{Fraction, Period, Positive};
use driftline_core::names;
use driftline_lab::experiment::read_settings;
use driftline_runs::method::{PolicyParts, Settings, TrainingSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::arguments::{CleaningArgs, parse_count};
use super::headings::{DATA, METHOD, NETWORKS, WINDOWS, place};
use crate::failure::{Failure, Result};

/// The policy that asks for labels.
const GUARDED: &str = "guarded";

/// Flags win over the file, and the file over the defaults.
#[derive(Args, Clone, Debug)]
pub struct MethodArgs {
    /// TOML file with any setting of a method
    ///
    /// Whatever a method of an experiment file can say; see `driftline schema --settings`. Flags win over the file.
    #[arg(long, value_name = "FILE.toml", help_heading = METHOD)]
    settings: Option<PathBuf>,
    /// How the stream is followed [default: gradual]
    ///
    /// gradual: one window after another. target: only the last window. pooled: the whole stream at once. accumulate: each
    /// window with all before it. source: watch without learning.
    #[arg(long, value_name = "NAME", value_parser = methods(), help_heading = METHOD, hide_short_help = true)]
    method: Option<String>,
    /// How often target and pooled repeat [default: once per window]
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = METHOD, hide_short_help = true)]
    repeats: Option<NonZeroUsize>,
    /// How inputs are brought into the model's frame [default: none]
    #[arg(long, value_name = "NAME", value_parser = named(AlignmentParts::makers()), help_heading = METHOD, hide_short_help = true)]
    alignment: Option<String>,
    /// How a window gets its labels [default: teacher]
    #[arg(long, value_name = "NAME", value_parser = named(LabelerParts::makers()), help_heading = METHOD, hide_short_help = true)]
    labeler: Option<String>,
    /// guarded, always or never
    ///
    /// When a step is deployed. guarded: only if it gains at the lower bound; may ask for labels. always: every step. never:
    /// watch. The default is guarded, and always with --method target and pooled.
    #[arg(long, value_name = "NAME", value_parser = named(PolicyParts::makers()), hide_possible_values = true, help_heading = METHOD)]
    policy: Option<String>,
    /// Labels to ask for in each window [default: 0]
    ///
    /// With --truth or a file of --labels, only the rows asked for are used; otherwise `driftline label` asks you.
    #[arg(long, value_name = "N", help_heading = METHOD)]
    labels_per_window: Option<usize>,
    /// Learn from the labels that were asked for, too
    #[arg(long, requires = "labels_per_window", help_heading = METHOD, hide_short_help = true)]
    learn: bool,
    #[command(flatten)]
    self_training: SelfTrainingArgs,
    /// Rows per mini-batch of a network [default: 32]
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = NETWORKS, hide_short_help = true)]
    batch_size: Option<NonZeroUsize>,
    /// Radius of sharpness-aware training of a network [default: none]
    #[arg(long, value_name = "RADIUS", value_parser = parse_positive, help_heading = NETWORKS, hide_short_help = true)]
    sharpness: Option<Positive>,
    /// Do not scale numeric columns by the source's mean and deviation
    #[arg(long, help_heading = DATA, hide_short_help = true)]
    no_scaling: bool,
    #[command(flatten)]
    cleaning: CleaningArgs,
}

/// Each is the setting of the same name.
#[derive(Args, Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct SelfTrainingArgs {
    /// Share of each window to leave out: its least confident rows [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = parse_fraction, conflicts_with = "filter", help_heading = METHOD, hide_short_help = true)]
    #[serde(skip)]
    drop: Option<Fraction>,
    /// Another filter: drop=SHARE, threshold=CONFIDENCE or class-balanced=SHARE
    #[arg(long, value_name = "KIND=VALUE", value_parser = parse_filter, help_heading = METHOD, hide_short_help = true)]
    filter: Option<Filter>,
    /// Measure of confidence: spread (max p − min p), top-probability or margin [default: spread]
    #[arg(long, value_name = "MEASURE", help_heading = METHOD, hide_short_help = true)]
    confidence: Option<String>,
    /// A file with labels of rows that --labels-per-window asks for, as `driftline label` writes them
    ///
    /// Or, as a setting, learn from predicted classes (hard) or probabilities (soft) [default: hard].
    #[arg(long, value_name = "FILE|hard|soft", help_heading = METHOD, hide_short_help = true)]
    labels: Option<String>,
    /// Start of each step: teacher (the current model), scratch or scratch-then-teacher [default: teacher]
    #[arg(long, value_name = "WHERE", help_heading = METHOD, hide_short_help = true)]
    start: Option<String>,
    /// Optimiser state between steps: carried or fresh [default: carried]
    #[arg(long, value_name = "STATE", help_heading = METHOD, hide_short_help = true)]
    optimizer_state: Option<String>,
    /// When the filter leaves nothing or one class: hold, proceed or fail [default: hold]
    #[arg(long, alias = "starvation", value_name = "WHAT", help_heading = METHOD, hide_short_help = true)]
    on_empty_window: Option<String>,
    /// Mix the labelled source into every step, each row with this weight; needs --source
    #[arg(long, value_name = "WEIGHT", value_parser = parse_positive, help_heading = METHOD, hide_short_help = true)]
    replay: Option<Positive>,
    /// Mix the labelled source into every step, all of it together with this weight relative to the window; needs --source
    #[arg(long, value_name = "WEIGHT", value_parser = parse_positive, conflicts_with = "replay", help_heading = METHOD, hide_short_help = true)]
    replay_share: Option<Positive>,
    /// Strength of the penalty that keeps each step near its first weights [default: not at all]
    #[arg(long, value_name = "STRENGTH", value_parser = parse_positive, help_heading = METHOD, hide_short_help = true)]
    anchor: Option<Positive>,
    /// Average weights along the chain: the share kept from the model before each step [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = parse_fraction, help_heading = METHOD, hide_short_help = true)]
    average: Option<Fraction>,
}

/// Where windows end.
#[derive(Args, Clone, Debug)]
pub struct WindowArgs {
    /// Rows per window [default: 500]
    #[arg(long, value_name = "N", value_parser = parse_count, conflicts_with_all = ["windows", "every"], display_order = place::WINDOW)]
    window: Option<NonZeroUsize>,
    /// Split the stream into N windows
    #[arg(long, value_name = "N", value_parser = parse_count, conflicts_with = "every", help_heading = WINDOWS)]
    windows: Option<NonZeroUsize>,
    /// One window per period: P7D, P1M, PT6H; needs --time
    ///
    /// For numeric times, a step of this size.
    #[arg(long, value_name = "PERIOD", requires = "time", value_parser = parse_period, help_heading = WINDOWS)]
    every: Option<Period>,
    /// Rows left over at the end: merge them into the last window, keep them as a smaller one, drop or forbid them
    /// [default: merge]
    #[arg(long, value_name = "WHAT", help_heading = WINDOWS, hide_short_help = true)]
    tail: Option<String>,
}

impl MethodArgs {
    /// The settings that these flags and the file say; `model` and `epochs` come with the source.
    pub fn settings(
        &self,
        windows: &WindowArgs,
        model: Option<&str>,
        epochs: Option<NonZeroUsize>,
    ) -> Result<Settings> {
        let mut settings = match &self.settings {
            Some(path) => read_settings(path)?,
            None => Settings::new(),
        };
        if let Some(windows) = windows.spec()? {
            settings = settings.with_windows(windows);
        }
        if let Some(method) = &self.method {
            settings = settings.with_method(method);
        }
        if let Some(repeats) = self.repeats {
            let curriculum = settings
                .curriculum
                .get_or_insert_with(|| PartSpec::plain("target"));
            if !curriculum.settings.is_object() {
                curriculum.settings = json!({});
            }
            curriculum.settings["repeats"] = json!(repeats);
        }
        let mut flags = self.flags()?;
        flags.model = model.map(PartSpec::plain);
        settings = flags.or(&settings);
        settings.column_cleaning = self.cleaning.cleaning(settings.column_cleaning);
        if epochs.or(self.batch_size).is_some() || self.sharpness.is_some() {
            let training = settings.training.get_or_insert_with(TrainingSpec::default);
            training.epochs = epochs.unwrap_or(training.epochs);
            training.batch_size = self.batch_size.unwrap_or(training.batch_size);
            training.sharpness = self.sharpness.or(training.sharpness);
        }
        Ok(settings)
    }

    /// The file that `--labels` names, where it is no setting.
    pub fn labels_file(&self) -> Option<&String> {
        let file = self.self_training.labels.as_ref()?;
        std::path::Path::new(file).exists().then_some(file)
    }

    /// Refuses a file of labels where nobody is asked.
    pub fn expect_no_labels_file(&self) -> Result<()> {
        match self.labels_file() {
            None => Ok(()),
            Some(file) => Err(Failure::usage(
                format!("--labels {file} has no effect here"),
                "`driftline adapt`, `step` and `label` take labels of rows that were asked for",
            )),
        }
    }

    /// What the flags say that are settings of their own.
    fn flags(&self) -> Result<Settings> {
        let mut said = Settings::new();
        let own = json!(self.self_training);
        for (key, value) in own.as_object().into_iter().flatten() {
            if key == "labels" && self.labels_file().is_some() {
                continue;
            }
            // One by one, so that an error names its flag.
            let one = serde_json::from_value(json!({ "self-training": { key: value } }));
            let one: Settings =
                one.map_err(|error| cannot_be(&format!("--{key}"), value, error))?;
            said = one.or(&said);
        }
        if let Some(share) = self.self_training.drop {
            said.self_training.filter = Some(Filter::DropFraction(share));
        }
        said.alignment = self.alignment.clone().map(PartSpec::plain);
        said.labeler = self.labeler.clone().map(PartSpec::plain);
        said.policy = self.policy.clone().map(PartSpec::plain);
        if let Some(labels) = self.labels_per_window {
            let name = self.policy.as_deref().unwrap_or(GUARDED);
            if name != GUARDED {
                let what = format!("--labels-per-window has no effect with the policy `{name}`");
                return Err(Failure::usage(what, "omit --policy, or use `guarded`"));
            }
            let mut settings = json!({ "labels-per-window": labels });
            if self.learn {
                settings["candidates"] = json!(["+asked"]);
            }
            said.policy = Some(PartSpec::new(name, settings));
        }
        said.scaling = self.no_scaling.then_some(false);
        Ok(said)
    }
}

impl WindowArgs {
    /// As a curriculum's settings say it; none where nothing is said.
    fn spec(&self) -> Result<Option<Value>> {
        let tail: Option<driftline_core::data::Tail> = word("--tail", &self.tail)?;
        let tail = tail.unwrap_or_default();
        Ok(match (self.window, self.windows, self.every) {
            (Some(rows), ..) => Some(json!({ "window": rows, "tail": tail })),
            (_, Some(count), _) => Some(json!({ "windows": count })),
            (.., Some(period)) => Some(json!({ "every": period })),
            _ if self.tail.is_some() => Some(json!({ "window": 500, "tail": tail })),
            _ => None,
        })
    }
}

/// What `--method` may be; two go by other names in files.
fn methods() -> PossibleValuesParser {
    let shown = ["gradual", "target", "pooled", "accumulate", "source"].map(PossibleValue::new);
    let hidden = ["all", "source-only"].map(|name| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(shown.into_iter().chain(hidden))
}

/// The parts that the registry knows by name; names of old are understood.
fn named<T>(makers: BTreeMap<String, T>) -> PossibleValuesParser {
    let value = |stored: String| {
        // The parser keeps its words until the program ends.
        let stored: &'static str = stored.leak();
        let shown = names::shown(stored);
        match shown == stored {
            true => PossibleValue::new(shown),
            false => PossibleValue::new(shown).alias(stored),
        }
    };
    PossibleValuesParser::new(makers.into_keys().map(value).collect::<Vec<_>>())
}

/// A value that a file would write as a word.
fn word<T: DeserializeOwned>(flag: &str, text: &Option<String>) -> Result<Option<T>> {
    let Some(text) = text else {
        return Ok(None);
    };
    let value = Value::String(text.clone());
    let read = T::deserialize(&value).map_err(|error| cannot_be(flag, &value, error))?;
    Ok(Some(read))
}

fn cannot_be(flag: &str, value: &Value, error: serde_json::Error) -> Failure {
    let text = value.as_str().unwrap_or_default();
    let allowed = error.to_string();
    let allowed = allowed.split_once("expected").map_or("", |(_, rest)| rest);
    Failure::usage(
        format!("{flag} cannot be `{text}`"),
        format!("it is{}", allowed.replace('`', "")),
    )
}

pub fn parse_fraction(text: &str) -> Result<Fraction, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number, such as 0.1")?;
    match Fraction::new(value) {
        Ok(fraction) if value < 1.0 => Ok(fraction),
        _ => Err(format!("{value} is not in [0, 1)")),
    }
}

fn parse_positive(text: &str) -> Result<Positive, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number above 0")?;
    Positive::new(value).map_err(|error| error.to_string())
}

fn parse_filter(text: &str) -> Result<Filter, String> {
    let wrong = "expected drop=0.1, threshold=0.9 or class-balanced=0.1";
    let (kind, value) = text.split_once('=').ok_or(wrong)?;
    let value = parse_fraction(value)?;
    match kind {
        "drop" => Ok(Filter::DropFraction(value)),
        "threshold" => Ok(Filter::Threshold(value)),
        "class-balanced" => Ok(Filter::ClassBalanced(value)),
        _ => Err(wrong.into()),
    }
}

fn parse_period(text: &str) -> Result<Period, String> {
    text.parse()
        .map_err(|error: driftline_core::Error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_as_written() {
        assert!(parse_fraction("1").is_err() && parse_fraction("0").is_ok());
        assert!(parse_filter("drop=0.2").is_ok() && parse_filter("0.2").is_err());
        assert!(parse_filter("else=0.2").is_err());
        assert!(parse_positive("0").is_err() && parse_positive("0.3").is_ok());
    }
}
