//! Grows one tree, always at the leaf whose split gains most (LightGBM's leaf-wise growth).

use rayon::prelude::*;

use super::binned::Binned;
use super::bins::{Binning, Bins};
use super::categories::best_set;
use super::fixed::{Cell, Row, Sums};
use super::histogram::{Histogram, PanelCells, Scratch, columns, sizes, subtract};
use super::partition::partition;
use super::split::{Buffers, Rules, Split, best_threshold};

/// What all trees of a training share.
#[derive(Debug)]
pub(super) struct Grower<'a> {
    pub(super) binned: &'a Binned,
    pub(super) binning: &'a Binning,
    pub(super) rules: Rules,
    pub(super) max_leaves: usize,
    pub(super) rate: f64,
    sizes: Vec<Vec<usize>>,
    /// Whether the columns of one leaf are shared among threads.
    parallel: bool,
    /// Histograms that one tree may have at a time; the others are added up again where they are needed.
    most_kept: usize,
}

/// A tree. Children lie side by side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) value: f32,
    /// The split and the left child, for nodes that are no leaves.
    pub(super) split: Option<(Split, u32)>,
}

/// Room that one tree after another is grown in.
#[derive(Debug)]
pub(super) struct Room {
    /// The rows of a leaf lie side by side.
    pub(super) rows: Vec<Row>,
    desk: Desk,
    kept: Kept,
}

/// Histograms that wait for a leaf, and how many there are in all.
#[derive(Debug, Default)]
struct Kept {
    free: Vec<Histogram>,
    made: usize,
}

/// What one thread works with.
#[derive(Debug)]
struct Desk {
    scratch: Scratch,
    buffers: Buffers,
}

impl Desk {
    fn new() -> Self {
        Self {
            scratch: Scratch::new(),
            buffers: Buffers::new(),
        }
    }
}

/// A leaf of a growing tree, and where its rows are.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) node: usize,
    pub(super) rows: std::ops::Range<usize>,
    sums: Sums,
    /// The best split, and the histogram unless the leaf is small.
    open: Option<(Option<Histogram>, Split)>,
}

/// A leaf moves a score by at most this, times the learning rate. Where the second derivatives of a rare class are nearly 0,
/// Newton's step has no bound, and a few such leaves spoil all later rounds (Covertype loses 4 points without it).
const MAX_STEP: f64 = 10.0;

/// Leaves with at most this many rows keep no histogram.
const SMALL: usize = 256;

/// All histograms of a training together are at most one part in this many of the bins. Sums are whole numbers, so a
/// histogram that is added up again has the same bits; more of them save time, and memory is what runs out.
const PART_OF_BINS: usize = 4;

/// Fewer additions than this are done by one thread: waking another one takes longer.
const SHARED: usize = 1 << 15;

impl Room {
    pub(super) fn new() -> Self {
        Self {
            rows: Vec::new(),
            desk: Desk::new(),
            kept: Kept::default(),
        }
    }
}

impl<'a> Grower<'a> {
    pub(super) fn new(
        binned: &'a Binned,
        binning: &'a Binning,
        rules: Rules,
        max_leaves: usize,
        rate: f64,
        parallel: bool,
    ) -> Self {
        let sizes = sizes(binning);
        let cells: usize = sizes.iter().flatten().sum();
        let trees_at_once = if parallel {
            1
        } else {
            rayon::current_num_threads()
        };
        let room = binned.rows * binning.columns.len() / PART_OF_BINS;
        Self {
            binned,
            binning,
            rules,
            max_leaves,
            rate,
            sizes,
            parallel: parallel && rayon::current_num_threads() > 1,
            most_kept: room / (cells * size_of::<Cell>() * trees_at_once).max(1),
        }
    }

    /// Grows a tree from the rows in `room.rows`. The leaves tell where each row has come to.
    pub(super) fn grow(&self, room: &mut Room) -> (Tree, Vec<Leaf>) {
        let n = room.rows.len();
        let mut sum = Cell::default();
        room.rows
            .iter()
            .for_each(|row| sum.add(self.rules.format.cell(row)));
        let sums = self.rules.format.sums(sum);
        let mut tree = Tree {
            nodes: vec![self.node(&sums)],
        };
        let mut root = Leaf {
            node: 0,
            rows: 0..n,
            sums,
            open: None,
        };
        if self.max_leaves > 1 && self.may_split(&sums) {
            self.open_root(&mut root, room);
        }
        let mut leaves = vec![root];
        while leaves.len() < self.max_leaves {
            let Some(at) = best(&leaves) else { break };
            self.split(at, &mut leaves, &mut tree, room);
            self.close_hopeless(&mut leaves, room);
        }
        (tree, leaves)
    }

    /// Keeps the histograms of leaves for the next tree.
    pub(super) fn clear(&self, leaves: Vec<Leaf>, room: &mut Room) {
        room.kept.free.extend(
            leaves
                .into_iter()
                .filter_map(|leaf| leaf.open)
                .filter_map(|(histogram, _)| histogram),
        );
    }

    fn node(&self, sums: &Sums) -> Node {
        let hessian = (sums.hessian + self.rules.l2).max(f64::MIN_POSITIVE);
        let step = (-sums.gradient / hessian).clamp(-MAX_STEP, MAX_STEP);
        Node {
            value: (self.rate * step) as f32,
            split: None,
        }
    }

    fn may_split(&self, sums: &Sums) -> bool {
        sums.rows >= self.rules.min_rows.saturating_mul(2)
    }

    fn split(&self, at: usize, leaves: &mut Vec<Leaf>, tree: &mut Tree, room: &mut Room) {
        let parent = &mut leaves[at];
        let (histogram, split) = parent.open.take().expect("the best leaf can be split");
        let (rows, n_left) = (parent.rows.clone(), split.left.rows as usize);
        let place = self.binned.place(split.column as usize);
        partition(&mut room.rows[rows.clone()], &split.goes_left, place);
        let (all, middle) = (parent.sums, rows.start + n_left);
        let mut right = all.cell;
        right.subtract(split.left.cell);
        let right = self.rules.format.sums(right);
        let child = tree.nodes.len();
        tree.nodes[parent.node].split = Some((split, child as u32));
        tree.nodes
            .extend([self.node(&split.left), self.node(&right)]);
        let mut left = Leaf {
            node: child,
            rows: rows.start..middle,
            sums: split.left,
            open: None,
        };
        let mut right = Leaf {
            node: child + 1,
            rows: middle..rows.end,
            sums: right,
            open: None,
        };
        let last = leaves.len() + 1 == self.max_leaves;
        let either = self.may_split(&left.sums) || self.may_split(&right.sums);
        if !last && either {
            self.open_children(histogram, &mut left, &mut right, room);
        } else {
            room.kept.free.extend(histogram);
        }
        leaves[at] = left;
        leaves.push(right);
    }

    fn open_root(&self, root: &mut Leaf, room: &mut Room) {
        let (rows, sums) = (&room.rows[..], root.sums);
        let mut histogram = self.histogram(&mut room.kept, rows.len());
        let job = |panel: usize, cells: Option<&mut PanelCells>, desk: &mut Desk| {
            self.open_added(panel, rows, &sums, cells, desk)
        };
        let found = self.each_panel(rows.len(), &mut histogram, &mut room.desk, job);
        open(root, histogram, found.into_iter(), &mut room.kept);
    }

    /// The best split of some rows in a panel, and their histogram in `cells`, if wanted.
    fn open_added(
        &self,
        panel: usize,
        rows: &[Row],
        sums: &Sums,
        cells: Option<&mut PanelCells>,
        desk: &mut Desk,
    ) -> Option<Split> {
        let sizes = &self.sizes[panel];
        desk.scratch
            .add(&self.binned.panels[panel], rows, self.rules.format);
        if let Some(cells) = cells {
            cells.clear();
            desk.scratch
                .columns(sizes)
                .for_each(|column| cells.extend_from_slice(column));
        }
        let split = self.search(panel, desk.scratch.columns(sizes), &mut desk.buffers, sums);
        desk.scratch.clear(sizes);
        split
    }

    /// Adds up the smaller child; the larger one is the parent less the smaller. Without a histogram of the parent, both are
    /// added up.
    fn open_children(
        &self,
        parent: Option<Histogram>,
        left: &mut Leaf,
        right: &mut Leaf,
        room: &mut Room,
    ) {
        let (small, large) = if left.sums.rows <= right.sums.rows {
            (left, right)
        } else {
            (right, left)
        };
        let (few, rest) = (
            &room.rows[small.rows.clone()],
            &room.rows[large.rows.clone()],
        );
        let Some(mut larger) = parent else {
            let job = |panel: usize, _: Option<&mut PanelCells>, desk: &mut Desk| {
                [(few, &small.sums), (rest, &large.sums)]
                    .map(|(rows, sums)| self.open_added(panel, rows, sums, None, desk))
            };
            let found = self.each_panel(few.len() + rest.len(), &mut None, &mut room.desk, job);
            open(
                small,
                None,
                found.iter().map(|pair| pair[0]),
                &mut room.kept,
            );
            open(
                large,
                None,
                found.iter().map(|pair| pair[1]),
                &mut room.kept,
            );
            return;
        };
        let mut smaller = self.histogram(&mut room.kept, few.len());
        // Each panel of the parent is changed by one thread only.
        let parents: Vec<_> = larger.iter_mut().map(std::sync::Mutex::new).collect();
        let job = |panel: usize, cells: Option<&mut PanelCells>, desk: &mut Desk| {
            let sizes = &self.sizes[panel];
            let mut parent = parents[panel]
                .lock()
                .expect("nobody panics while holding it");
            desk.scratch
                .add(&self.binned.panels[panel], few, self.rules.format);
            subtract(&mut parent, desk.scratch.columns(sizes));
            if let Some(cells) = cells {
                cells.clear();
                desk.scratch
                    .columns(sizes)
                    .for_each(|column| cells.extend_from_slice(column));
            }
            let split = self.search(
                panel,
                desk.scratch.columns(sizes),
                &mut desk.buffers,
                &small.sums,
            );
            desk.scratch.clear(sizes);
            [
                split,
                self.search(
                    panel,
                    columns(&parent, sizes),
                    &mut desk.buffers,
                    &large.sums,
                ),
            ]
        };
        let found = self.each_panel(few.len(), &mut smaller, &mut room.desk, job);
        open(
            small,
            smaller,
            found.iter().map(|pair| pair[0]),
            &mut room.kept,
        );
        open(
            large,
            Some(larger),
            found.iter().map(|pair| pair[1]),
            &mut room.kept,
        );
    }

    /// Room for a histogram of `rows` rows, if there is any left, and unless they are so few that adding them up again is
    /// faster than keeping it.
    fn histogram(&self, kept: &mut Kept, rows: usize) -> Option<Histogram> {
        if rows <= SMALL {
            return None;
        }
        kept.free.pop().or_else(|| {
            let more = kept.made < self.most_kept;
            kept.made += usize::from(more);
            more.then(|| vec![PanelCells::new(); self.binned.panels.len()])
        })
    }

    /// Runs `job` for each panel, in parallel where that pays.
    fn each_panel<T: Send>(
        &self,
        rows: usize,
        histogram: &mut Option<Histogram>,
        desk: &mut Desk,
        job: impl Fn(usize, Option<&mut PanelCells>, &mut Desk) -> T + Sync,
    ) -> Vec<T> {
        let n = self.binned.panels.len();
        let mut cells: Vec<Option<&mut PanelCells>> = match histogram {
            Some(histogram) => histogram.iter_mut().map(Some).collect(),
            None => (0..n).map(|_| None).collect(),
        };
        if self.is_shared(rows) {
            let panels = cells.par_iter_mut().enumerate();
            panels
                .map_init(Desk::new, |desk, (panel, cells)| {
                    job(panel, cells.take(), desk)
                })
                .collect()
        } else {
            cells
                .into_iter()
                .enumerate()
                .map(|(panel, cells)| job(panel, cells, desk))
                .collect()
        }
    }

    fn is_shared(&self, rows: usize) -> bool {
        // A bin of a histogram costs about as much as adding a row.
        self.parallel && self.binning.columns.len() * (rows + 256) > SHARED
    }

    /// The best split of the columns of a panel.
    fn search<'b>(
        &self,
        panel: usize,
        columns: impl Iterator<Item = &'b [Cell]>,
        buffers: &mut Buffers,
        sums: &Sums,
    ) -> Option<Split> {
        if !self.may_split(sums) {
            return None;
        }
        let mut best = None;
        for (column, cells) in (self.binned.panels[panel].first..).zip(columns) {
            let found = match self.binning.columns[column] {
                Bins::Number { .. } => {
                    best_threshold(cells, sums, column as u32, &self.rules, buffers)
                }
                Bins::Category { .. } => best_set(cells, sums, column as u32, &self.rules),
            };
            best = better(best, found);
        }
        best
    }

    /// Only as many leaves as may still be split keep their histograms: leaves that are found later can only push the others
    /// further down.
    fn close_hopeless(&self, leaves: &mut [Leaf], room: &mut Room) {
        let left = self.max_leaves - leaves.len();
        let mut open: Vec<&mut Leaf> = leaves
            .iter_mut()
            .filter(|leaf| leaf.open.is_some())
            .collect();
        while open.len() > left {
            let gain = |leaf: &Leaf| {
                leaf.open
                    .as_ref()
                    .map_or(f64::NEG_INFINITY, |(_, split)| split.gain)
            };
            // The last of equals, because `best` takes the first.
            let worst = (0..open.len())
                .rev()
                .min_by(|&a, &b| gain(open[a]).total_cmp(&gain(open[b])));
            let leaf = open.remove(worst.expect("there is an open leaf"));
            room.kept
                .free
                .extend(leaf.open.take().and_then(|(histogram, _)| histogram));
        }
    }
}

/// The first of the leaves that gain most.
fn best(leaves: &[Leaf]) -> Option<usize> {
    let gain = |leaf: &Leaf| {
        leaf.open
            .as_ref()
            .map_or(f64::NEG_INFINITY, |(_, split)| split.gain)
    };
    let mut best = 0;
    for at in 1..leaves.len() {
        if gain(&leaves[at]) > gain(&leaves[best]) {
            best = at;
        }
    }
    leaves[best].open.is_some().then_some(best)
}

/// The first of two splits unless the second gains more.
pub(super) fn better(first: Option<Split>, second: Option<Split>) -> Option<Split> {
    match (&first, &second) {
        (Some(a), Some(b)) if b.gain > a.gain => second,
        (None, _) => second,
        _ => first,
    }
}

fn open(
    leaf: &mut Leaf,
    histogram: Option<Histogram>,
    found: impl Iterator<Item = Option<Split>>,
    kept: &mut Kept,
) {
    let split = found.fold(None, better).map(Split::complete);
    let (keep, done) = if split.is_some() && leaf.rows.len() > SMALL {
        (histogram, None)
    } else {
        (None, histogram)
    };
    kept.free.extend(done);
    leaf.open = split.map(|split| (keep, split));
}
