//! W∞ between distributions with any masses: the Kantorovich form. A distance r is enough if the masses can flow from
//! one side to the other along pairs no farther apart than r (shortest augmenting paths in layers, as Dinic does).

use super::bitset::{Adjacency, Bits, first_common};
use super::bottleneck::{Pairs, search};
use super::cloud::Cloud;
use super::matching::Obstacle;

/// Masses sum to 1; amounts below this are rounding.
const NEGLIGIBLE: f64 = 1e-12;

/// W∞ for unequal sizes or weights.
pub fn w_infinity(p: &Cloud, q: &Cloud) -> f64 {
    let pairs = Pairs::new(p, q);
    search(
        p,
        q,
        &pairs,
        || Flow::empty(p, q),
        |flow, graph| flow.grow(graph),
    )
    .sqrt()
}

/// Mass already moved, which stays valid when more pairs are allowed.
#[derive(Clone, Debug)]
pub struct Flow {
    supply: Vec<f64>,
    demand: Vec<f64>,
    /// For each right vertex, who sends how much to it.
    received: Vec<Vec<(usize, f64)>>,
}

impl Flow {
    pub fn empty(p: &Cloud, q: &Cloud) -> Self {
        Self {
            supply: (0..p.len()).map(|i| p.mass(i)).collect(),
            demand: (0..q.len()).map(|j| q.mass(j)).collect(),
            received: vec![Vec::new(); q.len()],
        }
    }

    /// Moves as much as the graph allows; tells what stands in the way if something is left.
    pub fn grow(&mut self, graph: &Adjacency) -> Option<Obstacle> {
        loop {
            let (mut layers, levels, reached) = self.layers(graph);
            if !reached {
                let lefts: Vec<usize> = (0..levels.len())
                    .filter(|&l| levels[l] != usize::MAX)
                    .collect();
                let rights = Bits::union(graph.rights(), &layers);
                return (!lefts.is_empty()).then_some(Obstacle { lefts, rights });
            }
            for left in 0..self.supply.len() {
                while self.supply[left] > NEGLIGIBLE
                    && self.augment(graph, &mut layers, &levels, left)
                {}
            }
        }
    }

    fn layers(&self, graph: &Adjacency) -> (Vec<Bits>, Vec<usize>, bool) {
        let mut open = Bits::full(graph.rights());
        let mut levels = vec![usize::MAX; self.supply.len()];
        let mut frontier: Vec<usize> = (0..levels.len())
            .filter(|&l| self.supply[l] > NEGLIGIBLE)
            .collect();
        frontier.iter().for_each(|&l| levels[l] = 0);
        let mut layers = Vec::new();
        let mut reached = false;
        while !frontier.is_empty() && !reached {
            let mut layer = Bits::empty(graph.rights());
            let mut next = Vec::new();
            for &left in &frontier {
                while let Some(right) = first_common(graph.row(left), &open, 0) {
                    open.remove(right);
                    layer.insert(right);
                    reached |= self.demand[right] > NEGLIGIBLE;
                    for &(sender, amount) in &self.received[right] {
                        if amount > NEGLIGIBLE && levels[sender] == usize::MAX {
                            levels[sender] = layers.len() + 1;
                            next.push(sender);
                        }
                    }
                }
            }
            layers.push(layer);
            frontier = next;
        }
        (layers, levels, reached)
    }

    /// Sends mass along one path of the layers. A right vertex from which nothing leads on is discarded for the round.
    fn augment(
        &mut self,
        graph: &Adjacency,
        layers: &mut [Bits],
        levels: &[usize],
        start: usize,
    ) -> bool {
        let ahead = |left: usize, layers: &[Bits], depth: usize| {
            let layer = layers.get(depth)?;
            first_common(graph.row(left), layer, 0)
        };
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut left = start;
        loop {
            let depth = path.len();
            let Some(right) = ahead(left, layers, depth) else {
                match path.pop() {
                    Some((back, _)) => left = back,
                    None => return false,
                }
                continue;
            };
            if self.demand[right] > NEGLIGIBLE {
                path.push((left, right));
                self.send(&path);
                return true;
            }
            let sender = self.received[right].iter().find(|&&(sender, amount)| {
                amount > NEGLIGIBLE
                    && levels[sender] == depth + 1
                    && ahead(sender, layers, depth + 1).is_some()
            });
            match sender {
                Some(&(sender, _)) => {
                    path.push((left, right));
                    left = sender;
                }
                None => layers[depth].remove(right),
            }
        }
    }

    fn send(&mut self, path: &[(usize, usize)]) {
        let (first, last) = (path[0].0, path[path.len() - 1].1);
        let mut amount = self.supply[first].min(self.demand[last]);
        for hop in path.windows(2) {
            let ((_, right), (sender, _)) = (hop[0], hop[1]);
            amount = amount.min(self.sent(sender, right));
        }
        self.supply[first] -= amount;
        self.demand[last] -= amount;
        for &(left, right) in path {
            match self.received[right].iter_mut().find(|(s, _)| *s == left) {
                Some((_, sent)) => *sent += amount,
                None => self.received[right].push((left, amount)),
            }
        }
        for hop in path.windows(2) {
            let ((_, right), (sender, _)) = (hop[0], hop[1]);
            if let Some((_, sent)) = self.received[right].iter_mut().find(|(s, _)| *s == sender) {
                *sent -= amount;
            }
            self.received[right].retain(|&(_, sent)| sent > NEGLIGIBLE * 1e-3);
        }
    }

    fn sent(&self, left: usize, right: usize) -> f64 {
        let entry = self.received[right].iter().find(|(s, _)| *s == left);
        entry.map_or(0.0, |&(_, amount)| amount)
    }
}
