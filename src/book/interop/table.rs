//! Books as tables of comma-separated values: what an export writes, and what people keep in a spreadsheet.
//!
//! The first line names the columns, in any order. Each further row is a move: of the position `fen`, in any notation of the
//! game, or, without a position, as it is stored under `key`. Read are `move`, `games`, `draws`, the wins of both sides by their names, `year_min`, `year_max`,
//! `weight`, `priority`, `flags`, `groups` and `comment`; only a position and a move are needed. Ratings are not read: their
//! number is not in a table.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord};

use crate::book::interop::error::InteropError;
use crate::book::interop::lines::FileMove;
use crate::book::interop::options::FileImportOptions;
use crate::book::interop::own_book::OwnWriter;
use crate::book::interop::progress::Step;
use crate::book::model::annotation::Flags;
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::{MoveStats, RowKey, Years};
use crate::book::model::weight::Weight;
use crate::bytes::open;
use crate::bytes::paths::base_name;
use crate::game::{Game, Notation, Packed, Side, Symmetric, side_name};
use crate::gomoku::Board;
use crate::hash::Key;
use crate::message::message;
use crate::record::Encoding;
use crate::xiangqi::Position;

/// Bytes of memory for a byte of text, about.
const MEMORY_FACTOR: usize = 8;

/// Rows between two reports of progress.
const REPORTED_EVERY: u64 = 1 << 12;

/// The mark of UTF-8 at the beginning of a text.
const MARK: char = '\u{feff}';

/// The counts of an import.
#[derive(Debug, Clone)]
pub struct TableImport {
    /// Rows of the table, without its head.
    pub rows: u64,
    /// Rows that name no position and legal move, or have a number that cannot be, or a move that an earlier row has.
    pub unreadable: u64,
    /// The line of the first of these, from 1.
    pub first_unreadable: Option<u64>,
    /// Moves with a comment.
    pub comments: u64,
    /// The new book's metadata.
    pub metadata: Metadata,
}

/// The name of the game whose book a table is, by its beginning; `None` if it is no table of moves.
///
/// ```
/// use juzhong::book::interop::table_game;
///
/// assert_eq!(table_game(b"move,fen\nh2e2,4k4/9/9/9/9/9/9/9/9/4K4 w\n"), Some("xiangqi"));
/// assert_eq!(table_game(b"fen,move,white\n"), Some("gomoku"));
/// assert_eq!(table_game(b"1. h2e2 h9g7\n"), None);
/// ```
#[must_use]
pub fn table_game(head: &[u8]) -> Option<&'static str> {
    let text = text_of(head);
    let mut rows = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let columns = Columns::of(rows.headers().ok()?);
    columns.mv?;
    columns.fen.or(columns.key)?;
    let white = side_name::<Board>(Side::Second);
    let has_white = rows.headers().is_ok_and(|head| head.iter().any(|name| is_name(name, white)));
    let is_gomoku = match rows.records().next() {
        Some(Ok(row)) => {
            let fen = cell(&row, columns.fen);
            Position::from_fen(fen).is_err() && (has_white || Board::from_fen(fen).is_ok())
        }
        _ => has_white,
    };
    Some(if is_gomoku { Board::NAME } else { Position::NAME })
}

/// Makes a book at `output` of the table at `path`.
///
/// # Errors
///
/// See [`InteropError`]. Nothing is left behind then; an existing file is never replaced.
pub fn import_table<G: Symmetric + Notation>(
    path: &Path,
    output: &Path,
    options: &FileImportOptions,
) -> Result<TableImport, InteropError> {
    let mut writer = OwnWriter::create(output, &options.stop)?;
    options.progress.report(Step::Reading, 0, 0);
    let read = open::read(path, (options.memory / MEMORY_FACTOR) as u64);
    let bytes = read.map_err(|source| InteropError::Io { path: path.to_owned(), source })?;
    let table = Table::<G>::read(path, &text_of(&bytes), options)?;
    if table.moves.is_empty() {
        let what = message!(
            "no row has a position and a move of it; columns are named above: fen, move and, if known, games, draws, \
             weight, priority, comment"
        );
        return Err(InteropError::Nothing { path: path.to_owned(), what });
    }
    let Table { moves, rows, unreadable, first_unreadable, .. } = table;
    let mut comments = 0;
    let all = moves.len() as u64;
    for (done, (place, found)) in (0..).zip(moves) {
        if done % REPORTED_EVERY == 0 {
            options.expect_going(path)?;
            options.progress.report(Step::Writing, done, all);
        }
        comments += u64::from(found.mark.comment.is_some());
        writer.add(&found.entry(place))?;
    }
    let source = Source { hash: blake3::hash(&bytes).into(), name: base_name(path), games: 0 };
    let metadata = writer.finish::<G>(&[source])?;
    Ok(TableImport { rows, unreadable, first_unreadable, comments, metadata })
}

/// The text of a file, whatever its encoding: spreadsheets write the system's.
fn text_of(bytes: &[u8]) -> String {
    let encoding = Encoding::utf16_of(bytes).unwrap_or_else(|| Encoding::detect(bytes));
    let (text, _) = encoding.decode_shown(bytes);
    text.trim_start_matches(MARK).to_owned()
}

/// Returns true if a column has that name.
fn is_name(column: &str, name: &str) -> bool {
    column.trim().eq_ignore_ascii_case(name)
}

/// The places of the columns.
#[derive(Debug, Clone, Copy)]
struct Columns {
    fen: Option<usize>,
    key: Option<usize>,
    mv: Option<usize>,
    games: Option<usize>,
    wins: [Option<usize>; 2],
    draws: Option<usize>,
    years: [Option<usize>; 2],
    weight: Option<usize>,
    priority: Option<usize>,
    flags: Option<usize>,
    groups: Option<usize>,
    comment: Option<usize>,
}

impl Columns {
    /// The columns of a table of any game, but for the wins.
    fn of(head: &StringRecord) -> Self {
        Self {
            fen: place(head, "fen"),
            key: place(head, "key"),
            mv: place(head, "move"),
            games: place(head, "games"),
            wins: [None, None],
            draws: place(head, "draws"),
            years: [place(head, "year_min"), place(head, "year_max")],
            weight: place(head, "weight"),
            priority: place(head, "priority"),
            flags: place(head, "flags"),
            groups: place(head, "groups"),
            comment: place(head, "comment"),
        }
    }

    /// The columns of a table of one game.
    fn of_game<G: Game>(head: &StringRecord) -> Self {
        let wins = Side::ALL.map(|side| place(head, side_name::<G>(side)));
        Self { wins, ..Self::of(head) }
    }
}

/// The place of the column of that name.
fn place(head: &StringRecord, name: &str) -> Option<usize> {
    head.iter().position(|column| is_name(column, name))
}

/// A cell; empty if there is none. The apostrophe that keeps a spreadsheet from reading a formula is removed from texts only,
/// see [`text_cell`].
fn cell(row: &StringRecord, column: Option<usize>) -> &str {
    column.and_then(|at| row.get(at)).unwrap_or_default().trim()
}

/// A cell of text, as it was before the apostrophe was put before it.
fn text_cell(row: &StringRecord, column: Option<usize>) -> &str {
    let text = cell(row, column);
    text.strip_prefix('\'').unwrap_or(text)
}

/// A number of a cell: `None` if it is none, the default if the cell is empty.
fn number<T: std::str::FromStr + Default>(text: &str) -> Option<T> {
    if text.is_empty() { Some(T::default()) } else { text.parse().ok() }
}

/// A count of a cell, which a book can hold.
fn count(row: &StringRecord, column: Option<usize>) -> Option<u64> {
    number(cell(row, column)).filter(|&count: &u64| i64::try_from(count).is_ok())
}

/// A table, read.
struct Table<G> {
    columns: Columns,
    moves: BTreeMap<RowKey, FileMove>,
    rows: u64,
    unreadable: u64,
    first_unreadable: Option<u64>,
    weight: Weight,
    /// The position of the row before: rows of one stand together.
    last: Option<(String, G)>,
}

impl<G: Symmetric + Notation> Table<G> {
    fn read(path: &Path, text: &str, options: &FileImportOptions) -> Result<Self, InteropError> {
        let mut reader = ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let head = reader.headers().cloned().unwrap_or_default();
        let mut table = Self {
            columns: Columns::of_game::<G>(&head),
            moves: BTreeMap::new(),
            rows: 0,
            unreadable: 0,
            first_unreadable: None,
            weight: Weight::default(),
            last: None,
        };
        let mut row = StringRecord::new();
        // A text without a fault of encoding has no other faults: rows may have any number of cells.
        while reader.read_record(&mut row).unwrap_or(false) {
            if table.rows.is_multiple_of(REPORTED_EVERY) {
                options.expect_going(path)?;
            }
            table.rows += 1;
            if table.add(&row).is_none() {
                table.unreadable += 1;
                let line = row.position().map(csv::Position::line);
                table.first_unreadable = table.first_unreadable.or(line);
            }
        }
        Ok(table)
    }

    /// Adds a row; `None` if it cannot be read.
    fn add(&mut self, row: &StringRecord) -> Option<()> {
        let (place, turn) = self.place(row)?;
        let found = self.found(row, turn)?;
        match self.moves.entry(place) {
            Entry::Vacant(vacant) => {
                vacant.insert(found);
                Some(())
            }
            Entry::Occupied(_) => None,
        }
    }

    /// The place of a row in a book, and the side that moves, if it is known.
    fn place(&mut self, row: &StringRecord) -> Option<(RowKey, Option<Side>)> {
        let text = cell(row, self.columns.mv);
        let fen = cell(row, self.columns.fen);
        if fen.is_empty() {
            let mv = G::parse_move(text)?;
            let key = u64::from_str_radix(cell(row, self.columns.key), 16).ok().map(Key)?;
            return Some(((key.to_i64(), mv.pack()), None));
        }
        if self.last.as_ref().is_none_or(|(text, _)| text != fen) {
            self.last = Some((fen.to_owned(), G::from_fen(fen).ok()?));
        }
        let (_, position) = self.last.as_ref()?;
        let mv = position.read_legal_move(text)?;
        let canonical = position.canonical();
        let mv = position.canonical_move(canonical, mv);
        Some(((canonical.key.to_i64(), mv.pack()), Some(position.turn())))
    }

    /// What a row says of its move.
    fn found(&self, row: &StringRecord, turn: Option<Side>) -> Option<FileMove> {
        let columns = &self.columns;
        let stats = self.stats(row)?;
        let mut found = FileMove { stats, ..FileMove::default() };
        let weight = cell(row, columns.weight);
        if !weight.is_empty() {
            let weight: u64 = number(weight).filter(|&weight| i64::try_from(weight).is_ok())?;
            // What follows from the games is not set.
            let follows = turn.is_some_and(|turn| self.weight.of(&stats, turn) == weight);
            found.weight = (!follows || stats.games == 0).then_some(weight);
        }
        found.mark.priority = number(cell(row, columns.priority))?;
        for name in text_cell(row, columns.flags).split_whitespace() {
            let (flag, _) = *Flags::ALL.iter().find(|(_, known)| *known == name)?;
            found.mark.flags.set(flag, true);
        }
        for group in text_cell(row, columns.groups).split_whitespace() {
            found.add_group(group.to_owned())?;
        }
        let comment = text_cell(row, columns.comment);
        found.mark.comment = (!comment.is_empty()).then(|| comment.to_owned());
        Some(found)
    }

    fn stats(&self, row: &StringRecord) -> Option<MoveStats> {
        let columns = &self.columns;
        let [first, second] = columns.wins.map(|column| count(row, column));
        let (first, second) = (first?, second?);
        let draws = count(row, columns.draws)?;
        let decided = first.checked_add(draws)?.checked_add(second)?;
        let games = match cell(row, columns.games) {
            "" => decided,
            _ => count(row, columns.games)?,
        };
        let [min, max] = columns.years.map(|column| cell(row, column));
        let years = match (min, max) {
            ("", "") => None,
            (year, "") | ("", year) => Some((year, year)),
            both => Some(both),
        };
        let years = match years {
            None => None,
            Some((min, max)) => Some(Years { min: min.parse().ok()?, max: max.parse().ok()? }),
        };
        let is_possible = decided <= games && years.is_none_or(|years| years.min <= years.max);
        let stats = MoveStats { games, first, draws, second, years, ..MoveStats::default() };
        is_possible.then_some(stats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEAD: &str =
        "fen,key,move,games,red,draws,black,year_min,year_max,weight,priority,flags,groups,comment";
    const START: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";

    fn read(rows: &str) -> Table<Position> {
        let text = format!("{HEAD}\n{rows}\n");
        Table::read(Path::new("a"), &text, &FileImportOptions::default()).unwrap()
    }

    #[test]
    fn rows_are_read_and_the_others_counted() {
        let table = read(&format!(
            "{START},,h2e2,10,4,3,2,1990,,13,1,disabled,a b,'=x\n{START},,b2e2,1\n{START},,c3c5\n\
             ,0123456789abcdef,h2e2\n{START},,g3g4,1,2\n{START},,g3g4,,2,1,,,,,,nothing\n{START},,g3g4"
        ));
        assert_eq!((table.rows, table.unreadable, table.first_unreadable), (7, 4, Some(3)));
        assert_eq!(table.moves.len(), 3);
        let found = table.moves.values().find(|found| found.stats.games == 10).unwrap();
        assert_eq!(found.weight, Some(13));
        assert_eq!(found.mark.comment.as_deref(), Some("=x"));
        assert_eq!(found.stats.years, Some(Years { min: 1990, max: 1990 }));
        assert!(found.mark.flags.has(Flags::DISABLED) && found.mark.groups.contains("b"));
    }

    #[test]
    fn tables_in_other_encodings_are_read() {
        let text = format!("fen,move,comment\n{START},h2e2,中炮局的主要变化，红方先手\n");
        let (packed, _, _) = encoding_rs::GB18030.encode(&text);
        let mut utf16: Vec<u8> = vec![0xff, 0xfe];
        utf16.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
        for bytes in [packed.as_ref(), utf16.as_slice(), format!("{MARK}{text}").as_bytes()] {
            assert_eq!(table_game(bytes), Some("xiangqi"));
            assert!(text_of(bytes).contains("中炮局的主要变化"));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_table_or_none(text in "(fen|move|key|[,\"\n0-9a-z'/]){0,80}") {
            let _game = table_game(text.as_bytes());
            let table = read(&text);
            prop_assert!(table.unreadable <= table.rows);
        }
    }
}
