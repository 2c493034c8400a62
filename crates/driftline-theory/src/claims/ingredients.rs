//! Section 3.4: why regularisation, hard labels and the ramp loss are needed (Examples 3.5, 3.6, 3.7).

use rand::RngExt;

use super::picture::Picture;
use super::random_problems::{cloud, unit_model};
use super::{Claim, near};
use crate::atoms::on_circle;
use crate::constructions::{
    hinge_fails, no_regularization as example_3_5, soft_labels as example_3_6,
};
use crate::population::self_train;
use driftline_core::Result;
use driftline_core::data::Positive;
use driftline_core::random::Seed;
use driftline_models::linear::points::Points;
use driftline_models::linear::ramp_line::best_bias;
use driftline_models::linear::{BiasRule, MarginLearner, MarginModel, NormBall};
use driftline_models::loss::margin::MarginLoss;

pub fn no_regularization(seed: Seed) -> Result<Claim> {
    let trials = 1_000;
    let (mut zero, mut same, mut equal_scores) = (0, 0, 0);
    for trial in 0..trials {
        let mut generator = seed.nth(trial).generator();
        let domain = cloud(&mut generator, 20, 3)?;
        let teacher = unit_model(&mut generator, 3, 1.0);
        let student = example_3_5::scaled_teacher(&teacher, &domain)?;
        let labeled = domain.labeled_by(&teacher);
        let losses = [MarginLoss::Ramp, MarginLoss::Hinge].map(|loss| labeled.risk(loss, &student));
        zero += usize::from(losses == [0.0, 0.0]);
        let probes: Vec<[f64; 3]> = (0..200)
            .map(|_| std::array::from_fn(|_| generator.random_range(-5.0..5.0)))
            .collect();
        same += usize::from(
            probes
                .iter()
                .all(|x| teacher.decide(x) == student.decide(x)),
        );
        equal_scores += usize::from(probes.iter().all(|x| teacher.score(x) == student.score(x)));
    }
    Ok(Claim {
        predicted: "a minimiser of loss 0 decides exactly as the teacher".into(),
        computed: format!("{trials} models: loss 0 for {zero}, same decisions for {same}"),
        holds: zero == trials && same == trials,
        explanation: format!(
            "Without a bound on ‖w‖ the teacher can be scaled up until every score is at least 1 in size. It then has \
             ramp and hinge loss 0 on its own labels, so it is a minimiser, and it decides as before everywhere: \
             nothing was learned. The paper prints M_θ = M_θ'; what holds is that the signs are the same (the scores \
             were equal for {equal_scores} of the models)."
        ),
        ..Claim::default()
    })
}

pub fn soft_labels(seed: Seed) -> Result<Claim> {
    let (trials, students) = (60, 100);
    let mut better = 0;
    let mut largest_gain: f64 = 0.0;
    let mut printed_sign_prefers_teacher = 0;
    for trial in 0..trials {
        let mut generator = seed.nth(trial).generator();
        let domain = cloud(&mut generator, 15, 2)?;
        let teacher = unit_model(&mut generator, 2, 1.0);
        let own = example_3_6::log_loss(&teacher, &teacher, &domain)?;
        let mut worst = own;
        for _ in 0..students {
            let student = unit_model(&mut generator, 2, 3.0);
            let loss = example_3_6::log_loss(&teacher, &student, &domain)?;
            better += usize::from(loss < own - 1e-12);
            worst = worst.max(loss);
        }
        // With the printed signs, the smallest value would be that of the worst student.
        printed_sign_prefers_teacher += usize::from(-own <= -worst);
        // A certified minimiser over a class that holds the teacher gains nothing either.
        let class = NormBall::new(Positive::new(1.5)?, BiasRule::Free);
        let learner = MarginLearner::new(MarginLoss::Logistic, class);
        let best = learner.certified(&example_3_6::soft_labeled(&teacher, &domain)?)?;
        largest_gain = largest_gain.max(own - best.lower_bound);
    }
    Ok(Claim {
        predicted: "no student has a smaller loss than the teacher".into(),
        computed: format!(
            "{} students: {better} better; certified minimum at most {largest_gain:.0e} below the teacher",
            trials * students
        ),
        holds: better == 0 && largest_gain < 1e-8,
        explanation: format!(
            "The log loss is proper: for fixed p, −p log p' − (1−p) log(1−p') is smallest at p' = p. So with its own \
             probabilities as labels the teacher is optimal, in any class that holds it, for finite data too: soft \
             labels give no reason to move. The paper prints the loss without the minus signs; with those signs the \
             teacher would be best in only {printed_sign_prefers_teacher} of {trials} cases. The certified minimum \
             comes from Newton's method with a dual bound."
        ),
        ..Claim::default()
    })
}

/// The hinge loss that the start may have.
const ALLOWED: [f64; 4] = [0.9, 0.3, 0.06, 0.015];

pub fn hinge(_: Seed) -> Result<Claim> {
    let mut holds = true;
    let mut lines = Vec::new();
    let mut picture = None;
    for allowed in ALLOWED {
        let outliers = hinge_fails::outliers_for(allowed);
        let example = hinge_fails::sequence(outliers)?;
        let (p, start) = (&example.domains, &example.start);
        let assumptions = example.assumptions(&hinge_fails::witness())?;
        let before = p[0].risk(MarginLoss::Hinge, start);
        let learner = MarginLearner::new(MarginLoss::Hinge, example.class);
        let on_first = p[1].labeled_by(start);
        let first = learner.certified(on_first.points())?;
        // The weights are unique, the bias is not: any |b| ≤ ½ ties. We take b = 0.
        let with_bias =
            |b: f64| on_first.risk(MarginLoss::Hinge, &MarginModel::new(vec![1.0, 0.0], b));
        let ties = [-0.5, 0.0, 0.5]
            .iter()
            .all(|&b| with_bias(b) <= first.lower_bound + 1e-8);
        let beyond = [-0.6, 0.6]
            .iter()
            .all(|&b| with_bias(b) > first.value + 0.04 * outliers);
        let middle = MarginModel::new(vec![1.0, 0.0], 0.0);
        let on_second = p[2].labeled_by(&middle);
        let second = learner.certified(on_second.points())?;
        // A student of loss 0 on labels that are all wrong: every such student is wrong everywhere.
        let wrong = p[2].error(&middle);
        let error = if second.value < 1e-9 {
            wrong
        } else {
            p[2].error(&second.model)
        };
        let loss = p[2].risk(MarginLoss::Hinge, &second.model);
        holds &= assumptions.hold()
            && assumptions.separation == 0.0
            && before <= allowed + 1e-12
            && (before - 1.5 * outliers).abs() < 1e-12
            && ties
            && beyond
            && near(error, 1.0)
            && near(wrong, 1.0)
            && (first.model.weights[0] - 1.0).abs() < 1e-3
            && loss >= 1.0 - 1e-9;
        lines.push(format!(
            "α₀ = {outliers:.2}: hinge loss {before:.3} → error {error:.0}"
        ));
        if allowed == 0.3 {
            let models = [("θ₀ = θ₁", &middle), ("θ₂", &second.model)];
            picture = Some(Picture::of_sequence(p, &models));
        }
    }
    Ok(Claim {
        predicted: "error 1 after two shifts, however small the loss was".into(),
        computed: lines.join("; "),
        holds,
        explanation: "Given α > 0, put outliers of mass α₀ = min(½, 2α/3) so far up that their pull balances the rest: \
                      after self-training on P₁ the classifier has not moved (w is unique by the KKT conditions, a dual \
                      certificate confirms it; any |b| ≤ ½ ties and we take 0), and on P₂ it labels everything wrongly. \
                      All domains have the classifier (0, 1) with hinge loss 0. (The paper prints b₂ for b₁, and \
                      P₁, P₂, P₃ for P₀, P₁, P₂.)"
            .into(),
        picture,
        ..Claim::default()
    })
}

/// The smallest pseudo-label risk over directions on a fine grid, each with its best bias.
fn grid_minimum(points: &Points, class: &NormBall) -> Result<f64> {
    let mut least = f64::INFINITY;
    for step in 0..1440 {
        let weights = on_circle(class.r(), f64::from(step) / 4.0).to_vec();
        let bias = best_bias(points, &weights, class)?;
        least = least.min(points.loss(MarginLoss::Ramp, &MarginModel::new(weights, bias)));
    }
    Ok(least)
}

pub fn ramp(seed: Seed) -> Result<Claim> {
    let mut holds = true;
    let mut lines = Vec::new();
    let mut picture = None;
    for (outliers, asserted) in [(0.2, true), (0.04, true), (0.5, false)] {
        let example = hinge_fails::sequence(outliers)?;
        let learner = MarginLearner {
            random_starts: 12,
            ..MarginLearner::new(MarginLoss::Ramp, example.class)
        };
        let mut model = example.start.clone();
        let mut models = Vec::new();
        for (t, domain) in example.domains.iter().enumerate().skip(1) {
            let labeled = domain.labeled_by(&model);
            model = self_train(&learner, &model, domain, seed.nth(t))?;
            let (found, grid) = (
                labeled.ramp_loss(&model),
                grid_minimum(labeled.points(), &example.class)?,
            );
            holds &= found <= grid + 1e-9;
            models.push(model.clone());
        }
        let (error, loss) = (
            example.domains[2].error(&model),
            example.domains[2].ramp_loss(&model),
        );
        holds &= !asserted || near(error, 0.0);
        lines.push(format!("α₀ = {outliers}: error {error:.2}, loss {loss:.3}"));
        if outliers == 0.2 {
            let named = [
                ("θ₀", &example.start),
                ("θ₁", &models[0]),
                ("θ₂", &models[1]),
            ];
            picture = Some(Picture::of_sequence(&example.domains, &named));
        }
    }
    Ok(Claim {
        predicted: "error 0 for α₀ = 0.2 and 0.04 (nothing is claimed for ½)".into(),
        computed: lines.join("; "),
        holds,
        explanation: "On the same sequence the ramp loss charges each outlier at most 1, so a few of them cannot hold the \
                      classifier: on P₁ it turns towards (0, 1) and all later labels are right. The minimum found by \
                      descent from several starts is compared with a grid of 1,440 directions, each with its exactly \
                      best bias; the grid never does better."
            .into(),
        picture,
        ..Claim::default()
    })
}
