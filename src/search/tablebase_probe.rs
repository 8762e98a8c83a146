//! The interface through which tablebases answer the search.

use crate::game::{Game, Line};

/// A value known for certain, for the side to move. Where the plies to mate are not known, wins and
/// losses come with another measure of the distance to the end, no less than the plies to what is
/// known: a nearer one is preferred, so that the search makes progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableValue {
    /// It mates in this number of plies.
    Mate(u16),
    /// It wins.
    Win(u16),
    /// Neither side can win.
    Draw,
    /// It loses.
    Loss(u16),
    /// It is mated in this number of plies.
    Mated(u16),
}

impl TableValue {
    /// The distance; 0 of draws.
    #[must_use]
    pub fn plies(self) -> u32 {
        match self {
            Self::Draw => 0,
            Self::Mate(plies) | Self::Win(plies) | Self::Loss(plies) | Self::Mated(plies) => {
                plies.into()
            }
        }
    }

    /// Returns true if the side to move wins.
    #[must_use]
    pub const fn is_won(self) -> bool {
        matches!(self, Self::Mate(_) | Self::Win(_))
    }
}

/// The greatest distance of a [`TableValue`] that scores distinguish.
pub const MAX_TABLE_DISTANCE: u16 = 800;

/// Certain knowledge beside the search: tablebases. Must answer fast, above all with `None`.
pub trait TablebaseProbe<G: Game>: Sync {
    /// True if there is anything to probe; `false` removes the probe from the search.
    const PRESENT: bool;
    /// The value of the last position of `line`, if it is known and does not depend on the past of the
    /// line: a win that a limit of moves may prevent is none. Of lines that end in the same position at
    /// the same [stage](crate::game::Adjudicate::stage), only those at stage 0 may differ, and only in
    /// values farther away than [`STAGE_SIGHT`](crate::game::Adjudicate::STAGE_SIGHT). `depth` plies
    /// are left to be searched there.
    fn probe(&self, line: &Line<G>, depth: i32) -> Option<TableValue>;

    /// Announces that the calling thread probes as worker number `worker` of a search from now on,
    /// 0 the first: data that workers of one number have read lie near for the next of them.
    fn enter(&self, worker: usize) {
        let _ = worker;
    }

    /// Returns true if a probe of the calling thread has been slow since the last call, for it had
    /// to read from the disk: the clock is checked then.
    fn was_slow(&self) -> bool {
        false
    }
}

/// An tablebase without any knowledge.
impl<G: Game> TablebaseProbe<G> for () {
    const PRESENT: bool = false;
    fn probe(&self, _line: &Line<G>, _depth: i32) -> Option<TableValue> {
        None
    }
}

/// An adapter that passes another tablebase's values on, draws only if `shows_draws`. Where the root
/// is known to be drawn, so is nearly everything below: a search from which draws are hidden looks
/// for the moves that are hardest to answer, and still sees the mistakes that lose.
#[derive(Debug)]
pub struct HideDraws<'a, O> {
    /// The other.
    pub tablebase: &'a O,
    /// True if draws are passed on.
    pub shows_draws: bool,
}

impl<G: Game, O: TablebaseProbe<G>> TablebaseProbe<G> for HideDraws<'_, O> {
    const PRESENT: bool = O::PRESENT;

    fn probe(&self, line: &Line<G>, depth: i32) -> Option<TableValue> {
        let value = self.tablebase.probe(line, depth)?;
        (self.shows_draws || value != TableValue::Draw).then_some(value)
    }

    fn enter(&self, worker: usize) {
        self.tablebase.enter(worker);
    }

    fn was_slow(&self) -> bool {
        self.tablebase.was_slow()
    }
}
