//! Attack tables, computed at compile time.
//!
//! Rook and cannon look up their rank (nine occupancy bits) and file (ten bits). For each line
//! occupancy a table holds the squares that a rook reaches (empty squares up to and including the
//! first piece each way) and those where a cannon could capture (the second piece each way). Horse
//! and elephant moves are kept by which of the four points beside or diagonal to the square, the
//! legs or eyes, are occupied; those of horses also with the leg that blocks them.

use crate::game::Side;
use crate::xiangqi::bitboard::{Bitboard, Occupancy};
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::square::Square;

/// Reach along one line, as bits of that line.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    /// Empty squares and the first piece each way.
    pub(crate) rook: u16,
    /// The second piece each way.
    pub(crate) cannon: u16,
}

const fn reach(at: usize, len: usize, occupied: usize) -> Reach {
    let mut rook = 0;
    let mut cannon = 0;
    let mut way = 0;
    while way < 2 {
        let mut men = 0;
        let mut i = at;
        // Towards lower points first, then towards higher ones; nothing behind a second piece matters to
        // anybody.
        while men < 2 && (if way == 0 { i > 0 } else { i + 1 < len }) {
            i = if way == 0 { i - 1 } else { i + 1 };
            let is_man = occupied >> i & 1 == 1;
            if men == 0 {
                rook |= 1 << i;
            } else if is_man {
                cannon |= 1 << i;
            }
            men += is_man as usize;
        }
        way += 1;
    }
    Reach { rook, cannon }
}

static RANK_REACH: [[Reach; 512]; 9] = reaches();

static FILE_REACH: [[Reach; 1024]; 10] = reaches();

/// The reach from each of `LEN` points of a line, by which of them are occupied.
const fn reaches<const LEN: usize, const SETS: usize>() -> [[Reach; SETS]; LEN] {
    assert!(SETS == 1 << LEN);
    let mut table = [[Reach { rook: 0, cannon: 0 }; SETS]; LEN];
    let mut at = 0;
    while at < LEN {
        let mut occupied = 0;
        while occupied < SETS {
            table[at][occupied] = reach(at, LEN, occupied);
            occupied += 1;
        }
        at += 1;
    }
    table
}

/// Ten file bits spread to the squares of file a.
static SPREAD: [u128; 1024] = {
    let mut table = [0; 1024];
    let mut bits = 0;
    while bits < 1024 {
        let mut rank = 0;
        while rank < 10 {
            table[bits] |= ((bits >> rank & 1) as u128) << (9 * rank);
            rank += 1;
        }
        bits += 1;
    }
    table
};

#[inline]
pub(crate) fn rank_reach(file: u8, occupied: u16) -> Reach {
    RANK_REACH[file as usize][occupied as usize & 511]
}

#[inline]
pub(crate) fn file_reach(rank: u8, occupied: u16) -> Reach {
    FILE_REACH[rank as usize][occupied as usize & 1023]
}

/// The squares of `rank` whose bits are set in `bits`.
#[inline]
pub(crate) fn on_rank(rank: u8, bits: u16) -> Bitboard {
    // A rank is nine neighbouring bits of the board, so that its bits need only be shifted; those of a file
    // lie nine apart and are spread by a table.
    Bitboard::from_line(u128::from(bits) << (9 * u32::from(rank)))
}

/// The squares of `file` whose bits are set in `bits`.
#[inline]
pub(crate) fn on_file(file: u8, bits: u16) -> Bitboard {
    // The mask shows the compiler that the shift stays below a word.
    Bitboard::from_line(SPREAD[bits as usize & 1023] << (file & 15))
}

/// Empty squares a rook reaches and the first piece each way.
#[must_use]
#[inline]
pub fn rook_attacks(square: Square, occupancy: &Occupancy) -> Bitboard {
    let file = square.file();
    let rank = square.rank();
    on_rank(rank, rank_reach(file, occupancy.rank(rank)).rook)
        | on_file(file, file_reach(rank, occupancy.file(file)).rook)
}

/// The second piece each way: the square that a cannon could capture on. Its quiet moves are the
/// rook's.
///
/// ```
/// use juzhong::xiangqi::{Occupancy, Position, Square, cannon_attacks};
///
/// let start = Position::start();
/// let cannon = Square::parse("h2").unwrap();
/// // Over the cannon of the other side to the horse behind it, and over the own horse to nothing.
/// let targets = cannon_attacks(cannon, start.occupancy());
/// assert!(targets.has(Square::parse("h9").unwrap()));
/// assert!(cannon_attacks(cannon, &Occupancy::default()).is_empty());
/// ```
#[must_use]
#[inline]
pub fn cannon_attacks(square: Square, occupancy: &Occupancy) -> Bitboard {
    let file = square.file();
    let rank = square.rank();
    on_rank(rank, rank_reach(file, occupancy.rank(rank)).cannon)
        | on_file(file, file_reach(rank, occupancy.file(file)).cannon)
}

/// The squares behind the first piece each way, up to and with the second: those from which a cannon attacks `square`.
#[must_use]
#[inline]
pub(crate) fn over_one_screen(square: Square, occupancy: &Occupancy) -> Bitboard {
    let file = square.file();
    let rank = square.rank();
    let rank_bits = behind_screens(u32::from(file), occupancy.rank(rank), 0x1ff);
    let file_bits = behind_screens(u32::from(rank), occupancy.file(file), 0x3ff);
    on_rank(rank, rank_bits) | on_file(file, file_bits)
}

/// The same along one line with these points, from the point of a bit.
const fn behind_screens(at: u32, occupied: u16, points: u16) -> u16 {
    let mut behind = 0;
    let above = occupied & (!1 << at);
    if above != 0 {
        // Without the nearest piece; then all bits up to the one that is the lowest left, or all.
        let rest = above & (above - 1);
        behind |= (rest ^ rest.wrapping_sub(1)) & !(above ^ (above - 1)) & points;
    }
    let below = occupied & ((1 << at) - 1);
    if below != 0 {
        let nearest = 1 << below.ilog2();
        let rest = below ^ nearest;
        let reached = if rest == 0 { points } else { !0 << rest.ilog2() };
        behind |= reached & (nearest - 1);
    }
    behind
}

/// Up to four ways, each blocked by a piece on one square.
#[derive(Clone, Copy)]
pub(crate) struct Hops {
    pub(crate) by: [(Square, Bitboard); 4],
}

// The square is never asked for in earnest: without targets it makes no difference whether it is occupied.
const NO_HOP: (Square, Bitboard) = (Square::at(0, 0), Bitboard::EMPTY);

const fn single(square: Square, files: i8, ranks: i8) -> Bitboard {
    match square.offset(files, ranks) {
        Some(to) => Bitboard::of(to),
        None => Bitboard::EMPTY,
    }
}

const ORTHOGONAL: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (-1, 1), (-1, -1), (1, -1)];

/// Horse moves from each square by leg.
const HORSE: [Hops; 90] = {
    let mut table = [Hops { by: [NO_HOP; 4] }; 90];
    let mut i = 0;
    while i < 90 {
        let from = Square::from_index(i);
        let mut d = 0;
        while d < 4 {
            let (x, y) = ORTHOGONAL[d];
            if let Some(leg) = from.offset(x, y) {
                // One of x and y is 0: two steps along the leg and one to either side of it.
                let one = single(from, 2 * x + y, 2 * y + x);
                let other = single(from, 2 * x - y, 2 * y - x);
                table[i].by[d] = (leg, one.or(other));
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// Squares from which a horse attacks each square, by leg (a diagonal neighbour of the target).
static HORSE_FROM: [Hops; 90] = HORSE_ORIGINS_BY_LEG;
const HORSE_ORIGINS_BY_LEG: [Hops; 90] = {
    let mut table = [Hops { by: [NO_HOP; 4] }; 90];
    let mut i = 0;
    while i < 90 {
        let to = Square::from_index(i);
        let mut d = 0;
        while d < 4 {
            let (x, y) = DIAGONAL[d];
            if let Some(leg) = to.offset(x, y) {
                // Seen from the target the leg is diagonal: a horse two along and one aside has it beside
                // itself.
                table[i].by[d] = (leg, single(to, 2 * x, y).or(single(to, x, 2 * y)));
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// The squares that a horse's attack on a square can hang on.
#[derive(Clone, Copy)]
pub(crate) struct HorseZone {
    /// The squares from which a horse could attack.
    pub(crate) origins: Bitboard,
    /// The squares on which the leg of such a horse can be blocked.
    pub(crate) legs: Bitboard,
}

static HORSE_ZONE: [HorseZone; 90] = {
    let mut table = [HorseZone { origins: Bitboard::EMPTY, legs: Bitboard::EMPTY }; 90];
    let mut i = 0;
    while i < 90 {
        let mut d = 0;
        while d < 4 {
            let (leg, origins) = HORSE_FROM[i].by[d];
            if !origins.is_empty() {
                table[i].origins = table[i].origins.or(origins);
                table[i].legs = table[i].legs.with(leg);
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// The squares that a horse's attack on `square` can depend on.
#[inline]
pub(crate) fn horse_zone(square: Square) -> HorseZone {
    HORSE_ZONE[square.index()]
}

/// Elephant moves by eye, from any square on either half (within that half).
const ELEPHANT: [Hops; 90] = {
    let mut table = [Hops { by: [NO_HOP; 4] }; 90];
    let mut i = 0;
    while i < 90 {
        let from = Square::from_index(i);
        let mut d = 0;
        while d < 4 {
            let (x, y) = DIAGONAL[d];
            if let (Some(eye), Some(to)) = (from.offset(x, y), from.offset(2 * x, 2 * y))
                // The river: an elephant stays on its half, whichever side it belongs to.
                && (to.rank() < 5) == (from.rank() < 5)
            {
                table[i].by[d] = (eye, Bitboard::of(to));
            }
            d += 1;
        }
        i += 1;
    }
    table
};

#[inline]
pub(crate) fn horse_hops_to(square: Square) -> &'static Hops {
    &HORSE_FROM[square.index()]
}

/// The targets from each square, by which of the four points around it are occupied.
type Targets = [[Bitboard; 16]; 90];

/// The targets of hops, the way of each of which is blocked by the point with this number.
const fn targets(hops: &[Hops; 90], points: [usize; 4]) -> Targets {
    let mut table = [[Bitboard::EMPTY; 16]; 90];
    let mut i = 0;
    while i < 90 {
        let mut occupied = 0;
        while occupied < 16 {
            let mut d = 0;
            while d < 4 {
                if occupied >> points[d] & 1 == 0 {
                    table[i][occupied] = table[i][occupied].or(hops[i].by[d].1);
                }
                d += 1;
            }
            occupied += 1;
        }
        i += 1;
    }
    table
}

// The numbers of the points in the order of ORTHOGONAL and DIAGONAL, as `beside` and `diagonal` give them.
const BESIDE: [usize; 4] = [3, 2, 1, 0];
const AT_CORNERS: [usize; 4] = [3, 1, 0, 2];

static HORSE_TARGETS: Targets = targets(&HORSE, BESIDE);
static HORSE_ORIGINS: Targets = targets(&HORSE_ORIGINS_BY_LEG, AT_CORNERS);
static ELEPHANT_TARGETS: Targets = targets(&ELEPHANT, AT_CORNERS);

/// The occupied points around a square: the one to the lower left is bit 0, the one below bit 1, the one to the
/// left bit 9, the square itself bit 10. Beyond an edge of the board lie others, by which no hop is blocked.
#[inline]
fn around(square: Square, occupied: Bitboard) -> u32 {
    ((occupied.bits() << 10) >> square.index()) as u32
}

/// The occupied ones among the points below, to the left, above and to the right of a square, as bits 0 to 3.
#[inline]
fn beside(square: Square, occupied: Bitboard) -> usize {
    let points = (around(square, occupied) & (1 << 1 | 1 << 9 | 1 << 11 | 1 << 19)) >> 1;
    // They are bits 0, 8, 10 and 18 now: 8 and 10 move to 1 and 3, 18 moves to 2.
    ((points | points >> 7 | points >> 16) & 15) as usize
}

/// The occupied ones among the points to the lower left, upper left, lower right and upper right of a square, as bits 0
/// to 3.
#[inline]
fn diagonal(square: Square, occupied: Bitboard) -> usize {
    let points = around(square, occupied) & (1 | 1 << 2 | 1 << 18 | 1 << 20);
    // Bits 0 and 2 stay, 18 and 20 move to 1 and 3.
    ((points | points >> 17) & 15) as usize
}

/// Squares that a horse on `square` reaches.
///
/// ```
/// use juzhong::xiangqi::{Bitboard, Square, horse_attacks};
///
/// let horse = Square::parse("e4").unwrap();
/// assert_eq!(horse_attacks(horse, Bitboard::EMPTY).len(), 8);
/// // A piece beside the horse takes the two moves past it.
/// let leg = Bitboard::of(Square::parse("e5").unwrap());
/// assert_eq!(horse_attacks(horse, leg).len(), 6);
/// ```
#[must_use]
#[inline]
pub fn horse_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    HORSE_TARGETS[square.index()][beside(square, occupied)]
}

/// Squares from which a horse reaches `square`.
#[must_use]
#[inline]
pub fn horse_attackers(square: Square, occupied: Bitboard) -> Bitboard {
    HORSE_ORIGINS[square.index()][diagonal(square, occupied)]
}

/// Squares that an elephant on `square` reaches; elephants stay on their half. Symmetric: the same
/// squares reach `square`.
#[must_use]
#[inline]
pub fn elephant_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    ELEPHANT_TARGETS[square.index()][diagonal(square, occupied)]
}

const fn palace() -> Bitboard {
    let mut set = Bitboard::EMPTY;
    let mut i = 0;
    while i < 90 {
        let square = Square::from_index(i);
        if square.file() >= 3 && square.file() <= 5 && (square.rank() <= 2 || square.rank() >= 7) {
            set = set.with(square);
        }
        i += 1;
    }
    set
}

/// Both palaces.
pub(crate) const PALACES: Bitboard = palace();
const _: () = assert!(PALACES.len() == 18);

const fn step_table(steps: [(i8, i8); 4]) -> [Bitboard; 90] {
    let mut table = [Bitboard::EMPTY; 90];
    let mut i = 0;
    while i < 90 {
        let from = Square::from_index(i);
        if PALACES.has(from) {
            let mut d = 0;
            while d < 4 {
                // A step from one palace never ends in the other, so that one set serves both sides.
                table[i] = table[i].or(single(from, steps[d].0, steps[d].1).and(PALACES));
                d += 1;
            }
        }
        i += 1;
    }
    table
}

const KING_STEPS: [Bitboard; 90] = step_table(ORTHOGONAL);
const ADVISOR_STEPS: [Bitboard; 90] = step_table(DIAGONAL);
static KING: [Bitboard; 90] = KING_STEPS;
static ADVISOR: [Bitboard; 90] = ADVISOR_STEPS;

/// Squares that a king on `square` reaches within its palace (facing kings are not counted).
#[must_use]
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// Squares that an advisor on `square` reaches within its palace.
#[must_use]
#[inline]
pub fn advisor_attacks(square: Square) -> Bitboard {
    ADVISOR[square.index()]
}

const fn forward(side: Side) -> i8 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

/// Returns true if `square` is on the far side of the river for `side`.
pub(crate) const fn is_across(side: Side, square: Square) -> bool {
    match side {
        Side::First => square.rank() >= 5,
        Side::Second => square.rank() < 5,
    }
}

static PAWN: [[Bitboard; 90]; 2] = PAWN_STEPS;
const PAWN_STEPS: [[Bitboard; 90]; 2] = {
    let mut table = [[Bitboard::EMPTY; 90]; 2];
    let mut s = 0;
    while s < 2 {
        let side = Side::ALL[s];
        let mut i = 0;
        while i < 90 {
            let from = Square::from_index(i);
            let mut set = single(from, 0, forward(side));
            if is_across(side, from) {
                set = set.or(single(from, 1, 0)).or(single(from, -1, 0));
            }
            table[s][i] = set;
            i += 1;
        }
        s += 1;
    }
    table
};

// Not the table of the other side: whether a pawn may go aside depends on where it comes from.
static PAWN_FROM: [[Bitboard; 90]; 2] = {
    let mut table = [[Bitboard::EMPTY; 90]; 2];
    let mut s = 0;
    while s < 2 {
        let mut i = 0;
        while i < 90 {
            let mut to = 0;
            while to < 90 {
                if PAWN[s][i].has(Square::from_index(to)) {
                    table[s][to] = table[s][to].with(Square::from_index(i));
                }
                to += 1;
            }
            i += 1;
        }
        s += 1;
    }
    table
};

/// Squares that a pawn of `side` on `square` reaches.
#[must_use]
#[inline]
pub fn pawn_attacks(side: Side, square: Square) -> Bitboard {
    PAWN[side.index()][square.index()]
}

/// Squares from which a pawn of `side` reaches `square`.
#[must_use]
#[inline]
pub fn pawn_attackers(side: Side, square: Square) -> Bitboard {
    PAWN_FROM[side.index()][square.index()]
}

static BETWEEN: [[Bitboard; 90]; 90] = {
    let mut table = [[Bitboard::EMPTY; 90]; 90];
    let mut i = 0;
    while i < 90 {
        let mut d = 0;
        while d < 4 {
            let (x, y) = ORTHOGONAL[d];
            let mut set = Bitboard::EMPTY;
            let mut at = Square::from_index(i).offset(x, y);
            while let Some(square) = at {
                // Before the square is added: the set holds what lies strictly between.
                table[i][square.index()] = set;
                set = set.with(square);
                at = square.offset(x, y);
            }
            d += 1;
        }
        i += 1;
    }
    table
};

/// The squares strictly between two squares of one line; none if they share no line.
#[must_use]
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The squares that each piece attacks from each square if nothing is in its way.
static WIDEST: [[Bitboard; 90]; Piece::COUNT] = {
    let mut table = [[Bitboard::EMPTY; 90]; Piece::COUNT];
    let mut p = 0;
    while p < Piece::COUNT {
        let piece = Piece::ALL[p];
        table[p] = match piece.role() {
            Role::King => KING_STEPS,
            Role::Rook | Role::Cannon => LINES_OF_SQUARES,
            Role::Horse => unhindered(&HORSE),
            Role::Pawn => PAWN_STEPS[piece.side().index()],
            Role::Advisor => ADVISOR_STEPS,
            Role::Elephant => unhindered(&ELEPHANT),
        };
        p += 1;
    }
    table
};

/// All targets of hops.
const fn unhindered(hops: &[Hops; 90]) -> [Bitboard; 90] {
    let mut table = [Bitboard::EMPTY; 90];
    let mut i = 0;
    while i < 90 {
        let [(_, a), (_, b), (_, c), (_, d)] = hops[i].by;
        table[i] = a.or(b).or(c).or(d);
        i += 1;
    }
    table
}

/// The squares that a piece on `square` attacks at most, however the others stand.
#[inline]
pub(crate) fn widest_attacks(piece: Piece, square: Square) -> Bitboard {
    WIDEST[piece.index()][square.index()]
}

/// The file and rank of each square, without the square.
pub(crate) static LINES: [Bitboard; 90] = LINES_OF_SQUARES;
const LINES_OF_SQUARES: [Bitboard; 90] = {
    let mut table = [Bitboard::EMPTY; 90];
    let mut i = 0;
    while i < 90 {
        let mut j = 0;
        while j < 90 {
            let same_line = i / 9 == j / 9 || i % 9 == j % 9;
            if i != j && same_line {
                table[i] = table[i].with(Square::from_index(j));
            }
            j += 1;
        }
        i += 1;
    }
    table
};
