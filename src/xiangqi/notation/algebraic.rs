//! The algebraic notation of WinBoard: `Che2`, `Cxe6`, `E0a2`, pawn pushes `e5`, pawns sideways
//! `gf5`, captures by pawns `gxg4`. `PyChess` writes pawns with their letter, like any other piece:
//! `Pe5`, `Pxg4`.

use super::error::Fault;
use super::explain;
use crate::game::Game;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::Role;
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;

/// The contents of an algebraic text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Algebraic {
    role: Role,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
}

/// Reads the text, already folded to half width and without check marks.
pub(super) fn read(chars: &[char]) -> Option<Algebraic> {
    let (&rank, rest) = chars.split_last()?;
    let (&file, rest) = rest.split_last()?;
    let to = Square::at(file_of(file)?, rank_of(rank)?);
    let rest = rest.strip_suffix(&['x']).unwrap_or(rest);
    let (role, source) = match rest.split_first() {
        Some((&letter, source)) if letter.is_ascii_uppercase() => {
            (Role::from_letter(letter)?, source)
        }
        _ => (Role::Pawn, rest),
    };
    let has_letter = rest.first().is_some_and(char::is_ascii_uppercase);
    let (file, rank) = match *source {
        [] if role == Role::Pawn && !has_letter => (Some(to.file()), None),
        [] => (None, None),
        [c] => (file_of(c), rank_of(c)),
        [file, rank] => (Some(file_of(file)?), Some(rank_of(rank)?)),
        _ => return None,
    };
    let readable = source.is_empty() || file.is_some() || rank.is_some();
    readable.then_some(Algebraic { role, file, rank, to })
}

fn file_of(c: char) -> Option<u8> {
    matches!(c, 'a'..='i').then(|| c as u8 - b'a')
}

fn rank_of(c: char) -> Option<u8> {
    c.is_ascii_digit().then(|| c as u8 - b'0')
}

/// Finds the one legal move that the text means.
pub(super) fn resolve(position: &Position, text: Algebraic) -> Result<Move, Fault> {
    let men = position.pieces(position.turn(), text.role);
    let candidates: Bitboard = men
        .into_iter()
        .filter(|from| text.file.is_none_or(|file| from.file() == file))
        .filter(|from| text.rank.is_none_or(|rank| from.rank() == rank))
        .collect();
    let mut found = None;
    for from in candidates {
        if from == text.to || !position.is_legal(Move::new(from, text.to)) {
            continue;
        }
        let mv = Move::new(from, text.to);
        if let Some(first) = found.replace(mv) {
            return Err(Fault::Ambiguous(first, mv));
        }
    }
    let reasons = || candidates.into_iter().filter_map(|from| explain(position, from, text.to));
    found.ok_or_else(|| {
        reasons().max_by_key(|&reason| reason as u8).map_or(Fault::NoSuchPiece, Fault::Illegal)
    })
}
