//! Sentences on where games break off.

use super::{counts, text, translated, word};
use juzhong::answers::{EndPoint, GameEnd};

/// The sentence on where a game ends, and why.
pub(crate) fn sentence(end: &GameEnd) -> String {
    let GameEnd { place, game, point, reason } = end;
    let why = translated(reason.clone());
    match *point {
        EndPoint::BeforeMove { number, side } => {
            let side = word(side);
            text!("{place}: game {game} ends before move {number} of {side}: {why}")
        }
        EndPoint::AfterPlies(plies) => {
            let moves = counts::moves(plies);
            text!("{place}: game {game} ends after {moves}: {why}")
        }
    }
}
