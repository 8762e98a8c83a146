//! The algebraic notation of WinBoard: `Che2`, `Cxe6`, `E0a2`, pawn pushes `e5`, pawns sideways
//! `gf5`, captures by pawns `gxg4`. `PyChess` writes pawns with their letter, like any other piece:
//! `Pe5`, `Pxg4`. Of a pawn that moves sideways WinBoard leaves the file out where only one can do it: `f5`, `xg4`.

use super::error::Fault;
use super::{MOST_OF_A_KIND, Readings, explain};
use crate::game::Game;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::Role;
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;

/// The contents of an algebraic text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Algebraic {
    role: Role,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    /// The text is a square alone: a pawn on its file is meant first.
    is_square: bool,
}

/// Reads the text, already folded to half width and without check marks.
pub(crate) fn read(chars: &[char]) -> Option<Algebraic> {
    let (&rank, rest) = chars.split_last()?;
    let (&file, rest) = rest.split_last()?;
    let to = Square::at(file_of(file)?, rank_of(rank)?);
    let is_square = rest.is_empty();
    let rest = rest.strip_suffix(&['x']).unwrap_or(rest);
    let (role, source) = match rest.split_first() {
        Some((&letter, source)) if letter.is_ascii_uppercase() => {
            (Role::from_letter(letter)?, source)
        }
        _ => (Role::Pawn, rest),
    };
    let (file, rank) = match *source {
        [] => (None, None),
        [c] => (file_of(c), rank_of(c)),
        [file, rank] => (Some(file_of(file)?), Some(rank_of(rank)?)),
        _ => return None,
    };
    let readable = source.is_empty() || file.is_some() || rank.is_some();
    readable.then_some(Algebraic { role, file, rank, to, is_square })
}

fn file_of(c: char) -> Option<u8> {
    matches!(c, 'a'..='i').then(|| c as u8 - b'a')
}

fn rank_of(c: char) -> Option<u8> {
    c.is_ascii_digit().then(|| c as u8 - b'0')
}

/// The pieces that a text may mean.
fn candidates(position: &Position, text: Algebraic) -> Bitboard {
    let men = position.pieces(position.turn(), text.role);
    let named: Bitboard = men
        .into_iter()
        .filter(|from| text.file.is_none_or(|file| from.file() == file))
        .filter(|from| text.rank.is_none_or(|rank| from.rank() == rank))
        .collect();
    if !text.is_square {
        return named;
    }
    let on_file: Bitboard =
        named.into_iter().filter(|from| from.file() == text.to.file()).collect();
    let can_push = on_file.into_iter().any(|from| is_legal(position, from, text.to));
    if can_push
        || !on_file.is_empty() && !named.into_iter().any(|from| is_legal(position, from, text.to))
    {
        on_file
    } else {
        named
    }
}

fn is_legal(position: &Position, from: Square, to: Square) -> bool {
    from != to && position.is_legal(Move::new(from, to))
}

/// The legal moves that a text may mean.
pub(crate) fn readings(position: &Position, text: Algebraic) -> Readings {
    let candidates = candidates(position, text).into_iter();
    let legal = candidates.filter(|&from| is_legal(position, from, text.to));
    legal.map(|from| Move::new(from, text.to)).take(MOST_OF_A_KIND).collect()
}

/// Finds the one legal move that the text means.
pub(crate) fn resolve(position: &Position, text: Algebraic) -> Result<Move, Fault> {
    let candidates = candidates(position, text);
    let mut found = None;
    for from in candidates {
        if !is_legal(position, from, text.to) {
            continue;
        }
        let mv = Move::new(from, text.to);
        if let Some(first) = found.replace(mv) {
            return Err(Fault::Ambiguous(first, mv));
        }
    }
    found.ok_or_else(|| {
        candidates
            .into_iter()
            .filter_map(|from| explain(position, from, text.to))
            .max_by_key(|&reason| reason as u8)
            .map_or(Fault::NoSuchPiece, Fault::Illegal)
    })
}
