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
    Bitboard, Piece, Position, Role, Square, between, horse_attackers, rook_attacks,
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
    set.len().cast_signed()
}

/// Counts the attack of `view`'s side on the opponent's king.
#[inline]
pub(crate) fn king_terms<S: Sink>(view: &View<'_>, sink: &mut S) {
    bearers(view, sink);
    let sight = lines(view, sink);
    safe_checks(view, sight, sink);
}

#[inline]
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

/// The ways from a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Left,
    Right,
    Up,
    Down,
}

impl Way {
    const ALL: [Self; 4] = [Self::Left, Self::Right, Self::Up, Self::Down];

    /// The way to the opponent.
    const fn ahead(side: Side) -> Self {
        match side {
            Side::First => Self::Up,
            Side::Second => Self::Down,
        }
    }

    /// The last square of the board this way.
    const fn edge(self, from: Square) -> Square {
        match self {
            Self::Left => Square::at(0, from.rank()),
            Self::Right => Square::at(8, from.rank()),
            Self::Up => Square::at(from.file(), 9),
            Self::Down => Square::at(from.file(), 0),
        }
    }
}

/// The nearest three pieces from a square in one way.
#[inline]
fn nearest(position: &Position, from: Square, way: Way) -> [Option<Square>; 3] {
    let file = from.file();
    let rank = from.rank();
    let lines = position.occupancy();
    let (line, at, up) = match way {
        Way::Left => (lines.rank(rank), file, false),
        Way::Right => (lines.rank(rank), file, true),
        Way::Up => (lines.file(file), rank, true),
        Way::Down => (lines.file(file), rank, false),
    };
    let before = (1_u16 << at) - 1;
    let mut rest = if up { line & !before & !(1 << at) } else { line & before };
    let mut next = || {
        if rest == 0 {
            return None;
        }
        let i = if up { rest.trailing_zeros() } else { 15 - rest.leading_zeros() };
        rest &= !(1 << i);
        let i = i as u8;
        let is_rank = matches!(way, Way::Left | Way::Right);
        Some(if is_rank { Square::at(i, rank) } else { Square::at(file, i) })
    };
    [next(), next(), next()]
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
#[inline]
fn lines<S: Sink>(view: &View<'_>, sink: &mut S) -> Sight {
    let king = view.position.king(!view.side);
    let mut cannon_sight = Bitboard::EMPTY;
    let mut cannons = 0;
    for way in Way::ALL {
        let men = nearest(view.position, king, way);
        let [first, second, third] = men;
        let is_own = |square: Option<Square>| square.is_some_and(|square| view.men.has(square));
        let blocked = first.is_some() && !is_own(first);
        let on_rank = matches!(way, Way::Left | Way::Right);
        if !blocked && (on_rank || way == Way::ahead(!view.side)) {
            sink.add(OPEN_KING + usize::from(on_rank), 1);
        }
        let Some(screen) = first else { continue };
        let edge = way.edge(king);
        let end = second.unwrap_or(edge);
        if end != screen {
            cannon_sight |= between(screen, end).with(end);
        }
        let pieces = men.map(|square| square.and_then(|square| view.position.piece_at(square)));
        let on_line = ray(view, sink, pieces, on_rank);
        if on_line > 0 && is_horse(pieces[0], view.side) && steps(king, screen) <= 2 {
            sink.add(CANNON_BEHIND_HORSE, 1);
        }
        cannons += on_line;
        debug_assert!(third.is_none() || second.is_some());
    }
    if cannons > 0 {
        let palace = palace(!view.side);
        sink.add(CANNON_WITH, i32::from(view.own.horses.meets(palace)));
        sink.add(CANNON_WITH + 1, i32::from(view.own.rooks.meets(palace)));
    }
    Sight { rook: rook_attacks(king, view.position.occupancy()), cannon: cannon_sight }
}

const fn steps(a: Square, b: Square) -> u8 {
    a.file().abs_diff(b.file()) + a.rank().abs_diff(b.rank())
}

fn is_horse(piece: Option<Piece>, side: Side) -> bool {
    piece == Some(Piece::new(side, Role::Horse))
}

/// Counts three pieces on a line from the opponent's king, nearest first; returns the number of own
/// cannons.
#[inline]
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

#[inline]
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
        let at = |square: &str| Square::parse(square);
        assert_eq!(nearest(&position, king, Way::Down), [at("e7"), at("e4"), at("e3")]);
        assert_eq!(nearest(&position, king, Way::Left), [None; 3]);
        let red = Square::at(4, 0);
        assert_eq!(nearest(&position, red, Way::Right), [at("i0"), None, None]);
        assert_eq!(nearest(&position, red, Way::Left), [at("d0"), None, None]);
        assert_eq!(nearest(&position, red, Way::Up), [at("e3"), at("e4"), at("e7")]);
    }
}
