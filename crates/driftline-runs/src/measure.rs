//! What one step did to the predictions, and — where there are answers — to their accuracy. Nothing here trains.

use super::record::{
    ClassScore, DecisionKind, MOST_CONFUSED, Score, Serving, Shares, WindowRecord,
};
use driftline_adapt::{Decision, Step, Version};
use driftline_core::data::{Inputs, Labels, Probabilities, Proportion};
use driftline_core::{Error, Result};
use driftline_io::Answer;
use driftline_models::Classifier;

/// Decisions and probabilities of one model.
type Assessed = (Labels, Probabilities);

/// A window's record, and the adapted model's predictions for its rows.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Measured {
    pub record: WindowRecord,
    pub labels: Labels,
    pub probabilities: Probabilities,
}

/// Measures a step on `inputs`, the rows that arrived with it; `unadapted` is the source model. Places, times and
/// instruction set are left to the caller.
pub fn measure<R: Sync>(
    step: &Step<R>,
    unadapted: &Version,
    inputs: &Inputs,
    answers: Option<&[Answer]>,
    classes: &[String],
) -> Result<Measured> {
    if let Some(answers) = answers.filter(|answers| answers.len() != inputs.len()) {
        return Err(Error::mismatch("the answers", inputs.len(), answers.len()));
    }
    let before = match &step.assessed {
        Some(assessed) => assessed.clone(),
        None => step.before.assess(inputs)?,
    };
    let same = |a: &Version, b: &Version| a.alignment == b.alignment && a.model == b.model;
    let of = |version: &Version| -> Result<Assessed> {
        match same(version, &step.before) {
            true => Ok(before.clone()),
            false => version.assess(inputs),
        }
    };
    let (after, source) = rayon::join(|| of(&step.version), || of(unadapted));
    let (after, source) = (after?, source?);
    let rows = inputs.len().max(1) as f64;
    let differ = |a: &Assessed, b: &Assessed| {
        let same = a.0.agreement(&b.0);
        (same.n - same.hits) as f64 / rows
    };
    let balance = |assessed: &Assessed| balance(&assessed.0, classes);
    let labeling = step.labeling.as_ref();
    let (seen, kept) = labeling.map_or((0, 0), |labeling| (labeling.seen, labeling.kept));
    let outcome = &step.outcome;
    let estimate = outcome.estimate.as_ref();
    let (score, serving) = scores(&before.0, &after.0, &source.0, answers, classes);
    let record = WindowRecord {
        window: step.version.number,
        teacher: step.before.number,
        rows: inputs.len(),
        seen,
        kept,
        kept_fraction: kept as f64 / seen.max(1) as f64,
        held: labeling.is_some_and(|labeling| labeling.held),
        decision: DecisionKind::from(&outcome.decision),
        candidate: step.candidate.clone(),
        reason: outcome.why().map(String::from),
        taken_back_to: match outcome.decision {
            Decision::RollBack { to, .. } => Some(to),
            _ => None,
        },
        distrusted: outcome.distrusted,
        estimated_accuracy: estimate.map(|estimate| estimate.accuracy),
        estimated_low: estimate.map(|estimate| estimate.low),
        estimated_high: estimate.map(|estimate| estimate.high),
        // What the three numbers say already is not said again.
        estimate: estimate.filter(|estimate| estimate.says_more()).cloned(),
        estimate_before: outcome.estimate_before.clone(),
        estimate_unadapted: outcome.estimate_unadapted.clone(),
        findings: outcome.findings.clone(),
        confidence_before: before.1.mean_top(),
        confidence_after: after.1.mean_top(),
        confidence_unadapted: source.1.mean_top(),
        disagreement: differ(&before, &after),
        flips: differ(&source, &after),
        class_balance: balance(&after),
        class_balance_unadapted: balance(&source),
        serving: Some(Serving {
            class_balance: balance(&before),
            gained: serving.0,
            lost: serving.1,
        }),
        score,
        ..WindowRecord::default()
    };
    let (labels, probabilities) = after;
    Ok(Measured {
        record,
        labels,
        probabilities,
    })
}

/// How rows are divided among the classes.
pub(crate) fn balance(labels: &Labels, classes: &[String]) -> Shares {
    let rows = labels.len().max(1) as f64;
    let named = classes.iter().cloned().zip(labels.counts());
    Shares(named.map(|(name, n)| (name, n as f64 / rows)).collect())
}

/// How many of the rows that have an answer are right. Classes that the source lacks are among them, and always wrong.
pub(crate) fn right(labels: &Labels, answers: &[Answer]) -> Proportion {
    let scored = answers.iter().filter(|a| **a != Answer::Missing).count();
    let pairs = labels.as_slice().iter().zip(answers);
    let hits = pairs.filter(|(label, answer)| **answer == Answer::Class(**label));
    Proportion::new(hits.count(), scored)
}

/// The score, and what the model before has gained and lost against the source model.
pub(crate) fn scores(
    before: &Labels,
    after: &Labels,
    unadapted: &Labels,
    answers: Option<&[Answer]>,
    classes: &[String],
) -> (Option<Score>, (usize, usize)) {
    weighted_scores([before, after, unadapted], answers, None, classes)
}

/// The same where rows with an answer stand for different numbers of rows: counts are then what evenly drawn rows would have
/// given.
pub(crate) fn weighted_scores(
    [before, after, unadapted]: [&Labels; 3],
    answers: Option<&[Answer]>,
    weights: Option<&[f64]>,
    classes: &[String],
) -> (Option<Score>, (usize, usize)) {
    let Some(answers) = answers else {
        return (None, (0, 0));
    };
    let answered = Answered::of(answers, weights);
    (
        answered.score([before, after, unadapted], classes),
        (
            answered.only_right(before, unadapted),
            answered.only_right(unadapted, before),
        ),
    )
}

/// Answers, and how many rows each stands for.
struct Answered<'a> {
    answers: &'a [Answer],
    weights: Option<&'a [f64]>,
    scored: usize,
    /// The weight of all rows that have an answer.
    all: f64,
}

impl<'a> Answered<'a> {
    fn of(answers: &'a [Answer], weights: Option<&'a [f64]>) -> Self {
        let answered = || (0..answers.len()).filter(|&row| answers[row] != Answer::Missing);
        let weight = |row: usize| weights.map_or(1.0, |weights| weights[row]);
        Self {
            answers,
            weights,
            scored: answered().count(),
            all: answered().map(weight).sum(),
        }
    }

    /// The weight of some rows.
    fn weight(&self, rows: impl Iterator<Item = usize>) -> f64 {
        // The sum of nothing is −0; adding 0 makes a zero of it.
        let all = rows.map(|row| self.weights.map_or(1.0, |weights| weights[row]));
        all.sum::<f64>() + 0.0
    }

    /// The same as a number of evenly drawn rows.
    fn count(&self, rows: impl Iterator<Item = usize>) -> usize {
        let weight = self.weight(rows);
        match self.weights {
            Some(_) => (weight * self.scored as f64 / self.all).round() as usize,
            None => weight as usize,
        }
    }

    fn is_right(&self, labels: &Labels, row: usize) -> bool {
        self.answers[row] == Answer::Class(labels.as_slice()[row])
    }

    /// Rows that `a` gets right and `b` does not.
    fn only_right(&self, a: &Labels, b: &Labels) -> usize {
        let only = |&row: &usize| self.is_right(a, row) && !self.is_right(b, row);
        self.count((0..self.answers.len()).filter(only))
    }

    /// `None` if no row has an answer.
    fn score(&self, [before, after, unadapted]: [&Labels; 3], classes: &[String]) -> Option<Score> {
        if self.scored == 0 {
            return None;
        }
        let answers = self.answers;
        let rows = || 0..answers.len();
        let accuracy = |labels: &Labels| {
            self.weight(rows().filter(|&row| self.is_right(labels, row))) / self.all
        };
        let class = |(number, name): (usize, &String)| {
            let own = Answer::Class(number as u32);
            let members = || rows().filter(|&row| answers[row] == own);
            let recall = |labels: &Labels| {
                let hits = self.weight(members().filter(|&row| self.is_right(labels, row)));
                members().next().map(|_| hits / self.weight(members()))
            };
            let predicted = |&row: &usize| {
                answers[row] != Answer::Missing && after.as_slice()[row] as usize == number
            };
            ClassScore {
                class: name.clone(),
                rows: self.count(members()),
                predicted: self.count(rows().filter(predicted)),
                recall_before: recall(before),
                recall_after: recall(after),
                recall_unadapted: recall(unadapted),
            }
        };
        let unknown = answers.iter().filter(|own| **own == Answer::Unknown);
        let answered = rows().filter(|&row| answers[row] != Answer::Missing);
        let squares = |weights: &[f64]| answered.map(|row| weights[row] * weights[row]).sum();
        Some(Score {
            accuracy_before: accuracy(before),
            accuracy_after: accuracy(after),
            accuracy_unadapted: accuracy(unadapted),
            scored: self.scored,
            effective_rows: self.weights.map(|own| {
                let squares: f64 = squares(own);
                self.all * self.all / squares
            }),
            unknown_answers: unknown.count(),
            gained: self.only_right(after, unadapted),
            lost: self.only_right(unadapted, after),
            classes: classes.iter().enumerate().map(class).collect(),
            confusion: self.confusion(after, classes.len()),
        })
    }

    /// How many rows of each class are taken for each.
    fn confusion(&self, labels: &Labels, classes: usize) -> Vec<Vec<usize>> {
        if classes > MOST_CONFUSED {
            return vec![];
        }
        let taken = |truth: usize, class: usize| {
            let own = Answer::Class(truth as u32);
            let rows = 0..self.answers.len();
            let labels = labels.as_slice();
            self.count(
                rows.filter(|&row| self.answers[row] == own && labels[row] as usize == class),
            )
        };
        let of = |truth: usize| (0..classes).map(|class| taken(truth, class)).collect();
        (0..classes).map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: seven rows, of which one has no answer and one a class that the source lacks.
    #[test]
    fn scores_count_unknown_classes_as_wrong_and_missing_answers_not_at_all() {
        use Answer::{Class, Missing, Unknown};
        let labels = |classes: [u32; 7]| Labels::new(classes.to_vec(), 2).unwrap();
        let answers = [
            Class(0),
            Class(0),
            Class(1),
            Class(1),
            Unknown,
            Missing,
            Class(1),
        ];
        let unadapted = labels([0, 1, 0, 0, 0, 0, 1]);
        let before = labels([0, 1, 1, 0, 0, 0, 1]);
        let after = labels([1, 0, 1, 1, 0, 0, 1]);
        let names = ["a".to_owned(), "b".to_owned()];
        let of = |answers: &[Answer], weights: Option<&[f64]>| {
            let all = [&before, &after, &unadapted];
            weighted_scores(all, Some(answers), weights, &names).0
        };
        let score = of(&answers, None).unwrap();
        assert_eq!((score.scored, score.unknown_answers), (6, 1));
        assert_eq!(score.accuracy_before, 3.0 / 6.0);
        assert_eq!(score.accuracy_after, 4.0 / 6.0);
        assert_eq!(score.accuracy_unadapted, 2.0 / 6.0);
        assert_eq!((score.gained, score.lost), (3, 1));
        assert_eq!((score.classes[0].rows, score.classes[0].predicted), (2, 2));
        assert_eq!(score.classes[1].recall_after, Some(1.0));
        assert_eq!(score.confusion, [[1, 1], [0, 3]]);
        assert_eq!(score.effective_rows, None);
        assert!(of(&[Missing; 7], None).is_none());

        // The third row stands for five: 1 + 5 + 1 of ten are right before the step.
        let weights = [1.0, 1.0, 5.0, 1.0, 1.0, 9.0, 1.0];
        let score = of(&answers, Some(&weights)).unwrap();
        assert_eq!((score.scored, score.unknown_answers), (6, 1));
        assert_eq!(score.accuracy_before, 7.0 / 10.0);
        assert_eq!(score.classes[1].recall_before, Some(6.0 / 7.0));
        // Ten by weight, of six rows.
        assert_eq!(score.classes[1].rows, 4);
        assert_eq!(score.effective_rows, Some(100.0 / 30.0));
    }
}
