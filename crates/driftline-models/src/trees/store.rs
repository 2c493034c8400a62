//! Trees as named arrays and a JSON description, and back. Reading believes nothing that it has not checked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bins::{Binning, Bins};
use super::calibration::Calibration;
use super::loss::outputs;
use super::model::{BY_SET, FlatNode, MISSING_LEFT, Model, finders};
use super::settings::MOST_BINS;
use super::table::Column;

/// What a file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTrees {
    pub description: Value,
    pub singles: Vec<(&'static str, Vec<f32>)>,
    pub words: Vec<(&'static str, Vec<u32>)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    columns: Vec<Column>,
    n_classes: usize,
    calibration: Calibration,
}

impl StoredTrees {
    pub(super) const SINGLES: [&'static str; 5] = ["base", "cuts", "thresholds", "values", "gains"];
    pub(super) const WORDS: [&'static str; 7] = [
        "bins",
        "codes",
        "roots",
        "children",
        "columns",
        "node_sets",
        "sets",
    ];
}

impl Model {
    pub fn store(&self) -> StoredTrees {
        let description = Description {
            columns: self.binning.kinds(),
            n_classes: self.n_classes,
            calibration: self.calibration,
        };
        let (mut cuts, mut codes, mut bins) = (Vec::new(), Vec::new(), Vec::new());
        for column in &self.binning.columns {
            match column {
                Bins::Number { cuts: own } => cuts.extend_from_slice(own),
                Bins::Category { codes: own } => codes.extend_from_slice(own),
            }
            bins.push(column.len() as u32);
        }
        // Thresholds that name a set are stored as words: their bits may be no number.
        let by_set = |node: &FlatNode| node.column & BY_SET != 0;
        let threshold = |node: &FlatNode| if by_set(node) { 0.0 } else { node.threshold };
        let set = |node: &FlatNode| {
            if by_set(node) {
                node.threshold.to_bits()
            } else {
                0
            }
        };
        let nodes = self.nodes.iter();
        let numbered = || self.nodes.iter().enumerate();
        let parts = |part: usize| numbered().map(|(at, node)| node.parts(at)[part]).collect();
        StoredTrees {
            description: serde_json::to_value(description).expect("a description has string keys"),
            singles: vec![
                ("base", self.base.clone()),
                ("cuts", cuts),
                ("thresholds", nodes.clone().map(threshold).collect()),
                ("values", parts(0)),
                ("gains", parts(1)),
            ],
            words: vec![
                ("bins", bins),
                ("codes", codes),
                ("roots", self.roots.clone()),
                ("children", nodes.clone().map(|node| node.child).collect()),
                ("columns", nodes.clone().map(|node| node.column).collect()),
                ("node_sets", nodes.map(set).collect()),
                ("sets", self.sets.as_flattened().to_vec()),
            ],
        }
    }

    pub fn restore(stored: &StoredTrees) -> Result<Self, String> {
        let about: Description =
            serde_json::from_value(stored.description.clone()).map_err(|e| e.to_string())?;
        let binning = read_binning(&about.columns, stored)?;
        let words = |name| words(stored, name);
        let singles = |name| singles(stored, name);
        let (base, gains) = (singles("base")?, singles("gains")?);
        let (thresholds, values) = (singles("thresholds")?, singles("values")?);
        let (children, columns, numbers) =
            (words("children")?, words("columns")?, words("node_sets")?);
        let n = children.len();
        let lengths = [
            columns.len(),
            numbers.len(),
            thresholds.len(),
            values.len(),
            gains.len(),
        ];
        let (sets, rest) = words("sets")?.as_chunks::<8>();
        if about.n_classes < 2
            || base.len() != outputs(about.n_classes)
            || lengths != [n; 5]
            || !rest.is_empty()
        {
            return Err("the arrays of the trees do not fit together".into());
        }
        let roots = words("roots")?.to_vec();
        let mut nodes = Vec::with_capacity(n);
        for at in 0..n {
            let by_set = columns[at] & BY_SET != 0;
            let threshold = if by_set {
                f32::from_bits(numbers[at])
            } else {
                thresholds[at]
            };
            let is_leaf = children[at] as usize == at;
            let node = FlatNode {
                threshold,
                child: children[at],
                column: columns[at],
                value: if is_leaf { values[at] } else { gains[at] },
            };
            check(&node, at, n, &about.columns, sets.len())?;
            nodes.push(node);
        }
        let numbers_are_finite = base
            .iter()
            .chain(gains)
            .chain(values)
            .all(|value| value.is_finite());
        let calibration = about.calibration;
        let calibrated = calibration.scale > 0.0
            && calibration.scale.is_finite()
            && calibration.shift.is_finite();
        if !numbers_are_finite || !calibrated {
            return Err("the trees hold a number that is not finite".into());
        }
        if !are_roots(&roots, &nodes) || !roots.len().is_multiple_of(base.len()) {
            return Err("the roots of the trees are not where trees begin".into());
        }
        Ok(Self {
            finders: finders(&binning),
            binning,
            n_classes: about.n_classes,
            base: base.to_vec(),
            calibration,
            nodes,
            sets: sets.to_vec(),
            roots,
        })
    }
}

/// The nodes of one tree lie side by side, and none leads into another tree.
fn are_roots(roots: &[u32], nodes: &[FlatNode]) -> bool {
    let starts = roots.iter().map(|&root| root as usize);
    let ends = starts.clone().skip(1).chain([nodes.len()]);
    let mut trees = starts.clone().zip(ends);
    let inside = |(start, end): (usize, usize)| {
        let tree = nodes.get(start..end).filter(|tree| !tree.is_empty());
        let within = |(at, node): (usize, &FlatNode)| {
            let child = node.child as usize;
            child == start + at || child + 1 < end
        };
        tree.is_some_and(|tree| tree.iter().enumerate().all(within))
    };
    roots.first().is_none_or(|&first| first == 0) && trees.all(inside)
}

/// Children come after their parents, so every walk ends.
fn check(
    node: &FlatNode,
    at: usize,
    n: usize,
    columns: &[Column],
    sets: usize,
) -> Result<(), String> {
    let fault = |what: &str| Err(format!("node {at} of the trees {what}"));
    if node.child as usize == at {
        return match *node == FlatNode::leaf(at as u32, node.value) {
            true => Ok(()),
            false => fault("is no proper leaf"),
        };
    }
    if (node.child as usize) < at || node.child as usize + 1 >= n {
        return fault("leads nowhere");
    }
    match (columns.get(node.column()), node.column & BY_SET != 0) {
        (Some(Column::Number), false) if !node.threshold.is_nan() => Ok(()),
        (Some(Column::Category), true) if (node.threshold.to_bits() as usize) < sets => Ok(()),
        _ => fault(&format!(
            "splits by what is not there ({:#x})",
            node.column & !MISSING_LEFT
        )),
    }
}

fn read_binning(kinds: &[Column], stored: &StoredTrees) -> Result<Binning, String> {
    let (mut cuts, mut codes) = (singles(stored, "cuts")?, words(stored, "codes")?);
    let bins = words(stored, "bins")?;
    if kinds.is_empty() || bins.len() != kinds.len() {
        return Err("the bins of the trees do not fit their columns".into());
    }
    let mut columns = Vec::with_capacity(kinds.len());
    for (kind, &n) in kinds.iter().zip(bins) {
        let short = || "the bins of the trees are cut short".to_string();
        let bins = match kind {
            Column::Number => {
                let n = (n as usize)
                    .checked_sub(1)
                    .filter(|&n| n < MOST_BINS)
                    .ok_or_else(short)?;
                let (own, rest) = cuts.split_at_checked(n).ok_or_else(short)?;
                cuts = rest;
                if own.windows(2).any(|pair| {
                    !matches!(
                        pair[0].partial_cmp(&pair[1]),
                        Some(std::cmp::Ordering::Less)
                    )
                }) {
                    return Err("the cuts of a column do not rise".into());
                }
                Bins::Number { cuts: own.to_vec() }
            }
            Column::Category => {
                let n = Some(n as usize)
                    .filter(|&n| n <= MOST_BINS)
                    .ok_or_else(short)?;
                let (own, rest) = codes.split_at_checked(n).ok_or_else(short)?;
                codes = rest;
                if own.iter().any(|&code| code >= 1 << 24) {
                    return Err("a category has a code above 2²⁴".into());
                }
                Bins::Category {
                    codes: own.to_vec(),
                }
            }
        };
        columns.push(bins);
    }
    Ok(Binning { columns })
}

fn singles<'a>(stored: &'a StoredTrees, name: &str) -> Result<&'a [f32], String> {
    let found = stored.singles.iter().find(|(other, _)| *other == name);
    found
        .map(|(_, values)| &values[..])
        .ok_or_else(|| format!("the array `{name}` of the trees is missing"))
}

fn words<'a>(stored: &'a StoredTrees, name: &str) -> Result<&'a [u32], String> {
    let found = stored.words.iter().find(|(other, _)| *other == name);
    found
        .map(|(_, values)| &values[..])
        .ok_or_else(|| format!("the array `{name}` of the trees is missing"))
}
