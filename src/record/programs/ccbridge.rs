//! The formats of CCBridge (象棋桥): CBR, one game with variations and comments, and CBL, a library
//! of such games. Numbers are little-endian, texts are UTF-16 of fixed width that end with a NUL;
//! the bytes of the width after the NUL are rubbish.
//!
//! ```text
//! CBR:   0  "CCBridge Record\0"; byte 19 the version: 2 today, 1 before
//!      180  texts: TEXTS
//!     2076  result; 2112 side to move (1 Red, 2 Black)
//!     2120  90 squares from the top left: 0x1n Red, 0x2n Black; n as in MEN
//!     2214  the tree, depth first: marks, 0, from, to (squares as above); marks 1: no move
//!           follows; 2: an alternative comes later; 4: a u32 length in bytes and a comment
//! CBL:   0  "CCBridgeLibrary\0"
//!       60  u32 slots; an index of 276 bytes for each begins at 66624
//!           records as above, each from a multiple of 4096 bytes after the index on
//! ```
//!
//! The first node of a tree is no move but holds the comment on the start position. A long record
//! spans several blocks of 4096 bytes; deleted ones leave blocks behind that begin with anything.
//!
//! In version 1 texts stand 128 bytes earlier, everything after them 256, and squares in the tree are
//! 16 × column + row from the top. Libraries of the first versions are of another kind: `old_cbl`.

use std::ops::Range;

use crate::game::{Outcome, Side};
use crate::message::{Message, message};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::board::{from_halves, note, start_position};
use crate::record::model::chunk::{Chunk, Cut, Start};
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::format::{Format, GameCount};
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::place::Place;
use crate::record::model::preorder::{Coordinates, FileMove, PreOrder};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, go_on, truncated, unless_truncated};
use crate::record::model::texts::{Texts, push_tag};
use crate::record::programs::old_cbl;
use crate::xiangqi::{Piece, Position, Role, Square};

const RECORD_MAGIC: &[u8; 16] = b"CCBridge Record\0";
const LIBRARY_MAGIC: &[u8; 16] = b"CCBridgeLibrary\0";

/// The beginning of all files of the program.
const PROGRAM: &[u8] = b"CCBridge";

/// The row of CBR.
pub(crate) const RECORD_ROW: FormatRow = FormatRow {
    info: FormatInfo::of_bytes(Format::Cbr, "cbr", &["cbr"]),
    sniff: &[Sniffer {
        stage: Stage::Mark,
        shows: |sample| sample.bytes.starts_with(RECORD_MAGIC),
    }],
    read: ReadGames::Chunk(read_record),
    write: None,
};

/// The row of CBL.
pub(crate) const LIBRARY_ROW: FormatRow = FormatRow {
    info: FormatInfo {
        games: GameCount::Many,
        cut: Cut::Chunks(split),
        ..FormatInfo::of_bytes(Format::Cbl, "cbl", &["cbl"])
    },
    sniff: &[Sniffer { stage: Stage::Mark, shows: |sample| sample.bytes.starts_with(PROGRAM) }],
    read: ReadGames::Chunk(read_library),
    write: None,
};

/// The offset of a record's version.
const VERSION: usize = 19;
const RESULT: usize = 2076;
const SIDE_TO_MOVE: usize = 2112;
const BOARD: usize = 2120;
/// The offset of the tree.
const TREE: usize = 2214;

/// The offset of a library's index, the length of an index entry, and the size of the blocks that records
/// begin on.
const INDEX: u64 = 66_624;
const INDEX_ENTRY: u64 = 276;
const BLOCK: usize = 4096;

/// The texts: offset, width in bytes, and tag.
const TEXTS: [(usize, usize, &str); 17] = [
    (180, 128, "Title"),
    (308, 256, "Category"),
    (692, 64, "Event"),
    (756, 64, "Round"),
    (820, 32, "Group"),
    (852, 32, "Board"),
    (884, 64, "Date"),
    (948, 64, "Site"),
    (1012, 64, "TimeControl"),
    (1076, 64, "Red"),
    (1140, 64, "RedTeam"),
    (1204, 64, "RedTime"),
    (1300, 64, "Black"),
    (1364, 64, "BlackTeam"),
    (1428, 64, "BlackTime"),
    (1652, 64, "Annotator"),
    (1780, 64, "Author"),
];

/// The pieces by their number, from 1.
const MEN: [Role; 7] =
    [Role::Rook, Role::Horse, Role::Elephant, Role::Advisor, Role::King, Role::Cannon, Role::Pawn];

/// The differences between the versions of a record.
struct Layout {
    /// The number of bytes by which texts stand earlier than in today's version.
    texts: usize,
    /// The same of what follows them.
    rest: usize,
    /// The square with a number of the tree.
    square: fn(u8) -> Result<Square, u8>,
}

impl Layout {
    fn of(record: &[u8]) -> Self {
        if record.get(VERSION) == Some(&1) {
            Self { texts: 128, rest: 256, square: from_halves }
        } else {
            Self { texts: 0, rest: 0, square: from_top }
        }
    }

    /// The board of a record that is long enough.
    fn board<'a>(&self, record: &'a [u8]) -> Option<&'a [u8]> {
        record.get(BOARD - self.rest..)?.get(..Square::COUNT)
    }
}

/// Reads the game of a CBR.
fn read_record(reader: &mut ChunkReader<'_>) {
    reader.report(Place::Offset(0), 1, game(reader.bytes, 0));
}

/// A CBL in chunks of about `target` bytes.
fn split(bytes: &[u8], target: usize) -> Vec<Chunk> {
    let whole = Chunk::whole(bytes, Some(Format::Cbl));
    let Ok(first) = first_record(bytes) else { return vec![whole] };
    let games = records(bytes, first).filter(|record| !is_heading(&bytes[record.clone()]));
    let starts = (1..).zip(games).map(|(game, record)| Start { at: record.start, line: 1, game });
    whole.cut_at(target, starts)
}

/// Reads the games of a chunk of a CBL; the number of a game counts records with pieces on the board.
fn read_library(reader: &mut ChunkReader<'_>) {
    let bytes = reader.bytes;
    if old_cbl::is_old(bytes) {
        return old_cbl::read(reader);
    }
    let Chunk { bytes: Range { start, end }, mut game, .. } = reader.chunk.clone();
    // Up to the end of the chunk, so that its last record ends there.
    let part = bytes.get(..end).unwrap_or_default();
    // Only the first chunk has the header; the others begin with a record.
    let first = match start {
        0 => first_record(bytes),
        _ => Ok(start),
    };
    let first = match first {
        Ok(first) => first,
        Err(fault) => return reader.report(Place::Offset(0), 1, Err(fault)),
    };
    for range in records(part, first) {
        let at = range.start;
        let record = &part[range];
        if !is_heading(record) {
            reader.report(Place::Offset(at as u64), game, self::game(record, at));
            game += 1;
        }
    }
    if end == bytes.len() && !(end - first).is_multiple_of(BLOCK) {
        let fault = truncated(end, "its last block; games may be missing");
        reader.report(Place::Offset(end as u64), game, Err(fault));
    }
}

/// The byte ranges of the records, from the first one on, those without pieces included.
fn records(bytes: &[u8], first: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = (first..bytes.len()).step_by(BLOCK);
    let mut starts = starts.filter(move |&at| bytes[at..].starts_with(RECORD_MAGIC)).peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        Some(start..starts.peek().copied().unwrap_or(bytes.len()))
    })
}

/// Returns true if a record has no pieces on its board: libraries are divided by such.
fn is_heading(record: &[u8]) -> bool {
    Layout::of(record).board(record).is_some_and(|board| board.iter().all(|&b| b == 0))
}

/// The offset of a library's first record, or the library's end if it has none.
fn first_record(bytes: &[u8]) -> Result<usize, Fault> {
    if !bytes.starts_with(LIBRARY_MAGIC) {
        // The beginning of either mark, cut off.
        let is_short = [LIBRARY_MAGIC, RECORD_MAGIC].iter().any(|magic| magic.starts_with(bytes));
        let reason = if is_short {
            BadGameReason::Truncated("the header".into())
        } else {
            let text = "begins like a file of CCBridge, but is none of a known kind";
            BadGameReason::Unsupported(text.to_owned().into())
        };
        return Err(Fault::at(0, reason));
    }
    let slots = bytes.get(60..).and_then(<[u8]>::first_chunk);
    let slots = u32::from_le_bytes(*slots.ok_or_else(|| truncated(bytes.len(), "the header"))?);
    let first = INDEX + INDEX_ENTRY * u64::from(slots);
    let first = usize::try_from(first).ok().filter(|&first| first <= bytes.len());
    let Some(first) = first else {
        let within = message!("the index, which claims {slots} games");
        return Err(truncated(bytes.len(), &within));
    };
    if records(bytes, first).next().is_some() {
        return Ok(first);
    }
    // The number of slots may be wrong.
    let behind = bytes.get(INDEX as usize..).unwrap_or_default();
    let magic = behind.windows(RECORD_MAGIC.len()).position(|at| at == RECORD_MAGIC);
    Ok(magic.map_or(first, |at| INDEX as usize + at))
}

/// Reads a record that begins at `offset` of the file.
fn game(record: &[u8], offset: usize) -> Result<Found, Fault> {
    let layout = Layout::of(record);
    let board_at = BOARD - layout.rest;
    let tree_at = TREE - layout.rest;
    let Some(header) = record.get(..tree_at) else {
        let within = message!("the header, after {} of its {tree_at} bytes", record.len());
        return Err(truncated(offset + record.len(), &within));
    };
    let board = board(layout.board(header).unwrap_or_default())
        .map_err(|reason| Fault::at(offset + board_at, reason))?;
    let texts = Texts::default();
    let at = tree_at;
    let square = layout.square;
    let mut tree = TreeReader { bytes: record, at, offset, square, texts: &texts };
    let first = tree.node()?;
    // Looked at ahead, for the piece that moves first tells who is to move.
    let second = if first.is_last { None } else { tree.clone().node()?.mv.ok() };
    let first_square = second.and_then(|mv| mv.from.ok());
    let is_black = header[SIDE_TO_MOVE - layout.rest] == 2;
    let stated = if is_black { Side::Second } else { Side::First };
    let start = start_position(&board, first_square, stated)
        .map_err(|reason| Fault::at(offset + board_at, reason))?;
    let mut order = PreOrder::new(start.clone().unwrap_or_else(Position::start), first.comment);
    let mut more = !first.is_last;
    let mut fault = None;
    while more {
        if tree.at > MAX_GAME_BYTES {
            return Err(Fault::at(offset, BadGameReason::TooLong(record.len())));
        }
        let at = offset + tree.at;
        let Some(node) = unless_truncated(tree.node(), &mut fault)? else { break };
        more = go_on(order.add(node), at, &mut fault);
    }
    let (tree, cut_variations) = order.finish();
    let result = match header[RESULT - layout.rest] {
        1 => Some(Outcome::Win(Side::First)),
        2 => Some(Outcome::Win(Side::Second)),
        3 => Some(Outcome::Draw),
        // 4 stands for several games with different results.
        _ => None,
    };
    let note = note(start.as_ref(), first_square, stated);
    let tags = tags(header, &layout, &texts);
    let record = Record { tags, start, start_clock: 0, result, tree };
    let is_undecoded = texts.is_undecoded();
    Ok(Found { cut_variations, is_undecoded, note, fault, ..Found::new(record) })
}

fn tags(header: &[u8], layout: &Layout, texts: &Texts) -> Vec<(String, String)> {
    let mut tags = Vec::with_capacity(TEXTS.len());
    for (at, width, name) in TEXTS {
        let at = at - layout.texts;
        push_tag(&mut tags, name, texts.utf16(&header[at..at + width]));
    }
    tags
}

fn board(men: &[u8]) -> Result<crate::record::model::board::Board, BadGameReason> {
    let mut board = [None; Square::COUNT];
    for (index, &man) in men.iter().enumerate() {
        let role = usize::from(man & 0x0f).checked_sub(1).and_then(|n| MEN.get(n));
        let piece = match (man >> 4, role) {
            _ if man == 0 => continue,
            (1, Some(&role)) => Piece::new(Side::First, role),
            (2, Some(&role)) => Piece::new(Side::Second, role),
            _ => {
                let text = message!("{man:#04x} on square {index} of the board is no man");
                return Err(BadGameReason::Malformed(text));
            }
        };
        // `men` has a byte for each square, so that each index is that of a square.
        board[from_top(index as u8).map_or(0, Square::index)] = Some(piece);
    }
    Ok(board)
}

/// The square with that number, counted from the top left, or the number.
fn from_top(number: u8) -> Result<Square, u8> {
    Square::new(number).map(Square::flipped).ok_or(number)
}

#[derive(Clone)]
struct TreeReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The offset of the record in the file.
    offset: usize,
    square: fn(u8) -> Result<Square, u8>,
    texts: &'a Texts,
}

impl TreeReader<'_> {
    fn node(&mut self) -> Result<FileMove, Fault> {
        let [marks, _, from, to] = self.take("the tree of moves")?;
        let comment = if marks & 4 != 0 { self.comment()? } else { String::new() };
        Ok(FileMove {
            mv: Ok(Coordinates { from: (self.square)(from), to: (self.square)(to) }),
            comment,
            is_last: marks & 1 != 0,
            has_alternative: marks & 2 != 0,
        })
    }

    fn comment(&mut self) -> Result<String, Fault> {
        let at = self.at;
        let len = u32::from_le_bytes(self.take("the length of a comment")?);
        let rest = &self.bytes[self.at..];
        let Some(text) = usize::try_from(len).ok().and_then(|len| rest.get(..len)) else {
            let there = rest.len();
            let within = message!("a comment that claims {len} bytes, of which {there} are there");
            return Err(truncated(self.offset + at, &within));
        };
        if text.len() > MAX_GAME_BYTES {
            return Err(Fault::at(self.offset + at, BadGameReason::TooLong(text.len())));
        }
        self.at += text.len();
        Ok(self.texts.utf16(text))
    }

    fn take(&mut self, within: impl Into<Message>) -> Result<[u8; 4], Fault> {
        let Some(taken) = self.bytes[self.at..].first_chunk::<4>() else {
            return Err(truncated(self.offset + self.at, within));
        };
        self.at += 4;
        Ok(*taken)
    }
}
