//! The leaves of the tree of legal moves, counted.

use serde::Serialize;

use crate::game::{Notation, divide, perft};

/// The number of leaves below a position: schema `juzhong.perft/1`.
///
/// ```
/// use juzhong::answers::PerftAnswer;
/// use juzhong::game::Game;
/// use juzhong::xiangqi::Position;
///
/// let answer = PerftAnswer::count(Position::start(), 2, true);
/// assert_eq!((answer.nodes, answer.divide.len()), (1920, 44));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PerftAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The position.
    pub fen: String,
    /// The depth in plies.
    pub depth: u32,
    /// The number of leaves.
    pub nodes: u64,
    /// The leaves after each move, where they are wanted.
    pub divide: Vec<MoveNodes>,
}

/// The leaves after a move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MoveNodes {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The number of leaves.
    pub nodes: u64,
}

impl PerftAnswer {
    /// Counts the leaves at a depth in plies, by the moves of the position if they are to be divided.
    #[must_use]
    pub fn count<G: Notation>(mut position: G, depth: u32, divided: bool) -> Self {
        let parts = if divided { divide(&mut position, depth) } else { Vec::new() };
        let nodes = match parts.as_slice() {
            [] => perft(&mut position, depth),
            parts => parts.iter().map(|&(_, nodes)| nodes).sum(),
        };
        let parts = parts.into_iter().map(|(mv, nodes)| MoveNodes { mv: G::move_text(mv), nodes });
        Self {
            schema: "juzhong.perft/1",
            fen: position.to_fen(),
            depth,
            nodes,
            divide: parts.collect(),
        }
    }
}
