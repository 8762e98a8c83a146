//! CHN, the records of the game of Ourgame (联众): one game. Numbers are little-endian, texts GB18030
//! of fixed width that end with a NUL.
//!
//! ```text
//! today:    0  "GL", u16 2000, u16 2004, u16
//!           8  texts: when it was played (as C's asctime), title, names and accounts: TEXTS
//!         180  90 squares, column by column from the left, each from the top: pieces as in MEN; 8 more
//!              for Black, and 16 × the piece's number among its kind
//!         270  the same at the end of the game
//!         472  36 bytes a move: its address, those of the one before and the one after (0 after the
//!              last), u16, then 16 × row + column where it begins and where it ends, the piece, what it
//!              captures, 18 unknown; the first stands for the start and is no move
//! before:   0  188 unknown bytes
//!         188  32 bytes a move: two unknown u16, u16 column and row where it begins, column and row
//!              where it ends, 20 unknown
//! ```
//!
//! Columns count from the left, rows from the top, both from 0. No result is kept. Files of the kind
//! before have no mark, and none was at hand: one is read only if every move in it is legal, and else
//! is of an unknown format. The king may be captured: such a last move is illegal.

use crate::game::Side;
use crate::message::message;
use crate::record::model::board::{
    Board, from_swapped_halves, from_top_left, start_position, turned,
};
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::preorder::Coordinates;
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, is_playable, line, malformed, truncated};
use crate::record::model::texts::{Texts, push_tag};
use crate::record::programs::ccm::seen_from_red;
use crate::xiangqi::{Piece, Position, Role, Square};

/// The row of CHN.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Chn, "chn", &["chn"]),
    sniff: &[Sniffer { stage: Stage::Layout, shows: |sample| looks_like(sample.bytes) }],
    read: ReadGames::One(game),
    write: None,
};

const MAGIC: &[u8] = b"GL\xd0\x07\xd4\x07";
const DATE: usize = 8;
const DATE_WIDTH: usize = 28;
const BOARD: usize = 180;
const MOVES: usize = 472;
const MOVE: usize = 36;

const OLD_MOVES: usize = 188;
const OLD_MOVE: usize = 32;

/// The longest file without a mark that can be a CHN, in bytes.
const MAX_OLD_BYTES: usize = 64 << 10;

/// The texts: offset, width in bytes, and tag.
const TEXTS: [(usize, usize, &str); 3] = [(36, 64, "Title"), (120, 20, "Red"), (160, 20, "Black")];

/// The pieces by their number, from 1.
const MEN: [Role; 7] =
    [Role::Rook, Role::Horse, Role::Cannon, Role::King, Role::Advisor, Role::Elephant, Role::Pawn];

/// Months as C abbreviates them.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns true if the bytes look like a CHN.
fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || is_old(bytes)
}

/// Reads the game of a CHN.
fn game(bytes: &[u8]) -> Result<Found, Fault> {
    if !bytes.starts_with(MAGIC) {
        let (tree, fault) = line(Position::start(), old_moves(bytes).map(Ok))?;
        let record = Record { tags: Vec::new(), start: None, start_clock: 0, result: None, tree };
        return Ok(Found { fault, ..Found::new(record) });
    }
    let Some((header, moves)) = bytes.split_at_checked(MOVES) else {
        return Err(truncated(bytes.len(), "the header"));
    };
    let (board, is_turned) = board(&header[BOARD..BOARD + Square::COUNT])?;
    let (mut moves, end) = moves_of(moves, is_turned);
    let first = moves.first().and_then(|(_, mv)| mv.from.ok());
    let start =
        start_position(&board, first, Side::First).map_err(|reason| Fault::at(BOARD, reason))?;
    let position = start.clone().unwrap_or_else(Position::start);
    let (tree, fault) = line(position, moves.drain(..).map(Ok))?;
    let (tags, is_undecoded) = Texts::read(|texts| (tags(header, texts), texts.is_undecoded()));
    let record = Record { tags, start, start_clock: 0, result: None, tree };
    Ok(Found { is_undecoded, fault: fault.or(end), ..Found::new(record) })
}

fn tags(header: &[u8], texts: &Texts) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    for (at, width, name) in TEXTS {
        push_tag(&mut tags, name, texts.field(&header[at..at + width]));
    }
    push_tag(&mut tags, "Date", date(&texts.field(&header[DATE..DATE + DATE_WIDTH])));
    tags
}

/// The board, and whether it is seen from Black's side.
fn board(men: &[u8]) -> Result<(Board, bool), Fault> {
    let mut board = [None; Square::COUNT];
    let mut is_turned = false;
    for (index, &man) in men.iter().enumerate().filter(|(_, man)| **man != 0) {
        let kind = usize::from(man & 7).checked_sub(1).and_then(|kind| MEN.get(kind));
        let role = *kind.ok_or_else(|| no_man(index, man))?;
        let side = if man & 8 == 0 { Side::First } else { Side::Second };
        let square = from_top_left((index / 10) as u8, (index % 10) as u8);
        let square = square.map_err(|_| no_man(index, man))?;
        // Red's king in the upper half: Black sits below.
        is_turned |= (role, side) == (Role::King, Side::First) && square.rank() > 4;
        board[square.index()] = Some(Piece::new(side, role));
    }
    if is_turned {
        // To turn the board is to read its squares backwards.
        board.reverse();
    }
    Ok((board, is_turned))
}

/// The fault of a byte on the board that stands for no man, or lies beyond the squares.
fn no_man(index: usize, man: u8) -> Fault {
    malformed(BOARD + index, message!("{man:#04x} on the board is no man"))
}

/// The moves and where they stand, and a fault if more are promised.
fn moves_of(bytes: &[u8], is_turned: bool) -> (Vec<(usize, Coordinates)>, Option<Fault>) {
    let (nodes, rest) = bytes.as_chunks::<MOVE>();
    let end = MOVES + bytes.len();
    // The last move has no address of one after it.
    let is_cut = !rest.is_empty() || nodes.last().is_none_or(|node| node[8..12] != [0; 4]);
    let fault = is_cut.then(|| truncated(end, "the moves"));
    let moves = (MOVES..).step_by(MOVE).zip(nodes).skip(1);
    let moves = moves.map(|(at, node)| {
        let [from, to] = [node[14], node[15]].map(|byte| square(byte, is_turned));
        (at, Coordinates { from, to })
    });
    (moves.collect(), fault)
}

/// The square with a number of a move, or the number; `is_turned` if the board is seen from Black's side.
fn square(byte: u8, is_turned: bool) -> Result<Square, u8> {
    let square = from_swapped_halves(byte);
    if is_turned { square.map(turned) } else { square }
}

/// `Tue Dec 27 20:57:56 2016` as `2016.12.27`; other texts as they are.
fn date(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [_, month, day, _, year] = words[..] else { return text.to_owned() };
    let month = MONTHS.iter().position(|name| *name == month);
    match (month, day.parse::<u8>()) {
        (Some(month), Ok(day)) => format!("{year}.{:02}.{day:02}", month + 1),
        _ => text.to_owned(),
    }
}

/// Returns true if the bytes are a game of the kind before, all of whose moves are legal.
fn is_old(bytes: &[u8]) -> bool {
    (OLD_MOVES + OLD_MOVE..=MAX_OLD_BYTES).contains(&bytes.len())
        && (bytes.len() - OLD_MOVES).is_multiple_of(OLD_MOVE)
        && is_playable(Position::start(), old_moves(bytes).map(|(_, mv)| mv))
        && line(Position::start(), old_moves(bytes).map(Ok)).is_ok_and(|(_, fault)| fault.is_none())
}

/// The moves of the kind before.
fn old_moves(bytes: &[u8]) -> impl Iterator<Item = (usize, Coordinates)> {
    let records = bytes.get(OLD_MOVES..).unwrap_or_default().as_chunks::<OLD_MOVE>().0;
    let squares = records.iter().map(|record| [4, 6, 8, 10].map(|at| old_number(record, at)));
    (OLD_MOVES..).step_by(OLD_MOVE).zip(seen_from_red(squares))
}

/// A number of a move of the kind before. One beyond a byte is off the board as well.
const fn old_number(record: &[u8; OLD_MOVE], at: usize) -> u8 {
    if record[at + 1] == 0 { record[at] } else { u8::MAX }
}
