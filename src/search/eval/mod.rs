//! The evaluations, one for each game.

pub mod gomoku;
pub mod xiangqi;

#[cfg(test)]
mod tests {
    use crate::game::{Heuristics, Tunables};
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    #[test]
    fn numbers_of_the_games_lie_in_their_ranges() {
        for own in [Position::TUNABLES, Board::TUNABLES] {
            assert_eq!(Tunables::from_values(own.values()), own);
        }
    }
}
