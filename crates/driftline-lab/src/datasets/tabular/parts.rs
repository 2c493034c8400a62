//! A table that was read: the encoded source, the encoded stream with its answers; and what a data seed makes of them.

use std::collections::BTreeMap;

use super::row_range::{RowRange, count_rows};
use super::{TableOverTime, TableValues, Unanswered};
use crate::datasets::Cache;
use crate::datasets::timeline::expect_enough;
use driftline_core::data::{
    AnswerKey, Benchmark, ColumnCleaning, Domain, Inputs, LabeledDomain, Labels, Stream, Task,
};
use driftline_core::error::DataFault;
use driftline_core::random::{Seed, permutation};
use driftline_core::{Error, Result};
use driftline_io::{
    Answer, ColumnChoice, EncodeOptions, Encoding, Field, Files, Notes, ReadOptions, RowFilter,
    Rows, TableSource, read_all,
};

/// Source and stream, encoded.
#[derive(Clone, Debug)]
pub struct TableParts {
    pub(in crate::datasets) source: LabeledDomain,
    pub(in crate::datasets) stream: Inputs,
    /// One for each row of the stream; none where it cannot be scored.
    pub(in crate::datasets) answers: Vec<Option<u32>>,
    /// What was handled while reading.
    pub notes: Notes,
}

type Table = Box<dyn TableSource>;

impl TableOverTime {
    /// Reads source and stream; `cache` is where a catalogue entry lies.
    pub fn read(&self, cache: Option<&Cache>) -> Result<TableParts> {
        let (source, stream) = self.tables(cache)?;
        let mut notes = Notes::new();
        let options = ReadOptions::default();
        // Scaling and cleaning columns are a method's settings.
        let how = EncodeOptions {
            standardize: false,
            cleaning: ColumnCleaning::OFF,
        };
        let choice = self.source_choice(&*source)?;
        let (encoding, labeled) = Encoding::fit(&*source, &choice, &options, how, &mut notes)?;
        let choice = self.stream_choice(&*stream)?;
        let rows = read_all(&*stream, &encoding, &choice, &options, &mut notes)?;
        let answers = rows.answers.as_deref().unwrap_or_default();
        let answers = answers.iter().map(|answer| match answer {
            Answer::Class(class) => Some(*class),
            Answer::Unknown | Answer::Missing => None,
        });
        let answers: Vec<Option<u32>> = answers.collect();
        let scored: Vec<usize> = (0..rows.len())
            .filter(|&row| answers[row].is_some())
            .collect();
        let (stream, answers) = match self.unanswered {
            _ if scored.len() == rows.len() => (rows.inputs, answers),
            Unanswered::Refuse => return Err(self.unanswered(&rows).into()),
            Unanswered::Keep => (rows.inputs, answers),
            Unanswered::LeaveOut => {
                let answers = scored.iter().map(|&row| answers[row]).collect();
                (rows.inputs.pick(&scored), answers)
            }
        };
        Ok(TableParts {
            source: LabeledDomain::new(labeled.inputs, labeled.labels)?
                .with_layout(encoding.layout())
                .with_order(labeled.order),
            stream,
            answers,
            notes,
        })
    }

    /// The rows of the source and those of the stream, before conditions.
    fn tables(&self, cache: Option<&Cache>) -> Result<(Table, Table)> {
        let (source, stream) = match (&self.catalog, cache) {
            (None, _) => self.own_files()?,
            (Some(name), Some(cache)) => (cache.table(name)?, None),
            (Some(name), None) => {
                let expected = format!("a cache that holds {name}");
                return Err(Error::mismatch(
                    "the plan",
                    expected,
                    "none: call `Experiment::reading_from`",
                ));
            }
        };
        if let Some(stream) = stream {
            return Ok((Box::new(source), Box::new(stream)));
        }
        let cut = match (self.source_rows, self.source_share) {
            (None, None) => return Ok((Box::new(source.clone()), Box::new(source))),
            (Some(rows), _) => rows.get() as u64,
            (None, Some(share)) => {
                let rows = count_rows(&source, &self.label)?;
                ((share.get() * rows as f64).round() as u64).max(1)
            }
        };
        let part = |table: Files, rows| Box::new(RowRange { table, rows });
        Ok((part(source.clone(), 0..cut), part(source, cut..u64::MAX)))
    }

    fn source_choice(&self, table: &dyn TableSource) -> Result<ColumnChoice> {
        // What a condition on the stream speaks of is no feature of the source either.
        let fields = fields(table)?;
        let conditions = self.stream_where.keys().filter(|&column| {
            !self.source_where.contains_key(column)
                && !self.exclude.contains(column)
                && fields.iter().any(|field| field.name == *column)
        });
        let exclude = self.exclude.iter().chain(conditions).cloned().collect();
        Ok(ColumnChoice {
            label: Some(self.label.clone()),
            filters: filters(&self.source_where),
            exclude,
            ..self.choice()
        })
    }

    /// What holds for source and stream.
    fn choice(&self) -> ColumnChoice {
        ColumnChoice {
            time: self.time.clone(),
            exclude: self.exclude.clone(),
            categories: self.categories.clone(),
            impute: self.impute || self.mark_missing,
            mark_missing: self.mark_missing,
            ..ColumnChoice::default()
        }
    }

    fn stream_choice(&self, table: &dyn TableSource) -> Result<ColumnChoice> {
        let frames = table.open(&ReadOptions::default())?;
        if !frames.fields().iter().any(|field| field.name == self.label) {
            let path = &frames.files()[0];
            return Err(DataFault::new(path, format!("has no column `{}`", self.label))
                .help("the stream of an experiment needs answers: the target at its end is scored by them")
                .into());
        }
        Ok(ColumnChoice {
            answers: Some(self.label.clone()),
            filters: filters(&self.stream_where),
            ..self.choice()
        })
    }

    /// What to say about rows that cannot be scored.
    fn unanswered(&self, rows: &Rows) -> DataFault {
        let answers = rows.answers.as_deref().unwrap_or_default();
        let count = |what: Answer| answers.iter().filter(|&&answer| answer == what).count();
        let (missing, unknown) = (count(Answer::Missing), count(Answer::Unknown));
        let is_known = |answer: &Answer| matches!(answer, Answer::Class(_));
        let first = answers
            .iter()
            .position(|answer| !is_known(answer))
            .unwrap_or(0);
        let (path, row) = rows.origins.get(first);
        DataFault::new(
            path,
            format!("the first of {missing} rows of the stream without an answer and {unknown} of a class that the source lacks"),
        )
        .row(row)
        .column(&self.label)
        .help("`unanswered = \"leave-out\"` leaves such rows out of the stream, `unanswered = \"keep\"` keeps them without scoring them")
    }

    /// What the data seed makes of the parts.
    pub fn benchmark(&self, parts: &TableParts, seed: Seed) -> Result<Benchmark> {
        let TableParts { source, stream, .. } = parts;
        let (train, held_out) = self.drawn(source, seed)?;
        let rows = self.thinned(stream.len(), 1, seed.named("stream"));
        let (stream, answers) = match rows {
            None => (stream.clone(), parts.answers.clone()),
            Some(rows) => {
                let answers = rows.iter().map(|&row| parts.answers[row]).collect();
                (stream.pick(&rows), answers)
            }
        };
        let n_classes = source.labels().n_classes();
        let target = self.target(stream.len())?;
        let pool = stream.slice(target.clone());
        let scored: Vec<usize> = target.filter(|&row| answers[row].is_some()).collect();
        let classes = scored.iter().filter_map(|&row| answers[row]).collect();
        let all: Option<Vec<u32>> = answers.into_iter().collect();
        let answers = AnswerKey {
            held_out_source: source.pick(&held_out),
            intermediate: all.map(|all| Labels::new(all, n_classes)).transpose()?,
            target: LabeledDomain::new(stream.pick(&scored), Labels::new(classes, n_classes)?)?,
        };
        let task = Task {
            source: source.pick(&train),
            intermediate: Stream::new(stream),
            target_pool: Domain::new(pool).into(),
        };
        Benchmark::new(task, answers)
    }

    /// The rows of the source to train on and those held out, each in order.
    fn drawn(&self, source: &LabeledDomain, seed: Seed) -> Result<(Vec<usize>, Vec<usize>)> {
        let n = source.len();
        if n < 2 {
            return Err(Error::mismatch(
                "the source",
                "at least two rows, one to train on and one held out",
                n,
            ));
        }
        let part = |share: f64| (share * n as f64).round() as usize;
        let held_out = part(self.held_out.get()).clamp(1, n - 1);
        let rest = n - held_out;
        let train = self
            .subsample
            .map_or(rest, |share| part(share.get()).clamp(1, rest));
        let order = permutation(n, seed.named("source"));
        let (held_out, rest) = order.split_at(held_out);
        let few = 10 * source.labels().n_classes();
        let ordered = |rows: &[usize], least: usize| {
            let mut rows = rows[..self.fewer(rows.len(), least)].to_vec();
            rows.sort_unstable();
            rows
        };
        Ok((ordered(&rest[..train], few), ordered(held_out, 1)))
    }

    /// The rows that stay where only one in so many does.
    fn thinned(&self, n: usize, least: usize, seed: Seed) -> Option<Vec<usize>> {
        self.one_in?;
        let mut rows = permutation(n, seed);
        rows.truncate(self.fewer(n, least));
        rows.sort_unstable();
        Some(rows)
    }

    fn fewer(&self, n: usize, least: usize) -> usize {
        self.one_in
            .map_or(n, |one_in| (n / one_in).max(least).min(n))
    }

    /// The rows at the end of a stream of `n` that are the target.
    fn target(&self, n: usize) -> Result<std::ops::Range<usize>> {
        let rows = match (self.target_rows, self.target_share) {
            (Some(rows), _) => rows.get(),
            (None, Some(share)) => ((share.get() * n as f64).round() as usize).max(1),
            (None, None) => n,
        };
        let stream = "the stream, of which the target is the end,";
        expect_enough("rows", &[(stream, rows, n)])?;
        Ok(n - rows..n)
    }
}

fn fields(table: &dyn TableSource) -> Result<Vec<Field>> {
    Ok(table.open(&ReadOptions::default())?.fields().to_vec())
}

fn filters(conditions: &BTreeMap<String, TableValues>) -> Vec<RowFilter> {
    let filter = |(column, values): (&String, &TableValues)| {
        let column = column.clone();
        let values = values.0.clone().into_iter();
        values.map(move |value| RowFilter {
            column: column.clone(),
            value,
        })
    };
    conditions.iter().flat_map(filter).collect()
}
