//! The attack on the opponent's king: pieces that bear on the palace, safe checks, and the pieces
//! on the king's lines.

use crate::game::Side;
use crate::search::eval::xiangqi::features::{
    BEARERS, BEARERS_MISSING, BEARING_CANNON, BEARING_ROOK, CANNON_BEHIND_HORSE, CANNON_WITH,
    DOUBLE_CANNON, HOLLOW_CANNON, OPEN_KING, PINNED, SAFE_CHECK, WEAK_POINTS, man,
};
use crate::search::eval::xiangqi::sink::Sink;
use crate::search::eval::xiangqi::view::View;
use crate::xiangqi::{
    Bitboard, Piece, Position, Role, Square, horse_attackers, over_one_screen, rook_attacks,
};

/// The palace of a side.
pub(crate) const fn palace(side: Side) -> Bitboard {
    const RED: u128 = 0b111_000 | 0b111_000 << 9 | 0b111_000 << 18;
    match side {
        Side::First => Bitboard::from_bits(RED),
        Side::Second => Bitboard::from_bits(RED << 63),
    }
}

const fn count(set: Bitboard) -> i32 {
    set.count_ones().cast_signed()
}

/// The facts that the terms of each rook, horse and cannon leave for those of the attack on the king.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attack {
    /// The number of them that bear on the palace.
    pub(crate) bearers: i32,
    /// The points that cannons can go to, or capture on.
    pub(crate) cannon_reach: Bitboard,
}

/// Counts the attack of `view`'s side on the opponent's king.
#[inline(always)]
pub(crate) fn king_terms<S: Sink>(view: &View<'_>, attack: Attack, sink: &mut S) {
    bearers(view, attack.bearers, sink);
    let sight = lines(view, sink);
    safe_checks(view, sight, attack.cannon_reach, sink);
}

#[inline(always)]
fn bearers<S: Sink>(view: &View<'_>, heavy: i32, sink: &mut S) {
    let palace = palace(!view.side);
    let mut men = heavy;
    if view.own.pawns.meets(palace) {
        men += count(view.own.pawns & palace).min(2);
    }
    sink.add(BEARERS + men.min(6) as usize, 1);
    if men > 0 {
        let missing = |role| 2 - count(view.position.pieces(!view.side, role));
        sink.add(BEARERS_MISSING, men * missing(Role::Advisor));
        sink.add(BEARERS_MISSING + 1, men * missing(Role::Elephant));
        sink.add(WEAK_POINTS, count(palace & (view.own.once - view.theirs.by_men)));
    }
}

/// A line of the board as seen from a point on it, a bit for each of its points.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// The occupied points.
    men: u16,
    /// The bit of the point.
    at: u32,
    /// The square of bit 0.
    origin: u8,
    /// Squares from one bit to the next.
    step: u8,
}

impl Line {
    fn rank_of(position: &Position, square: Square) -> Self {
        let rank = square.rank();
        let men = position.occupancy().rank(rank);
        Self { men, at: u32::from(square.file()), origin: 9 * rank, step: 1 }
    }

    fn file_of(position: &Position, square: Square) -> Self {
        let file = square.file();
        let men = position.occupancy().file(file);
        Self { men, at: u32::from(square.rank()), origin: file, step: 9 }
    }

    const fn square(self, bit: u32) -> Square {
        Square::from_index(self.origin as usize + self.step as usize * bit as usize)
    }

    /// The points of `set` beyond a bit: above it, or below.
    const fn beyond(set: u16, bit: u32, up: bool) -> u16 {
        if up { set & (!1 << bit) } else { set & ((1 << bit) - 1) }
    }

    /// The bit of the nearest piece one way.
    #[inline]
    const fn nearest_one(self, up: bool) -> Option<u32> {
        let rest = Self::beyond(self.men, self.at, up);
        if rest == 0 {
            return None;
        }
        Some(if up { rest.trailing_zeros() } else { rest.ilog2() })
    }

    /// The bits of the nearest three pieces one way.
    #[inline]
    fn nearest(self, up: bool) -> [Option<u32>; 3] {
        let mut rest = Self::beyond(self.men, self.at, up);
        let mut bits = [None; 3];
        for bit in &mut bits {
            if rest == 0 {
                break;
            }
            let next = if up { rest.trailing_zeros() } else { rest.ilog2() };
            rest &= !(1 << next);
            *bit = Some(next);
        }
        bits
    }
}

/// The points that the lines of the king give for its safety.
#[derive(Debug, Clone, Copy)]
struct Sight {
    /// Points from which a rook would give check, pieces included.
    rook: Bitboard,
    /// Points from which a cannon would, pieces included.
    cannon: Bitboard,
}

/// One way from the opponent's king along a line.
#[derive(Debug, Clone, Copy)]
struct Way {
    line: Line,
    /// Towards higher bits of the line.
    up: bool,
    on_rank: bool,
    /// An own rook, cannon or king stands there.
    bears: bool,
}

/// The points to the left, to the right, below and above each square.
static WAYS: [[Bitboard; 4]; Square::COUNT] = {
    let mut table = [[Bitboard::EMPTY; 4]; Square::COUNT];
    let mut i = 0;
    while i < Square::COUNT {
        let mut way = 0;
        while way < 4 {
            let (files, ranks) = [(-1, 0), (1, 0), (0, -1), (0, 1)][way];
            let mut at = Square::from_index(i).offset(files, ranks);
            while let Some(square) = at {
                table[i][way] = table[i][way].with(square);
                at = square.offset(files, ranks);
            }
            way += 1;
        }
        i += 1;
    }
    table
};

/// Goes along the four lines of the opponent's king.
#[inline(always)]
fn lines<S: Sink>(view: &View<'_>, sink: &mut S) -> Sight {
    let king = view.position.king(!view.side);
    let rank = Line::rank_of(view.position, king);
    let file = Line::file_of(view.position, king);
    // Own pieces that bear along lines; the terms of a way without any need no look at its pieces.
    let sliders = [Role::Rook, Role::Cannon, Role::King].map(|role| view.own_men(role));
    let sliders = sliders[0] | sliders[1] | sliders[2];
    let [left, right, down, up] = WAYS[king.index()].map(|way| way.meets(sliders));
    let mut cannons = along(view, sink, Way { line: rank, up: false, on_rank: true, bears: left });
    cannons += along(view, sink, Way { line: rank, up: true, on_rank: true, bears: right });
    cannons += along(view, sink, Way { line: file, up: false, on_rank: false, bears: down });
    cannons += along(view, sink, Way { line: file, up: true, on_rank: false, bears: up });
    if cannons > 0 {
        let palace = palace(!view.side);
        sink.add(CANNON_WITH, i32::from(view.own.horses.meets(palace)));
        sink.add(CANNON_WITH + 1, i32::from(view.own.rooks.meets(palace)));
    }
    let occupancy = view.position.occupancy();
    Sight { rook: rook_attacks(king, occupancy), cannon: over_one_screen(king, occupancy) }
}

/// Goes one way from the opponent's king; returns the number of own cannons among the nearest three pieces.
#[inline(always)]
fn along<S: Sink>(view: &View<'_>, sink: &mut S, way: Way) -> i32 {
    let Way { line, up, on_rank, bears } = way;
    let is_ahead = up == (view.side == Side::Second);
    if on_rank || is_ahead {
        let first = line.nearest_one(up).map(|bit| line.square(bit));
        if first.is_none_or(|square| view.men.has(square)) {
            sink.add(OPEN_KING + usize::from(on_rank), 1);
        }
    }
    if !bears {
        return 0;
    }
    let men = line.nearest(up);
    let pieces = men.map(|bit| bit.and_then(|bit| view.position.piece_at(line.square(bit))));
    let cannons = ray(view, sink, pieces, on_rank);
    let is_near = men[0].is_some_and(|screen| screen.abs_diff(line.at) <= 2);
    if cannons > 0 && is_near && is_horse(pieces[0], view.side) {
        sink.add(CANNON_BEHIND_HORSE, 1);
    }
    cannons
}

fn is_horse(piece: Option<Piece>, side: Side) -> bool {
    piece == Some(Piece::new(side, Role::Horse))
}

/// Counts three pieces on a line from the opponent's king, nearest first; returns the number of own
/// cannons.
#[inline(always)]
fn ray<S: Sink>(view: &View<'_>, sink: &mut S, men: [Option<Piece>; 3], on_rank: bool) -> i32 {
    let [first, second, third] = men;
    let Some(nearest) = first else { return 0 };
    let is_theirs = |piece: Option<Piece>| piece.is_some_and(|piece| piece.side() != view.side);
    let rook = Some(Piece::new(view.side, Role::Rook));
    let cannon = Some(Piece::new(view.side, Role::Cannon));
    if first == cannon {
        sink.add(HOLLOW_CANNON + usize::from(on_rank), 1);
    }
    if second == rook || second == Some(Piece::new(view.side, Role::King)) {
        if nearest.side() != view.side {
            sink.add(PINNED + man(nearest.role()), 1);
        } else if second == rook {
            sink.add(BEARING_ROOK, 1);
        }
    }
    if third == rook {
        sink.add(BEARING_ROOK + 1, 1);
    }
    if third == cannon {
        let guards = i32::from(is_theirs(first)) + i32::from(is_theirs(second));
        sink.add(BEARING_CANNON + (2 - guards) as usize, 1);
    }
    let cannons = men.into_iter().map(|piece| i32::from(piece == cannon)).sum();
    if cannons > 1 {
        sink.add(DOUBLE_CANNON, 1);
    }
    cannons
}

#[inline(always)]
fn safe_checks<S: Sink>(view: &View<'_>, sight: Sight, cannon_reach: Bitboard, sink: &mut S) {
    let king = view.position.king(!view.side);
    let safe = Bitboard::FULL - view.men - view.theirs.once;
    let horse_sight = horse_attackers(king, view.occupied);
    let checks =
        [view.own.rooks & sight.rook, view.own.horses & horse_sight, cannon_reach & sight.cannon];
    for (i, checks) in checks.into_iter().enumerate() {
        let checks = checks & safe;
        if !checks.is_empty() {
            sink.add(SAFE_CHECK + 2 * i, 1);
            let another = checks.bits() & (checks.bits() - 1) != 0;
            sink.add(SAFE_CHECK + 2 * i + 1, i32::from(another));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn palaces() {
        for side in Side::ALL {
            assert_eq!(palace(side).len(), 9);
        }
        assert!(palace(Side::First).has(Square::at(4, 1)));
        assert!(palace(Side::Second).has(Square::at(3, 9)));
    }

    #[test]
    fn men_on_a_line() {
        let position = Position::from_fen("4k4/9/4b4/9/9/4N4/4C4/9/9/3AK3R w").unwrap();
        let king = Square::at(4, 9);
        let (rank, file) = (Line::rank_of(&position, king), Line::file_of(&position, king));
        assert_eq!(file.nearest(false), [Some(7), Some(4), Some(3)]);
        assert_eq!(rank.nearest(false), [None; 3]);
        let red = Square::at(4, 0);
        let (rank, file) = (Line::rank_of(&position, red), Line::file_of(&position, red));
        assert_eq!(rank.nearest(true), [Some(8), None, None]);
        assert_eq!(rank.nearest(false), [Some(3), None, None]);
        assert_eq!(file.nearest(true), [Some(3), Some(4), Some(7)]);
        assert_eq!(file.square(7), Square::parse("e7").unwrap());
        assert_eq!(rank.square(3), Square::parse("d0").unwrap());
    }
}
