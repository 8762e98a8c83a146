//! Levels of strength: bounds on the nodes of a search, and for the weakest a margin within which the move is
//! drawn by chance.

use super::handicap::Handicap;
use super::playable::Playable;
use super::player::{Choice, MoveSource};
use crate::search::{Iteration, Limits};

/// A level of strength, 1 to 10, and 0 in [games that can be played without search](super::Playable::move_without_search).
/// The last one is full strength.
///
/// ```
/// use juzhong::engine::Level;
/// use juzhong::search::Limits;
///
/// let level = Level::new(5).unwrap();
/// assert_eq!(level.within(Limits::default()).nodes, level.nodes());
/// assert_eq!(Level::FULL.within(Limits::default()), Limits::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// Nodes of a search, and the most centipawns by which the move may be worse than the best: the levels below full
/// strength, from the weakest.
const TABLE: [(u64, Option<i32>); 9] = [
    (800, Some(500)),
    (1_500, Some(250)),
    (4_000, Some(120)),
    (10_000, Some(40)),
    (4_000, None),
    (8_000, None),
    (16_000, None),
    (40_000, None),
    (120_000, None),
];

impl Level {
    /// The player without search. Only for games that have one: see [`least`](Self::least).
    pub const WITHOUT_SEARCH: Self = Self(0);
    /// The weakest level that searches.
    pub const WEAKEST: Self = Self(1);
    /// Full strength.
    pub const FULL: Self = Self(TABLE.len() as u8 + 1);
    /// Lines among which a level with a [`margin`](Self::margin) chooses.
    pub const LINES: usize = 5;

    /// The level of that number; `None` where there is none.
    #[must_use]
    pub fn new(number: u8) -> Option<Self> {
        (Self::WITHOUT_SEARCH.0..=Self::FULL.0).contains(&number).then_some(Self(number))
    }

    /// The level of that number, if the game has it.
    #[must_use]
    pub fn of_game<G: Playable>(number: u8) -> Option<Self> {
        Self::new(number).filter(|&level| level >= Self::least::<G>())
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The weakest level of a game.
    #[must_use]
    pub const fn least<G: Playable>() -> Self {
        if G::PLAYS_WITHOUT_SEARCH { Self::WITHOUT_SEARCH } else { Self::WEAKEST }
    }

    /// All levels that search, from the weakest.
    pub fn all() -> impl Iterator<Item = Self> {
        (Self::WEAKEST.0..=Self::FULL.0).map(Self)
    }

    fn row(self) -> Option<(u64, Option<i32>)> {
        TABLE.get(usize::from(self.0).checked_sub(1)?).copied()
    }

    /// Nodes that are searched at most for a move.
    #[must_use]
    pub fn nodes(self) -> Option<u64> {
        self.row().map(|(nodes, _)| nodes)
    }

    /// The most centipawns by which a move of the search may be worse than the best.
    #[must_use]
    pub fn margin(self) -> Option<i32> {
        self.row().and_then(|(_, margin)| margin)
    }

    /// Lines that the engine is to find: among several the level chooses.
    #[must_use]
    pub fn lines(self) -> usize {
        if self.margin().is_some() { Self::LINES } else { 1 }
    }

    /// What the level holds the engine to.
    #[must_use]
    pub fn handicap(self) -> Handicap {
        let depth = (self == Self::WITHOUT_SEARCH).then_some(0);
        Handicap { depth, nodes: self.nodes(), margin: self.margin() }
    }

    /// The limits, and no more nodes or depth than the level has.
    #[must_use]
    pub fn within(self, limits: Limits) -> Limits {
        self.handicap().within(limits)
    }
}

/// The choice, or for a change another of the search's last `lines` that is at most `margin` centipawns worse;
/// `chance` decides which.
#[must_use]
pub fn varied<M: Copy + PartialEq>(
    choice: Choice<M>,
    lines: &[Iteration<M>],
    margin: i32,
    chance: u64,
) -> Choice<M> {
    let Some(best) = choice.score.filter(|_| choice.source == MoveSource::Search) else {
        return choice;
    };
    let good: Vec<_> = lines.iter().filter(|line| line.score >= best - margin).collect();
    // The last iteration may have been broken off after a better move was found.
    let is_known = lines.first().is_some_and(|line| line.pv.first() == Some(&choice.mv));
    if best.is_decisive() || !is_known || good.is_empty() {
        return choice;
    }
    let line = good[(chance % good.len() as u64) as usize];
    let Some(&mv) = line.pv.first() else { return choice };
    Choice { mv, score: Some(line.score), pv: line.pv.clone(), ..choice }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_grow_and_the_last_is_free() {
        let levels: Vec<Level> = Level::all().collect();
        assert_eq!(levels.len(), 10);
        for pair in levels.windows(2) {
            assert!(pair[0].margin() >= pair[1].margin());
            // Several lines need more nodes than one.
            let is_alike = pair[0].margin().is_some() == pair[1].margin().is_some();
            let [less, more] = [pair[0], pair[1]].map(|level| level.nodes().unwrap_or(u64::MAX));
            assert!(!is_alike || less < more);
        }
        assert_eq!(Level::new(0).map(|level| level.within(Limits::nodes(9)).depth), Some(Some(0)));
        assert_eq!(Level::new(11), None);
        assert_eq!(Level::new(10), Some(Level::FULL));
        let limits = Limits { nodes: Some(50), ..Limits::default() };
        assert_eq!(Level::WEAKEST.within(limits), limits);
    }
}
