//! The attack on the opponent's king: pieces that bear on the palace, safe checks, and the pieces
//! on the king's lines.

use crate::game::Side;
use crate::search::eval::xiangqi::features::{
    BEARERS, BEARERS_MISSING, BEARING_CANNON, BEARING_ROOK, CANNON_BEHIND_HORSE, CANNON_WITH,
    DOUBLE_CANNON, HOLLOW_CANNON, OPEN_KING, PALACE_HITS, PINNED, SAFE_CHECK, WEAK_POINTS, man,
};
use crate::search::eval::xiangqi::sink::Sink;
use crate::search::eval::xiangqi::view::View;
use crate::xiangqi::{
    Bitboard, Piece, Position, Role, Square, horse_attackers, on_file, on_rank, rook_attacks,
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

/// Counts the attack of `view`'s side on the opponent's king.
#[inline(always)]
pub(crate) fn king_terms<S: Sink>(view: &View<'_>, sink: &mut S) {
    bearers(view, sink);
    let sight = lines(view, sink);
    safe_checks(view, sight, sink);
}

#[inline(always)]
fn bearers<S: Sink>(view: &View<'_>, sink: &mut S) {
    let palace = palace(!view.side);
    let mut men = 0;
    for bearing in &view.own.heavy {
        let hits = bearing.takes & palace;
        if !hits.is_empty() {
            men += 1;
            let kind = match bearing.role {
                Role::Rook => 0,
                Role::Horse => 1,
                _ => 2,
            };
            sink.add_at(bearing.square, PALACE_HITS + kind, count(hits));
        }
    }
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
    /// All points.
    points: u16,
    /// The occupied ones.
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
        Self { points: 0x1ff, men, at: u32::from(square.file()), origin: 9 * rank, step: 1 }
    }

    fn file_of(position: &Position, square: Square) -> Self {
        let file = square.file();
        let men = position.occupancy().file(file);
        Self { points: 0x3ff, men, at: u32::from(square.rank()), origin: file, step: 9 }
    }

    const fn square(self, bit: u32) -> Square {
        Square::from_index(self.origin as usize + self.step as usize * bit as usize)
    }

    /// The points of `set` beyond a bit: above it, or below.
    const fn beyond(set: u16, bit: u32, up: bool) -> u16 {
        if up { set & (!1 << bit) } else { set & ((1 << bit) - 1) }
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

    /// The points behind the first of these pieces, up to the second or the edge.
    const fn behind_first(self, men: [Option<u32>; 3], up: bool) -> u16 {
        let [Some(first), second, _] = men else { return 0 };
        let behind = Self::beyond(self.points, first, up);
        match second {
            Some(second) => behind & !Self::beyond(self.points, second, up),
            None => behind,
        }
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

/// Goes along the four lines of the opponent's king.
#[inline(always)]
fn lines<S: Sink>(view: &View<'_>, sink: &mut S) -> Sight {
    let king = view.position.king(!view.side);
    let rank = Line::rank_of(view.position, king);
    let file = Line::file_of(view.position, king);
    let left = along(view, sink, rank, false, true);
    let right = along(view, sink, rank, true, true);
    let down = along(view, sink, file, false, false);
    let up = along(view, sink, file, true, false);
    if left.cannons + right.cannons + down.cannons + up.cannons > 0 {
        let palace = palace(!view.side);
        sink.add(CANNON_WITH, i32::from(view.own.horses.meets(palace)));
        sink.add(CANNON_WITH + 1, i32::from(view.own.rooks.meets(palace)));
    }
    Sight {
        rook: rook_attacks(king, view.position.occupancy()),
        cannon: on_rank(king.rank(), left.sight | right.sight)
            | on_file(king.file(), down.sight | up.sight),
    }
}

/// What lies one way from the opponent's king.
struct Found {
    /// Own cannons among the nearest three pieces.
    cannons: i32,
    /// The points of the line from which a cannon would give check.
    sight: u16,
}

#[inline(always)]
fn along<S: Sink>(view: &View<'_>, sink: &mut S, line: Line, up: bool, on_rank: bool) -> Found {
    let men = line.nearest(up);
    let pieces = men.map(|bit| bit.and_then(|bit| view.position.piece_at(line.square(bit))));
    let blocked = pieces[0].is_some_and(|piece| piece.side() != view.side);
    let is_ahead = up == (view.side == Side::Second);
    if !blocked && (on_rank || is_ahead) {
        sink.add(OPEN_KING + usize::from(on_rank), 1);
    }
    let cannons = ray(view, sink, pieces, on_rank);
    let is_near = men[0].is_some_and(|screen| screen.abs_diff(line.at) <= 2);
    if cannons > 0 && is_near && is_horse(pieces[0], view.side) {
        sink.add(CANNON_BEHIND_HORSE, 1);
    }
    Found { cannons, sight: line.behind_first(men, up) }
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
fn safe_checks<S: Sink>(view: &View<'_>, sight: Sight, sink: &mut S) {
    let king = view.position.king(!view.side);
    let safe = Bitboard::FULL - view.men - view.theirs.once;
    let horse_sight = horse_attackers(king, view.occupied);
    let mut cannon_reach = view.own.cannons;
    for bearing in &view.own.heavy {
        if bearing.role == Role::Cannon {
            cannon_reach |= bearing.quiet - view.occupied;
        }
    }
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
        let rank = |square| Line::rank_of(&position, square);
        let file = |square| Line::file_of(&position, square);
        assert_eq!(file(king).nearest(false), [Some(7), Some(4), Some(3)]);
        assert_eq!(rank(king).nearest(false), [None; 3]);
        let red = Square::at(4, 0);
        assert_eq!(rank(red).nearest(true), [Some(8), None, None]);
        assert_eq!(rank(red).nearest(false), [Some(3), None, None]);
        assert_eq!(file(red).nearest(true), [Some(3), Some(4), Some(7)]);
        assert_eq!(file(red).square(7), Square::parse("e7").unwrap());
        assert_eq!(rank(red).square(3), Square::parse("d0").unwrap());
    }

    #[test]
    fn sights_over_a_screen() {
        let position = Position::from_fen("4k4/9/4b4/9/9/4N4/4C4/9/9/3AK3R w").unwrap();
        let up = Line::file_of(&position, Square::at(4, 0));
        assert_eq!(up.behind_first(up.nearest(true), true), 1 << 4);
        let down = Line::file_of(&position, Square::at(4, 9));
        assert_eq!(down.behind_first(down.nearest(false), false), 1 << 6 | 1 << 5 | 1 << 4);
        let left = Line::rank_of(&position, Square::at(4, 0));
        assert_eq!(left.behind_first(left.nearest(false), false), 1 << 2 | 1 << 1 | 1);
        assert_eq!(left.behind_first(left.nearest(true), true), 0);
    }
}
