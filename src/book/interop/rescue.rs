//! What is left of one of the program's own books where SQLite cannot read it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use rusqlite::types::Value;

use crate::book::file::digest::Header;
use crate::book::file::key_tables::key_file;
use crate::book::file::records::{Parents, for_each_record};
use crate::book::file::store::TABLES;
use crate::book::interop::error::InteropError;
use crate::book::interop::index::ROW_BYTES;
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::metadata::{Metadata, Source};
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::bytes::{StopFlag, open};
use crate::hash::KeyTable;
use crate::message::{Message, message};

/// The records of a book that lie in its readable pages.
#[derive(Debug, Default)]
pub(crate) struct Rescued {
    pub(crate) rows: BTreeMap<RowKey, MoveRow>,
    /// Rows whose checksum does not match.
    pub(crate) damaged: Vec<RowKey>,
    pub(crate) marks: BTreeMap<RowKey, Annotation>,
    pub(crate) sources: Vec<Source>,
    /// Rows of the table of scores, by key and source.
    pub(crate) scores: BTreeMap<(i64, String), Vec<Value>>,
    /// The ids of counted games, in order.
    pub(crate) ids: Vec<[u8; 16]>,
    /// Those of games that begin elsewhere.
    pub(crate) elsewhere: Vec<[u8; 16]>,
    /// The description that the book has of itself, if it is left.
    pub(crate) metadata: Option<Metadata>,
    /// The file of its keys, and the keys if they are not the stored ones.
    pub(crate) key_table: Vec<u8>,
    pub(crate) foreign_keys: Option<KeyTable>,
    /// The losses, for people.
    pub(crate) lost: Vec<Message>,
}

/// Records that belong to all others.
#[derive(Debug, Default)]
struct Frame {
    pairs: BTreeMap<String, String>,
    key_tables: BTreeMap<String, Vec<u8>>,
    /// The ids of games of either kind, with their pages.
    ids: Vec<(u32, [u8; 16])>,
    /// Steps of edits, and the sources of merged books.
    history: u64,
}

/// Reads what is left of a book of `game`; `None` if that is nothing, or if its rows have no meaning any more.
pub(crate) fn rescue(
    path: &Path,
    game: &str,
    memory: usize,
    stop: &StopFlag,
) -> Result<Option<Rescued>, InteropError> {
    let mut file = open::regular(path).map_err(|e| io_error(path, e))?;
    let header = Header::read(&mut file).map_err(|e| io_error(path, e))?;
    let Some(header) = header else { return Ok(None) };
    let have = file.metadata().map_err(|e| io_error(path, e))?.len() / header.page_size;
    let mut rescued = Rescued::default();
    let mut frame = Frame::default();
    let most = memory / ROW_BYTES;
    let mut is_full = false;
    let parents = for_each_record(&mut file, header.page_size, stop, &mut |page, record| {
        is_full |= rescued.rows.len() + rescued.marks.len() > most;
        if !is_full {
            rescued.take(page, record, &mut frame);
        }
        Ok(())
    })
    .map_err(|e| io_error(path, e))?;
    if is_full {
        return Err(InteropError::TooLarge { path: path.to_owned(), rows: most as u64, memory });
    }
    if have < header.pages {
        let missing = header.pages - have;
        rescued.lost.push(message!("{missing} of its {} pages are missing", header.pages));
    }
    Ok(rescued.complete(game, &frame, &parents))
}

/// The error of reading a book.
fn io_error(path: &Path, source: io::Error) -> InteropError {
    match source.kind() {
        io::ErrorKind::Interrupted => InteropError::Interrupted { path: path.to_owned() },
        _ => InteropError::io(path, source),
    }
}

/// The place of a row; `None` if `mv` is beyond 16 bits.
fn row_key(key: i64, mv: i64) -> Option<RowKey> {
    u16::try_from(mv).ok().map(|mv| (key, mv))
}

/// The first page of a table: they are in the order of the tables, from page 2 on.
fn root_of(table: &str) -> Option<u32> {
    TABLES.iter().zip(2..).find(|(known, _)| known.name == table).map(|(_, page)| page)
}

impl Rescued {
    /// Takes a record, by the types of its values: no two tables have the same. Those of rows prove themselves
    /// by a checksum.
    fn take(&mut self, page: u32, record: Vec<Value>, frame: &mut Frame) {
        use Value::{Blob, Integer, Null, Text};
        match &record[..] {
            [Integer(key), Integer(mv), Blob(blob)] => {
                let Some(place) = row_key(*key, *mv) else { return };
                match MoveRow::take(place.0, place.1, blob) {
                    Some(row) => {
                        self.rows.entry(place).or_insert(row);
                    }
                    None => self.damaged.push(place),
                }
            }
            [Integer(key), Integer(mv), Text(group)] => {
                let Some(place) = row_key(*key, *mv) else { return };
                self.marks.entry(place).or_default().groups.insert(group.clone());
            }
            [Integer(key), Integer(mv), Integer(priority), Integer(flags), weight, comment, _]
                if matches!(weight, Integer(_) | Null) && matches!(comment, Text(_) | Null) =>
            {
                let flags = Flags::from_bits(*flags);
                let (Some(place), Some(flags)) = (row_key(*key, *mv), flags) else { return };
                let mark = self.marks.entry(place).or_default();
                mark.priority = *priority;
                mark.flags = flags;
                if let Integer(weight) = weight {
                    mark.weight = u64::try_from(*weight).ok();
                }
                if let Text(comment) = comment {
                    mark.comment = Some(comment.clone());
                }
            }
            [Blob(hash), Text(name), Integer(games)] => {
                let Ok(hash) = hash[..].try_into() else { return };
                let games = games.cast_unsigned();
                self.sources.push(Source { hash, name: name.clone(), games });
            }
            [Integer(key), Text(source), numbers @ ..]
                if numbers.len() == 6
                    && numbers[..5].iter().all(|number| matches!(number, Integer(_))) =>
            {
                self.scores.insert((*key, source.clone()), record);
            }
            [Blob(id)] => {
                frame.ids.extend(<[u8; 16]>::try_from(&id[..]).ok().map(|id| (page, id)));
            }
            [Text(name), Text(value)] => drop(frame.pairs.insert(name.clone(), value.clone())),
            [Text(name), Blob(file)] => drop(frame.key_tables.insert(name.clone(), file.clone())),
            [Integer(_), Integer(_), Text(_), ..] | [Integer(_), Blob(_)] => frame.history += 1,
            _ => {}
        }
    }

    /// Finds the keys that the rows were made with, and says what is lost.
    fn complete(mut self, game: &str, frame: &Frame, parents: &Parents) -> Option<Self> {
        let stored_file = key_file(game)?;
        let stored = KeyTable::from_bytes(stored_file).ok()?;
        self.metadata = Metadata::from_pairs(&frame.pairs).ok();
        let fingerprint = frame.pairs.get("key_table").or(frame.key_tables.keys().next());
        let is_stored = fingerprint.is_none_or(|print| *print == stored.fingerprint());
        self.key_table = if is_stored {
            stored_file.to_vec()
        } else {
            frame.key_tables.get(fingerprint?)?.clone()
        };
        if self.key_table != stored_file {
            let table = KeyTable::from_bytes(&self.key_table).ok()?;
            let is_sound = table.game() == game
                && table.words().len() == stored.words().len()
                && fingerprint.is_some_and(|print| *print == table.fingerprint());
            self.foreign_keys = Some(table).filter(|_| is_sound);
            self.foreign_keys.as_ref()?;
        }
        self.damaged.retain(|place| !self.rows.contains_key(place));
        self.damaged.sort_unstable();
        self.damaged.dedup();
        self.sources.sort_unstable();
        self.sources.dedup_by_key(|source| source.hash);
        self.sort_ids(frame, parents);
        self.note_lost(frame);
        (!self.rows.is_empty() || !self.marks.is_empty()).then_some(self)
    }

    /// Tells the ids of counted games from those of games that begin elsewhere. Where the book has both kinds,
    /// the table of each shows by the pages that lead to it; other ids are lost.
    fn sort_ids(&mut self, frame: &Frame, parents: &Parents) {
        let of_one_kind =
            self.metadata.as_ref().is_some_and(|about| about.counts.other_starts == 0);
        let games = root_of("games");
        let elsewhere = root_of("elsewhere");
        for &(page, id) in &frame.ids {
            let root = Some(parents.root(page));
            if of_one_kind || root == games {
                self.ids.push(id);
            } else if root == elsewhere {
                self.elsewhere.push(id);
            }
        }
        for ids in [&mut self.ids, &mut self.elsewhere] {
            ids.sort_unstable();
            ids.dedup();
        }
    }

    fn note_lost(&mut self, frame: &Frame) {
        let Some(metadata) = &self.metadata else {
            self.lost.push("what the book says of itself: games, limits, filters".into());
            if !frame.ids.is_empty() {
                self.ids.clear();
                self.elsewhere.clear();
                self.lost.push("the ids of its games".into());
            }
            return;
        };
        let read = self.rows.len() as u64;
        if read < metadata.rows {
            let lost = metadata.rows - read;
            self.lost.push(message!("{lost} of its {} moves", metadata.rows));
            self.lost.push(
                "perhaps marks and scores: moves that were deleted or disabled may be back".into(),
            );
        }
        let games = metadata.stored_games();
        if (self.ids.len() as u64) < games {
            let lost = games - self.ids.len() as u64;
            self.lost.push(message!("the ids of {lost} of its {games} games"));
        }
        let others = metadata.counts.other_starts;
        if (self.elsewhere.len() as u64) < others {
            let lost = others - self.elsewhere.len() as u64;
            self.lost.push(message!("the ids of {lost} of its {others} games from other starts"));
        }
        if metadata.samples > 0 {
            self.lost.push("the sample games of its moves".into());
        }
        if frame.history > 0 {
            self.lost.push("the history of its edits, and which books were merged into it".into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::options::BuildOptions;
    use crate::book::file::reader::Book;
    use crate::book::tests::{build_with, elsewhere, random_games};

    fn ids(book: &Book, table: &str) -> Vec<[u8; 16]> {
        let sql = format!("SELECT id FROM {table} ORDER BY id");
        book.query(|c| c.prepare(&sql)?.query_map([], |row| row.get(0))?.collect()).unwrap()
    }

    #[test]
    fn ids_of_both_kinds_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let mut games = random_games(1500);
        games.push(elsewhere());
        let (book, about) = build_with(folder.path(), &games, BuildOptions::default()).unwrap();
        let (counted, others) = (ids(&book, "games"), ids(&book, "elsewhere"));
        assert!(counted.len() > 1000, "several pages");
        assert_eq!(others.len() as u64, about.counts.other_starts);
        // Its end is cut off.
        let path = book.path().to_owned();
        drop(book);
        let bytes = std::fs::read(&path).unwrap();
        let cut = folder.path().join("cut");
        std::fs::write(&cut, &bytes[..bytes.len() - 3 * 8192]).unwrap();
        let rescued = rescue(&cut, "xiangqi", 1 << 28, &StopFlag::default()).unwrap().unwrap();
        assert!(rescued.lost.iter().any(|lost| lost.to_string().contains("pages are missing")));
        assert!(rescued.ids == counted);
        assert!(rescued.elsewhere == others);
        // A page of ids that nothing leads to any more.
        let mut torn = bytes;
        let root = 5 * 8192;
        torn[root..root + 8192].fill(0);
        std::fs::write(&cut, &torn).unwrap();
        let rescued = rescue(&cut, "xiangqi", 1 << 28, &StopFlag::default()).unwrap().unwrap();
        assert!(rescued.ids.is_empty() && rescued.elsewhere == others);
        assert!(rescued.lost.iter().any(|lost| lost.to_string().starts_with("the ids of")));
    }
}
