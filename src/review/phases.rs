//! The phases of a game.

/// A phase of a game. It is the opening up to the 20th ply and for as long as the books know the moves, the ending from
/// the position on in which few pieces are left ([`Heuristics::phase`](crate::game::Heuristics::phase) of at most 12:
/// rooks count 4, horses and cannons 2, of both sides together), else the middle game. Games that do not begin at the
/// start have no opening, those of gomoku no ending.
///
/// ```
/// use juzhong::review::GamePhase;
///
/// assert_eq!(GamePhase::ALL.map(GamePhase::name), ["opening", "middle_game", "ending"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GamePhase {
    /// The first moves, and those of the books.
    Opening,
    /// Between opening and ending.
    MiddleGame,
    /// Few pieces are left.
    Ending,
}

/// Plies of the opening where no book knows the game.
const OPENING_PLIES: usize = 20;
/// The most material of an ending.
const ENDING_MATERIAL: i32 = 12;

impl GamePhase {
    /// All phases, in order.
    pub const ALL: [Self; 3] = [Self::Opening, Self::MiddleGame, Self::Ending];

    /// `opening`, `middle_game` or `ending`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::MiddleGame => "middle_game",
            Self::Ending => "ending",
        }
    }

    /// The phase of the move after `ply` plies of a game that begins at the start if `is_from_start`, and of whose first
    /// moves the books know `in_books`, where this material is left.
    pub(crate) fn of(ply: usize, is_from_start: bool, in_books: usize, material: i32) -> Self {
        if material <= ENDING_MATERIAL {
            Self::Ending
        } else if is_from_start && ply < OPENING_PLIES.max(in_books) {
            Self::Opening
        } else {
            Self::MiddleGame
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::PHASES;

    /// The phase in a game from the start.
    fn of(ply: usize, in_books: usize, material: i32) -> GamePhase {
        GamePhase::of(ply, true, in_books, material)
    }

    #[test]
    fn phases_follow_one_another() {
        use GamePhase::{Ending, MiddleGame, Opening};
        assert_eq!(
            [of(0, 0, PHASES), of(19, 0, 28), of(20, 0, 28)],
            [Opening, Opening, MiddleGame]
        );
        assert_eq!([of(29, 30, 30), of(30, 30, 30)], [Opening, MiddleGame]);
        assert_eq!([of(19, 0, 12), of(60, 0, 13), of(60, 0, 0)], [Ending, MiddleGame, Ending]);
        assert_eq!(GamePhase::of(0, false, 30, PHASES), MiddleGame);
    }
}
