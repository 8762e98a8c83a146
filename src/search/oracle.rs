use crate::game::Game;

/// A value known for certain, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableValue {
    /// It wins.
    Win,
    /// Neither side can win.
    Draw,
    /// It loses.
    Loss,
}

/// Certain knowledge beside the search: endgame tables. Must answer fast, above all with `None`.
pub trait Oracle<G: Game>: Sync {
    /// Whether there is anything to ask; `false` removes the probe from the search.
    const PRESENT: bool;
    /// The value of `position`, if known.
    fn probe(&self, position: &G) -> Option<TableValue>;
}

/// Knows nothing.
impl<G: Game> Oracle<G> for () {
    const PRESENT: bool = false;
    fn probe(&self, _position: &G) -> Option<TableValue> {
        None
    }
}
