//! The ways in which sources are read.

use crate::game::Game;
use crate::record::model::record::Record;

/// The treatment of a game whose main line breaks off at an illegal move, or where its bytes end too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Keep {
    /// It is refused.
    #[default]
    Nothing,
    /// The moves before are a game, if there are some: see
    /// [`ParsedGame::cut`](crate::record::model::parsed::ParsedGame).
    LegalPart,
    /// The same, to be looked at: where the first move is illegal, what has tags or a start position other than the
    /// usual one is a game without moves.
    Opened,
}

impl Keep {
    /// Returns true if so much of a game is kept.
    pub(crate) const fn keeps<G: Game>(self, part: &Record<G>) -> bool {
        let has_moves = !part.tree.moves.is_empty();
        match self {
            Self::Nothing => false,
            Self::LegalPart => has_moves,
            Self::Opened => has_moves || part.start.is_some() || !part.tags.is_empty(),
        }
    }
}

/// The choices of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The treatment of games that break off.
    pub keep: Keep,
    /// Width and height of the board of gomoku, where a source does not say it.
    pub board: Option<(u8, u8)>,
}

impl ReadOptions {
    /// Keeps of games that break off so much.
    #[must_use]
    pub const fn keeping(keep: Keep) -> Self {
        Self { keep, board: None }
    }
}
