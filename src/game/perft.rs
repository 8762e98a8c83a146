//! Counts of legal move sequences, in whole and by the first move, for checking move generation.

use super::{Game, MoveList};

/// Number of legal move sequences of `depth` plies, the last ply counted in bulk.
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves(),
        _ => {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let mut nodes = 0;
            for mv in moves {
                let undo = position.make(mv);
                nodes += perft(position, depth - 1);
                position.unmake(mv, undo);
            }
            nodes
        }
    }
}

/// [`perft`] split by the first move, in the order of generation. Empty at depth 0.
///
/// ```
/// use juzhong::game::{divide, perft};
/// use juzhong::xiangqi::Position;
///
/// let mut start = Position::start();
/// let by_move = divide(&mut start, 2);
/// assert_eq!(by_move.len(), 44);
/// assert_eq!(by_move.iter().map(|(_, count)| count).sum::<u64>(), perft(&mut start, 2));
/// assert_eq!(perft(&mut start, 2), 1_920);
/// ```
pub fn divide<G: Game>(position: &mut G, depth: u32) -> Vec<(G::Move, u64)> {
    let mut moves = MoveList::new();
    if depth > 0 {
        position.legal_moves(&mut moves);
    }
    let mut parts = Vec::with_capacity(moves.len());
    for mv in moves {
        let undo = position.make(mv);
        parts.push((mv, perft(position, depth - 1)));
        position.unmake(mv, undo);
    }
    parts
}
