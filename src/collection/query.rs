//! Games by conditions, sorted, copies folded; games that reached a position; one game whole.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::str::FromStr;

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Row, params_from_iter};

use crate::book::{Ending, Facts, Filter, MoveStats};
use crate::collection::entry::{Fault, GameKey, IndexedGame, StoredFault, note_of, part, unpack};
use crate::collection::error::{IndexError, QueryResult};
use crate::collection::lines::Lines;
use crate::collection::rows::{count_at, result_number, result_of};
use crate::collection::store::GameIndex;
use crate::collection::text::words;
use crate::collection::update::FileStamp;
use crate::game::{Outcome, Side};
use crate::hash::Key;
use crate::record::{Note, result_text};

/// Conditions on games. A condition on a fact that a game does not state is not met. Names are those in any script and
/// width, in any case, or in pinyin without tones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conditions {
    /// Words that are all among players, event, date, result, file and opening.
    pub words: String,
    /// A part of the name of a player.
    pub player: String,
    /// A part of the name of the first side's player.
    pub first: String,
    /// A part of the name of the second side's player.
    pub second: String,
    /// A part of the event's name.
    pub event: String,
    /// The beginning of the code of the opening, or a part of its Chinese name.
    pub opening: String,
    /// The result that is stated; `Some(None)` for games that state none.
    pub result: Option<Option<Outcome>>,
    /// The first year and the last one.
    pub years: (Option<u16>, Option<u16>),
    /// The rating that both players have at least.
    pub min_rating: Option<u16>,
    /// Plies, at least and at most.
    pub plies: (Option<u32>, Option<u32>),
    /// The canonical keys of positions that were all on the board.
    pub positions: Vec<Key>,
    /// A part of a comment.
    pub comment: String,
    /// Lines that the index has found before.
    pub lines: Option<Lines>,
}

/// The column by which games are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum SortColumn {
    /// By file, then by the number in it.
    #[default]
    Place,
    /// By the first side's player, in pinyin.
    First,
    /// By the second side's player, in pinyin.
    Second,
    /// By event, in pinyin.
    Event,
    /// By year, then by date.
    Date,
    /// By result: 1-0, draws, 0-1, none.
    Result,
    /// By the code of the opening.
    Opening,
    /// By length.
    Plies,
    /// By the lower of both ratings.
    Rating,
    /// By the number of copies, where copies are folded.
    Copies,
}

/// There is no such column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error(
    "games are sorted by place, first, second, event, date, result, opening, plies, rating or copies"
)]
pub struct UnknownColumn;

impl FromStr for SortColumn {
    type Err = UnknownColumn;
    fn from_str(text: &str) -> Result<Self, UnknownColumn> {
        Ok(match text {
            "place" => Self::Place,
            "first" => Self::First,
            "second" => Self::Second,
            "event" => Self::Event,
            "date" => Self::Date,
            "result" => Self::Result,
            "opening" => Self::Opening,
            "plies" => Self::Plies,
            "rating" => Self::Rating,
            "copies" => Self::Copies,
            _ => return Err(UnknownColumn),
        })
    }
}

/// The part of the games found that is to be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FoundPage {
    /// The order.
    pub sort: SortColumn,
    /// The last come first.
    pub is_descending: bool,
    /// Copies of a game are one, the first by its place.
    pub fold_copies: bool,
    /// Games to pass over, and to list.
    pub skip: u64,
    /// See [`skip`](Self::skip).
    pub take: u64,
}

/// Games found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Found {
    /// Those that were to be listed.
    pub games: Vec<IndexedGame>,
    /// All, copies folded if they are to be.
    pub total: u64,
    /// All, copies counted.
    pub records: u64,
}

/// A move that games made in a position.
#[derive(Debug, Clone, PartialEq)]
pub struct LineMove {
    /// The move in the canonical frame, packed.
    pub bits: u16,
    /// The counts of the games that made it.
    pub stats: MoveStats,
}

/// The games that reached a position.
#[derive(Debug, Clone, Default)]
pub struct Reached {
    /// The moves, by their packed numbers.
    pub moves: Vec<LineMove>,
    /// The best rated games, then the latest.
    pub samples: Vec<IndexedGame>,
    /// All, copies counted.
    pub games: u64,
}

/// A game as the index has it whole.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoredGame {
    /// The entry of the list.
    pub about: IndexedGame,
    /// The game as a JSON line; `None` if it is too long for the index.
    pub json: Option<String>,
    /// The path of its file, to be shown.
    pub path: String,
    /// The file is no longer as it was when it was read.
    pub is_changed: bool,
    /// The fault at which it breaks off.
    pub fault: Option<Fault>,
    /// The deviation from what the file states.
    pub note: Option<Note>,
    /// Words between moves that were passed over.
    pub words: u64,
}

/// The name of a game in questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Number(u64),
    Key(GameKey),
}

/// The columns of [`listed`].
const COLUMNS: &str = "f.first + g.seq, g.key, f.name, g.place, t1.shown, t2.shown, g.elo1, g.elo2, t3.shown, t4.shown, \
     g.year, g.result, t5.shown, t6.shown, g.plies, g.broken";

const COLUMNS_COUNT: usize = 16;

const FROM: &str = "FROM games g JOIN files f ON f.id = g.file";

/// The same by way of the files, in this order: SQLite would look through all games for the one with a number in its file.
const FROM_FILES: &str = "FROM files f CROSS JOIN games g ON g.file = f.id";

/// The texts of [`COLUMNS`].
const TEXTS: &str = "LEFT JOIN texts t1 ON t1.id = g.first LEFT JOIN texts t2 ON t2.id = g.second
     LEFT JOIN texts t3 ON t3.id = g.event LEFT JOIN texts t4 ON t4.id = g.date
     LEFT JOIN texts t5 ON t5.id = g.code LEFT JOIN texts t6 ON t6.id = g.opening";

/// The order of places.
const PLACE: &str = "f.rank, g.seq";

impl Conditions {
    /// The conditions of a filter of records: names, event, result and facts.
    #[must_use]
    pub fn of_filter(filter: &Filter) -> Self {
        let result = filter.result.map(|ending| match ending {
            Ending::Known(outcome) => Some(outcome),
            Ending::Unknown => None,
        });
        Self {
            player: filter.player.clone().unwrap_or_default(),
            first: filter.first_player.clone().unwrap_or_default(),
            second: filter.second_player.clone().unwrap_or_default(),
            event: filter.event.clone().unwrap_or_default(),
            result,
            ..Self::default()
        }
        .with_facts(filter)
    }

    /// Adds a condition on facts.
    #[must_use]
    pub fn with_facts(self, filter: &Filter) -> Self {
        Self { years: (filter.since, filter.until), min_rating: filter.min_rating, ..self }
    }

    /// The conditions as SQL, but for positions and lines.
    pub(crate) fn sql(&self) -> Sql {
        let mut sql = Sql::default();
        for word in words(&self.words) {
            sql.add_word(&word);
        }
        for word in words(&self.player) {
            sql.add_text(&["first", "second"], &word);
        }
        let columns = [(&self.first, "first"), (&self.second, "second"), (&self.event, "event")];
        for (text, column) in columns {
            for word in words(text) {
                sql.add_text(&[column], &word);
            }
        }
        for word in words(&self.comment) {
            let condition = "g.id IN (SELECT game FROM comments WHERE instr(text, ?) > 0)";
            sql.add(condition, &[Value::Text(word)]);
        }
        if let Some(opening) = part(&self.opening) {
            let name = sql.texts_with(&opening);
            let code = "SELECT id FROM texts WHERE instr(lower(shown), ?) = 1";
            let condition = format!("(g.code IN ({code}) OR g.opening IN {name})");
            sql.add(&condition, &[Value::Text(opening)]);
        }
        if let Some(result) = self.result {
            sql.add("g.result = ?", &[result_number(result).into()]);
        }
        let ranges: [(&str, Option<i64>); 6] = [
            ("g.year >= ?", self.years.0.map(Into::into)),
            ("g.year <= ?", self.years.1.map(Into::into)),
            ("g.elo1 >= ?", self.min_rating.map(Into::into)),
            ("g.elo2 >= ?", self.min_rating.map(Into::into)),
            ("g.plies >= ?", self.plies.0.map(Into::into)),
            ("g.plies <= ?", self.plies.1.map(Into::into)),
        ];
        for (condition, bound) in ranges {
            if let Some(bound) = bound {
                sql.add(condition, &[bound.into()]);
            }
        }
        sql
    }
}

/// Conditions as SQL, with their parameters.
#[derive(Default)]
pub(crate) struct Sql {
    /// Words, each of which stands for a table of the texts that have it: they are looked through once.
    words: Vec<Value>,
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Sql {
    fn add(&mut self, condition: &str, values: &[Value]) {
        self.conditions.push(condition.to_owned());
        self.values.extend_from_slice(values);
    }

    /// A word that is in one of these columns.
    fn add_text(&mut self, columns: &[&str], word: &str) {
        let texts = self.texts_with(word);
        let each: Vec<String> = columns.iter().map(|name| format!("g.{name} IN {texts}")).collect();
        self.add(&format!("({})", each.join(" OR ")), &[]);
    }

    /// A word that is anywhere in what lists show of a game.
    fn add_word(&mut self, word: &str) {
        const RESULTS: [Option<Outcome>; 4] = [
            Some(Outcome::Win(Side::First)),
            Some(Outcome::Draw),
            Some(Outcome::Win(Side::Second)),
            None,
        ];
        let results = RESULTS.iter().filter(|&&result| result_text(result).contains(word));
        let numbers: Vec<String> =
            results.map(|&result| result_number(result).to_string()).collect();
        let columns = ["first", "second", "event", "date", "code", "opening"];
        let texts = self.texts_with(word);
        let each: String = columns.iter().map(|name| format!("g.{name} IN {texts} OR ")).collect();
        let condition = format!(
            "({each}g.file IN (SELECT id FROM files WHERE instr(words, ?) > 0) OR g.result IN ({}))",
            numbers.join(", ")
        );
        self.add(&condition, &[Value::Text(word.to_owned())]);
    }

    /// The name of the table of the texts with a word.
    fn texts_with(&mut self, word: &str) -> String {
        self.words.push(Value::Text(word.to_owned()));
        format!("texts{}", self.words.len())
    }

    /// The tables of the texts with the words, before a query.
    pub(crate) fn tables(&self) -> String {
        let tables: Vec<String> = (1..=self.words.len())
            .map(|number| {
                format!(
                    "texts{number}(id) AS MATERIALIZED (SELECT id FROM texts WHERE instr(words, ?) > 0)"
                )
            })
            .collect();
        if tables.is_empty() { String::new() } else { format!("WITH {}", tables.join(", ")) }
    }

    /// The parameters of the tables.
    pub(crate) fn tables_values(&self) -> impl Iterator<Item = &Value> {
        self.words.iter()
    }

    /// The parameters of the conditions.
    pub(crate) fn conditions_values(&self) -> impl Iterator<Item = &Value> {
        self.values.iter()
    }

    /// The parameters of the tables and the conditions.
    fn parameters(&self) -> impl Iterator<Item = &Value> {
        self.tables_values().chain(self.conditions_values())
    }

    pub(crate) fn condition(&self) -> String {
        match self.conditions.is_empty() {
            true => "1".to_owned(),
            false => self.conditions.join(" AND "),
        }
    }
}

impl SortColumn {
    /// The terms of the order.
    const fn terms(self) -> &'static [&'static str] {
        match self {
            Self::Place => &[],
            Self::First => &["t1.sort IS NULL", "t1.sort"],
            Self::Second => &["t2.sort IS NULL", "t2.sort"],
            Self::Event => &["t3.sort IS NULL", "t3.sort"],
            Self::Date => &["g.year IS NULL", "g.year", "t4.shown"],
            Self::Result => &["g.result"],
            Self::Opening => &["t5.shown IS NULL", "t5.shown"],
            Self::Plies => &["g.plies"],
            Self::Rating => &["min(g.elo1, g.elo2) IS NULL", "min(g.elo1, g.elo2)"],
            Self::Copies => &["copies"],
        }
    }

    /// The texts by which games are sorted, as SQL.
    const fn texts(self) -> &'static str {
        match self {
            Self::First => "LEFT JOIN texts t1 ON t1.id = g.first",
            Self::Second => "LEFT JOIN texts t2 ON t2.id = g.second",
            Self::Event => "LEFT JOIN texts t3 ON t3.id = g.event",
            Self::Date => "LEFT JOIN texts t4 ON t4.id = g.date",
            Self::Opening => "LEFT JOIN texts t5 ON t5.id = g.code",
            _ => "",
        }
    }

    /// The order as SQL. What is not stated comes last in either direction.
    fn order(self, page: &FoundPage) -> String {
        let way = if page.is_descending { " DESC" } else { "" };
        let terms = self.terms().iter().map(|term| {
            // These terms put what is not stated last: they keep their direction.
            let is_absence = term.ends_with("NULL");
            format!("{term}{}, ", if is_absence { "" } else { way })
        });
        let place = match self {
            Self::Place => format!("f.rank{way}, g.seq{way}"),
            _ => PLACE.to_owned(),
        };
        terms.collect::<String>() + &place
    }
}

impl GameIndex {
    /// The games that meet the conditions.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn find(&self, conditions: &Conditions, page: &FoundPage) -> Result<Found, IndexError> {
        self.within(conditions, &[], |index, among| {
            index.found(conditions, page, among).in_index(&index.path)
        })
    }

    fn found(
        &self,
        conditions: &Conditions,
        page: &FoundPage,
        among: &str,
    ) -> rusqlite::Result<Found> {
        let sql = conditions.sql();
        let tables = sql.tables();
        let condition = sql.condition();
        let count = format!(
            "{tables} SELECT count(*), count(DISTINCT g.line) FROM games g {among} WHERE {condition}"
        );
        let mut statement = self.connection.prepare_cached(&count)?;
        let counted = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (records, lines): (i64, i64) =
            statement.query_row(params_from_iter(sql.parameters()), counted)?;
        let sort = match page.sort {
            // Each row is a single copy then: places decide, in either direction.
            SortColumn::Copies if !page.fold_copies => SortColumn::Place,
            sort => sort,
        };
        let order = sort.order(page);
        let texts = sort.texts();
        let (copies, group) = match page.fold_copies {
            // The other columns are those of the row with the least place.
            true => ("count(*) AS copies, min(f.rank << 32 | g.seq)", "GROUP BY g.line"),
            false => ("1 AS copies", ""),
        };
        // Only the rows that are listed are read whole.
        let chosen = format!(
            "SELECT g.id AS id, {copies} {FROM} {texts} {among} WHERE {condition} {group} ORDER BY {order} LIMIT ? OFFSET ?"
        );
        let listing = format!(
            "{tables} SELECT {COLUMNS}, chosen.copies FROM ({chosen}) chosen JOIN games g ON g.id = chosen.id
             JOIN files f ON f.id = g.file {TEXTS} ORDER BY {order}"
        );
        let mut statement = self.connection.prepare_cached(&listing)?;
        let bounds =
            [page.take, page.skip].map(|n| Value::from(i64::try_from(n).unwrap_or(i64::MAX)));
        let rows =
            statement.query_map(params_from_iter(sql.parameters().chain(&bounds)), listed)?;
        let games = rows.collect::<rusqlite::Result<_>>()?;
        let total = if page.fold_copies { lines } else { records };
        Ok(Found { games, total: total as u64, records: records as u64 })
    }

    /// The lines of the games that meet the conditions and are in a table that joins.
    pub(crate) fn lines_of(&self, conditions: &Conditions, among: &str) -> rusqlite::Result<Lines> {
        let sql = conditions.sql();
        let (tables, condition) = (sql.tables(), sql.condition());
        let query =
            format!("{tables} SELECT DISTINCT g.line FROM games g {among} WHERE {condition}");
        let mut statement = self.connection.prepare_cached(&query)?;
        let rows = statement.query_map(params_from_iter(sql.parameters()), |row| row.get(0))?;
        Ok(Lines::new(rows.collect::<rusqlite::Result<_>>()?))
    }

    /// Runs `work` with the lines of the conditions, which reach these positions, too, in a table that joins to `games g`.
    pub(crate) fn within<T>(
        &self,
        conditions: &Conditions,
        positions: &[Key],
        work: impl FnOnce(&Self, &str) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        let mut among = conditions.lines.clone();
        for &key in positions.iter().chain(&conditions.positions) {
            let lines = self.lines_with_any(&[key])?;
            among = Some(match among {
                None => lines,
                Some(before) => before.and(&lines),
            });
        }
        let Some(among) = among else { return work(self, "") };
        self.set_wanted(&among.numbers).in_index(&self.path)?;
        work(self, "JOIN temp.wanted w ON w.line = g.line")
    }

    fn set_wanted(&self, lines: &[i64]) -> rusqlite::Result<()> {
        self.connection.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS wanted(line INTEGER PRIMARY KEY); DELETE FROM temp.wanted; BEGIN;",
        )?;
        let mut insert =
            self.connection.prepare_cached("INSERT OR IGNORE INTO temp.wanted VALUES (?)")?;
        let inserted = lines.iter().try_for_each(|line| insert.execute([line]).map(drop));
        // After an error, too: the connection must not stay in the transaction.
        self.connection.execute_batch("COMMIT")?;
        inserted
    }

    /// The games under the conditions that reached the position of a canonical key, and the moves that `mover` made in
    /// it. A game counts where the position was on the board first. At most `samples` games are listed.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn reaching(
        &self,
        key: Key,
        conditions: &Conditions,
        mover: Side,
        samples: usize,
    ) -> Result<Reached, IndexError> {
        let next: HashMap<i64, Option<u16>> =
            self.postings(key)?.iter().map(|p| (p.line_number(), p.next())).collect();
        self.within(conditions, &[key], |index, among| {
            index.counted(&next, conditions, (mover, samples), among).in_index(&index.path)
        })
    }

    fn counted(
        &self,
        next: &HashMap<i64, Option<u16>>,
        conditions: &Conditions,
        (mover, samples): (Side, usize),
        among: &str,
    ) -> rusqlite::Result<Reached> {
        let sql = conditions.sql();
        let tables = sql.tables();
        let condition = sql.condition();
        let query = format!(
            "{tables} SELECT g.line, g.result, g.elo1, g.elo2, g.year, g.id, f.rank << 32 | g.seq {FROM} {among} WHERE {condition}"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let mut rows = statement.query(params_from_iter(sql.parameters()))?;
        let mut counts = BTreeMap::<u16, MoveStats>::new();
        let mut ranked = Vec::new();
        while let Some(row) = rows.next()? {
            let ratings = [row.get::<_, Option<u16>>(2)?, row.get(3)?];
            let facts = Facts { result: result_of(row.get(1)?), year: row.get(4)?, ratings };
            let [first, second] = ratings.map(Option::unwrap_or_default);
            let rank = (
                Reverse((first.min(second), facts.year.unwrap_or_default())),
                row.get::<_, i64>(6)?,
            );
            ranked.push((rank, row.get::<_, i64>(5)?));
            if let Some(Some(bits)) = next.get(&row.get(0)?) {
                counts.entry(*bits).or_default().absorb(&facts.counts(mover));
            }
        }
        ranked.sort_unstable();
        let sql = format!("SELECT {COLUMNS}, 1 {FROM} {TEXTS} WHERE g.id = ?");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let listed = ranked.iter().take(samples).map(|&(_, id)| statement.query_row([id], listed));
        Ok(Reached {
            samples: listed.collect::<rusqlite::Result<_>>()?,
            games: ranked.len() as u64,
            moves: counts.into_iter().map(|(bits, stats)| LineMove { bits, stats }).collect(),
        })
    }

    /// The game of a key or of a number in the collection, whole; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn game(&self, id: &str) -> Result<Option<StoredGame>, IndexError> {
        let named = match (id.parse(), id.parse()) {
            (Ok(key), _) => Named::Key(key),
            (_, Ok(number)) => Named::Number(number),
            _ => return Ok(None),
        };
        self.stored(named).in_index(&self.path)
    }

    fn stored(&self, named: Named) -> rusqlite::Result<Option<StoredGame>> {
        let (from, condition, values) = match named {
            Named::Key(GameKey(key)) => (FROM, "g.key = ?", vec![key]),
            Named::Number(number) => {
                let number = i64::try_from(number).unwrap_or(i64::MAX);
                let condition = "f.first <= ?1 AND ?1 < f.first + f.games AND g.seq = ?1 - f.first";
                (FROM_FILES, condition, vec![number])
            }
        };
        let sql = format!(
            "SELECT {COLUMNS}, 1, f.path, f.shown, f.len, f.time, f.link, b.body, b.fault, b.note, b.words {from} {TEXTS}
             JOIN bodies b ON b.game = g.id WHERE {condition} ORDER BY {PLACE} LIMIT 1"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement
            .query_row(params_from_iter(values), |row| {
                let path: Vec<u8> = row.get(extra_column(0))?;
                let shown: String = row.get(extra_column(1))?;
                let stamp = FileStamp {
                    len: row.get(extra_column(2))?,
                    time: row.get(extra_column(3))?,
                    is_link: row.get(extra_column(4))?,
                };
                let now = FileStamp::of(&path_of(&path, &shown));
                let body: Option<Vec<u8>> = row.get(extra_column(5))?;
                let fault: Option<String> = row.get(extra_column(6))?;
                let note: Option<u8> = row.get(extra_column(7))?;
                Ok(StoredGame {
                    about: listed(row)?,
                    json: body.and_then(|body| unpack(&body)),
                    path: shown,
                    is_changed: now != Some(stamp),
                    fault: fault.and_then(|fault| StoredFault::read(&fault)),
                    note: note.and_then(note_of),
                    words: count_at(row, extra_column(8))?,
                })
            })
            .optional()
    }
}

/// The path of bytes, or of the text that shows it where paths are no bytes.
fn path_of(bytes: &[u8], shown: &str) -> std::path::PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let _ = shown;
        Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
    }
    #[cfg(not(unix))]
    {
        let _ = bytes;
        Path::new(shown).to_owned()
    }
}

/// A game from the columns of [`COLUMNS`] and the number of its copies.
fn listed(row: &Row<'_>) -> rusqlite::Result<IndexedGame> {
    Ok(IndexedGame {
        number: count_at(row, 0)?,
        key: GameKey(row.get(1)?),
        file: row.get(2)?,
        place: count_at(row, 3)?,
        players: [row.get(4)?, row.get(5)?],
        ratings: [row.get(6)?, row.get(7)?],
        event: row.get(8)?,
        date: row.get(9)?,
        year: row.get(10)?,
        result: result_of(row.get(11)?),
        code: row.get(12)?,
        opening: row.get(13)?,
        plies: usize::try_from(count_at(row, 14)?).unwrap_or(usize::MAX),
        is_broken: row.get(15)?,
        copies: count_at(row, COLUMNS_COUNT)?,
    })
}

/// The place of a column behind those of [`listed`].
const fn extra_column(number: usize) -> usize {
    COLUMNS_COUNT + 1 + number
}
