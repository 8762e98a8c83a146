//! FEN: ranks from the top (Black's back rank) separated by `/`, files a to i, digits for empty
//! squares, then the side to move (`w` or `r` for Red, `b` for Black), two unused fields, the plies
//! since the last capture and the number of the move. What other programs put around and into it is understood:
//! links, quotation marks, underscores, an empty pocket in brackets.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::game::{Side, position_text};
use crate::xiangqi::piece::Piece;
use crate::xiangqi::position::Position;
use crate::xiangqi::setup::{Setup, SetupErrors};
use crate::xiangqi::square::Square;

/// The start of a game.
pub const START_FEN: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

/// The longest text accepted as a FEN, in bytes; the longest real one has about 110.
const MAX_LEN: usize = 256;

/// The reasons for which a text is no FEN, or its position illegal.
///
/// ```
/// use juzhong::xiangqi::{FenError, Position};
///
/// let error = Position::from_fen("4k4/9/9/9/9/9/9/9/4K4 w").unwrap_err();
/// assert_eq!(error, FenError::RankCount(9));
/// // Each fault has its own text, with the remedy.
/// assert!(error.to_string().starts_with("FEN has 9 ranks, not 10"));
/// assert!(matches!(Position::from_fen(""), Err(FenError::Empty)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum FenError {
    /// More text than any FEN has.
    #[error("FEN too long: {0} bytes")]
    TooLong(usize),
    /// No text.
    #[error("empty FEN; the start position is \"{START_FEN}\"")]
    Empty,
    /// Not ten ranks.
    #[error("FEN has {0} ranks, not 10 (separate them with '/', Black's back rank first)")]
    RankCount(usize),
    /// A rank does not fill nine files.
    #[error("FEN rank {rank} covers {files} files, not 9: \"{text}\"")]
    RankLength {
        /// 9 for the first rank in the text, down to 0.
        rank: usize,
        /// Files covered.
        files: usize,
        /// The rank as written.
        text: String,
    },
    /// A letter that is no piece.
    #[error("FEN rank {rank} has '{letter}', which is no piece (use KABNRCP, capitals for Red)")]
    Letter {
        /// 9 for the first rank in the text, down to 0.
        rank: usize,
        /// The letter.
        letter: char,
    },
    /// Pieces in hand, which there are none of in this game.
    #[error("FEN has pieces in hand, \"[{0}]\", which xiangqi does not know; leave them out")]
    Pocket(String),
    /// The second field is not a side.
    #[error("FEN side to move is \"{0}\", not w (or r) or b")]
    Turn(String),
    /// A counter is not a number, or a large one.
    #[error("FEN {field} is \"{text}\", not a number from 0 to 99999")]
    Counter {
        /// The name of the counter.
        field: &'static str,
        /// As written.
        text: String,
    },
    /// The text is a FEN, but the position is not legal.
    #[error("illegal position: {0}")]
    Illegal(SetupErrors),
}

impl From<SetupErrors> for FenError {
    /// The reasons become part of the message, not a cause beneath it.
    fn from(errors: SetupErrors) -> Self {
        Self::Illegal(errors)
    }
}

impl Setup {
    /// Reads a FEN, also as it stands in links ([`position_text`]). Fields after the board may be missing: Red to move,
    /// counters 0 and 1. An empty pocket (`[]`) behind the board is passed over.
    ///
    /// # Errors
    ///
    /// If the text is no FEN; the position need not be legal.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        let plain = position_text(text);
        let len = if matches!(plain, Cow::Borrowed(_)) { text.len() } else { plain.len() };
        if len > MAX_LEN {
            return Err(FenError::TooLong(len));
        }
        let mut fields = plain.split_whitespace();
        let board = parse_board(without_pocket(fields.next().ok_or(FenError::Empty)?)?)?;
        let turn = match fields.next() {
            None => Side::First,
            Some(side) => parse_turn(side).ok_or_else(|| FenError::Turn(side.to_owned()))?,
        };
        // Some programs write two dashes before the counters, some one, some none.
        let mut counters = fields.filter(|&field| field != "-");
        let mut counter = |field, default| match counters.next() {
            None => Ok(default),
            Some(text) => parse_counter(field, text),
        };
        let halfmove_clock = counter("clock of plies since a capture", 0)?;
        let fullmoves = counter("move number", 1)?.max(1);
        Ok(Self { board, turn, halfmove_clock, fullmoves })
    }

    /// Writes the FEN.
    #[must_use]
    pub fn to_fen(&self) -> String {
        let mut fen = String::with_capacity(80);
        for rank in (0..10).rev() {
            let mut empty = 0;
            for file in 0..9 {
                match self.board[Square::at(file, rank).index()] {
                    None => empty += 1,
                    Some(piece) => {
                        push_gap(&mut fen, &mut empty);
                        fen.push(piece.letter());
                    }
                }
            }
            push_gap(&mut fen, &mut empty);
            fen.push(if rank > 0 { '/' } else { ' ' });
        }
        fen.push(if self.turn == Side::First { 'w' } else { 'b' });
        let counters = write!(fen, " - - {} {}", self.halfmove_clock, self.fullmoves);
        debug_assert!(counters.is_ok(), "writing to a string cannot fail");
        fen
    }
}

impl Position {
    /// The start of a game.
    ///
    /// # Panics
    ///
    /// Never: the start position is legal.
    #[must_use]
    pub fn start() -> Self {
        #[expect(clippy::unwrap_used, reason = "the constant is a legal position")]
        Self::from_fen(START_FEN).unwrap()
    }

    /// Reads a FEN and validates the position; its counters are dropped.
    ///
    /// # Errors
    ///
    /// If the text is no FEN or the position illegal.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        Ok(Self::from_setup(&Setup::from_fen(text)?)?)
    }

    /// The FEN with counters `0 1`.
    #[must_use]
    pub fn to_fen(&self) -> String {
        self.to_setup().to_fen()
    }
}

fn push_gap(fen: &mut String, empty: &mut u8) {
    if *empty > 0 {
        fen.push(char::from(b'0' + *empty));
        *empty = 0;
    }
}

fn parse_turn(text: &str) -> Option<Side> {
    match () {
        () if is_one_of(text, &["w", "r", "red", "white"]) => Some(Side::First),
        () if is_one_of(text, &["b", "black"]) => Some(Side::Second),
        () => None,
    }
}

/// Returns true if the text is one of the names, whatever the case.
fn is_one_of(text: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(text))
}

/// The board without the pocket behind it that programs for variants with pieces in hand write.
fn without_pocket(text: &str) -> Result<&str, FenError> {
    let pocket = text.strip_suffix(']').and_then(|text| text.split_once('['));
    match pocket {
        None => Ok(text),
        Some((board, "" | "-")) => Ok(board),
        Some((_, pieces)) => Err(FenError::Pocket(pieces.to_owned())),
    }
}

fn parse_board(text: &str) -> Result<[Option<Piece>; 90], FenError> {
    let ranks = text.bytes().filter(|&byte| byte == b'/').count() + 1;
    if ranks != 10 {
        return Err(FenError::RankCount(ranks));
    }
    let mut board = [None; 90];
    for (i, text) in text.split('/').enumerate() {
        parse_rank(9 - i, text, &mut board[(9 - i) * 9..(10 - i) * 9])?;
    }
    Ok(board)
}

fn parse_rank(rank: usize, text: &str, squares: &mut [Option<Piece>]) -> Result<(), FenError> {
    let mut files = 0;
    for letter in text.chars() {
        if let Some(gap @ 1..=9) = letter.to_digit(10) {
            files += gap as usize;
        } else {
            let piece = Piece::from_letter(letter).ok_or(FenError::Letter { rank, letter })?;
            // Beyond the ninth file nothing is put down; the files are counted on for the message.
            if let Some(square) = squares.get_mut(files) {
                *square = Some(piece);
            }
            files += 1;
        }
    }
    if files == 9 {
        Ok(())
    } else {
        Err(FenError::RankLength { rank, files, text: text.to_owned() })
    }
}

fn parse_counter(field: &'static str, text: &str) -> Result<u32, FenError> {
    let number = text.parse().ok().filter(|&n: &u32| n <= 99_999);
    number.ok_or_else(|| FenError::Counter { field, text: text.to_owned() })
}
