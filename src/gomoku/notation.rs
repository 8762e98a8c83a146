//! The text of a position: the rows from the top separated by `/`, numbers for empty points, `x` for a
//! stone of the first player and `o` for one of the second; then the side to move, `x` or `o`; then the
//! number in a row that wins. `15/15/15/15/15/15/15/7x7/15/15/15/15/15/15/15 o 5` is the start position
//! after a move to the middle, `3/1x1/o2 x 3` a game of tic-tac-toe. The rows give the board's size. A fourth field
//! names the variant, `standard` or `renju`; without one it is freestyle.
//!
//! Reading also accepts `b` for `x`, `w` for `o` and capitals; the side to move may be left out
//! where it follows from the stones, and the row length where it is five.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::board::GeometryError;
use super::{Board, Point, UnknownVariant, Variant};
use crate::game::{Game, Notation, Side, position_text};

/// The longest text accepted, in bytes; 20 full rows have 424.
const MAX_LEN: usize = 1024;

/// The text of the start position.
pub const START_TEXT: &str = "15/15/15/15/15/15/15/15/15/15/15/15/15/15/15 x 5";

/// The reasons for which a text is no position.
///
/// ```
/// use juzhong::game::Notation;
/// use juzhong::gomoku::{Board, BoardError};
///
/// let board = Board::from_fen("3/1x1/3 o 3")?;
/// assert_eq!(board.stones(), 1);
/// assert_eq!(Board::from_fen(&board.to_fen())?, board);
/// // Players move in turn, x first.
/// assert!(matches!(Board::from_fen("3/1o1/3 x 3"), Err(BoardError::Count { .. })));
/// # Ok::<(), BoardError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum BoardError {
    /// More text than any position has.
    #[error("position too long: {0} bytes")]
    TooLong(usize),
    /// No text.
    #[error("empty position; the start position is \"{START_TEXT}\"")]
    Empty,
    /// Impossible size of the board or of the row.
    #[error("{0}")]
    Geometry(#[from] GeometryError),
    /// Rows of different lengths.
    #[error("row {row} covers {points} points, not {width} as the row at the top")]
    RowLength {
        /// As players count, from 1 at the bottom.
        row: usize,
        /// Points covered.
        points: usize,
        /// Points that the top row covers.
        width: usize,
    },
    /// A letter that is no stone.
    #[error(
        "row {row} has '{letter}', which is no stone (use x for the first player, o for the second, numbers for empty points)"
    )]
    Letter {
        /// As players count, from 1 at the bottom.
        row: usize,
        /// The letter.
        letter: char,
    },
    /// The second field is not a side.
    #[error("side to move is \"{0}\", not x or o")]
    Turn(String),
    /// The third field is not a row length.
    #[error("row length is \"{0}\", not a number from 1 to 20")]
    RowField(String),
    /// The fourth field is not a variant.
    #[error("{0}")]
    Variant(#[from] UnknownVariant),
    /// More than four fields.
    #[error("nothing may follow the variant, but \"{0}\" does")]
    Trailing(String),
    /// The numbers of stones do not fit alternating moves.
    #[error("{first} stones x and {second} stones o with {} to move: players move in turn, x first", letter(*turn))]
    Count {
        /// Stones of the first player.
        first: usize,
        /// Stones of the second player.
        second: usize,
        /// The side to move.
        turn: Side,
    },
    /// The game was over earlier.
    #[error("the game was over before the last stone: {} has a row already", letter(*.0))]
    Over(Side),
}

const fn letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}

fn side_of(letter: char) -> Option<Side> {
    match letter.to_ascii_lowercase() {
        'x' | 'b' => Some(Side::First),
        'o' | 'w' => Some(Side::Second),
        _ => None,
    }
}

impl Board {
    /// An empty board with the stones of `rows` (the top row first) put on it.
    fn filled(
        mut self,
        rows: &[Vec<Option<Side>>],
        turn: Option<Side>,
    ) -> Result<Self, BoardError> {
        let mut stones = [Vec::new(), Vec::new()];
        for (row, cells) in (0..).zip(rows.iter().rev()) {
            for (column, &cell) in (0..).zip(cells) {
                if let (Some(side), Some(point)) = (cell, Point::new(column, row)) {
                    stones[side.index()].push(point);
                }
            }
        }
        let [first, second] = stones.each_ref().map(Vec::len);
        let by_count = if first > second { Side::Second } else { Side::First };
        let turn = turn.unwrap_or(by_count);
        if first != second + usize::from(turn == Side::Second) {
            return Err(BoardError::Count { first, second, turn });
        }
        self.fill(&stones, turn);
        self.check_last(&stones, turn)?;
        Ok(self)
    }

    /// The side to move cannot have a row, and the other side's must share a stone, the last one.
    fn check_last(&self, stones: &[Vec<Point>; 2], turn: Side) -> Result<(), BoardError> {
        let mover = !turn;
        if self.has_row(turn) {
            return Err(BoardError::Over(turn));
        }
        if self.has_row(mover)
            && !stones[mover.index()]
                .iter()
                .any(|&last: &Point| !self.row_without(mover, Some(last)))
        {
            return Err(BoardError::Over(mover));
        }
        Ok(())
    }
}

impl Notation for Board {
    type PositionError = BoardError;

    const RANKS_FROM_ZERO: bool = false;

    /// 15×15, five in a row.
    fn start() -> Self {
        Self::with_geometry(15, 15, 5, Variant::Freestyle)
    }

    /// The empty square boards of 15, 20 and then all other sides from 5 on, each with every variant.
    fn starts() -> Vec<Self> {
        let others = (5..=20).filter(|side| !matches!(side, 15 | 20));
        let sides = [15, 20].into_iter().chain(others);
        sides
            .flat_map(|side| Variant::ALL.into_iter().map(move |variant| (side, variant)))
            .filter_map(|(side, v)| Self::with_variant(side, side, 5, v).ok())
            .collect()
    }

    /// Reads rows, the side to move, the number in a row that wins and the variant: `3/1x1/o2 x 3`.
    fn from_fen(text: &str) -> Result<Self, BoardError> {
        let plain = position_text(text);
        let len = if matches!(plain, Cow::Borrowed(_)) { text.len() } else { plain.len() };
        if len > MAX_LEN {
            return Err(BoardError::TooLong(len));
        }
        let mut fields = plain.split_whitespace();
        let rows = parse_rows(fields.next().ok_or(BoardError::Empty)?)?;
        let turn = fields.next().map(parse_turn).transpose()?;
        let row = fields.next().map_or(Ok(5), parse_row_length)?;
        let variant = fields.next().map_or(Ok(Variant::default()), str::parse)?;
        if let Some(field) = fields.next() {
            return Err(BoardError::Trailing(field.chars().take(40).collect()));
        }
        let board = empty_board(&rows, row, variant)?;
        board.filled(&rows, turn)
    }

    /// Writes the position in the form of [`START_TEXT`].
    fn to_fen(&self) -> String {
        let mut text = String::new();
        for row in (0..self.height()).rev() {
            let mut empty = 0;
            for column in 0..self.width() {
                match Point::new(column, row).and_then(|point| self.stone(point)) {
                    None => empty += 1,
                    Some(side) => {
                        push_empty(&mut text, &mut empty);
                        text.push(letter(side));
                    }
                }
            }
            push_empty(&mut text, &mut empty);
            text.push(if row > 0 { '/' } else { ' ' });
        }
        let mut written = write!(text, "{} {}", letter(self.turn()), self.row());
        if self.variant() != Variant::default() {
            written = written.and_then(|()| write!(text, " {}", self.variant()));
        }
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        text
    }

    fn parse_move(text: &str) -> Option<Point> {
        Point::parse(text)
    }

    fn move_text(mv: Point) -> String {
        mv.to_string()
    }
}

fn push_empty(text: &mut String, empty: &mut u8) {
    if *empty > 0 {
        let written = write!(text, "{empty}");
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        *empty = 0;
    }
}

fn parse_turn(text: &str) -> Result<Side, BoardError> {
    let mut letters = text.chars();
    match (letters.next().and_then(side_of), letters.next()) {
        (Some(side), None) => Ok(side),
        _ => Err(BoardError::Turn(text.chars().take(40).collect())),
    }
}

fn parse_row_length(text: &str) -> Result<u8, BoardError> {
    text.parse().map_err(|_| BoardError::RowField(text.chars().take(40).collect()))
}

/// The cells of every row, the top row first. Rows are at most as long as the text allows.
fn parse_rows(text: &str) -> Result<Vec<Vec<Option<Side>>>, BoardError> {
    let count = text.split('/').count();
    text.split('/').zip((1..=count).rev()).map(|(cells, row)| parse_cells(cells, row)).collect()
}

fn parse_cells(text: &str, row: usize) -> Result<Vec<Option<Side>>, BoardError> {
    let mut cells = Vec::new();
    let mut empty = 0_usize;
    for letter in text.chars() {
        if let Some(digit) = letter.to_digit(10) {
            // Longer rows than any board has are refused later; numbers need not grow further.
            empty = (10 * empty + digit as usize).min(1_000);
            continue;
        }
        let side = side_of(letter).ok_or(BoardError::Letter { row, letter })?;
        cells.extend(std::iter::repeat_n(None, empty));
        cells.push(Some(side));
        empty = 0;
    }
    cells.extend(std::iter::repeat_n(None, empty));
    Ok(cells)
}

fn empty_board(rows: &[Vec<Option<Side>>], row: u8, variant: Variant) -> Result<Board, BoardError> {
    let width = rows.first().map_or(0, Vec::len);
    let height = rows.len();
    let size = GeometryError::Size { width, height };
    let uneven = rows.iter().zip((1..=height).rev()).find(|(cells, _)| cells.len() != width);
    if let Some((cells, row)) = uneven {
        return Err(BoardError::RowLength { row, points: cells.len(), width });
    }
    let (Ok(width), Ok(height)) = (u8::try_from(width), u8::try_from(height)) else {
        return Err(size.into());
    };
    Ok(Board::with_variant(width, height, row, variant)?)
}
