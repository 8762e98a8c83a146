//! Moves as text: coordinates (UCI `h2e2`, ICCS `H2-E2`), the file-based notation in Latin (WXF
//! `C2=5`) and in Chinese (`炮二平五`), and, for reading only, the algebraic notation of WinBoard
//! (`Che2`).
//!
//! Reading accepts any of them, traditional and simplified characters, full-width forms and either
//! kind of numeral on both sides. It works on the board directly: the pieces that a text may mean are
//! found by role and file, never by generating all legal moves.

mod algebraic;
mod error;
mod glyph;
mod phrase;
#[cfg(test)]
mod tests;

pub(crate) use error::Fault;
pub use error::{IllegalReason, MoveError};

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;

use crate::game::{Game, Notation, Side};
use crate::xiangqi::attacks;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::fen::FenError;
use crate::xiangqi::piece::Role;
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;
use phrase::TandemStyle;

/// The longest text of a move, in characters; anything longer is none.
pub(crate) const MAX_MOVE_CHARS: usize = 12;

/// The characters of one move, folded to half width.
pub(crate) type MoveText = ArrayVec<char, MAX_MOVE_CHARS>;

/// A way to write moves.
///
/// ```
/// use juzhong::xiangqi::Position;
/// use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
///
/// let start = Position::start();
/// let mv = parse_move(&start, "h2e2")?;
/// let texts = MoveNotation::ALL.map(|notation| format_move(&start, mv, notation));
/// assert_eq!(texts, ["h2e2", "H2-E2", "C2=5", "炮二平五"]);
/// for text in texts {
///     assert_eq!(parse_move(&start, &text)?, mv);
/// }
/// // What is only read: the algebraic notation of WinBoard.
/// assert_eq!(parse_move(&start, "Che2")?, mv);
/// # Ok::<(), juzhong::xiangqi::notation::MoveError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum MoveNotation {
    /// `h2e2`
    #[default]
    Uci,
    /// `H2-E2`
    Iccs,
    /// `C2=5`
    Wxf,
    /// `炮二平五`
    Chinese,
}

impl MoveNotation {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Uci, Self::Iccs, Self::Wxf, Self::Chinese];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uci => "uci",
            Self::Iccs => "iccs",
            Self::Wxf => "wxf",
            Self::Chinese => "chinese",
        }
    }
}

impl fmt::Display for MoveNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of the notations.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("unknown notation \"{0}\"; choose uci, iccs, wxf or chinese")]
pub struct UnknownNotation(String);

impl FromStr for MoveNotation {
    type Err = UnknownNotation;

    fn from_str(text: &str) -> Result<Self, UnknownNotation> {
        let found = Self::ALL.into_iter().find(|n| n.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownNotation(text.to_owned()))
    }
}

/// Writes a legal move. Chinese text is simplified, with numerals 一 to 九 for Red and full-width
/// １ to ９ for Black. A move that is not even pseudo-legal is written by its coordinates.
#[must_use]
pub fn format_move(position: &Position, mv: Move, notation: MoveNotation) -> String {
    let text = match notation {
        MoveNotation::Uci => None,
        MoveNotation::Iccs => Some(format!("{}-{}", mv.from(), mv.to()).to_ascii_uppercase()),
        MoveNotation::Wxf => phrase::describe(position, mv, TandemStyle::PerFile).map(glyph::wxf),
        MoveNotation::Chinese => phrase::describe(position, mv, TandemStyle::Overall)
            .map(|phrase| glyph::chinese(phrase, position.turn())),
    };
    text.unwrap_or_else(|| mv.to_string())
}

impl Notation for Position {
    type PositionError = FenError;

    const RANKS_FROM_ZERO: bool = true;

    fn start() -> Self {
        Self::start()
    }

    fn from_fen(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }

    fn to_fen(&self) -> String {
        self.to_fen()
    }

    fn parse_move(text: &str) -> Option<Move> {
        Move::parse(text)
    }

    fn read_legal_move(&self, text: &str) -> Option<Move> {
        parse_move(self, text).ok()
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
    }
}

/// Reads a move in any notation. Where a text could be coordinates (`C5c7`) it is.
///
/// ```
/// use juzhong::xiangqi::Position;
/// use juzhong::xiangqi::notation::{MoveError, parse_move};
///
/// let start = Position::start();
/// let central_cannon = parse_move(&start, "h2e2")?;
/// for text in ["炮二平五", "砲２平５", "C2=5", "H2-E2"] {
///     assert_eq!(parse_move(&start, text)?, central_cannon);
/// }
/// assert!(matches!(parse_move(&start, "e0e3"), Err(MoveError::Illegal { .. })));
/// # Ok::<(), MoveError>(())
/// ```
///
/// # Errors
///
/// If the text is no move, means no piece or several, or the move is illegal.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    let text = text.trim();
    let mut folded = MoveText::new();
    for c in text.chars().map(fold) {
        if folded.try_push(c).is_err() {
            return Err(MoveError::Unreadable(shortened(text)));
        }
    }
    read_move(position, &folded, Dialect::Any).map_err(|fault| fault.about(shortened(text)))
}

fn shortened(text: &str) -> String {
    text.chars().take(2 * MAX_MOVE_CHARS).collect()
}

/// Knowledge of the notation from the surroundings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Dialect {
    /// Nothing.
    #[default]
    Any,
    /// Algebraic: `C5c7` is a cannon on rank 5, not the square c5. `c5c7` is two squares still: the
    /// letters of pieces are capitals.
    Algebraic,
}

/// A text of a move, read without a position.
enum Notated {
    File(phrase::Phrase),
    Squares(Square, Square),
    Algebraic(algebraic::Algebraic),
}

/// Reads a move whose characters were [folded](fold).
pub(crate) fn read_move(
    position: &Position,
    text: &[char],
    dialect: Dialect,
) -> Result<Move, Fault> {
    match notated(text, dialect).ok_or(Fault::Unreadable)? {
        Notated::File(phrase) => phrase::resolve(position, phrase),
        Notated::Algebraic(algebraic) => algebraic::resolve(position, algebraic),
        Notated::Squares(from, to) => match explain(position, from, to) {
            None => Ok(Move::new(from, to)),
            Some(reason) => Err(Fault::Illegal(reason)),
        },
    }
}

#[inline]
fn notated(text: &[char], dialect: Dialect) -> Option<Notated> {
    if let Some(phrase) = glyph::read(text) {
        return Some(Notated::File(phrase));
    }
    let end = text.iter().rposition(|c| !matches!(c, '+' | '#' | '!' | '?')).map_or(0, |i| i + 1);
    let text = &text[..end];
    if dialect == Dialect::Algebraic
        && text.first().is_some_and(char::is_ascii_uppercase)
        && let Some(algebraic) = algebraic::read(text)
    {
        return Some(Notated::Algebraic(algebraic));
    }
    if let Some((from, to)) = coordinates(text) {
        return Some(Notated::Squares(from, to));
    }
    if let Some(phrase) = glyph::read(text) {
        return Some(Notated::File(phrase));
    }
    algebraic::read(text).map(Notated::Algebraic)
}

/// Returns true if the (folded) characters begin like a Chinese move: a piece, an order or a numeral.
pub(crate) fn begins_chinese(c: char) -> bool {
    glyph::begins_chinese(c)
}

/// Returns true if four (folded) characters have the form of a Chinese move.
pub(crate) fn is_chinese_move(text: &[char; 4]) -> bool {
    is_chinese_action(text[2]) && glyph::read(text).is_some()
}

/// Returns true if the (folded) characters have the form of a file-based move, Chinese or WXF.
pub(crate) fn is_file_based(text: &[char]) -> bool {
    glyph::read(text).is_some()
}

/// Returns true if (folded) characters that are no move were perhaps meant as one: they have most of the form of a move
/// by files or by squares.
pub(crate) fn resembles_move(text: &[char]) -> bool {
    let end = text.iter().rposition(|c| !matches!(c, '+' | '#' | '!' | '?')).map_or(0, |i| i + 1);
    let text = &text[..end];
    match *text {
        // 炮二Q五, 炮二平, 炮平五
        [first, second, third, ..] if begins_chinese(first) => {
            text.len() <= 5 && (is_chinese_action(second) || is_chinese_action(third))
        }
        [first, _, third, _] if first.is_ascii_digit() && is_chinese_action(third) => true,
        // h2eX, h2-e, a10b3
        [file, rank, third, _, ..] if square(file, rank).is_some() && text.len() <= 7 => {
            third == '-'
                || rank == '1' && third == '0'
                || matches!(third.to_ascii_lowercase(), 'a'..='i')
                || is_sign(third)
        }
        // C2=X, C2+10, +P=0
        [first, second, third, _, ..] if text.len() <= 5 => {
            let is_place = is_piece(first) && is_file_or_sign(second)
                || is_file_or_sign(first) && is_piece(second);
            is_place && is_sign(third)
        }
        _ => false,
    }
}

/// Returns true if a letter stands for a piece.
const fn is_piece(c: char) -> bool {
    Role::from_letter(c).is_some()
}

/// Returns true for the file numbers and the signs of direction in WXF.
const fn is_file_or_sign(c: char) -> bool {
    matches!(c, '1'..='9' | '+' | '-' | '.' | '=')
}

const fn is_sign(c: char) -> bool {
    matches!(c, '+' | '-' | '.' | '=')
}

/// The most pieces of one kind.
const MOST_OF_A_KIND: usize = 5;

/// The moves that a text may mean.
pub(crate) type Readings = ArrayVec<Move, MOST_OF_A_KIND>;

/// The legal moves that (folded) characters may mean where several pieces can make the move: that of the piece nearest to
/// the opponent first.
pub(crate) fn readings(position: &Position, text: &[char], dialect: Dialect) -> Readings {
    let mut found = match notated(text, dialect) {
        Some(Notated::File(phrase)) => phrase::readings(position, phrase),
        Some(Notated::Algebraic(algebraic)) => algebraic::readings(position, algebraic),
        Some(Notated::Squares(..)) | None => Readings::new(),
    };
    found.sort_by_key(|mv| {
        std::cmp::Reverse(match position.turn() {
            Side::First => mv.from().rank(),
            Side::Second => 9 - mv.from().rank(),
        })
    });
    found
}

/// Returns true if the character is the direction of a Chinese move.
pub(crate) fn is_chinese_action(c: char) -> bool {
    glyph::is_chinese_action(c)
}

/// A full-width character's half-width form; others stay.
#[inline]
pub(crate) const fn fold(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => (c as u32 - 0xfee0) as u8 as char,
        '\u{3000}' | '\u{a0}' => ' ',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => c,
    }
}

fn coordinates(text: &[char]) -> Option<(Square, Square)> {
    let &([a, b, c, d] | [a, b, '-', c, d]) = text else { return None };
    Some((square(a, b)?, square(c, d)?))
}

fn square(file: char, rank: char) -> Option<Square> {
    let file = (file.to_ascii_lowercase() as u32).wrapping_sub('a' as u32);
    let rank = (rank as u32).wrapping_sub('0' as u32);
    (file < 9 && rank < 10).then(|| Square::at(file as u8, rank as u8))
}

/// The rule against a move from one square to another; `None` if it is legal.
fn explain(position: &Position, from: Square, to: Square) -> Option<IllegalReason> {
    let Some(piece) = position.piece_at(from) else { return Some(IllegalReason::EmptySquare) };
    let side = piece.side();
    if side != position.turn() {
        return Some(IllegalReason::NotItsTurn);
    }
    if from == to {
        return Some(IllegalReason::NotItsMove);
    }
    let mv = Move::new(from, to);
    if position.pseudo_targets(from, piece).has(to) {
        return (!position.is_safe(mv)).then(|| unsafe_reason(position, mv));
    }
    let reach = match piece.role() {
        Role::King => attacks::king_attacks(from),
        Role::Rook | Role::Cannon => attacks::LINES[from.index()],
        Role::Horse => attacks::horse_attacks(from, Bitboard::EMPTY),
        Role::Pawn => attacks::pawn_attacks(side, from),
        Role::Advisor => attacks::advisor_attacks(from),
        Role::Elephant => attacks::elephant_attacks(from, Bitboard::EMPTY),
    };
    Some(if !reach.has(to) {
        IllegalReason::NotItsMove
    } else if position.side(side).has(to) {
        IllegalReason::OwnPiece
    } else {
        IllegalReason::Blocked
    })
}

/// The reason for which a pseudo-legal move loses the king.
fn unsafe_reason(position: &Position, mv: Move) -> IllegalReason {
    let side = position.turn();
    let mut after = position.clone();
    after.make(mv);
    let own = after.king(side);
    let other = after.king(!side);
    let facing =
        own.file() == other.file() && !attacks::between(own, other).meets(after.occupied());
    if facing { IllegalReason::KingsFacing } else { IllegalReason::LeavesCheck }
}
