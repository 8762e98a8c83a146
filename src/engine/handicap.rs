//! What a weaker player than the whole engine is held to.

use crate::search::Limits;

/// The bounds on a weaker player's choice of moves: the nodes and depth of its searches, and the margin within which it
/// chooses by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handicap {
    /// Plies of a search at most.
    pub depth: Option<u32>,
    /// Nodes of a search at most.
    pub nodes: Option<u64>,
    /// The most centipawns by which a move of the search may be worse than the best.
    pub margin: Option<i32>,
}

impl Handicap {
    /// The limits, and no more nodes or depth than the handicap has.
    #[must_use]
    pub fn within(self, limits: Limits) -> Limits {
        let nodes = limits.nodes.into_iter().chain(self.nodes).min();
        Limits { nodes, depth: self.depth.or(limits.depth), ..limits }
    }

    /// The handicap at a part, 0 to 1, of the way to a stronger one.
    pub(crate) fn towards(self, stronger: Self, part: f64) -> Self {
        let Some(margin) = self.margin else {
            return Self { nodes: between(self.nodes, stronger.nodes, part), ..self };
        };
        let target = stronger.margin.unwrap_or(0);
        let margin = margin + (f64::from(target - margin) * part).round() as i32;
        // A player that chooses among several lines needs more nodes than one that looks at the best alone: up to there
        // only its margin shrinks.
        let is_alike = stronger.margin.is_some();
        let nodes = if is_alike { between(self.nodes, stronger.nodes, part) } else { self.nodes };
        Self { nodes, margin: Some(margin), ..self }
    }
}

/// The geometric mean of two numbers of nodes, of which the second weighs `part` of 1.
fn between(from: Option<u64>, to: Option<u64>, part: f64) -> Option<u64> {
    let [from, to] = [from? as f64, to? as f64];
    Some((from * (to / from).powf(part)).round() as u64)
}
