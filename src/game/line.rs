//! A line of play: a position with its past, on which repetition and move limits are judged.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use super::{BySide, Game, Heuristics, Outcome, Side};
use crate::hash::Key;

/// A position with the moves that led to it. Rules that depend on the past are judged here, never
/// in the position or its key. Search pushes and pops on it.
///
/// ```
/// use juzhong::game::{Adjudicate, Horizon, Line, Verdict};
/// use juzhong::xiangqi::{Move, Position, RuleSet};
///
/// let mut line = Line::new(Position::start(), 0);
/// for text in ["h0g2", "h9g7", "g2h0", "g7h9"] {
///     line.push(Move::parse(text).unwrap());
/// }
/// assert_eq!(line.position(), line.start());
/// assert_eq!(line.earlier_occurrences().collect::<Vec<_>>(), [0]);
/// let judgement = Position::judge(&line, RuleSet::default(), Horizon::Search { root: 0 });
/// assert_eq!(judgement.verdict, Verdict::Draw);
/// assert!(line.pop());
/// ```
#[derive(Debug, Clone)]
pub struct Line<G: Game> {
    start: G,
    position: G,
    /// Plies of the game before the start.
    earlier_plies: usize,
    clock: u32,
    reversible: u32,
    /// Checks since the last irreversible move; only where the clock is beyond
    /// [`Adjudicate::STAGES_FROM`].
    checks: BySide<u32>,
    plies: Vec<Ply<G>>,
    filter: Box<BloomFilter>,
}

/// A Bloom filter of the keys before the plies of a line, counted by twelve of their bits: if a count is 0,
/// the position is new, and no keys need to be compared. Counts saturate.
#[derive(Clone)]
struct BloomFilter([u8; 1 << Self::BITS]);

impl BloomFilter {
    const BITS: u32 = 12;

    #[inline]
    const fn place(key: Key) -> usize {
        // The high bits, which say nothing of the low ones, by which the transposition table chooses its
        // bucket.
        (key.0 >> (u64::BITS - Self::BITS)) as usize
    }

    #[inline]
    fn add(&mut self, key: Key) {
        let count = &mut self.0[Self::place(key)];
        *count = count.saturating_add(1);
    }

    #[inline]
    fn remove(&mut self, key: Key) {
        let count = &mut self.0[Self::place(key)];
        // A count that has been at its bound may stand for more keys than it says: it is never lowered
        // again, so that a position that occurred is never taken for a new one. The price is a comparison
        // of keys for nothing.
        if *count < u8::MAX {
            *count -= 1;
        }
    }

    #[inline]
    const fn may_have(&self, key: Key) -> bool {
        self.0[Self::place(key)] > 0
    }
}

impl Debug for BloomFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BloomFilter")
    }
}

/// One move of a [`Line`].
#[derive(Debug, Clone)]
pub struct Ply<G: Game> {
    /// The move; `None` is a pass made by null-move search.
    pub mv: Option<G::Move>,
    /// The information needed to undo the move.
    pub undo: G::Undo,
    /// Key of the position before the move.
    pub key_before: Key,
    /// Plies since the last irreversible move, counted before the move.
    pub clock_before: u32,
    /// Plies before this one, back to the last irreversible move or pass, among which a position
    /// can repeat.
    pub reversible_before: u32,
    /// The line's counts of checks before the move: see [`Line::checks`].
    pub(crate) checks_before: BySide<u32>,
}

/// Verdicts that need the past: repetition and move limits.
pub trait Adjudicate: Game {
    /// The rule set that judges repetitions.
    type Rules: Copy + Eq + Debug + Display + FromStr + Default + Send + Sync;

    /// Returns true if no earlier position can come back after `mv` (xiangqi: captures).
    fn is_irreversible(&self, mv: Self::Move) -> bool;

    /// The verdict on the last position of `line`.
    fn judge(line: &Line<Self>, rules: Self::Rules, horizon: Horizon) -> Judgement;

    /// The clock up to which every [`stage`](Self::stage) is 0.
    const STAGES_FROM: u32 = u32::MAX;

    /// At stage 0, a result within this number of plies comes before any limit of moves.
    const STAGE_SIGHT: u32 = u32::MAX;

    /// The stage of the last position of `line`: 0 as long as its value does not depend on the moves played
    /// so far, otherwise a number for that dependence (xiangqi: how near the limit of moves is). Stored
    /// values belong to a position and its stage; at stages above 0 nothing else of the past but repetitions
    /// matters.
    fn stage(line: &Line<Self>, rules: Self::Rules) -> u32 {
        let _ = (line, rules);
        0
    }

    /// Returns true if the last move is of the kind that [`count_checks`](Self::count_checks) counts.
    fn is_check(&self) -> bool {
        false
    }

    /// The number of moves of each side since the last irreversible one that may not count towards a limit of
    /// moves (xiangqi: checks), as far as the line goes back. Iterates over them; see [`Line::checks`].
    fn count_checks(line: &Line<Self>) -> BySide<u32> {
        let _ = line;
        BySide::default()
    }
}

/// The point from which on one repetition is enough for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// At the board: a position must occur as often as the rules say.
    Game,
    /// In search from a root that lies this many plies after the line's start: a loop that begins
    /// after the root is judged early, at its first repeat.
    Search {
        /// Length of the line at the root.
        root: usize,
    },
}

/// The verdict of the rules on a line's last position.
///
/// ```
/// use juzhong::game::{Outcome, Side, Verdict};
///
/// assert_eq!(Verdict::None.outcome(), None);
/// assert_eq!(Verdict::Draw.outcome(), Some(Outcome::Draw));
/// assert_eq!(Verdict::Loses(Side::First).outcome(), Some(Outcome::Win(Side::Second)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Play goes on.
    None,
    /// Drawn.
    Draw,
    /// That side loses.
    Loses(Side),
}

impl Verdict {
    /// The result that the verdict stands for.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::None => None,
            Self::Draw => Some(Outcome::Draw),
            Self::Loses(side) => Some(Outcome::Win(!side)),
        }
    }
}

/// A verdict and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict of the rules.
    pub verdict: Verdict,
    /// The reason in the rules' terms, for people; `None` if there is none to give.
    pub reason: Option<&'static str>,
    /// The length of the line from which on the values of its positions depend on the moves that led to them,
    /// and with them the verdict. `None` if it depends only on the position and its
    /// [stage](Adjudicate::stage).
    pub hangs_from: Option<usize>,
    /// `Some` if the verdict is [early](Horizon::Search), and somebody loses by it: what it rests on. No game ends
    /// by it: the loser may go on otherwise the next time, so that the verdict at the board is another, or comes later.
    pub early: Option<Grounds>,
}

impl Judgement {
    /// Nothing to judge.
    pub const NONE: Self =
        Self { verdict: Verdict::None, reason: None, hangs_from: None, early: None };
}

/// The grounds that an early verdict on a loop rests on: a set of offences, each of which fills the loop (xiangqi: all moves of the
/// loser check, or all chase this piece). Two loops that the loser can go round in turn lose only by an offence that
/// fills both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grounds(pub u128);

impl Grounds {
    /// Every offence: of results that rest on no loop.
    pub const ALL: Self = Self(u128::MAX);

    /// The offences that fill both loops.
    #[must_use]
    pub const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns true if there is no offence.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl<G: Game> Line<G> {
    /// A line without moves. `clock` is the number of plies since the last irreversible move.
    #[must_use]
    pub fn new(start: G, clock: u32) -> Self {
        let filter = Box::new(BloomFilter([0; 1 << BloomFilter::BITS]));
        let position = start.clone();
        let checks = BySide::default();
        let earlier_plies = 0;
        let reversible = 0;
        let plies = Vec::new();
        Self { start, position, earlier_plies, clock, reversible, checks, plies, filter }
    }

    /// The same line, with its start this number of plies into the game.
    #[must_use]
    pub fn begun_at(mut self, ply: usize) -> Self {
        self.earlier_plies = ply;
        self
    }

    /// Plies of the game up to the last position, those before the line's start included as far as
    /// they are known.
    #[must_use]
    pub fn game_ply(&self) -> usize {
        self.earlier_plies.saturating_add(self.plies.len())
    }

    /// The position at which the line begins.
    #[must_use]
    pub const fn start(&self) -> &G {
        &self.start
    }

    /// The last position.
    #[must_use]
    pub const fn position(&self) -> &G {
        &self.position
    }

    /// The moves so far, passes included.
    #[must_use]
    pub fn plies(&self) -> &[Ply<G>] {
        &self.plies
    }

    /// The moves so far, without passes.
    pub fn moves(&self) -> impl Iterator<Item = G::Move> + '_ {
        self.plies.iter().filter_map(|ply| ply.mv)
    }

    /// Number of plies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.plies.len()
    }

    /// Returns true if no move has been made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plies.is_empty()
    }

    /// Plies since the last irreversible move.
    #[must_use]
    pub const fn clock(&self) -> u32 {
        self.clock
    }

    /// Plies back to the last irreversible move, pass or the line's start: how far back the last
    /// position can have occurred.
    #[must_use]
    pub const fn reversible(&self) -> u32 {
        self.reversible
    }

    /// Indices (into [`plies`](Self::plies)) of the moves made from earlier occurrences of the last
    /// position, latest first: the moves from such an index on are a loop. Nearly free where there is
    /// none.
    pub fn earlier_occurrences(&self) -> impl Iterator<Item = usize> + '_ {
        let key = self.position.key();
        let end = self.plies.len();
        let furthest = if self.filter.may_have(key) { self.reversible as usize } else { 0 };
        // A position cannot come back in two plies, since each side has moved once and stands elsewhere,
        // nor in an odd number, since the other side is to move.
        (4..=furthest)
            .step_by(2)
            .map(move |back| end - back)
            .filter(move |&i| self.plies[i].key_before == key)
    }

    /// Takes back the last move; `false` if there is none, or a pass
    /// (see [`pop_null`](Self::pop_null)).
    pub fn pop(&mut self) -> bool {
        let Some(&Ply { mv: Some(mv), undo, .. }) = self.plies.last() else { return false };
        self.position.unmake(mv, undo);
        self.unrecord();
        true
    }

    fn unrecord(&mut self) {
        if let Some(ply) = self.plies.pop() {
            self.clock = ply.clock_before;
            self.reversible = ply.reversible_before;
            self.checks = ply.checks_before;
            self.filter.remove(ply.key_before);
        }
    }

    fn record(&mut self, mv: Option<G::Move>, undo: G::Undo, key_before: Key) {
        self.filter.add(key_before);
        self.plies.push(Ply {
            mv,
            undo,
            key_before,
            clock_before: self.clock,
            reversible_before: self.reversible,
            checks_before: self.checks,
        });
    }
}

impl<G: Adjudicate> Line<G> {
    /// Plays a legal move.
    pub fn push(&mut self, mv: G::Move) {
        let irreversible = self.position.is_irreversible(mv);
        let key_before = self.position.key();
        let undo = self.position.make(mv);
        self.record(Some(mv), undo, key_before);
        self.clock = if irreversible { 0 } else { self.clock + 1 };
        // Not the clock: that may begin above 0 and counts on over passes.
        self.reversible = if irreversible { 0 } else { self.reversible + 1 };
        if self.clock > G::STAGES_FROM {
            self.note_check();
        }
    }

    /// Keeps count of checks, from where it may matter on.
    fn note_check(&mut self) {
        if self.clock - 1 == G::STAGES_FROM {
            self.checks = G::count_checks(self);
        // The first ply beyond the threshold pays for all before it; from there on one look a ply keeps the
        // count.
        } else if self.position.is_check() {
            self.checks[!self.position.turn()] += 1;
        }
    }

    /// The number of checks that each side has given since the last irreversible move, as far as the line
    /// goes back. Free where the clock is beyond [`Adjudicate::STAGES_FROM`].
    #[must_use]
    pub fn checks(&self) -> BySide<u32> {
        if self.clock > G::STAGES_FROM { self.checks } else { G::count_checks(self) }
    }

    /// Clock and checks as they were when the line had `len` plies, if the clock was beyond
    /// [`Adjudicate::STAGES_FROM`] then.
    #[must_use]
    pub fn late_count_at(&self, len: usize) -> Option<(u32, BySide<u32>)> {
        let (clock, checks) = match self.plies.get(len) {
            Some(ply) => (ply.clock_before, ply.checks_before),
            None => (self.clock, self.checks),
        };
        (clock > G::STAGES_FROM).then_some((clock, checks))
    }
}

impl<G: Heuristics + Adjudicate> Line<G> {
    /// Passes, for null-move search; no position repeats across a pass.
    pub fn push_null(&mut self) {
        let key_before = self.position.key();
        let undo = self.position.pass();
        self.record(None, undo, key_before);
        // A pass counts for the limit of moves, but ends what can repeat: no game has it.
        self.clock += 1;
        self.reversible = 0;
        if self.clock - 1 == G::STAGES_FROM {
            self.checks = G::count_checks(self);
        }
    }

    /// Takes back [`push_null`](Self::push_null); does nothing after a move.
    pub fn pop_null(&mut self) {
        if let Some(&Ply { mv: None, undo, .. }) = self.plies.last() {
            self.position.unpass(undo);
            self.unrecord();
        }
    }
}
