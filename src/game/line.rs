use std::fmt::{Debug, Display};
use std::str::FromStr;

use super::{Game, Heuristics, Outcome, Side};
use crate::hash::Key;

/// A position with the moves that led to it. Rules that depend on the past are judged here, never
/// in the position or its key. Search pushes and pops on it.
#[derive(Debug, Clone)]
pub struct Line<G: Game> {
    start: G,
    position: G,
    clock: u32,
    reversible: u32,
    plies: Vec<Ply<G>>,
    sieve: Box<Sieve>,
}

/// Counts the keys before the plies of a line by twelve of their bits, as a Bloom filter does: where
/// the count is 0, the position is new, and nothing need be compared. Full counts stay full.
#[derive(Clone)]
struct Sieve([u8; 1 << Self::BITS]);

impl Sieve {
    const BITS: u32 = 12;

    #[inline]
    const fn place(key: Key) -> usize {
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
        if *count < u8::MAX {
            *count -= 1;
        }
    }

    #[inline]
    const fn may_have(&self, key: Key) -> bool {
        self.0[Self::place(key)] > 0
    }
}

impl Debug for Sieve {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sieve")
    }
}

/// One move of a [`Line`].
#[derive(Debug, Clone)]
pub struct Ply<G: Game> {
    /// The move; `None` is a pass made by null-move search.
    pub mv: Option<G::Move>,
    /// For taking it back.
    pub undo: G::Undo,
    /// Key of the position before the move.
    pub key_before: Key,
    /// Plies since the last irreversible move, counted before the move.
    pub clock_before: u32,
    /// Plies before this one, back to the last irreversible move or pass, among which a position
    /// can repeat.
    pub reversible_before: u32,
}

/// Verdicts that need the past: repetition and move limits.
pub trait Adjudicate: Game {
    /// Which rules judge repetitions.
    type Rules: Copy + Eq + Debug + Display + FromStr + Default + Send + Sync;

    /// Whether no earlier position can come back after `mv` (xiangqi: captures).
    fn is_irreversible(&self, mv: Self::Move) -> bool;

    /// The verdict on the last position of `line`.
    fn judge(line: &Line<Self>, rules: Self::Rules, horizon: Horizon) -> Judgement;

    /// What keeps the last position of `line` from being worth what it was worth earlier in a game:
    /// 0 as long as nothing does (xiangqi: how near the limit of moves is). What is remembered of
    /// positions is remembered of a position and its stage.
    fn stage(line: &Line<Self>, rules: Self::Rules) -> u32 {
        let _ = (line, rules);
        0
    }
}

/// From when on one repetition is enough for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// At the board: a position must occur as often as the rules say.
    Game,
    /// In search from a root that lies this many plies after the line's start: a loop that closes
    /// after the root is judged at its first repeat.
    Search {
        /// Length of the line at the root.
        root: usize,
    },
}

/// What the rules say about a line's last position.
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
    /// What the rules say.
    pub verdict: Verdict,
    /// In the rules' terms, for people; `None` if there is nothing to say.
    pub reason: Option<&'static str>,
}

impl Judgement {
    /// Nothing to judge.
    pub const NONE: Self = Self { verdict: Verdict::None, reason: None };
}

impl<G: Game> Line<G> {
    /// A line without moves. `clock` is the number of plies since the last irreversible move.
    #[must_use]
    pub fn new(start: G, clock: u32) -> Self {
        let sieve = Box::new(Sieve([0; 1 << Sieve::BITS]));
        Self { position: start.clone(), start, clock, reversible: 0, plies: Vec::new(), sieve }
    }

    /// Where the line begins.
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

    /// Whether no move has been made.
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
        let furthest = if self.sieve.may_have(key) { self.reversible as usize } else { 0 };
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
            self.sieve.remove(ply.key_before);
        }
    }

    fn record(&mut self, mv: Option<G::Move>, undo: G::Undo, key_before: Key) {
        self.sieve.add(key_before);
        self.plies.push(Ply {
            mv,
            undo,
            key_before,
            clock_before: self.clock,
            reversible_before: self.reversible,
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
        self.reversible = if irreversible { 0 } else { self.reversible + 1 };
    }
}

impl<G: Heuristics> Line<G> {
    /// Passes, for null-move search; no position repeats across a pass.
    pub fn push_null(&mut self) {
        let key_before = self.position.key();
        let undo = self.position.make_null();
        self.record(None, undo, key_before);
        self.clock += 1;
        self.reversible = 0;
    }

    /// Takes back [`push_null`](Self::push_null); does nothing after a move.
    pub fn pop_null(&mut self) {
        if let Some(&Ply { mv: None, undo, .. }) = self.plies.last() {
            self.position.unmake_null(undo);
            self.unrecord();
        }
    }
}
