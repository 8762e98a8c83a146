//! Wins by continuous fours (VCF): every move of the attacker makes a four or completes a row, so that every answer
//! is forced.

use super::line_map::{Completions, Four, LineMap};
use super::{Board, Point};
use crate::game::{Game, Side};

/// The depth stored for positions in which no depth helps.
const NEVER: u8 = u8::MAX;

/// The most moves of the attacker that are looked at.
const MOST_MOVES: u8 = 200;

/// A win by continuous fours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FourWin {
    /// The attacker's fours, each with the answer that it forces, up to the last one.
    pub forced: Vec<(Point, Point)>,
    /// The attacker's move that decides: it completes a row if `completions` is empty, otherwise it makes fours that
    /// cannot all be met.
    pub last: Point,
    /// Points that complete a row after `last`: two, or one that the defender is not allowed to take.
    pub completions: Vec<Point>,
}

impl FourWin {
    /// The attacker's moves, the one that completes the row included.
    #[must_use]
    pub const fn attacker_moves(&self) -> usize {
        self.forced.len() + if self.completions.is_empty() { 1 } else { 2 }
    }

    /// Plies up to the complete row.
    #[must_use]
    pub const fn plies(&self) -> u32 {
        2 * self.attacker_moves() as u32 - 1
    }

    /// The moves of both sides up to the attacker's deciding move.
    #[must_use]
    pub fn moves(&self) -> Vec<Point> {
        let forced = self.forced.iter().flat_map(|&(four, answer)| [four, answer]);
        forced.chain([self.last]).collect()
    }
}

/// The result of a search for continuous fours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FourSearch {
    /// The attacker wins; no win by continuous fours has fewer moves.
    Win(FourWin),
    /// There is no win by continuous fours.
    None,
    /// The nodes did not suffice.
    Unknown,
}

impl FourSearch {
    /// The win, if there is one.
    #[must_use]
    pub fn win(self) -> Option<FourWin> {
        match self {
            Self::Win(win) => Some(win),
            Self::None | Self::Unknown => None,
        }
    }
}

/// Looks for continuous fours, the shortest first. Remembers positions without a win, in a table of fixed size, from
/// one search to the next.
///
/// ```
/// use juzhong::game::Game;
/// use juzhong::gomoku::{Board, FourSolver, Point};
///
/// // Three in a row with both ends free: a stone at either end makes a four that cannot be met.
/// let mut board = Board::new(15, 15, 5)?;
/// for text in ["g8", "a1", "h8", "c1", "i8", "e1"] {
///     board.make(Point::parse(text).unwrap());
/// }
/// let win = FourSolver::default().search(&board, 1_000).win().unwrap();
/// assert_eq!((win.forced.len(), win.attacker_moves(), win.plies()), (0, 2, 3));
/// # Ok::<(), juzhong::gomoku::GeometryError>(())
/// ```
#[derive(Debug)]
pub struct FourSolver {
    /// Keys with the number of moves within which there is no win in their lowest byte; the key itself is left out
    /// of that byte.
    failed: Vec<u64>,
    nodes: u64,
    most_nodes: u64,
}

impl Default for FourSolver {
    /// A table of 512 KiB.
    fn default() -> Self {
        Self::new(512 << 10)
    }
}

/// The end of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    Won,
    /// No win; true if none has more moves either.
    Failed(bool),
    /// The nodes are spent.
    Stopped,
}

impl FourSolver {
    /// A solver with a table of at most that many bytes, and at least one entry.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let entries = (bytes / size_of::<u64>()).max(1);
        let entries = 1 << entries.ilog2();
        Self { failed: vec![0; entries], nodes: 0, most_nodes: 0 }
    }

    /// Positions of the attacker looked at since the solver was made.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks for a win of the side to move, with at most that many nodes.
    pub fn search(&mut self, board: &Board, most_nodes: u64) -> FourSearch {
        self.search_for(board, board.turn(), most_nodes)
    }

    /// Looks for a win of `attacker` as if it were to move.
    pub fn search_for(&mut self, board: &Board, attacker: Side, most_nodes: u64) -> FourSearch {
        if board.outcome().is_some() {
            return FourSearch::None;
        }
        let map = LineMap::of(board);
        if let Completions::One(last) | Completions::Several(last, _) = map.completions(attacker) {
            return FourSearch::Win(FourWin { forced: Vec::new(), last, completions: Vec::new() });
        }
        let defence = map.completions(!attacker);
        let judge = board.variant().forbids(Side::First).then(|| {
            let mut judge = board.clone();
            if judge.turn() != attacker {
                judge.switch_turn();
            }
            judge
        });
        self.most_nodes = self.nodes.saturating_add(most_nodes);
        let mut attack = Attacker { side: attacker, map, judge, line: Vec::new(), solver: self };
        attack.deepen(defence)
    }

    const fn slot(&self, key: u64) -> usize {
        // Without the lowest byte, in which an entry keeps the number of moves.
        (key >> 8) as usize & (self.failed.len() - 1)
    }

    fn has_failed(&self, key: u64, moves: u8) -> Option<bool> {
        let entry = self.failed[self.slot(key)];
        // An attack that failed with more moves fails with fewer as well.
        let depth = (entry & 0xff) as u8;
        (entry & !0xff == key & !0xff && depth >= moves).then_some(depth == NEVER)
    }

    fn note_failure(&mut self, key: u64, moves: u8) {
        let slot = self.slot(key);
        self.failed[slot] = key & !0xff | u64::from(moves);
    }
}

/// One search.
struct Attacker<'a> {
    side: Side,
    map: LineMap,
    /// The board, where some points are forbidden.
    judge: Option<Board>,
    line: Vec<(Point, Point)>,
    solver: &'a mut FourSolver,
}

impl Attacker<'_> {
    fn deepen(&mut self, defence: Completions) -> FourSearch {
        for moves in 2..MOST_MOVES {
            let mut decided = None;
            match self.attack(defence, moves, &mut decided) {
                Attack::Won => {
                    let Some((last, completions)) = decided else { return FourSearch::Unknown };
                    let forced = std::mem::take(&mut self.line);
                    return FourSearch::Win(FourWin { forced, last, completions });
                }
                Attack::Failed(true) => return FourSearch::None,
                Attack::Failed(false) => {}
                Attack::Stopped => return FourSearch::Unknown,
            }
        }
        FourSearch::Unknown
    }

    /// Looks for a win within that many moves, at least 2, where the defender completes a row on the points
    /// `defence` and the attacker on none.
    fn attack(
        &mut self,
        defence: Completions,
        moves: u8,
        decided: &mut Option<(Point, Vec<Point>)>,
    ) -> Attack {
        if self.solver.nodes >= self.solver.most_nodes {
            return Attack::Stopped;
        }
        self.solver.nodes += 1;
        let must_take = match defence {
            Completions::None => None,
            Completions::One(point) => Some(point),
            // Two points complete a row for the defender: no four of the attacker stops both.
            Completions::Several(..) => return Attack::Failed(true),
        };
        let key = self.map.key(self.side);
        if let Some(never) = self.solver.has_failed(key, moves) {
            return Attack::Failed(never);
        }
        let mut fours = self.map.fours(self.side);
        // A four of the defender must be stopped, and only by a move that makes a four itself the attack
        // goes on.
        fours.retain(|four| must_take.is_none_or(|point| point == four.point));
        for four in &fours {
            if let Some(completions) = self.decides(*four) {
                *decided = Some((four.point, completions));
                return Attack::Won;
            }
        }
        // With no four to play, more moves would not help either.
        let mut is_final = fours.is_empty();
        if moves > 2 {
            is_final = true;
            for four in fours {
                match self.force(four, moves - 1, decided) {
                    Attack::Failed(never) => is_final &= never,
                    other => return other,
                }
            }
        }
        self.solver.note_failure(key, if is_final { NEVER } else { moves });
        Attack::Failed(is_final)
    }

    /// The completions of a four that the defender cannot meet; `None` if it can, or the four is forbidden.
    fn decides(&mut self, four: Four) -> Option<Vec<Point>> {
        match (four.completions, &mut self.judge) {
            (Completions::None, _) | (Completions::One(_), None) => None,
            (Completions::Several(one, other), None) => Some(vec![one, other]),
            (Completions::Several(one, other), Some(judge)) => {
                judge.is_legal(four.point).then(|| vec![one, other])
            }
            (Completions::One(answer), Some(judge)) => {
                if !judge.is_legal(four.point) {
                    return None;
                }
                let undo = judge.make(four.point);
                let is_met = judge.is_legal(answer);
                judge.unmake(four.point, undo);
                (!is_met).then(|| vec![answer])
            }
        }
    }

    /// Plays a four and its forced answer, and goes on.
    fn force(
        &mut self,
        four: Four,
        moves: u8,
        decided: &mut Option<(Point, Vec<Point>)>,
    ) -> Attack {
        let Completions::One(answer) = four.completions else { return Attack::Failed(true) };
        let undo = match &mut self.judge {
            None => None,
            Some(judge) if judge.is_legal(four.point) => {
                Some((judge.make(four.point), judge.make(answer)))
            }
            Some(_) => return Attack::Failed(true),
        };
        self.map.toggle(self.side, four.point);
        self.map.toggle(!self.side, answer);
        self.line.push((four.point, answer));
        let defence = self.map.completions_through(!self.side, answer);
        let attack = self.attack(defence, moves, decided);
        if attack != Attack::Won {
            self.line.pop();
        }
        self.map.toggle(!self.side, answer);
        self.map.toggle(self.side, four.point);
        if let (Some(judge), Some((first, second))) = (&mut self.judge, undo) {
            judge.unmake(answer, second);
            judge.unmake(four.point, first);
        }
        attack
    }
}
