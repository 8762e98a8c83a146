use crate::game::{Game, Line};

/// A value known for certain, for the side to move. Wins and losses come with a measure of how far
/// the end is, in plies where that is known: a nearer one is preferred, so that the search makes
/// progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableValue {
    /// It wins.
    Win(u16),
    /// Neither side can win.
    Draw,
    /// It loses.
    Loss(u16),
}

/// The greatest distance of a [`TableValue`] that scores tell from others.
pub const MAX_TABLE_DISTANCE: u16 = 800;

/// Certain knowledge beside the search: endgame tables. Must answer fast, above all with `None`.
pub trait Oracle<G: Game>: Sync {
    /// Whether there is anything to ask; `false` removes the probe from the search.
    const PRESENT: bool;
    /// The value of the last position of `line`, if it is known and does not hang on the past of the
    /// line: a win that a limit of moves may prevent is none. `depth` plies are left to be
    /// searched there.
    fn probe(&self, line: &Line<G>, depth: i32) -> Option<TableValue>;
}

/// Knows nothing.
impl<G: Game> Oracle<G> for () {
    const PRESENT: bool = false;
    fn probe(&self, _line: &Line<G>, _depth: i32) -> Option<TableValue> {
        None
    }
}
