//! The tables `samples` and `sample_games`: the games behind the moves of a book, where it was built with such.

use std::io;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::book::file::connect::row_fault;
use crate::book::file::paged::{PAGE, Paged, Placed};
use crate::book::file::reader::Book;
use crate::book::file::store::{SAMPLES_VERSION, VERSION, Writer};
use crate::book::file::transaction::At;
use crate::book::model::annotation::text_up_to;
use crate::book::model::details::{GameDetails, MAX_MOVES, MAX_TEXT_BYTES};
use crate::book::model::error::{BookError, ReplaceError};
use crate::book::model::metadata::MAX_SOURCE_NAME;
use crate::book::model::move_stats::{RowKey, result_number, result_of};
use crate::book::model::sample::{SampleGame, SampleId, Sampled, Samples, UsedGame};
use crate::bytes::StopFlag;
use crate::bytes::external_sort::Sorter;
use crate::game::{MAX_MOVES as MAX_LEGAL, Notation, Outcome, Packed, Symmetric};
use crate::hash::Key;

/// Bytes of an id.
const ID_LEN: usize = 10;

/// Games written between two looks at the stop flag.
const GAMES_PER_STOP_CHECK: usize = 1 << 12;

/// A place as `samples` holds it: bytes that have the order of keys, as signed integers, and moves.
fn place_bytes((key, mv): RowKey) -> [u8; 10] {
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&(key.cast_unsigned() ^ 1 << 63).to_be_bytes());
    bytes[8..].copy_from_slice(&mv.to_be_bytes());
    bytes
}

/// The inverse of [`place_bytes`].
fn place_of(bytes: [u8; 10]) -> RowKey {
    let [a, b, c, d, e, f, g, h, i, j] = bytes;
    let key = u64::from_be_bytes([a, b, c, d, e, f, g, h]) ^ 1 << 63;
    (key.cast_signed(), u16::from_be_bytes([i, j]))
}

/// Sample games on their way into a book.
#[derive(Debug)]
pub(crate) struct SampleSorters {
    /// Sample games of a move that are kept.
    pub(crate) most: u16,
    pub(crate) rows: Sorter<Samples>,
    pub(crate) games: Sorter<SampleGame>,
    used: Sorter<UsedGame>,
}

impl SampleSorters {
    /// Each sorter holds up to a part of `budget` bytes.
    pub(crate) fn new(most: u16, folder: &Path, budget: usize, stop: &StopFlag) -> Self {
        Self {
            most,
            rows: Sorter::new(folder, budget / 2, stop),
            games: Sorter::new(folder, budget / 4, stop),
            used: Sorter::new(folder, budget / 4, stop),
        }
    }

    /// Adds the sample games of a book, of each move at the place to which `place` brings it.
    pub(crate) fn add_book(
        &self,
        book: &Book,
        place: impl Fn(RowKey) -> Option<RowKey>,
    ) -> Result<(), ReplaceError> {
        if book.samples() == 0 {
            return Ok(());
        }
        let at = At(book.path());
        let mut rows = Paged::new(book, StoredSamples::after);
        while let Some(first) = rows.next().transpose()? {
            // A page at a time: that much is in memory anyway, and a batch per row would lock the sorter
            // for each.
            let page = [first].into_iter().chain(rows.rest_of_page());
            let batch: Vec<Sampled> = page
                .filter_map(|row| place(row.place).map(|place| (place, row.ids)))
                .flat_map(|(place, ids)| {
                    ids.into_iter().map(move |id| Sampled { place, id, most: self.most })
                })
                .collect();
            self.rows.push(batch).map_err(|e| at.io(e))?;
        }
        let mut games = Paged::new(book, games_after);
        while let Some(first) = games.next().transpose()? {
            let batch = [first].into_iter().chain(games.rest_of_page()).collect();
            self.games.push(batch).map_err(|e| at.io(e))?;
        }
        Ok(())
    }

    /// Writes all sample games to the book, and of the games those that are samples.
    pub(crate) fn write(self, writer: &Writer, at: At<'_>) -> Result<(), ReplaceError> {
        let Self { rows, games, used, .. } = self;
        let rows = rows.finish().map_err(|e| at.io(e))?;
        write_tables(writer, rows, games, used, |e| at.io(e), |e| at.store(e))
    }

    /// As [`write`](Self::write), with the samples of moves from elsewhere.
    pub(crate) fn write_rows<E>(
        self,
        writer: &Writer,
        rows: impl Iterator<Item = io::Result<Samples>>,
        io: impl Fn(io::Error) -> E,
        store: impl Fn(rusqlite::Error) -> E,
    ) -> Result<(), E> {
        write_tables(writer, rows, self.games, self.used, io, store)
    }
}

fn write_tables<E>(
    writer: &Writer,
    rows: impl Iterator<Item = io::Result<Samples>>,
    games: Sorter<SampleGame>,
    used: Sorter<UsedGame>,
    io: impl Fn(io::Error) -> E,
    store: impl Fn(rusqlite::Error) -> E,
) -> Result<(), E> {
    let mut batch = Vec::new();
    for row in rows {
        let row = row.map_err(&io)?;
        writer.add_samples(&row).map_err(&store)?;
        batch.extend(row.ids.into_iter().map(UsedGame));
        if batch.len() >= GAMES_PER_STOP_CHECK {
            used.push(std::mem::take(&mut batch)).map_err(&io)?;
        }
    }
    used.push(batch).map_err(&io)?;
    let mut games = games.finish().map_err(&io)?;
    for used in used.finish().map_err(&io)? {
        let UsedGame(id) = used.map_err(&io)?;
        // Both lists ascend by id: one pass over each finds the games that are in use.
        let game = loop {
            match games.next().transpose().map_err(&io)? {
                Some(game) if game.id < id => {}
                game => break game,
            }
        };
        match game {
            Some(game) if game.id == id => writer.add_sample_game(&game).map_err(&store)?,
            _ => {
                let what = "a sample game is missing; make the book again from the game files";
                return Err(io(io::Error::new(io::ErrorKind::InvalidData, what)));
            }
        }
    }
    Ok(())
}

impl Writer {
    fn add_samples(&self, samples: &Samples) -> rusqlite::Result<()> {
        let ids: Vec<u8> = samples.ids.iter().flat_map(|id| id.0).collect();
        self.statement("INSERT INTO samples VALUES(?1, ?2)")?
            .execute(params![&place_bytes(samples.place)[..], ids])?;
        Ok(())
    }

    fn add_sample_game(&self, game: &SampleGame) -> rusqlite::Result<()> {
        let SampleGame { id, result, year, ratings, details } = game;
        let GameDetails { players: [first, second], event, source, number, moves } = details;
        let moves: Vec<u8> = moves.iter().flat_map(|mv| mv.to_le_bytes()).collect();
        let sql = "INSERT INTO sample_games VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
        self.statement(sql)?.execute(params![
            &id.0[..],
            first,
            second,
            event,
            result_number(*result),
            year,
            ratings[0],
            ratings[1],
            &source[..],
            number.cast_signed(),
            moves
        ])?;
        Ok(())
    }
}

/// The samples of a move as they are stored.
#[derive(Debug, Clone)]
struct StoredSamples {
    place: RowKey,
    ids: Vec<SampleId>,
}

impl StoredSamples {
    fn after(connection: &Connection, last: Option<&Self>) -> rusqlite::Result<Vec<Self>> {
        let sql = "SELECT place, games FROM samples WHERE place > ?1 ORDER BY place LIMIT ?2";
        let mut statement = connection.prepare_cached(sql)?;
        // The empty blob is before all others.
        let last = last.map(|last| place_bytes(last.place));
        let last = last.as_ref().map_or(&[][..], |bytes| &bytes[..]);
        let rows = statement.query_map((last, PAGE), |row| {
            Ok(Self { place: place_of(row.get(0)?), ids: ids_in(row, 1)? })
        })?;
        rows.collect()
    }
}

impl Placed for StoredSamples {
    fn place(&self) -> impl PartialOrd + '_ {
        self.place
    }
}

impl Placed for SampleGame {
    fn place(&self) -> impl PartialOrd + '_ {
        self.id
    }
}

/// The ids in a column, each ten bytes.
fn ids_in(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<SampleId>> {
    let blob = row.get_ref(column)?.as_blob()?;
    let (ids, rest) = blob.as_chunks::<ID_LEN>();
    if !rest.is_empty() || ids.is_empty() {
        return Err(row_fault("sample games that are none"));
    }
    Ok(ids.iter().map(|&id| SampleId(id)).collect())
}

const COLUMNS: &str = "id, first, second, event, result, year, first_rating, second_rating, \
                       source, number, moves";

fn games_after(
    connection: &Connection,
    last: Option<&SampleGame>,
) -> rusqlite::Result<Vec<SampleGame>> {
    let sql = format!("SELECT {COLUMNS} FROM sample_games WHERE id > ?1 ORDER BY id LIMIT ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    let last = last.map_or(&[][..], |game| &game.id.0[..]);
    statement.query_map((last, PAGE), read_game)?.collect()
}

fn read_game(row: &Row<'_>) -> rusqlite::Result<SampleGame> {
    let result: u8 = row.get(4)?;
    let moves = row.get_ref(10)?.as_blob()?;
    if result > 3 || moves.len() > 2 * MAX_MOVES {
        return Err(row_fault("a sample game that is none"));
    }
    let details = GameDetails {
        players: [text_at(row, 1)?, text_at(row, 2)?],
        event: text_at(row, 3)?,
        source: row.get(8)?,
        number: row.get::<_, i64>(9)?.cast_unsigned(),
        moves: moves.as_chunks().0.iter().map(|&b| u16::from_le_bytes(b)).collect(),
    };
    Ok(SampleGame {
        id: SampleId(row.get(0)?),
        result: result_of(result),
        year: row.get(5)?,
        ratings: [row.get(6)?, row.get(7)?],
        details,
    })
}

/// A text of a row.
fn text_at(row: &Row<'_>, at: usize) -> rusqlite::Result<Box<str>> {
    text_up_to(row, at, MAX_TEXT_BYTES).map(String::into_boxed_str)
}

/// A game behind a position of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BookGame<G: Notation> {
    /// The names of the players, first side first, where they are known.
    pub players: [Option<String>; 2],
    /// Their ratings.
    pub ratings: [Option<u16>; 2],
    /// The year.
    pub year: Option<u16>,
    /// The event.
    pub event: Option<String>,
    /// The result by most of the game's copies.
    pub result: Option<Outcome>,
    /// The base name of a file that it came from, and its number in it, from 1.
    pub source: Option<(String, u64)>,
    /// The start, if it is not the first usual one.
    pub start: Option<G>,
    /// The main line, as it was played.
    pub moves: Vec<G::Move>,
    /// The number of moves after which the position, or a mirror image of it, was first on the board.
    pub ply: Option<usize>,
}

impl Book {
    /// The number of sample games that the book has of each move, at most; 0 if it was built without.
    #[must_use]
    pub fn samples(&self) -> u16 {
        self.metadata().samples
    }

    /// The version of the book's layout.
    #[must_use]
    pub fn version(&self) -> i64 {
        if self.samples() > 0 { SAMPLES_VERSION } else { VERSION }
    }

    /// Up to `limit` sample games in which a position was on the board, or a mirror image of it, and a move
    /// of the book was played: higher ratings first, then later years. Only games with `mv` if one is given.
    ///
    /// # Errors
    ///
    /// [`BookError::OtherGame`], [`BookError::Damaged`].
    pub fn games_of<G: Symmetric + Notation>(
        &self,
        position: &G,
        mv: Option<G::Move>,
        limit: usize,
    ) -> Result<Vec<BookGame<G>>, BookError> {
        self.expect_game::<G>()?;
        if self.samples() == 0 {
            return Ok(Vec::new());
        }
        let canonical = position.canonical_with(self.foreign_keys());
        let key = canonical.key.to_i64();
        let wanted = mv.map(|mv| position.canonical_move(canonical, mv).pack());
        // Places are bytes in the order of keys and moves: all moves of a position are one range.
        let from = place_bytes((key, wanted.unwrap_or(0)));
        let to = place_bytes((key, wanted.unwrap_or(u16::MAX)));
        let most = usize::from(self.samples());
        let mut ids = self.query(|c| {
            let sql = "SELECT place, games FROM samples WHERE place BETWEEN ?1 AND ?2";
            let mut statement = c.prepare_cached(sql)?;
            let mut rows = statement.query((&from[..], &to[..]))?;
            let mut ids = Vec::new();
            // A forged book could have any number of rows.
            for _ in 0..MAX_LEGAL {
                let Some(row) = rows.next()? else { break };
                ids.extend(ids_in(row, 1)?.into_iter().take(most));
            }
            Ok(ids)
        })?;
        // An id begins with what samples are ranked by, so that the order of ids is that of the ranking.
        ids.sort_unstable();
        ids.dedup();
        ids.truncate(limit);
        let games = ids.into_iter().map(|id| self.game_behind(position, canonical.key, id));
        games.filter_map(Result::transpose).collect()
    }

    /// A game of a position; `None` if it is missing, as in a book of which a part is lost.
    fn game_behind<G: Symmetric + Notation>(
        &self,
        position: &G,
        key: Key,
        id: SampleId,
    ) -> Result<Option<BookGame<G>>, BookError> {
        let game = self.query(|c| {
            let sql = format!("SELECT {COLUMNS} FROM sample_games WHERE id = ?1");
            c.prepare_cached(&sql)?.query_row([&id.0[..]], read_game).optional()
        })?;
        let Some(SampleGame { result, year, ratings, details, .. }) = game else { return Ok(None) };
        let source = self.source_name(details.source)?.map(|name| (name, details.number));
        let mut starts = G::starts().into_iter();
        let first = starts.next().unwrap_or_else(G::start);
        let (mut moves, mut ply) = self.replay(&first, position, key, &details.moves);
        let mut other = None;
        // Which start it was is not stated: the one from which it comes to the position.
        while ply.is_none()
            && let Some(start) = starts.next()
        {
            let (of_start, found) = self.replay(&start, position, key, &details.moves);
            if found.is_some() {
                (moves, ply, other) = (of_start, found, Some(start));
            }
        }
        let [first, second] = details.players;
        let players = [stated(first), stated(second)];
        let event = stated(details.event);
        let start = other;
        Ok(Some(BookGame { players, ratings, year, event, result, source, start, moves, ply }))
    }

    /// The moves of a game from a start, as far as they are legal, and after how many of them it comes to the
    /// position.
    fn replay<G: Symmetric>(
        &self,
        start: &G,
        position: &G,
        key: Key,
        packed: &[u16],
    ) -> (Vec<G::Move>, Option<usize>) {
        let mut board = start.clone();
        let mut moves = Vec::new();
        let mut ply = None;
        for (played, &bits) in packed.iter().enumerate() {
            let side = board.turn() == position.turn();
            if ply.is_none() && side && board.canonical_with(self.foreign_keys()).key == key {
                ply = Some(played);
            }
            // A forged book could have any moves.
            let Some(mv) = G::Move::unpack(bits).filter(|&mv| board.is_legal(mv)) else { break };
            moves.push(mv);
            board.make(mv);
        }
        (moves, ply)
    }

    /// The name of the source whose hash begins with these bytes.
    fn source_name(&self, hash: [u8; 8]) -> Result<Option<String>, BookError> {
        self.query(|c| {
            // The comparison finds the place in the index; the rest makes sure that the hash begins so.
            let sql = "SELECT name FROM sources WHERE hash >= ?1 AND substr(hash, 1, 8) = ?1 \
                       ORDER BY hash LIMIT 1";
            c.prepare_cached(sql)?
                .query_row([&hash[..]], |row| text_up_to(row, 0, MAX_SOURCE_NAME))
                .optional()
        })
    }
}

/// A text that is not empty.
fn stated(text: Box<str>) -> Option<String> {
    Some(String::from(text)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_keep_their_order(a: RowKey, b: RowKey) {
            prop_assert_eq!(place_of(place_bytes(a)), a);
            prop_assert_eq!(place_bytes(a).cmp(&place_bytes(b)), a.cmp(&b));
        }
    }
}
