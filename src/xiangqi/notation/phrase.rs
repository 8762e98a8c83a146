//! The contents of a file-based text (`炮二平五`, `C2=5`), and its two-way relation to the board.
//!
//! Files are numbered 1 to 9 from the right of the side to move. Kings, rooks, cannons and pawns
//! state the distance of moves along their file and the new file of moves sideways; horses,
//! advisors and elephants always state the new file.

use super::error::{Fault, IllegalReason};
use super::{MOST_OF_A_KIND, Readings, explain};
use crate::game::{Game, Side};
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::Role;
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;

/// A move as the file-based notations describe it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Phrase {
    pub(crate) role: Role,
    pub(crate) place: MovingPiece,
    pub(crate) action: Action,
    /// 1 to 9: a distance or a file.
    pub(crate) number: u8,
}

/// The piece of its role that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MovingPiece {
    /// One on that file, 1 to 9.
    File(u8),
    /// One of several that share a file.
    Tandem(Order),
    /// The same, with the file (1 to 9) named.
    TandemOn(Order, u8),
}

/// A place among pieces of a role that share a file; the front is nearer to the opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Front,
    Middle,
    Rear,
    /// From 1: over all files that hold several, from the right of the side to move, each from the
    /// front.
    Nth(u8),
}

/// The direction of a move as the side to move sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Forward,
    Back,
    Sideways,
}

const FILES: [Bitboard; 9] = {
    let mut files = [Bitboard::EMPTY; 9];
    let mut i = 0;
    while i < 90 {
        files[i % 9] = files[i % 9].with(Square::from_index(i));
        i += 1;
    }
    files
};

/// The file (0 to 8, a to i) with the side's number (1 to 9), and back.
const fn absolute_file(side: Side, number: u8) -> u8 {
    match side {
        Side::First => 9 - number,
        Side::Second => number - 1,
    }
}

const fn relative_file(side: Side, file: u8) -> u8 {
    match side {
        Side::First => 9 - file,
        Side::Second => file + 1,
    }
}

const fn forward(side: Side) -> i8 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}

/// The pieces that a phrase may mean.
#[inline]
fn candidates(position: &Position, phrase: Phrase) -> Bitboard {
    let side = position.turn();
    let men = position.pieces(side, phrase.role);
    match phrase.place {
        MovingPiece::File(number) => men & FILES[usize::from(absolute_file(side, number))],
        MovingPiece::Tandem(order) => tandem(men, side, order, 2),
        MovingPiece::TandemOn(order, number) => {
            tandem(men & FILES[usize::from(absolute_file(side, number))], side, order, 1)
        }
    }
}

/// The legal moves that a phrase may mean.
pub(crate) fn readings(position: &Position, phrase: Phrase) -> Readings {
    let moves = candidates(position, phrase).into_iter().filter_map(|from| {
        let mv = Move::new(from, target(position.turn(), phrase, from).ok()?);
        position.is_legal(mv).then_some(mv)
    });
    moves.take(MOST_OF_A_KIND).collect()
}

/// Finds the one legal move that a phrase means.
#[inline]
pub(crate) fn resolve(position: &Position, phrase: Phrase) -> Result<Move, Fault> {
    let side = position.turn();
    let candidates = candidates(position, phrase);
    let mut found = None;
    for from in candidates {
        let Ok(to) = target(side, phrase, from) else { continue };
        let mv = Move::new(from, to);
        if !position.is_legal(mv) {
            continue;
        }
        if let Some(first) = found.replace(mv) {
            return Err(Fault::Ambiguous(first, mv));
        }
    }
    found.ok_or_else(|| match candidates.first() {
        None => Fault::NoSuchPiece,
        Some(from) => Fault::Illegal(match target(side, phrase, from) {
            Err(reason) => reason,
            Ok(_) => best_excuse(position, candidates, |from: Square| target(side, phrase, from)),
        }),
    })
}

/// The reason against the candidate that comes closest to a legal move.
fn best_excuse(
    position: &Position,
    candidates: Bitboard,
    target: impl Fn(Square) -> Result<Square, IllegalReason>,
) -> IllegalReason {
    let reasons = candidates.into_iter().map(|from| match target(from) {
        Err(reason) => reason,
        Ok(to) => explain(position, from, to).unwrap_or(IllegalReason::NotItsMove),
    });
    // The reasons are declared in the order of how near to legal a move is.
    reasons.max_by_key(|&reason| reason as u8).unwrap_or(IllegalReason::NotItsMove)
}

/// The members of `men` at that place among those that share a file with at least `least - 1`
/// others.
fn tandem(men: Bitboard, side: Side, order: Order, least: u32) -> Bitboard {
    let mut found = Bitboard::EMPTY;
    let mut before = 0;
    for number in 1..=9 {
        let group = men & FILES[usize::from(absolute_file(side, number))];
        let len = group.len() as u8;
        if group.len() < least {
            continue;
        }
        for (i, square) in (0..).zip(from_front(group, side)) {
            let named = match order {
                Order::Front => i == 0,
                Order::Rear => i + 1 == len,
                Order::Middle => 0 < i && i + 1 < len,
                // Chinese numbers pawns over all doubled files, from the mover's right; the files are
                // walked in that order.
                Order::Nth(n) => before + i + 1 == n,
            };
            if named {
                found = found.with(square);
            }
        }
        before += len;
    }
    found
}

/// The squares of one file, that nearest to the opponent first.
fn from_front(group: Bitboard, side: Side) -> impl Iterator<Item = Square> {
    let mut rest = group;
    std::iter::from_fn(move || {
        let square = match side {
            Side::First => rest.last(),
            Side::Second => rest.first(),
        }?;
        rest = rest.without(square);
        Some(square)
    })
}

#[inline]
fn target(side: Side, phrase: Phrase, from: Square) -> Result<Square, IllegalReason> {
    let direction = match phrase.action {
        Action::Forward => forward(side),
        Action::Back => -forward(side),
        Action::Sideways => 0,
    };
    let file = absolute_file(side, phrase.number);
    let across = file.cast_signed() - from.file().cast_signed();
    let (files, ranks) = match (phrase.role, across.abs()) {
        // These name the file they go to; how many ranks that means follows from how many files it is away.
        (Role::Horse, 1) | (Role::Elephant, 2) => (across, 2),
        (Role::Horse, 2) | (Role::Advisor, 1) => (across, 1),
        (Role::Horse | Role::Elephant | Role::Advisor, _) => {
            return Err(IllegalReason::NotItsMove);
        }
        _ if direction == 0 => (across, 0),
        _ => (0, phrase.number.cast_signed()),
    };
    if files == 0 && ranks == 0 || ranks != 0 && direction == 0 {
        return Err(IllegalReason::NotItsMove);
    }
    from.offset(files, direction * ranks).ok_or(IllegalReason::OffBoard)
}

/// Describes a legal move; `None` if no piece of the side to move could move like that.
pub(crate) fn describe(position: &Position, mv: Move, tandem: TandemStyle) -> Option<Phrase> {
    let piece = position.piece_at(mv.from()).filter(|_| position.is_pseudo_legal(mv))?;
    let side = piece.side();
    let role = piece.role();
    let ranks = (mv.to().rank().cast_signed() - mv.from().rank().cast_signed()) * forward(side);
    let action = match ranks {
        1.. => Action::Forward,
        0 => Action::Sideways,
        _ => Action::Back,
    };
    let states_file = matches!(role, Role::Horse | Role::Elephant | Role::Advisor);
    let number = if action == Action::Sideways || states_file {
        relative_file(side, mv.to().file())
    } else {
        ranks.unsigned_abs()
    };
    let place = place(position.pieces(side, role), side, role, mv.from(), tandem);
    Some(Phrase { role, place, action, number })
}

/// The notation of the place among several pawns where front and rear do not suffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TandemStyle {
    /// One numbering over all files (Chinese).
    Overall,
    /// The place on the file, and the file (WXF).
    PerFile,
}

fn place(men: Bitboard, side: Side, role: Role, from: Square, style: TandemStyle) -> MovingPiece {
    let number = relative_file(side, from.file());
    let on_file = men & FILES[usize::from(from.file())];
    let by_file = matches!(role, Role::King | Role::Advisor | Role::Elephant);
    if by_file || on_file.len() == 1 {
        return MovingPiece::File(number);
    }
    let groups = FILES.iter().filter(|&&file| (men & file).len() > 1).count();
    let index = from_front(on_file, side).position(|square| square == from).unwrap_or(0) as u8;
    let last = on_file.len() as u8 - 1;
    match (index, last, style) {
        (0, 1, _) if groups == 1 => MovingPiece::Tandem(Order::Front),
        (1, 1, _) if groups == 1 => MovingPiece::Tandem(Order::Rear),
        (_, _, TandemStyle::PerFile) => MovingPiece::TandemOn(Order::Nth(index + 1), number),
        (0, 2, _) if groups == 1 => MovingPiece::Tandem(Order::Front),
        (1, 2, _) if groups == 1 => MovingPiece::Tandem(Order::Middle),
        (2, 2, _) if groups == 1 => MovingPiece::Tandem(Order::Rear),
        _ => {
            let right = (1..number).map(|n| men & FILES[usize::from(absolute_file(side, n))]);
            let before: u32 = right.map(Bitboard::len).filter(|&len| len > 1).sum();
            MovingPiece::Tandem(Order::Nth(before as u8 + index + 1))
        }
    }
}
