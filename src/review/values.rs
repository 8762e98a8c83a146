//! The games that are reviewed, and the values of their positions.

use super::compare::SecondLook;
use super::marks::Valuation;
use crate::engine::Playable;
use crate::game::{Game, Horizon, Line, Outcome, Verdict};
use crate::search::Score;
use crate::tablebase::Entry;

/// The moves of a game to be evaluated.
#[derive(Debug)]
pub struct GameMoves<'a, G: Game> {
    /// The start position.
    pub start: &'a G,
    /// Plies since the last irreversible move at the start.
    pub start_clock: u32,
    /// The moves, legal where they stand.
    pub moves: &'a [G::Move],
    /// For each move, true if it is known to be good and needs no second look; those beyond the end are not.
    pub known: &'a [bool],
}

impl<G: Game> Clone for GameMoves<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Of every game, whether its positions are `Copy` or not.
impl<G: Game> Copy for GameMoves<'_, G> {}

impl<G: Game> GameMoves<'_, G> {
    /// Returns true if the move after that many plies is known.
    pub(crate) fn is_known(&self, ply: usize) -> bool {
        self.known.get(ply).is_some_and(|&known| known)
    }
}

/// The evaluation of a position of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionValue<M> {
    /// For the side to move.
    pub score: Score,
    /// The chances of a win, a draw and a loss, where the engine states them.
    pub chances: Option<[u16; 3]>,
    /// The best moves found, alternately of both sides.
    pub line: Vec<M>,
    /// Plies searched; 0 where tables gave the move.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// The valuation of the best other move, where the best one was played and searched.
    pub second: Option<Valuation>,
    /// The knowledge of the endgame tables.
    pub table: Option<TableFacts>,
    /// The second look at the move played, where it seemed to be a fault.
    pub look: Option<SecondLook<M>>,
}

impl<M> PositionValue<M> {
    /// A score and the best moves found, and nothing else.
    #[must_use]
    pub const fn of_search(score: Score, line: Vec<M>) -> Self {
        let (depth, nodes) = (0, 0);
        Self { score, chances: None, line, depth, nodes, second: None, table: None, look: None }
    }

    /// Of a position without a legal move.
    pub(crate) const fn unknown() -> Self {
        Self::of_search(Score::DRAW, Vec::new())
    }

    /// The score with the engine's chances.
    #[must_use]
    pub const fn valuation(&self) -> Valuation {
        Valuation { score: self.score, chances: self.chances }
    }
}

/// The knowledge of the endgame tables about a position and the move played there. Distances count from before the
/// move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableFacts {
    /// The value of the position, for the side to move.
    pub best: Entry,
    /// The value of the move played; `None` at the end of a game, and where it is not known.
    pub played: Option<Entry>,
    /// True if one move alone keeps the value.
    pub is_only: bool,
}

/// The values of the positions of a game.
pub type GameValues<G> = Vec<PositionValue<<G as Game>::Move>>;

/// The number of positions of a game that are evaluated.
pub(crate) fn positions<G: Playable>(game: GameMoves<'_, G>, rules: G::Rules) -> usize {
    let plies = game.moves.len();
    plies + usize::from(plies > 0 && !is_over(&line_to(game, plies), rules))
}

/// Returns true if the board or the rules on repetition have ended the game.
fn is_over<G: Playable>(line: &Line<G>, rules: G::Rules) -> bool {
    line.position().outcome().is_some()
        || G::judge(line, rules, Horizon::Game).verdict != Verdict::None
}

/// The end of a game that the last move of a line has brought about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    /// True if the rules on repetition or the limit of moves ended it, not the board.
    pub(crate) is_by_rule: bool,
}

/// The end of the game at the end of `line`, if it is over there.
pub(crate) fn ending<G: Playable>(line: &Line<G>, rules: G::Rules) -> Option<Ending> {
    if let Some(outcome) = line.position().outcome() {
        return Some(Ending { outcome, is_by_rule: false });
    }
    let outcome = G::judge(line, rules, Horizon::Game).verdict.outcome()?;
    Some(Ending { outcome, is_by_rule: true })
}

/// The line of a game up to a ply.
pub(crate) fn line_to<G: Playable>(game: GameMoves<'_, G>, ply: usize) -> Line<G> {
    let mut line = Line::new(game.start.clone(), game.start_clock);
    game.moves[..ply].iter().for_each(|&mv| line.push(mv));
    line
}
