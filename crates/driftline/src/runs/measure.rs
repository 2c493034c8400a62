//! What one step did to the predictions, and — where there are answers — to their accuracy. The only place in which
//! answers are looked at: nothing here trains.

use super::window::{ClassScore, Score, Shares, WindowRecord};
use crate::Result;
use crate::adapt::Labeling;
use crate::data::{Inputs, Labels, Probabilities};
use crate::models::Classifier;
use crate::reading::{Answer, Notes};

/// The models that a window is measured with.
pub struct Models<'a> {
    /// The source model.
    pub unadapted: &'a dyn Classifier,
    /// The model that labelled the window.
    pub before: &'a dyn Classifier,
    /// The model that learned from it.
    pub after: &'a dyn Classifier,
}

impl std::fmt::Debug for Models<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Models").finish_non_exhaustive()
    }
}

/// Decisions and mean confidence of one model.
struct Assessed {
    labels: Labels,
    confidence: f64,
}

/// A window's record, and the adapted model's predictions for its rows.
#[derive(Clone, Debug)]
pub struct Measured {
    pub record: WindowRecord,
    pub labels: Labels,
    pub probabilities: Probabilities,
}

/// Measures step `window` on `inputs`. Places, times and instruction set are left to the caller.
pub fn measure(
    window: usize,
    teacher: usize,
    models: &Models<'_>,
    labeling: &Labeling,
    inputs: &Inputs,
    answers: Option<&[Answer]>,
    classes: &[String],
) -> Result<Measured> {
    let assess = |model: &dyn Classifier| -> Result<(Assessed, Probabilities)> {
        let (labels, probabilities) = model.assess(inputs)?;
        let confidence = mean_confidence(&probabilities);
        Ok((Assessed { labels, confidence }, probabilities))
    };
    let (unadapted, _) = assess(models.unadapted)?;
    let (before, _) = assess(models.before)?;
    let (after, probabilities) = assess(models.after)?;
    let rows = inputs.len().max(1) as f64;
    let differ = |a: &Assessed, b: &Assessed| {
        let pairs = a.labels.as_slice().iter().zip(b.labels.as_slice());
        pairs.filter(|(a, b)| a != b).count() as f64 / rows
    };
    let balance = |assessed: &Assessed| {
        let counts = assessed.labels.counts();
        let named = classes.iter().cloned().zip(counts);
        Shares(named.map(|(name, n)| (name, n as f64 / rows)).collect())
    };
    let record = WindowRecord {
        window,
        teacher,
        first: None,
        last: None,
        from: None,
        to: None,
        seen: labeling.seen,
        kept: labeling.kept,
        kept_fraction: labeling.kept as f64 / labeling.seen.max(1) as f64,
        held: labeling.held,
        confidence_before: before.confidence,
        confidence_after: after.confidence,
        confidence_unadapted: unadapted.confidence,
        disagreement: differ(&before, &after),
        flips: differ(&unadapted, &after),
        class_balance: balance(&after),
        class_balance_unadapted: balance(&unadapted),
        score: answers.and_then(|answers| {
            score(
                [&before.labels, &after.labels, &unadapted.labels],
                answers,
                classes,
            )
        }),
        notes: Notes::new(),
        isa: None,
    };
    Ok(Measured {
        record,
        labels: after.labels,
        probabilities,
    })
}

/// The mean of the highest probabilities.
pub(super) fn mean_confidence(probabilities: &Probabilities) -> f64 {
    let top = |row: &[f32]| f64::from(row.iter().copied().fold(0.0, f32::max));
    let sum: f64 = probabilities.iter().map(top).sum();
    sum / probabilities.len().max(1) as f64
}

/// `None` if no row has an answer.
fn score(
    [before, after, unadapted]: [&Labels; 3],
    answers: &[Answer],
    classes: &[String],
) -> Option<Score> {
    let scored = answers.iter().filter(|a| **a != Answer::Missing).count();
    if scored == 0 {
        return None;
    }
    let right = |labels: &Labels, row: usize| match answers[row] {
        Answer::Class(class) => labels.as_slice()[row] == class,
        Answer::Unknown | Answer::Missing => false,
    };
    let rows = || 0..answers.len();
    let accuracy = |labels: &Labels| {
        let hits = rows().filter(|&row| right(labels, row)).count();
        hits as f64 / scored as f64
    };
    let only = |a: &Labels, b: &Labels| {
        rows()
            .filter(|&row| right(a, row) && !right(b, row))
            .count()
    };
    let class = |(number, name): (usize, &String)| {
        let members: Vec<usize> = rows()
            .filter(|&row| answers[row] == Answer::Class(number as u32))
            .collect();
        let recall = |labels: &Labels| {
            let hits = members.iter().filter(|&&row| right(labels, row)).count();
            (!members.is_empty()).then(|| hits as f64 / members.len() as f64)
        };
        let predicted = |&&row: &&usize| after.as_slice()[row] as usize == number;
        let with_answer: Vec<usize> = rows()
            .filter(|&row| answers[row] != Answer::Missing)
            .collect();
        ClassScore {
            class: name.clone(),
            rows: members.len(),
            predicted: with_answer.iter().filter(predicted).count(),
            recall_before: recall(before),
            recall_after: recall(after),
            recall_unadapted: recall(unadapted),
        }
    };
    Some(Score {
        accuracy_before: accuracy(before),
        accuracy_after: accuracy(after),
        accuracy_unadapted: accuracy(unadapted),
        scored,
        unknown_answers: answers.iter().filter(|a| **a == Answer::Unknown).count(),
        gained: only(after, unadapted),
        lost: only(unadapted, after),
        classes: classes.iter().enumerate().map(class).collect(),
    })
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
        let score = score([&before, &after, &unadapted], &answers, &names).unwrap();
        assert_eq!((score.scored, score.unknown_answers), (6, 1));
        assert_eq!(score.accuracy_before, 3.0 / 6.0);
        assert_eq!(score.accuracy_after, 4.0 / 6.0);
        assert_eq!(score.accuracy_unadapted, 2.0 / 6.0);
        assert_eq!((score.gained, score.lost), (3, 1));
        assert_eq!((score.classes[0].rows, score.classes[0].predicted), (2, 2));
        assert_eq!(score.classes[1].recall_after, Some(1.0));
        assert!(super::score([&before, &after, &unadapted], &[Missing; 7], &names).is_none());
    }
}
