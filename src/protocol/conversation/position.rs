//! The position that a GUI sets up, and what is known of it without a search.

use crate::engine::Playable;
use crate::game::{Game, Line, MoveList, Outcome};
use crate::protocol::wire::command::Setup;
use crate::protocol::wire::format::shortened;
use crate::protocol::wire::ranks::Ranks;
use crate::search::Score;

/// The legal move of `position` that a text with ranks of this kind stands for.
pub(crate) fn legal_move<G: Playable>(position: &G, text: &str, ranks: Ranks) -> Option<G::Move> {
    G::parse_move(&ranks.ours(text)).filter(|&mv| position.is_legal(mv))
}

/// Plays the moves of `setup`, which have ranks of this kind.
///
/// # Errors
///
/// The reason, for people, why the position is not legal or not reached.
pub(crate) fn read_position<G: Playable>(setup: &Setup, ranks: Ranks) -> Result<Line<G>, String> {
    let mut line = match &setup.fen {
        None => Line::new(G::start(), 0),
        Some(text) => G::read_line(text).map_err(|error| error.to_string())?,
    };
    for (i, text) in setup.moves.iter().enumerate() {
        let Some(mv) = legal_move(line.position(), text, ranks) else {
            return Err(format!("move {} ({}) is not legal", i + 1, shortened(text)));
        };
        line.push(mv);
    }
    Ok(line)
}

/// A legal move that is not among these, where any move is better than none.
pub(crate) fn any_move<G: Game>(position: &G, banned: &[G::Move]) -> Option<G::Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.into_iter().find(|mv| !banned.contains(mv))
}

/// The score of a position as it stands, for the side to move: of the result where the game is over, else the
/// evaluation.
pub(crate) fn score_without_search<G: Playable>(position: &G) -> Score {
    match position.outcome().map(Outcome::winner) {
        None => Score::from_eval(position.evaluate()),
        Some(None) => Score::DRAW,
        Some(Some(winner)) if winner == position.turn() => Score::mate_in(0),
        Some(Some(_)) => Score::mated_in(0),
    }
}
