//! Games taken over from other indexes, in place of reading their files.
//!
//! So the files of a large collection are read on several machines, or by several processes, each of which makes the index
//! of a part of them; an index of all files then takes over their games. Lines that are known already keep their postings;
//! those of new lines become segments of this index.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::path::Path;

use rusqlite::Transaction;

use crate::bytes::StopFlag;
use crate::collection::entry::{GameKey, hash_of_line};
use crate::collection::error::{IndexError, QueryResult, expect_going};
use crate::collection::game::{Collected, moves_in};
use crate::collection::lines::LineSpan;
use crate::collection::postings::{self, Posting};
use crate::collection::rows::{
    GameBody, GameRow, insert_game_row, insert_line, insert_segment, text_of,
};
use crate::collection::store::GameIndex;

/// Games between two looks at the stop flag.
const GAMES_AT_ONCE: u64 = 1_024;

/// Postings of a segment, at most: all of them may be in one bucket, whose bytes are a value of SQLite.
const MOST_POSTINGS: usize = if cfg!(test) { 1 << 4 } else { 1 << 19 };

/// Games of a file, bad ones counted, at most: sums over files do not overflow.
const MOST_SEEN: u64 = 1 << 40;

/// A file that both indexes know: its numbers in this index and in the other one, and what the other one says of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SharedFile {
    pub(crate) id: i64,
    pub(crate) other_id: i64,
    pub(crate) seen: u64,
    pub(crate) games: u64,
    /// Its bytes.
    pub(crate) len: u64,
}

/// A line of the other index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mapped {
    /// Not met yet.
    Unknown,
    /// This index had the line.
    Had(i64),
    /// The line is new here, and its postings are to be taken over.
    New(i64),
}

/// Games of another index on their way into a transaction of this one.
pub(crate) struct Merger<'a, G> {
    tx: &'a Transaction<'a>,
    other: &'a GameIndex,
    /// The name of this index in errors.
    path: &'a Path,
    span: LineSpan,
    /// By the place in the span of the line in the other index.
    lines: Vec<Mapped>,
    /// The numbers of texts here by those in the other index.
    texts: HashMap<i64, i64>,
    stop: &'a StopFlag,
    game: PhantomData<G>,
}

impl<'a, G: Collected> Merger<'a, G> {
    pub(crate) fn new(
        tx: &'a Transaction<'a>,
        other: &'a GameIndex,
        path: &'a Path,
        stop: &'a StopFlag,
    ) -> Result<Self, IndexError> {
        let span = LineSpan::of(other).map_err(IndexError::of_other)?;
        let lines = vec![Mapped::Unknown; span.len()];
        Ok(Self { tx, other, path, span, lines, texts: HashMap::new(), stop, game: PhantomData })
    }

    /// Takes over the games of a file. `done` is told how many there are so far.
    pub(crate) fn take_games(
        &mut self,
        file: SharedFile,
        done: &mut dyn FnMut(u64),
    ) -> Result<(), IndexError> {
        if !(file.games..=MOST_SEEN).contains(&file.seen) {
            return Err(self.bad("the number of games of a file is out of all proportion"));
        }
        let other = self.other;
        let sql = "SELECT seq, place, key, line, year, elo1, elo2, result, plies, broken, code, opening, first, second,
             event, date, body, fault, note, words, text FROM games JOIN bodies ON bodies.game = games.id
             LEFT JOIN comments ON comments.game = games.id WHERE file = ? ORDER BY seq";
        let mut statement = other.connection.prepare_cached(sql).in_other(other.path())?;
        let mut rows = statement.query([file.other_id]).in_other(other.path())?;
        let mut count = 0;
        let mut next_place = 0;
        while let Some(row) = rows.next().in_other(other.path())? {
            let (mut game, body) = game_of(row).in_other(other.path())?;
            // Numbers among the games have no gaps; places have, for bad games take some.
            let is_in_order = (next_place..file.seen).contains(&game.place);
            if game.seq != count || count == file.games || !is_in_order {
                return Err(self.bad("the games of a file are not in order"));
            }
            next_place = game.place + 1;
            game.file = file.id;
            game.line = self.line(game.line, game.key)?;
            for text in &mut game.texts {
                *text = text.map(|number| self.text(number)).transpose()?;
            }
            insert_game_row(self.tx, &game, &body).in_index(self.path)?;
            count += 1;
            if count % GAMES_AT_ONCE == 0 {
                expect_going(self.stop)?;
                done(count);
            }
        }
        if count != file.games {
            return Err(self.bad("a file has not the number of games that it should have"));
        }
        Ok(())
    }

    /// Takes over the postings of the lines that were new with the games, as segments from `segment` on; returns the number
    /// of the next one. `done` is told how many buckets there are so far.
    pub(crate) fn take_postings(
        &self,
        mut segment: i64,
        done: &mut dyn FnMut(u64),
    ) -> Result<i64, IndexError> {
        let mut found = Vec::new();
        let mut new: Vec<Posting> = Vec::new();
        for bucket in 0..postings::BUCKETS {
            expect_going(self.stop)?;
            for bytes in self.other.bucket(bucket).map_err(IndexError::of_other)? {
                found.clear();
                postings::collect_all(bucket, &bytes, &mut found)
                    .ok_or_else(|| self.bad("a list of positions cannot be read"))?;
                for posting in found.iter().filter_map(|posting| self.moved(posting)) {
                    if new.len() == MOST_POSTINGS {
                        self.write(&mut new, segment)?;
                        segment += 1;
                    }
                    new.push(posting);
                }
            }
            done(bucket + 1);
        }
        self.write(&mut new, segment)?;
        Ok(segment + 1)
    }

    /// Writes postings as a segment, and leaves none.
    fn write(&self, new: &mut Vec<Posting>, segment: i64) -> Result<(), IndexError> {
        let written = insert_segment(self.tx, segment, new);
        new.clear();
        written.in_index(self.path)
    }

    /// The posting with the number that its line has here, if the line is new.
    fn moved(&self, posting: &Posting) -> Option<Posting> {
        let at = self.span.place(posting.line_number())?;
        match self.lines[at] {
            Mapped::New(line) => Some(posting.of_line(line.cast_unsigned())),
            Mapped::Had(_) | Mapped::Unknown => None,
        }
    }

    /// The number here of a line of the other index, which has a game of that key.
    fn line(&mut self, number: i64, key: i64) -> Result<i64, IndexError> {
        let at = self.span.place(number).ok_or_else(|| self.no_line())?;
        if let Mapped::Had(line) | Mapped::New(line) = self.lines[at] {
            return Ok(line);
        }
        let other = self.other;
        let sql = "SELECT hash, start, moves FROM lines WHERE id = ?";
        let mut find = other.connection.prepare_cached(sql).in_other(other.path())?;
        let row = find.query_row([number], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, Vec<u8>>(2)?))
        });
        let (hash, start, moves) = match row {
            Err(rusqlite::Error::QueryReturnedNoRows) => return Err(self.no_line()),
            row => row.in_other(other.path())?,
        };
        // Files that are read later find the line by its hash.
        if own_hash::<G>(start.as_deref(), &moves, GameKey(key)) != Some(hash) {
            return Err(self.bad("the moves of a line cannot be read"));
        }
        let inserted = insert_line(self.tx, hash, start.as_deref(), &moves);
        let (line, is_new) = inserted.in_index(self.path)?;
        self.lines[at] = if is_new { Mapped::New(line) } else { Mapped::Had(line) };
        Ok(line)
    }

    /// The number here of a text of the other index.
    fn text(&mut self, number: i64) -> Result<i64, IndexError> {
        if let Some(&known) = self.texts.get(&number) {
            return Ok(known);
        }
        let other = self.other;
        let sql = "SELECT shown FROM texts WHERE id = ?";
        let mut find = other.connection.prepare_cached(sql).in_other(other.path())?;
        let shown: String = match find.query_row([number], |row| row.get(0)) {
            Err(rusqlite::Error::QueryReturnedNoRows) => {
                return Err(self.bad("a game has no text"));
            }
            row => row.in_other(other.path())?,
        };
        let here = text_of(self.tx, &shown).in_index(self.path)?;
        self.texts.insert(number, here);
        Ok(here)
    }

    /// The error of a game of the other index without a line there.
    fn no_line(&self) -> IndexError {
        self.bad("a game has no line")
    }

    /// The error of something in the other index that cannot be.
    fn bad(&self, what: &'static str) -> IndexError {
        self.other.damaged(what).of_other()
    }
}

/// The hash of a line, made of the line itself; `None` if its start or its moves cannot be read.
fn own_hash<G: Collected>(start: Option<&str>, moves: &[u8], key: GameKey) -> Option<i64> {
    let start = start.map(G::from_fen).transpose().ok()?;
    let is_whole = moves.len().is_multiple_of(2);
    let moves = moves_in(moves).collect::<Option<Vec<_>>>().filter(|_| is_whole)?;
    Some(hash_of_line(start.as_ref(), &moves, key))
}

/// A row of a game of the other index, with the numbers that its line and texts have there, and with no file.
fn game_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<(GameRow, GameBody)> {
    let mut texts = [None; 6];
    for (at, text) in texts.iter_mut().enumerate() {
        *text = row.get(10 + at)?;
    }
    let game = GameRow {
        file: 0,
        seq: count(row, 0)?,
        place: count(row, 1)?,
        key: row.get(2)?,
        line: row.get(3)?,
        year: row.get(4)?,
        ratings: [row.get(5)?, row.get(6)?],
        result: row.get(7)?,
        plies: count(row, 8)?,
        is_broken: row.get(9)?,
        texts,
    };
    let body = GameBody {
        packed: row.get(16)?,
        fault: row.get(17)?,
        note: row.get(18)?,
        words: row.get(19)?,
        comments: row.get(20)?,
    };
    Ok((game, body))
}

/// A number of a row that cannot be negative.
fn count(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(at)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Symmetric;
    use crate::xiangqi::Position;
    use std::path::PathBuf;

    /// The index of six games, taken over from other indexes if there are any.
    fn index_of_six(path: &Path, files: &[PathBuf], others: &[PathBuf]) -> GameIndex {
        let mut index = GameIndex::open::<Position>(path, &StopFlag::default()).unwrap();
        let report = index.update_from::<Position>(files, others, &mut |_| {}).unwrap();
        assert_eq!((report.games, report.taken), (6, others.len()));
        index
    }

    #[test]
    fn postings_of_many_segments_are_all_there() {
        let folder = tempfile::tempdir().unwrap();
        let files = [folder.path().join("a.pgn")];
        let moves = ["h2e2 h9g7", "b2e2 b9c7", "h2e2 h9g7 h0g2", "c3c4", "g3g4 c9a7 c3c4", "h2e2"];
        let games = moves.map(|moves| format!("[Red \"x\"]\n\n{moves} *\n\n"));
        std::fs::write(&files[0], games.concat()).unwrap();
        let [read, taken] = ["read.games", "taken.games"].map(|name| folder.path().join(name));
        let read = index_of_six(&read, &files, &[]);
        let taken = index_of_six(&taken, &files, &[read.path().to_owned()]);
        let segments = "SELECT count(DISTINCT segment) FROM positions";
        let count =
            |index: &GameIndex| index.rows(segments, |row| row.get::<_, i64>(0)).unwrap()[0];
        assert!(count(&read) == 1 && count(&taken) > 1);
        for bucket in 0..postings::BUCKETS {
            let [of_read, of_taken] = [&read, &taken].map(|index| {
                let mut all = Vec::new();
                for bytes in index.bucket(bucket).unwrap() {
                    postings::collect_all(bucket, &bytes, &mut all).unwrap();
                }
                all.sort_unstable();
                all
            });
            assert_eq!(of_read, of_taken);
        }
        let start = taken.postings(Position::start().canonical().key).unwrap();
        assert_eq!(start.len(), 6);
    }
}
