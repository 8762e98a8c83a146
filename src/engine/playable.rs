//! The games that the engine plays, and their lines as the rules see them.

use std::borrow::Cow;

use super::endgames::{Endgames, ProbeBudget, RootRanking};
use crate::game::{Adjudicate, Heuristics, Horizon, Line, Notation, Symmetric, Verdict};

/// A game that the [`Engine`](super::Engine) plays.
pub trait Playable: Notation + Symmetric + Adjudicate + Heuristics {
    /// The endgame tables of the game.
    type Tables: Endgames<Self>;

    /// Every rule set, in the order of a menu.
    const RULES: &'static [Self::Rules];

    /// The Elo ratings of the levels that search, below full strength and from the weakest, where they were measured: on a
    /// scale of the game's own, on which only differences mean something.
    const LEVEL_RATINGS: Option<[u16; 9]> = None;

    /// True if the game has a player without search, whose moves
    /// [`move_without_search`](Self::move_without_search) gives.
    const PLAYS_WITHOUT_SEARCH: bool = false;

    /// The move of the player without search, which a search to depth 0 plays, not one of `banned`; `None` where
    /// there is no such player, or no move.
    fn move_without_search(&self, banned: &[Self::Move]) -> Option<Self::Move> {
        let _ = banned;
        None
    }

    /// A line that starts at a position's text, with the counters that the text may hold.
    ///
    /// # Errors
    ///
    /// If the text is malformed or the position illegal.
    fn read_line(text: &str) -> Result<Line<Self>, Self::PositionError> {
        Ok(Line::new(Self::from_fen(text)?, 0))
    }

    /// Ranks the moves at the end of `line` by the game's `tables`, the past of the game considered; `None` where
    /// they do not know the position.
    fn advise(
        tables: &Self::Tables,
        line: &Line<Self>,
        probe_budget: &ProbeBudget<'_>,
    ) -> Option<RootRanking<Self::Move>>;
}

/// Returns true if playing `mv` at the end of `line` loses at once by the rules on repetition.
pub(crate) fn loses_by_rule<G: Playable>(line: &Line<G>, mv: G::Move, rules: G::Rules) -> bool {
    let mover = line.position().turn();
    let mut after = line.clone();
    after.push(mv);
    G::judge(&after, rules, Horizon::Game).verdict == Verdict::Loses(mover)
}

/// The game as it still counts. Where the limit of moves or dead material has ended it and play goes on
/// all the same, every move would seem to be judged already: it begins anew. After a repetition only
/// the moves that repeat are judged, and others are to be preferred: the past stays.
pub(crate) fn as_it_counts<G: Playable>(line: &Line<G>, rules: G::Rules) -> Cow<'_, Line<G>> {
    // Without its past, but with its clock, a line is over by the limit of moves or dead material alone.
    if is_over(line, rules) && is_over(&anew(line, line.clock()), rules) {
        Cow::Owned(anew(line, 0))
    } else {
        Cow::Borrowed(line)
    }
}

/// A line that begins at the end of another one.
fn anew<G: Playable>(line: &Line<G>, clock: u32) -> Line<G> {
    Line::new(line.position().clone(), clock)
}

/// Returns true if the rules have ended the game.
fn is_over<G: Playable>(line: &Line<G>, rules: G::Rules) -> bool {
    G::judge(line, rules, Horizon::Game).verdict != Verdict::None
}
