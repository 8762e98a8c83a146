//! Complete tables of small boards: the value and the distance of every arrangement of alternating stones, from full
//! boards back to the empty one.

use super::tree::Exact;
use super::value::{Budget, Value};
use crate::bytes::BinarySize;
use crate::game::{Side, Symmetric};
use crate::gomoku::{Board, Point};

/// The most points of a board that has a table.
pub(crate) const MOST_POINTS: usize = 20;

/// A byte of a layer: an arrangement that no play reaches, since the side to move has a row.
const NONE: u8 = 255;
// Plies are `MOST_POINTS` at most: wins stay below `DRAW`, losses below `NONE`.
/// A byte of a layer: a draw. Wins are the plies, losses [`LOSS`] and the plies.
const DRAW: u8 = 127;
const LOSS: u8 = 128;

/// The reasons for which a table cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum CompleteTableError {
    /// Too many points.
    #[error(
        "a table of {points} points is too large; boards of at most {MOST_POINTS} points have tables"
    )]
    Points {
        /// Points of the board.
        points: usize,
    },
    /// Some moves are forbidden.
    #[error("there are no tables of boards with forbidden points")]
    Forbidden,
    /// Too little memory.
    #[error("the table needs {}, more than the memory allowed", BinarySize(*.bytes))]
    Memory {
        /// Bytes needed.
        bytes: u64,
    },
    /// The budget was spent.
    #[error("interrupted before the table was complete")]
    Stopped,
}

/// Counts over the positions that play from the empty board can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableCounts {
    /// Positions.
    pub positions: u64,
    /// Classes of positions under the symmetries of the board.
    pub classes: u64,
    /// Positions in which the first player has a row.
    pub first_rows: u64,
    /// Positions in which the second player has one.
    pub second_rows: u64,
    /// Full boards without a row.
    pub full: u64,
    /// Positions that the side to move wins.
    pub wins: u64,
    /// Positions that it loses, those with a row of the other side among them.
    pub losses: u64,
    /// Drawn positions.
    pub draws: u64,
}

/// The values of all positions of a small board.
#[derive(Debug)]
pub struct CompleteTable {
    start: Board,
    numbering: Numbering,
    rows: Vec<Row>,
    /// One byte for each arrangement, by the number of stones.
    layers: Vec<Vec<u8>>,
}

/// A stretch that makes a row, and the points that make it too long, as bits of points.
#[derive(Debug, Clone, Copy)]
struct Row {
    points: u32,
    flanks: [u32; 2],
}

impl CompleteTable {
    /// Works out the table of an empty board like `board`.
    ///
    /// # Errors
    ///
    /// If the board is too large, has forbidden points, or the budget does not suffice.
    pub fn build(board: &Board, budget: &Budget) -> Result<Self, CompleteTableError> {
        let points = usize::from(board.area());
        if points > MOST_POINTS {
            return Err(CompleteTableError::Points { points });
        }
        if board.variant().forbids(Side::First) {
            return Err(CompleteTableError::Forbidden);
        }
        let numbering = Numbering::new(points);
        let bytes = (0..=points).map(|stones| numbering.len(stones) as u64).sum();
        if bytes > budget.memory as u64 {
            return Err(CompleteTableError::Memory { bytes });
        }
        let start = board.cleared();
        let rows = rows_of(&start);
        let layers = vec![Vec::new(); points + 1];
        let mut table = Self { start, numbering, rows, layers };
        // From the full board backwards: every move adds a stone, so that all that a layer needs is the one
        // after it.
        for stones in (0..=points).rev() {
            table.layers[stones] = table.layer(stones, budget)?;
        }
        Ok(table)
    }

    /// The value of a position for the side to move, with the plies to the end of the game against the best play;
    /// `None` if the position is not one of this board.
    pub(crate) fn exact(&self, board: &Board) -> Option<Exact> {
        let is_same = board.cleared() == self.start && !board.variant().forbids(Side::First);
        if !is_same {
            return None;
        }
        let stones = [Side::First, Side::Second].map(|side| {
            let own =
                board.points().zip(0..).filter(|&(point, _)| board.stone(point) == Some(side));
            own.fold(0_u32, |bits, (_, at)| bits | 1 << at)
        });
        let count = usize::from(board.stones());
        decode(*self.layers.get(count)?.get(self.numbering.index(count, stones))?)
    }

    /// The value of a position for the side to move, and the plies to the end of wins and losses; `None` if the
    /// position is not one of this board.
    #[must_use]
    pub fn probe(&self, board: &Board) -> Option<(Value, Option<u32>)> {
        let exact = self.exact(board)?;
        Some(if exact.is_win() {
            (Value::Win, Some(exact.plies()))
        } else if exact.is_loss() {
            (Value::Loss, Some(exact.plies()))
        } else {
            (Value::Draw, None)
        })
    }

    /// Counts the positions that play can reach.
    #[must_use]
    pub fn counts(&self) -> TableCounts {
        let points = self.numbering.points;
        let mut counts = TableCounts::default();
        let images = Images::of(&self.start);
        let mut reached = vec![true];
        for stones in 0..=points {
            let mut next =
                vec![false; if stones < points { self.numbering.len(stones + 1) } else { 0 }];
            self.numbering.for_each(stones, |index, arrangement| {
                if !reached[index] {
                    return;
                }
                counts.positions += 1;
                counts.classes += u64::from(images.is_smallest(arrangement));
                let winner = Side::ALL.into_iter().find(|&side| self.has_row(arrangement, side));
                match winner {
                    Some(Side::First) => counts.first_rows += 1,
                    Some(Side::Second) => counts.second_rows += 1,
                    None => counts.full += u64::from(stones == points),
                }
                match decode(self.layers[stones][index]) {
                    Some(value) if value.is_win() => counts.wins += 1,
                    Some(value) if value.is_loss() => counts.losses += 1,
                    _ => counts.draws += 1,
                }
                if winner.is_none() {
                    for after in self.numbering.after(stones, arrangement) {
                        // Arrangements that only finished games lead to have values as well, but are no
                        // positions of play.
                        next[self.numbering.index(stones + 1, after)] = true;
                    }
                }
            });
            reached = next;
        }
        counts
    }

    fn has_row(&self, arrangement: [u32; 2], side: Side) -> bool {
        let own = arrangement[side.index()];
        let exact = self.start.variant().is_exact(side);
        self.rows.iter().any(|row| {
            own & row.points == row.points
                && !(exact && row.flanks.iter().any(|flank| own & flank != 0))
        })
    }

    /// The arrangements of that many stones, those with one more known.
    fn layer(&self, stones: usize, budget: &Budget) -> Result<Vec<u8>, CompleteTableError> {
        let mover = if stones.is_multiple_of(2) { Side::First } else { Side::Second };
        let mut layer = vec![NONE; self.numbering.len(stones)];
        let mut is_over = false;
        self.numbering.for_each(stones, |index, arrangement| {
            // Tables are small enough not to count as positions.
            // The walk over all arrangements cannot be broken off; the rest of it then does nothing.
            if is_over || index.is_multiple_of(4096) && budget.is_over(0) {
                is_over = true;
                return;
            }
            layer[index] = if self.has_row(arrangement, mover) {
                NONE
            } else if self.has_row(arrangement, !mover) {
                LOSS
            } else {
                let next = self.layers.get(stones + 1);
                let after = self.numbering.after(stones, arrangement).filter_map(|after| {
                    decode(*next?.get(self.numbering.index(stones + 1, after))?)
                });
                after.map(Exact::before).max().map_or(DRAW, encode)
            };
        });
        if is_over { Err(CompleteTableError::Stopped) } else { Ok(layer) }
    }
}

fn encode(value: Exact) -> u8 {
    let plies = value.plies() as u8;
    if value.is_win() {
        plies
    } else if value.is_loss() {
        LOSS + plies
    } else {
        DRAW
    }
}

fn decode(byte: u8) -> Option<Exact> {
    match byte {
        NONE => None,
        DRAW => Some(Exact::DRAW),
        LOSS.. => Some(Exact::loss(u16::from(byte - LOSS))),
        _ => Some(Exact::win(u16::from(byte))),
    }
}

/// The bit of a point among those of a board.
fn bit(board: &Board, point: Option<Point>) -> u32 {
    let Some(point) = point.filter(|&point| board.contains(point)) else { return 0 };
    1 << (u32::from(point.row()) * u32::from(board.width()) + u32::from(point.column()))
}

fn rows_of(board: &Board) -> Vec<Row> {
    let steps = [(1, 0), (0, 1), (1, 1), (1, -1)];
    let length = board.row().cast_signed();
    let mut rows = Vec::new();
    for point in board.points() {
        for step in steps {
            let points = (0..length).fold(0, |bits, n| bits | bit(board, stepped(point, step, n)));
            // Points beyond the edge have no bit: a stretch that is cut off has fewer of them.
            if points.count_ones() == u32::from(board.row()) {
                let flanks = [-1, length].map(|n| bit(board, stepped(point, step, n)));
                rows.push(Row { points, flanks });
            }
        }
    }
    // A row of one point lies on four lines.
    rows
}

/// The point some steps from another, if it is one of a board.
fn stepped(point: Point, (across, up): (i8, i8), steps: i8) -> Option<Point> {
    let column = point.column().checked_add_signed(across * steps)?;
    let row = point.row().checked_add_signed(up * steps)?;
    Point::new(column, row)
}

/// Bits of a word that are looked up at once.
const CHUNK: usize = 10;
const CHUNKS: usize = MOST_POINTS / CHUNK;

/// `[n][k]`: sets of `k` out of `n`.
type Binomials = [[u32; MOST_POINTS + 1]; MOST_POINTS + 1];

/// The numbers of arrangements: by the points that have stones, then by those of them that are the second player's.
#[derive(Debug)]
struct Numbering {
    points: usize,
    choose: Binomials,
    /// The number of a chunk's bits among sets of as many bits, `[bits below][chunk][value]`.
    ranks: Vec<[[u32; 1 << CHUNK]; CHUNKS]>,
}

impl Numbering {
    fn new(points: usize) -> Self {
        let mut choose = [[0_u32; MOST_POINTS + 1]; MOST_POINTS + 1];
        for n in 0..=MOST_POINTS {
            choose[n][0] = 1;
            for k in 1..=n {
                choose[n][k] = choose[n - 1][k - 1] + if k < n { choose[n - 1][k] } else { 0 };
            }
        }
        let ranks = (0..=CHUNK)
            .map(|below: usize| {
                [0, 1].map(|chunk| {
                    std::array::from_fn(|value| chunk_rank(&choose, below, chunk, value))
                })
            })
            .collect();
        Self { points, choose, ranks }
    }

    /// Number of arrangements of that many stones.
    fn len(&self, stones: usize) -> usize {
        self.choose[self.points][stones] as usize * self.choose[stones][stones / 2] as usize
    }

    /// The number of a set of bits among those of as many bits.
    fn rank(&self, bits: u32) -> usize {
        let low = bits as usize & ((1 << CHUNK) - 1);
        let high = bits as usize >> CHUNK;
        // The number of a set is a sum over its bits, in which a bit counts by its place and the number of
        // bits below: the upper chunk only needs to know how many the lower one has.
        (self.ranks[0][0][low] + self.ranks[low.count_ones() as usize][1][high]) as usize
    }

    /// The number of an arrangement of that many stones.
    fn index(&self, stones: usize, [first, second]: [u32; 2]) -> usize {
        let within = self.rank(compress(second, first | second));
        self.rank(first | second) * self.choose[stones][stones / 2] as usize + within
    }

    /// All arrangements of that many stones, in the order of their numbers.
    fn for_each(&self, stones: usize, mut visit: impl FnMut(usize, [u32; 2])) {
        let mut index = 0;
        for all in subsets(self.points, stones) {
            for within in subsets(stones, stones / 2) {
                let second = expand(within, all);
                visit(index, [all & !second, second]);
                index += 1;
            }
        }
    }

    /// The arrangements after a move.
    fn after(&self, stones: usize, arrangement: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        let empty = !(arrangement[0] | arrangement[1]) & ((1 << self.points) - 1);
        let mover = stones % 2;
        (0..self.points).filter(move |at| empty >> at & 1 == 1).map(move |at| {
            let mut after = arrangement;
            after[mover] |= 1 << at;
            after
        })
    }
}

/// The part of the number of a set that a chunk's bits make, with this number of bits in the chunk below.
fn chunk_rank(choose: &Binomials, below: usize, chunk: usize, value: usize) -> u32 {
    let bits = (0..CHUNK).filter(|bit| value >> bit & 1 == 1).enumerate();
    // The k-th bit of a set, at place n, is preceded by all sets of k bits below n.
    bits.map(|(before, bit): (usize, usize)| {
        choose[CHUNK * chunk + bit].get(below + before + 1).copied().unwrap_or(0)
    })
    .sum()
}

/// The bits of `bits` at the places of `mask`, moved together.
fn compress(bits: u32, mask: u32) -> u32 {
    let mut packed = 0;
    let mut at = 0;
    let mut rest = mask;
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        packed |= u32::from(bits & lowest != 0) << at;
        at += 1;
        rest ^= lowest;
    }
    packed
}

/// The inverse of [`compress`].
fn expand(packed: u32, mask: u32) -> u32 {
    let mut bits = 0;
    let mut at = 0;
    let mut rest = mask;
    while rest != 0 {
        let lowest = rest & rest.wrapping_neg();
        bits |= if packed >> at & 1 == 1 { lowest } else { 0 };
        at += 1;
        rest ^= lowest;
    }
    bits
}

/// The sets of `chosen` out of `all` bits, in the order of their numbers.
fn subsets(all: usize, chosen: usize) -> impl Iterator<Item = u32> {
    let first = (1_u64 << chosen) - 1;
    std::iter::successors(Some(first), move |&bits: &u64| {
        if bits == 0 {
            return None;
        }
        let lowest = bits & bits.wrapping_neg();
        // The next larger number with as many bits set (Gosper): the lowest run of ones moves its top bit
        // up and the rest down to the bottom.
        let ripple = bits + lowest;
        let next = ripple | (((bits ^ ripple) / lowest) >> 2);
        (next < 1 << all).then_some(next)
    })
    .map(|bits| bits as u32)
}

/// The images of arrangements under the symmetries of the board.
struct Images {
    /// For each symmetry, the image of the bits of each chunk.
    chunks: Vec<[Vec<u32>; CHUNKS]>,
}

impl Images {
    fn of(board: &Board) -> Self {
        let points: Vec<Point> = board.points().collect();
        let chunks = (0..board.symmetries()).map(|symmetry| {
            // The image of each place, of the lower chunk's and then of the upper's.
            let images = points.iter().map(|&point| board.map_move(point, symmetry));
            let images: Vec<u32> = images.map(|image| bit(board, Some(image))).collect();
            [0, 1].map(|chunk| {
                let images = images.get(CHUNK * chunk..).unwrap_or_default();
                (0..1 << CHUNK).map(|value: usize| image_of(images, value)).collect()
            })
        });
        Self { chunks: chunks.collect() }
    }

    /// Returns true if no image of the arrangement is smaller.
    fn is_smallest(&self, arrangement: [u32; 2]) -> bool {
        self.chunks.iter().all(|[low, high]| {
            let image = arrangement
                .map(|bits| low[bits as usize & ((1 << CHUNK) - 1)] | high[bits as usize >> CHUNK]);
            image >= arrangement
        })
    }
}

/// The image of a chunk's bits, by those of its places.
fn image_of(images: &[u32], value: usize) -> u32 {
    let own = images.iter().enumerate().filter(|&(at, _)| value >> at & 1 == 1);
    own.fold(0, |bits, (_, image)| bits | image)
}
