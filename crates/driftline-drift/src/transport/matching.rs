//! Maximum matching in a bipartite graph by Hopcroft and Karp: rounds of shortest augmenting paths, found together.

use super::bitset::{Adjacency, Bits, first_common};

const FREE: usize = usize::MAX;

/// A matching that can be carried over to a graph with more edges.
#[derive(Clone, Debug)]
pub struct Matching {
    left: Vec<usize>,
    right: Vec<usize>,
    size: usize,
}

/// The vertices reachable from unmatched left vertices by alternating paths, when the matching is maximum. Hall's
/// condition fails for them: every perfect matching needs an edge from `lefts` to a right vertex outside `rights`.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub lefts: Vec<usize>,
    pub rights: Bits,
}

impl Matching {
    pub fn empty(lefts: usize, rights: usize) -> Self {
        Self {
            left: vec![FREE; lefts],
            right: vec![FREE; rights],
            size: 0,
        }
    }

    #[cfg(test)]
    pub fn size(&self) -> usize {
        self.size
    }

    #[cfg(test)]
    pub fn partner_of_left(&self, left: usize) -> Option<usize> {
        Some(self.left[left]).filter(|&r| r != FREE)
    }

    /// Grows the matching to a maximum one; tells why it is not perfect for the left side, if it is not.
    pub fn grow(&mut self, graph: &Adjacency) -> Option<Obstacle> {
        loop {
            let mut search = self.layers(graph);
            if !search.reached_free {
                let perfect = self.size == self.left.len();
                return (!perfect).then(|| search.into_obstacle(graph.rights()));
            }
            for left in 0..self.left.len() {
                if self.left[left] == FREE && self.augment(graph, &mut search.layers, left) {
                    self.size += 1;
                }
            }
        }
    }

    /// Breadth first from the free left vertices, stopping after the first layer that holds a free right vertex.
    fn layers(&self, graph: &Adjacency) -> Search {
        let mut open = Bits::full(graph.rights());
        let mut frontier: Vec<usize> = (0..self.left.len())
            .filter(|&l| self.left[l] == FREE)
            .collect();
        let mut search = Search {
            layers: Vec::new(),
            lefts: frontier.clone(),
            reached_free: false,
        };
        while !frontier.is_empty() && !search.reached_free {
            let mut layer = Bits::empty(graph.rights());
            let mut next = Vec::new();
            for &left in &frontier {
                let row = graph.row(left);
                for (w, &word) in row.iter().enumerate() {
                    let mut new = word & open.words()[w];
                    open.words_mut()[w] &= !new;
                    layer.words_mut()[w] |= new;
                    while new != 0 {
                        let right = w * 64 + new.trailing_zeros() as usize;
                        new &= new - 1;
                        match self.right[right] {
                            FREE => search.reached_free = true,
                            owner => next.push(owner),
                        }
                    }
                }
            }
            search.layers.push(layer);
            search.lefts.extend(&next);
            frontier = next;
        }
        search
    }

    /// Depth first along the layers; every right vertex is used or discarded at most once per round.
    fn augment(&mut self, graph: &Adjacency, layers: &mut [Bits], start: usize) -> bool {
        let mut path: Vec<(usize, usize)> = Vec::new(); // (left, right it goes to)
        let mut left = start;
        loop {
            let depth = path.len();
            let step = layers
                .get(depth)
                .and_then(|layer| first_common(graph.row(left), layer, 0));
            match step {
                Some(right) => {
                    layers[depth].remove(right);
                    path.push((left, right));
                    if self.right[right] == FREE {
                        for &(left, right) in &path {
                            self.left[left] = right;
                            self.right[right] = left;
                        }
                        return true;
                    }
                    left = self.right[right];
                }
                None => match path.pop() {
                    Some((back, _)) => left = back,
                    None => return false,
                },
            }
        }
    }
}

struct Search {
    layers: Vec<Bits>,
    lefts: Vec<usize>,
    reached_free: bool,
}

impl Search {
    fn into_obstacle(self, rights: usize) -> Obstacle {
        Obstacle {
            lefts: self.lefts,
            rights: Bits::union(rights, &self.layers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn largest_by_trying(edges: &[Vec<bool>], left: usize, used: &mut Vec<bool>) -> usize {
        if left == edges.len() {
            return 0;
        }
        let mut best = largest_by_trying(edges, left + 1, used);
        for right in 0..used.len() {
            if edges[left][right] && !used[right] {
                used[right] = true;
                best = best.max(1 + largest_by_trying(edges, left + 1, used));
                used[right] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn as_large_as_any_matching_and_the_obstacle_proves_it(
            edges in prop::collection::vec(prop::collection::vec(prop::bool::weighted(0.3), 6), 6)
        ) {
            let mut graph = Adjacency::empty(6, 6);
            for (l, row) in edges.iter().enumerate() {
                for (r, &edge) in row.iter().enumerate() {
                    if edge { graph.connect(l, r); }
                }
            }
            let mut matching = Matching::empty(6, 6);
            let obstacle = matching.grow(&graph);
            prop_assert_eq!(matching.size(), largest_by_trying(&edges, 0, &mut vec![false; 6]));
            prop_assert_eq!(obstacle.is_none(), matching.size() == 6);
            for (left, row) in edges.iter().enumerate() {
                if let Some(right) = matching.partner_of_left(left) {
                    prop_assert!(row[right]);
                }
            }
            if let Some(obstacle) = obstacle {
                let rights = (0..6).filter(|&r| obstacle.rights.contains(r)).count();
                prop_assert!(rights < obstacle.lefts.len());
                for &left in &obstacle.lefts {
                    for (right, &edge) in edges[left].iter().enumerate() {
                        prop_assert!(!edge || obstacle.rights.contains(right));
                    }
                }
            }
        }
    }
}
