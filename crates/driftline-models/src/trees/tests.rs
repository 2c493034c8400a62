//! The fast training against its plain twin, and against itself with other numbers of threads.

use driftline_core::random::Seed;
use proptest::prelude::*;
use rand::RngExt;

use super::binned::Binned;
use super::bins::Binning;
use super::fixed::{Format, Row};
use super::grow::{Grower, Room};
use super::loss::{Common, Target, derivatives};
use super::plain::Plain;
use super::settings::Settings;
use super::split::Rules;
use super::table::{Column, Table};

/// Numbers with many and with few values, categories, and missing values among both.
fn values(rows: usize, columns: &[Column], seed: Seed) -> Vec<f32> {
    let mut generator = seed.generator();
    let mut draw = |column: usize, kind: Column| {
        if column % 3 != 1 && generator.random_range(0..10) == 0 {
            return f32::NAN;
        }
        match kind {
            Column::Category => generator.random_range(0..4 + 9 * column as u32) as f32,
            Column::Number if column.is_multiple_of(2) => generator.random_range(0..6) as f32,
            Column::Number => generator.random_range(-1.0..1.0),
        }
    };
    let row = |_| {
        columns
            .iter()
            .enumerate()
            .map(|(at, &kind)| draw(at, kind))
            .collect::<Vec<_>>()
    };
    (0..rows).flat_map(row).collect()
}

fn kinds(n: usize, seed: Seed) -> Vec<Column> {
    let mut generator = seed.generator();
    let kind = |_| {
        if generator.random_range(0..3) == 0 {
            Column::Category
        } else {
            Column::Number
        }
    };
    (0..n).map(kind).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Same splits, same gains, same values: to the last bit.
    #[test]
    fn a_tree_is_that_of_the_plain_twin(n in 1usize..700, width in 1usize..7, leaves in 1usize..12, min in 1usize..30, most in prop::sample::select(vec![2_usize, 40, 255]), seed: u64) {
        let seed = Seed::new(seed);
        let columns = kinds(width, seed.named("kinds"));
        let values = values(n, &columns, seed.named("values"));
        let labels = vec![0; n];
        let table = Table { values: &values, columns: &columns, labels: &labels, n_classes: 2, weights: None };
        let settings: Settings = serde_json::from_str(&format!(r#"{{"min-rows-per-leaf": {min}, "max-bins": {most}, "l2": 0.5}}"#)).unwrap();
        let binning = Binning::fit(&table, settings.max_bins);
        let format = Format::new(n, 1.0);
        let [g, h] = format.factors();
        let mut generator = seed.named("rows").generator();
        let rows: Vec<Row> = (0..n as u32).map(|row| {
            let goal = if values[row as usize * width] > 0.0 { 0.6 } else { 0.0 };
            Row {
                row,
                gradient: ((generator.random_range(-1.0..0.4_f32) + goal) * g) as i32,
                hessian: (generator.random_range(0.0..0.25_f32) * h) as u32,
            }
        }).collect();
        let rules = Rules::new(&settings, format);
        let plain = Plain { values: &values, binning: &binning, rules, max_leaves: leaves }.grow(&rows);
        let binned = Binned::new(&values, &binning);
        for parallel in [false, true] {
            let mut room = Room::new();
            // What an earlier tree has left behind must not matter.
            for _ in 0..2 {
                room.rows = rows.clone();
                let (tree, found) = Grower::new(&binned, &binning, rules, leaves, 0.1, parallel).grow(&mut room);
                prop_assert_eq!(tree.nodes.len(), plain.len());
                for (node, twin) in tree.nodes.iter().zip(&plain) {
                    let split = twin.split.map(|(split, child)| (split, child as u32));
                    prop_assert_eq!(&node.split, &split);
                    let step = -twin.sums.gradient / (twin.sums.hessian + 0.5);
                    prop_assert_eq!(node.value, (0.1 * step.clamp(-10.0, 10.0)) as f32);
                }
                for leaf in &found {
                    prop_assert_eq!(&room.rows[leaf.rows.clone()], &plain[leaf.node].rows[..]);
                }
            }
        }
    }
}

/// One row after another, compiled without wide registers: the same bits as in blocks.
#[test]
fn derivatives_are_those_of_plain_loops() {
    use driftline_core::math::exp;
    let n = 5000;
    let mut generator = Seed::new(1).generator();
    for outputs in [1, 3, 10] {
        let mut draw = |_| (0..n).map(|_| generator.random_range(-9.0..9.0)).collect();
        let scores: Vec<Vec<f32>> = (0..outputs).map(&mut draw).collect();
        let weights: Vec<f32> = (0..n).map(|row| 0.5 + (row % 3) as f32 / 2.0).collect();
        let labels: Vec<u32> = (0..n as u32).map(|row| row % outputs.max(2)).collect();
        let target = Target {
            labels: &labels,
            weights: Some(&weights),
        };
        let format = Format::new(n, 1.5);
        let [gradients, hessians] = format.factors();
        let mut common = Common::default();
        common.fill(&scores);
        for (output, own) in scores.iter().enumerate() {
            let mut rows = Vec::new();
            derivatives(own, &common, output, target, format, &mut rows);
            for (at, row) in rows.iter().enumerate() {
                let (p, class) = if outputs == 1 {
                    (1.0 / (1.0 + exp(-own[at])), 1)
                } else {
                    let top = scores
                        .iter()
                        .map(|s| s[at])
                        .fold(f32::NEG_INFINITY, f32::max);
                    let sum = scores.iter().fold(0.0, |sum, s| sum + exp(s[at] - top));
                    (exp(own[at] - top) * (1.0 / sum), output as u32)
                };
                let goal = if labels[at] == class { 1.0 } else { 0.0 };
                let gradient = ((p - goal) * weights[at] * gradients) as i32;
                let hessian = (p * (1.0 - p) * weights[at] * hessians) as u32;
                assert_eq!(
                    *row,
                    Row {
                        row: at as u32,
                        gradient,
                        hessian
                    }
                );
            }
        }
    }
}
