//! The endgame-table interface of the engine, for any game.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use crate::game::{Adjudicate, Game, Line};
use crate::message::{Message, message};
use crate::search::{TableValue, TablebaseProbe};
use crate::tablebase::{Entry, Metric, Rules, Wdl};

/// The endgame tables that an engine plays with, and when it probes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableOptions {
    /// The folders; of tables that several of them have, those of the first count.
    pub folders: Vec<PathBuf>,
    /// Only tables made with these repetition rules. `None`: all, those that say most about the
    /// rules of play first.
    pub rules: Option<Rules>,
    /// Only tables of this metric. `None`: distances to mate first, then distances to captures.
    pub metric: Option<Metric>,
    /// In the search, nodes of less depth in plies are not looked up. Default 1: all but quiescence.
    pub probe_depth: u32,
    /// Positions of more pieces, kings included, are not looked up. Default 32: all that tables have.
    pub men: usize,
    /// True if wins have to come before the limit of moves without a capture. Default: yes, as far
    /// as the rules of play have one.
    pub minds_limit: bool,
}

impl Default for TableOptions {
    /// No folder, no restriction.
    fn default() -> Self {
        let rules = None;
        let metric = None;
        Self { folders: Vec::new(), rules, metric, probe_depth: 1, men: 32, minds_limit: true }
    }
}

impl From<PathBuf> for TableOptions {
    fn from(folder: PathBuf) -> Self {
        Self { folders: vec![folder], ..Self::default() }
    }
}

impl From<&Path> for TableOptions {
    fn from(folder: &Path) -> Self {
        folder.to_owned().into()
    }
}

impl From<Option<PathBuf>> for TableOptions {
    fn from(folder: Option<PathBuf>) -> Self {
        Self { folders: folder.into_iter().collect(), ..Self::default() }
    }
}

/// Endgame tables as the engine probes them.
pub trait Endgames<G: Game>: TablebaseProbe<G> + Debug + Send + Sized + 'static {
    /// Opens tables for play under `rules`.
    ///
    /// # Errors
    ///
    /// A message for people: the file, its fault, and the remedy.
    fn open(options: &TableOptions, rules: G::Rules) -> Result<Self, Message>
    where
        G: Adjudicate;

    /// Messages about the tablebases for people to see before play: that they were made with other
    /// rules.
    fn warnings(&self) -> Vec<Message>;

    /// Returns true if there is a tablebase for `position`. Cheap.
    fn covers(&self, position: &G) -> bool;

    /// The name of the repetition rules that the preferred tables follow.
    fn rules_name(&self) -> &'static str;

    /// The legal moves of `position` with their values under the rules of play, best first by order
    /// and distance (win fastest, lose slowest). Where one wins, moves of unknown value are left
    /// out; `None` if otherwise a value is not known.
    fn ranked_moves(&self, position: &G) -> Option<Vec<RootMove<G::Move>>>;

    /// A problem met while probing and not reported before, for people.
    fn take_warning(&self) -> Option<Message>;

    /// The name of the table that a position belongs to, whether it is there or not (xiangqi: `KRCvKR`); `None` for
    /// games without tables.
    fn name_of(position: &G) -> Option<String> {
        let _ = position;
        None
    }
}

/// Limits on the effort of ranking root moves.
#[derive(Clone, Copy)]
pub struct ProbeBudget<'a> {
    /// Positions looked at on the way to a win in time.
    pub positions: u32,
    /// Called now and then; once it returns `false`, the result is made of what is known by then.
    pub lasts: &'a dyn Fn() -> bool,
}

impl Default for ProbeBudget<'_> {
    /// Some hundredths of a second.
    fn default() -> Self {
        Self { positions: 2_000, lasts: &|| true }
    }
}

impl Debug for ProbeBudget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProbeBudget").field("positions", &self.positions).finish_non_exhaustive()
    }
}

/// Counts the positions that a proof looks at, until there were enough of them or the probe budget ends.
#[derive(Debug)]
pub(crate) struct Budget<'a> {
    probe_budget: &'a ProbeBudget<'a>,
    most: u32,
    spent: u32,
    /// The probe budget is used up: later proofs get no more positions.
    is_over: bool,
}

impl<'a> Budget<'a> {
    pub(crate) const fn new(probe_budget: &'a ProbeBudget<'a>, most: u32) -> Self {
        Self { probe_budget, most, spent: 0, is_over: false }
    }

    pub(crate) const fn is_spent(&self) -> bool {
        self.is_over || self.spent >= self.most
    }

    /// Counts one more position. The time is checked each time: all moves of a position are looked
    /// up in the tablebases, which takes far longer, and seconds where these lie on a slow disk.
    pub(crate) fn spend(&mut self) {
        self.spent += 1;
        self.is_over = self.is_over || !(self.probe_budget.lasts)();
    }

    /// Gives the next proof as many positions again, unless the probe budget has ended.
    pub(crate) const fn renew(&mut self) {
        self.spent = 0;
    }
}

/// A move at the root as the tables see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// The value after it, for the side that makes it; distances count from before the move.
    pub entry: Entry,
    /// The same as the search sees it: plies to mate only where the entry's distance is that.
    pub value: TableValue,
    /// The target of the entry's distance.
    pub target: DistanceTarget,
}

/// The event that a distance in plies counts to, for moves that win or lose without a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DistanceTarget {
    /// Mate.
    Mate,
    /// The next capture, or mate.
    CaptureOrMate,
    /// The end of the game.
    End,
    /// The end of the game, which may come sooner.
    EndAtMost,
}

impl DistanceTarget {
    /// The target of a distance of endgame tables whose value search sees so.
    pub(crate) const fn of_table(value: TableValue) -> Self {
        match value {
            TableValue::Mate(_) | TableValue::Mated(_) => Self::Mate,
            _ => Self::CaptureOrMate,
        }
    }
}

/// For games without endgame tables.
#[derive(Debug, Clone, Copy)]
pub struct NoTables;

impl<G: Game> TablebaseProbe<G> for NoTables {
    const PRESENT: bool = false;
    fn probe(&self, _line: &Line<G>, _depth: i32) -> Option<TableValue> {
        None
    }
}

impl<G: Game> Endgames<G> for NoTables {
    fn open(_options: &TableOptions, _rules: G::Rules) -> Result<Self, Message>
    where
        G: Adjudicate,
    {
        Err(message!("there are no endgame tables for {}", G::NAME))
    }
    fn warnings(&self) -> Vec<Message> {
        Vec::new()
    }
    fn covers(&self, _position: &G) -> bool {
        false
    }
    fn rules_name(&self) -> &'static str {
        "none"
    }
    fn ranked_moves(&self, _position: &G) -> Option<Vec<RootMove<G::Move>>> {
        None
    }
    fn take_warning(&self) -> Option<Message> {
        None
    }
}

/// The ranking of the root moves by tablebases and rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootRanking<M> {
    /// Moves, best first; not empty.
    pub moves: Vec<RootMove<M>>,
    /// The number of moves, from the first on, that keep the best value; at least 1.
    pub keeping: usize,
    /// The best value, which the first moves keep.
    pub wdl: Wdl,
    /// True if that value is certain; false for wins that the limit of moves may prevent.
    pub is_sure: bool,
    /// A message for people.
    pub remark: Option<Message>,
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Positions that five proofs look at, one after the other, each as many as it may.
    fn spent_by_five_proofs(probe_budget: &ProbeBudget<'_>, most: u32) -> u32 {
        let mut budget = Budget::new(probe_budget, most);
        let mut spent = 0;
        for _ in 0..5 {
            budget.renew();
            while !budget.is_spent() {
                budget.spend();
                spent += 1;
            }
        }
        spent
    }

    #[test]
    fn no_proof_goes_on_after_the_budget_has_ended() {
        let asked = Cell::new(0);
        let lasts = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let probe_budget = ProbeBudget { positions: 0, lasts: &lasts };
        assert_eq!(spent_by_five_proofs(&probe_budget, 1_000), 3);
    }

    #[test]
    fn each_proof_has_its_positions_while_the_budget_lasts() {
        let probe_budget = ProbeBudget::default();
        assert_eq!(spent_by_five_proofs(&probe_budget, 10), 50);
    }
}
