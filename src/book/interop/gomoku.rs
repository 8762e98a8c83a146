//! Books of gomoku from other programs: databases of Yixin and Rapfi, and libraries of `RenLib`.
//!
//! A database begins with the number of its records, little-endian as all numbers. A record is a key and what is
//! known of it, each after its length in two bytes. The key is the rule (0 freestyle, 1 standard, 2 renju), width and
//! height of the board, then the stones as columns and rows, all of Black before all of White, turned so that the list
//! is the least of the board's images; a pair of bytes `FF` is a pass. Then come a label (`w`, `l` and `d` for a win,
//! loss or draw of the side to move, `!` and `x` for a move that is forced or blocked), a value and a depth with a kind
//! of bound in its two lowest bits, both in two bytes, and a text. The whole may be a frame of LZ4.
//!
//! A record says something of a position; a book of this program says it of the moves that lead there. So each stone
//! of the side that moved last is taken away, and where the position before it is in the database, or is the empty
//! board, the move is taken over: added by hand, with the text as its comment. Values become scores of the source
//! `yixin`.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

use rusqlite::types::Value;

use crate::book::file::reader::{Book, BookEntry};
use crate::book::interop::diagnosis::{Diagnosis, DoctorOptions, RepairReport};
use crate::book::interop::error::InteropError;
use crate::book::interop::lines::for_each_move;
use crate::book::interop::options::FileImportOptions;
use crate::book::interop::own_book::OwnWriter;
use crate::book::interop::progress::Step;
use crate::book::interop::write::join;
use crate::book::interop::{import, own_doctor, write};
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::{MoveStats, RowKey};
use crate::book::model::value::{Evaluation, SourceScore};
use crate::bytes::paths::base_name;
use crate::bytes::{StopFlag, open};
use crate::game::{Bound, Game, Notation, Packed, Side, Symmetric};
use crate::gomoku::{Board, Point, Variant};
use crate::hash::gomoku::KEYS;
use crate::message::message;
use crate::record::{
    Format, Formats, LIBRARY_MAGIC, LibraryNode, Record, begins_database, read_library,
    write_library,
};

/// The first bytes of a frame of LZ4.
const LZ4_MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// The source of scores, as the book names it.
const SOURCE: &str = "yixin";

/// Bytes of memory for a record, at least.
const RECORD_MEMORY: usize = 256;

/// Bytes of memory for a move of a tree: in the tree, and in the book that it becomes.
const NODE_MEMORY: usize = 320;

/// Bytes of a move in a tree that is a text, at least.
const NODE_TEXT: usize = 6;

/// Moves that a library of an exported book has, at most.
const MAX_NODES: usize = 5_000_000;

/// The source of an imported book of gomoku.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GomokuSource {
    /// A database of Yixin or Rapfi.
    Yixin,
    /// A tree of moves: a library of `RenLib`, or any other file of games with their variations.
    Tree,
}

impl GomokuSource {
    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yixin => SOURCE,
            Self::Tree => "tree",
        }
    }
}

/// The counts of an import of a gomoku book.
#[derive(Debug, Clone)]
pub struct GomokuImport {
    /// The kind of source.
    pub source: GomokuSource,
    /// Records in the file, or moves of its trees.
    pub rows: u64,
    /// Records and games that cannot be read.
    pub unreadable: u64,
    /// Records of positions to which no move of the database leads.
    pub unreached: u64,
    /// Positions with a score.
    pub scores: u64,
    /// Moves with a comment.
    pub comments: u64,
    /// The new book's metadata.
    pub metadata: Metadata,
}

/// Examines one of the program's own books of gomoku.
///
/// # Errors
///
/// [`InteropError::NotOwn`] if the file is none, [`InteropError::Io`], [`InteropError::TooLarge`],
/// [`InteropError::Interrupted`]. Everything else is a finding.
pub fn examine_gomoku(path: &Path, options: &DoctorOptions) -> Result<Diagnosis, InteropError> {
    expect_own(path)?;
    own_doctor::examine::<Board>(path, options).map(|examined| examined.diagnosis)
}

fn expect_own(path: &Path) -> Result<(), InteropError> {
    if own_doctor::is_own(path)? {
        Ok(())
    } else {
        Err(InteropError::NotOwn { path: path.to_owned() })
    }
}

/// Writes a clean copy of one of the program's own books of gomoku to a new file.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then.
pub fn repair_gomoku(
    path: &Path,
    output: &Path,
    options: &DoctorOptions,
) -> Result<RepairReport, InteropError> {
    expect_own(path)?;
    own_doctor::repair::<Board>(path, output, options)
}

/// The moves of a new book, and the scores of positions by their keys.
#[derive(Default)]
struct NewBook {
    moves: BTreeMap<RowKey, Annotation>,
    scores: BTreeMap<i64, Evaluation<u16>>,
    rows: u64,
    unreadable: u64,
    unreached: u64,
}

/// Makes a gomoku book at `output` from the file at `path`.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then; an existing file is never replaced.
pub fn import_gomoku(
    path: &Path,
    output: &Path,
    options: &FileImportOptions,
) -> Result<GomokuImport, InteropError> {
    let mut pack = OwnWriter::create(output, &options.stop)?;
    options.progress.report(Step::Reading, 0, 0);
    let read = open::read(path, options.memory as u64);
    let bytes = read.map_err(|source| InteropError::Io { path: path.to_owned(), source })?;
    let hash = blake3::hash(&bytes).into();
    let bytes = unpacked(path, bytes, options.memory)?;
    let (source, content) = match Database::read(&bytes, path, options)? {
        Some(database) => (GomokuSource::Yixin, database.content(path, options)?),
        None => (GomokuSource::Tree, trees(path, &bytes, options)?),
    };
    drop(bytes);
    if content.moves.is_empty() {
        let what = "no move leads from one of its positions to another, or from the empty board";
        return Err(InteropError::Nothing { path: path.to_owned(), what: what.into() });
    }
    let NewBook { moves, scores, rows, unreadable, unreached } = content;
    let mut comments = 0;
    let all = moves.len() as u64;
    for (done, ((key, mv), mut mark)) in (0..).zip(moves) {
        if done % 4096 == 0 {
            options.expect_going(path)?;
            options.progress.report(Step::Writing, done, all);
        }
        comments += u64::from(mark.comment.is_some());
        if let Some(comment) = &mut mark.comment {
            import::shorten(comment);
        }
        pack.add(&BookEntry { key, mv, stats: MoveStats::default(), weight: None, mark })?;
    }
    let count = scores.len() as u64;
    for (key, evaluation) in scores {
        pack.put_values("scores", score_row(key, &evaluation))?;
    }
    let name = base_name(path);
    let metadata = pack.finish::<Board>(&[Source { hash, name, games: rows }])?;
    Ok(GomokuImport { source, rows, unreadable, unreached, scores: count, comments, metadata })
}

/// The row of the table of scores.
fn score_row(key: i64, evaluation: &Evaluation<u16>) -> Vec<Value> {
    let (kind, value) = evaluation.score.columns();
    let bound = Bound::ALL.iter().position(|&bound| bound == evaluation.bound).unwrap_or_default();
    vec![
        Value::Integer(key),
        Value::Text(SOURCE.to_owned()),
        Value::Integer(kind),
        Value::Integer(value),
        Value::Integer(i64::try_from(bound).unwrap_or_default()),
        Value::Integer(evaluation.depth.into()),
        Value::Integer(0),
        Value::Null,
    ]
}

/// The bytes, unpacked if they are a frame of LZ4.
fn unpacked(path: &Path, bytes: Vec<u8>, memory: usize) -> Result<Vec<u8>, InteropError> {
    if !bytes.starts_with(&LZ4_MAGIC) {
        return Ok(bytes);
    }
    let mut content = Vec::new();
    lz4_flex::frame::FrameDecoder::new(&bytes[..])
        // A byte more than is allowed shows that there is too much.
        .take(memory as u64 + 1)
        .read_to_end(&mut content)
        .map_err(|error| InteropError::damaged(path, message!("the frame of LZ4: {error}")))?;
    if content.len() > memory {
        return Err(too_large(path, memory));
    }
    Ok(content)
}

fn too_large(path: &Path, memory: usize) -> InteropError {
    InteropError::TooLarge { path: path.to_owned(), rows: (memory / RECORD_MEMORY) as u64, memory }
}

/// A position of the database.
struct DatabasePosition {
    /// The number of its empty board.
    board: usize,
    /// Black's stones, then White's.
    stones: [Vec<Point>; 2],
    label: u8,
    value: i16,
    depth_bound: i16,
    text: String,
}

/// A database, read.
struct Database {
    boards: Vec<Board>,
    known: Vec<DatabasePosition>,
    rows: u64,
    unreadable: u64,
}

/// Splits a record's part off, which stands after its length.
fn part<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = input.split_off(..2)?.first_chunk().map(|&len| u16::from_le_bytes(len))?;
    input.split_off(..usize::from(len))
}

/// A number in two bytes of a record, 0 where the record ends before it.
fn number_at(value: &[u8], at: usize) -> i16 {
    let bytes = value.get(at..at + 2).and_then(|bytes| bytes.first_chunk());
    bytes.map_or(0, |&bytes| i16::from_le_bytes(bytes))
}

impl Database {
    /// `None` if the bytes are no database.
    fn read(
        bytes: &[u8],
        path: &Path,
        options: &FileImportOptions,
    ) -> Result<Option<Self>, InteropError> {
        let mut rest = bytes;
        let Some(count) = rest.split_off(..4).and_then(|count| count.first_chunk()) else {
            return Ok(None);
        };
        let count = u32::from_le_bytes(*count);
        if !begins_database(bytes) {
            return Ok(None);
        }
        // A record has two lengths and three bytes of a key at least, so a forged count is no size.
        let count = count.min(u32::try_from(rest.len() / 7 + 1).unwrap_or(u32::MAX));
        if count as usize > options.memory / RECORD_MEMORY {
            return Err(too_large(path, options.memory));
        }
        let mut database = Self { boards: Vec::new(), known: Vec::new(), rows: 0, unreadable: 0 };
        for number in 0..count {
            if number % 4096 == 0 {
                options.expect_going(path)?;
                options.progress.report(Step::Reading, number.into(), count.into());
            }
            let (Some(key), Some(value)) = (part(&mut rest), part(&mut rest)) else {
                // What lacks its end is read as far as it goes.
                database.unreadable += u64::from(count - number);
                database.rows += u64::from(count - number);
                break;
            };
            database.add(key, value);
        }
        Ok(Some(database))
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        // The first record names the encoding of texts: no board.
        if key.get(1..3) == Some(&[0, 0]) {
            return;
        }
        self.rows += 1;
        match self.known(key, value) {
            Some(known) => self.known.push(known),
            None => self.unreadable += 1,
        }
    }

    fn known(&mut self, key: &[u8], value: &[u8]) -> Option<DatabasePosition> {
        let (&[rule, width, height], pairs) = key.split_first_chunk()?;
        let variant = *Variant::ALL.get(usize::from(rule))?;
        let board = self.board(width, height, variant)?;
        let (pairs, odd) = pairs.as_chunks::<2>();
        if !odd.is_empty() {
            return None;
        }
        let empty = &self.boards[board];
        let blacks = pairs.len().div_ceil(2);
        let mut stones = [Vec::new(), Vec::new()];
        for (number, &[column, row]) in pairs.iter().enumerate() {
            // A pass: then the numbers of stones are not those of a game.
            let point = Point::new(column, row).filter(|&point| empty.contains(point))?;
            stones[usize::from(number >= blacks)].push(point);
        }
        let mut all: Vec<Point> = stones.concat();
        all.sort_unstable();
        if all.windows(2).any(|two| two[0] == two[1]) {
            return None;
        }
        let text = String::from_utf8_lossy(value.get(5..).unwrap_or_default());
        Some(DatabasePosition {
            board,
            stones,
            label: value.first().copied().unwrap_or(0),
            value: number_at(value, 1),
            depth_bound: number_at(value, 3),
            text: remark(&text),
        })
    }

    /// The number of the empty board; `None` if no book begins with it.
    fn board(&mut self, width: u8, height: u8, variant: Variant) -> Option<usize> {
        if let Some(found) = self.boards.iter().position(|board: &Board| {
            (board.width(), board.height(), board.variant()) == (width, height, variant)
        }) {
            return Some(found);
        }
        if width != height || !(5..=20).contains(&width) {
            return None;
        }
        self.boards.push(Board::with_variant(width, height, 5, variant).ok()?);
        Some(self.boards.len() - 1)
    }

    /// The moves between its positions.
    fn content(
        mut self,
        path: &Path,
        options: &FileImportOptions,
    ) -> Result<NewBook, InteropError> {
        let mut content =
            NewBook { rows: self.rows, unreadable: self.unreadable, ..NewBook::default() };
        let known = std::mem::take(&mut self.known);
        let images: Vec<Images> = known.iter().map(|one| self.images(one)).collect();
        let mut keys: HashMap<i64, usize> = HashMap::with_capacity(known.len());
        for (number, images) in images.iter().enumerate() {
            keys.insert(images.least().key, number);
        }
        let starts: Vec<i64> =
            self.boards.iter().map(|board| board.canonical().key.to_i64()).collect();
        for (number, (one, images)) in known.iter().zip(&images).enumerate() {
            if number % 4096 == 0 {
                options.expect_going(path)?;
            }
            let mut is_reached = false;
            for before in self.before(one, images) {
                if starts.contains(&before.key) || keys.contains_key(&before.key) {
                    is_reached = true;
                    let mark = content.moves.entry((before.key, before.mv)).or_default();
                    mark.flags.set(Flags::ADDED, true);
                    mark.flags.set(Flags::DISABLED, one.label == b'x');
                    mark.priority = i64::from(one.label == b'!');
                    if !one.text.is_empty() {
                        mark.comment = join(mark.comment.take(), Some(one.text.clone()));
                    }
                }
            }
            let is_start = one.stones.iter().all(Vec::is_empty);
            content.unreached += u64::from(!is_reached && !is_start);
            if let Some(score) = score(one).filter(|_| is_reached || is_start) {
                content.scores.insert(images.least().key, score);
            }
        }
        Ok(content)
    }

    /// The keys of the images of a position.
    fn images(&self, known: &DatabasePosition) -> Images {
        let board = &self.boards[known.board];
        let mut keys = [None; 8];
        for (symmetry, key) in (0..board.symmetries()).zip(&mut keys) {
            let mut bits = board.symmetric_key(0, None).0;
            for side in Side::ALL {
                for &point in &known.stones[side.index()] {
                    bits ^= KEYS.stones[side.index()][board.map_move(point, symmetry).index()];
                }
            }
            if turn(known) == Side::Second {
                bits ^= KEYS.second_to_move;
            }
            *key = Some(bits);
        }
        Images(keys)
    }

    /// The positions before it, and the moves that lead from them to it, in their canonical frames.
    fn before<'a>(
        &'a self,
        known: &'a DatabasePosition,
        images: &'a Images,
    ) -> impl Iterator<Item = Least> + 'a {
        let board = &self.boards[known.board];
        let mover = !turn(known);
        known.stones[mover.index()].iter().map(move |&point| {
            let mut keys = images.0;
            // Before the move the stone was not there, and the other side was to move.
            for (symmetry, key) in (0..).zip(&mut keys) {
                if let Some(bits) = key {
                    let image = board.map_move(point, symmetry).index();
                    *bits ^= KEYS.second_to_move ^ KEYS.stones[mover.index()][image];
                }
            }
            let least = Images(keys).least();
            // The canonical move is the least image by the symmetries that lead to the least key.
            let by = (0..8_u8).filter(|symmetry| least.by >> symmetry & 1 == 1);
            let mv = by.map(|symmetry| board.map_move(point, symmetry)).min();
            Least { mv: mv.unwrap_or(point).pack(), ..least }
        })
    }
}

/// The keys of a position's images, by symmetry.
struct Images([Option<u64>; 8]);

/// The least of them.
#[derive(Clone, Copy)]
struct Least {
    key: i64,
    /// The symmetries that lead to it, as a bit set.
    by: u8,
    mv: u16,
}

impl Images {
    fn least(&self) -> Least {
        let least = self.0.iter().flatten().min().copied().unwrap_or(0);
        let bits = (0..).zip(&self.0).filter(|(_, key)| **key == Some(least));
        let by = bits.fold(0, |by, (symmetry, _): (u8, _)| by | 1 << symmetry);
        Least { key: least.cast_signed(), by, mv: 0 }
    }
}

/// The side to move.
fn turn(known: &DatabasePosition) -> Side {
    let [black, white] = known.stones.each_ref().map(Vec::len);
    if black > white { Side::Second } else { Side::First }
}

/// The text for people, without the labels that are drawn on the board.
fn remark(text: &str) -> String {
    let text = text.split("@BTXT@").next().unwrap_or_default();
    let text = text.replace(['\u{8}', '\r'], "\n");
    text.chars().filter(|c| !c.is_control() || *c == '\n').collect::<String>().trim().to_owned()
}

/// The value that the database knows, for the side to move.
fn score(known: &DatabasePosition) -> Option<Evaluation<u16>> {
    let value = i32::from(known.value);
    // Values beyond 28,000 are sure wins and losses: 30,000 less the number of plies to the end.
    let plies = u16::try_from((30_000 - value.abs()).clamp(0, 1_999)).unwrap_or(1_999);
    let bound = known.depth_bound & 3;
    let depth = known.depth_bound >> 2;
    let depth = u32::try_from(depth).unwrap_or(0);
    let (score, bound) = match known.label {
        b'w' => (SourceScore::MateIn(plies), Bound::Exact),
        b'l' => (SourceScore::MatedIn(plies), Bound::Exact),
        b'd' => (SourceScore::Centipawns(0), Bound::Exact),
        _ if bound == 0 => return None,
        _ => {
            let bound = match bound {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            };
            let score = match value {
                28_001.. => SourceScore::MateIn(plies),
                ..=-28_001 => SourceScore::MatedIn(plies),
                _ => SourceScore::Centipawns(value.clamp(-20_000, 20_000)),
            };
            (score, bound)
        }
    };
    Some(Evaluation { score, bound, depth, nodes: 0, best: None })
}

/// The moves of the trees in a file of games.
fn trees(path: &Path, bytes: &[u8], options: &FileImportOptions) -> Result<NewBook, InteropError> {
    let format = Board::sniff(bytes).map_err(|reason| InteropError::NoGomokuBook {
        path: path.to_owned(),
        what: message!("{}", reason),
    })?;
    let mut content = NewBook::default();
    let starts = Board::starts();
    let is_library = bytes.starts_with(LIBRARY_MAGIC);
    let node = if is_library { 2 } else { NODE_TEXT };
    if is_tree(format) && bytes.len() / node > options.memory / NODE_MEMORY {
        return Err(too_large(path, options.memory));
    }
    if is_library {
        let (record, cut) = read_library(bytes)
            .map_err(|reason| InteropError::damaged(path, message!("{}", reason)))?;
        add_tree(&record, &starts, &mut content, options);
        content.unreadable += cut;
    } else {
        Board::read_records("", bytes, &mut |game| match game {
            Ok(game) => add_tree(&game.record, &starts, &mut content, options),
            Err(_) => content.unreadable += 1,
        });
    }
    options.expect_going(path)?;
    Ok(content)
}

/// Returns true if a file of that format is one tree, or has trees.
const fn is_tree(format: Format) -> bool {
    matches!(format, Format::Lib | Format::Sgf | Format::Jsonl)
}

/// Adds the moves of a game and of its variations, if it has a usual start; all or, once it is stopped, some.
fn add_tree(
    record: &Record<Board>,
    starts: &[Board],
    content: &mut NewBook,
    options: &FileImportOptions,
) {
    let start = record.start.clone().unwrap_or_else(Board::start);
    if !starts.iter().any(|usual| usual.key() == start.key()) {
        content.unreadable += 1;
        return;
    }
    for_each_move(record, start, |mv| {
        let mark = content.moves.entry(mv.place).or_default();
        mark.flags.set(Flags::ADDED, true);
        content.rows += 1;
        for text in mv.comments {
            mark.comment = join(mark.comment.take(), Some(text.to_owned()));
        }
        !options.stop.is_set()
    });
}

/// Writes the part of a book that begins with a board of 15×15 points as a library of `RenLib`, each position once.
/// Returns the number of moves written.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then; an existing file is never replaced.
pub fn export_library(
    book: &Book,
    output: &Path,
    min_games: u64,
    stop: &StopFlag,
) -> Result<u64, InteropError> {
    book.expect_game::<Board>()?;
    let file = write::NewFile::create(output)?;
    let mut nodes = vec![LibraryNode::default()];
    let mut seen = std::collections::HashSet::new();
    let fifteen = Board::starts().into_iter().filter(|start| start.width() == 15);
    let start = fifteen.max_by_key(|start| {
        let games = book.probe_with(start, min_games).map_or(0, |moves| moves.len());
        (games, *start == Board::start())
    });
    let mut open = vec![(0, start.unwrap_or_else(Board::start))];
    while let Some((number, board)) = open.pop() {
        if stop.is_set() {
            return Err(InteropError::Interrupted { path: output.to_owned() });
        }
        if !seen.insert(board.canonical().key) {
            continue;
        }
        for found in book.probe_with(&board, min_games)? {
            if nodes.len() >= MAX_NODES {
                let what = message!("more than {MAX_NODES} moves; raise --min-games");
                return Err(InteropError::Create { path: output.to_owned(), what });
            }
            let next = nodes.len();
            let comment = found.comment.clone().unwrap_or_default();
            let depth = nodes[number].depth + 1;
            nodes.push(LibraryNode { mv: Some(found.mv), depth, comment, answers: Vec::new() });
            nodes[number].answers.push(next);
            open.extend(board.play(found.mv).ok().map(|board| (next, board)));
        }
    }
    if nodes.len() == 1 {
        let what = "it has no move on a board of 15x15 points".to_owned();
        return Err(InteropError::Nothing { path: book.path().to_owned(), what: what.into() });
    }
    file.write_all(output, &write_library(&nodes))?;
    Ok(nodes.len() as u64 - 1)
}
