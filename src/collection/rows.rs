//! The rows of games, lines, texts and positions in the file.

use rusqlite::{OptionalExtension, Transaction, params};

use crate::collection::entry::Entry;
use crate::collection::postings::{self, Posting};
use crate::collection::text::{searched, sort_key};
use crate::game::{Outcome, Side};

/// The number of a line, which is written if it is new, and whether it is.
pub(crate) fn insert_line(
    tx: &Transaction<'_>,
    hash: i64,
    start: Option<&str>,
    moves: &[u8],
) -> rusqlite::Result<(i64, bool)> {
    let sql = "INSERT OR IGNORE INTO lines(hash, start, moves) VALUES (?, ?, ?)";
    let mut insert = tx.prepare_cached(sql)?;
    if insert.execute(params![hash, start, moves])? > 0 {
        return Ok((tx.last_insert_rowid(), true));
    }
    // Nothing was inserted, so that a line with this hash is there.
    let mut find = tx.prepare_cached("SELECT id FROM lines WHERE hash = ?")?;
    Ok((find.query_row([hash], |row| row.get(0))?, false))
}

/// The number of a text, which is written if it is new.
pub(crate) fn text_of(tx: &Transaction<'_>, text: &str) -> rusqlite::Result<i64> {
    let mut find = tx.prepare_cached("SELECT id FROM texts WHERE shown = ?")?;
    if let Some(known) = find.query_row([text], |row| row.get(0)).optional()? {
        return Ok(known);
    }
    let mut insert = tx.prepare_cached("INSERT INTO texts(shown, words, sort) VALUES (?, ?, ?)")?;
    insert.execute((text, searched([text]), sort_key(text)))?;
    Ok(tx.last_insert_rowid())
}

/// A row of `games`.
pub(crate) struct GameRow {
    pub(crate) file: i64,
    pub(crate) seq: u64,
    pub(crate) place: u64,
    pub(crate) key: i64,
    pub(crate) line: i64,
    pub(crate) year: Option<u16>,
    pub(crate) ratings: [Option<u16>; 2],
    pub(crate) result: u8,
    pub(crate) plies: u64,
    pub(crate) is_broken: bool,
    /// The numbers of the code and the name of the opening, of the players, the event and the date.
    pub(crate) texts: [Option<i64>; 6],
}

/// The rest that is kept of a game: a row of `bodies`, and one of `comments`.
pub(crate) struct GameBody {
    pub(crate) packed: Option<Vec<u8>>,
    pub(crate) fault: Option<String>,
    pub(crate) note: Option<u8>,
    pub(crate) words: i64,
    /// Folded; `None` without any.
    pub(crate) comments: Option<String>,
}

/// Writes the game of an entry at its place: file, number there, and place there.
pub(crate) fn insert_game(
    tx: &Transaction<'_>,
    entry: Entry,
    (file, seq, place): (i64, u64, u64),
    line: i64,
) -> rusqlite::Result<()> {
    let [first, second] = &entry.players;
    let texts =
        [&entry.code, &entry.opening.map(str::to_owned), first, second, &entry.event, &entry.date];
    let mut numbers = [None; 6];
    for (number, text) in numbers.iter_mut().zip(texts) {
        *number = text.as_deref().map(|text| text_of(tx, text)).transpose()?;
    }
    let row = GameRow {
        file,
        seq,
        place,
        key: entry.key.0,
        line,
        year: entry.facts.year,
        ratings: entry.facts.ratings,
        result: result_number(entry.facts.result),
        plies: entry.plies as u64,
        is_broken: entry.fault.is_some(),
        texts: numbers,
    };
    let comments = Some(entry.comments).filter(|comments| !comments.is_empty());
    let Entry { body: packed, fault, note, words, .. } = entry;
    let body = GameBody { packed, fault, note, words: words.cast_signed(), comments };
    insert_game_row(tx, &row, &body)
}

/// Writes a game whose line and texts are there.
pub(crate) fn insert_game_row(
    tx: &Transaction<'_>,
    game: &GameRow,
    body: &GameBody,
) -> rusqlite::Result<()> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO games(file, seq, place, key, line, year, elo1, elo2, result, plies, broken, code, opening, first,
         second, event, date)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let [code, opening, first, second, event, date] = game.texts;
    insert.execute(params![
        game.file,
        game.seq.cast_signed(),
        game.place.cast_signed(),
        game.key,
        game.line,
        game.year,
        game.ratings[0],
        game.ratings[1],
        game.result,
        game.plies.cast_signed(),
        game.is_broken,
        code,
        opening,
        first,
        second,
        event,
        date,
    ])?;
    let id = tx.last_insert_rowid();
    let mut insert = tx.prepare_cached(
        "INSERT INTO bodies(game, body, fault, note, words) VALUES (?, ?, ?, ?, ?)",
    )?;
    insert.execute((id, &body.packed, &body.fault, body.note, body.words))?;
    if let Some(comments) = &body.comments {
        let sql = "INSERT INTO comments(game, text) VALUES (?, ?)";
        tx.prepare_cached(sql)?.execute((id, comments))?;
    }
    Ok(())
}

/// Writes the postings of a segment, in any order.
pub(crate) fn insert_segment(
    tx: &Transaction<'_>,
    segment: i64,
    postings: &mut [Posting],
) -> rusqlite::Result<()> {
    let mut insert =
        tx.prepare_cached("INSERT INTO positions(bucket, segment, data) VALUES (?, ?, ?)")?;
    postings::buckets(postings, |bucket, data| {
        insert.execute((bucket.cast_signed(), segment, data)).map(drop)
    })
}

/// The number of a result, in the order in which results are sorted.
pub(crate) const fn result_number(result: Option<Outcome>) -> u8 {
    match result {
        Some(Outcome::Win(Side::First)) => 0,
        Some(Outcome::Draw) => 1,
        Some(Outcome::Win(Side::Second)) => 2,
        None => 3,
    }
}

/// A count in a row; 0 in place of a negative number, which the index does not write.
pub(crate) fn count_at(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at).map(|n| n.max(0) as u64)
}

/// The inverse of [`result_number`].
pub(crate) const fn result_of(number: i64) -> Option<Outcome> {
    match number {
        0 => Some(Outcome::Win(Side::First)),
        1 => Some(Outcome::Draw),
        2 => Some(Outcome::Win(Side::Second)),
        _ => None,
    }
}
