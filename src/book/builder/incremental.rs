//! Adding to a book: reading its contents in order, to be combined with those of new sources.
//!
//! Sources whose content the book has are not read again. A game whose id it has keeps the result, the year
//! and the ratings that it was counted with, and its further copies count as duplicates; the votes of counted
//! games are not kept. So the book is the same whether sources are given together or in steps, except where
//! copies of one game that state different things come in different steps.

use std::cmp::Ordering;
use std::io;
use std::iter::Peekable;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use crate::book::builder::options::BuildOptions;
use crate::book::file::paged::{PAGE, Paged, Placed};
use crate::book::file::reader::Book;
use crate::book::file::samples::SampleSorters;
use crate::book::file::store::{BookPart, Writer};
use crate::book::file::transaction::At;
use crate::book::model::counted_game::{GameId, IdTable};
use crate::book::model::error::{BookError, BuildError};
use crate::book::model::groups::GroupMember;
use crate::book::model::metadata::{Counts, Metadata, Source};
use crate::book::model::move_stats::{KeyedRow, MAX_SUM, MoveRow};
use crate::bytes::external_sort::Sorter;
use crate::game::Game;
use crate::hash::KeyTable;

/// The number of readers of a base: two tables of ids, rows, members of groups, the rest, and samples.
const READERS: usize = 6;

/// A sound book that is added to, as it was when the build began, even if the file is replaced meanwhile. It
/// is opened for each of its readers: threads cannot share an open book.
#[derive(Debug)]
pub(crate) struct BaseBook {
    path: PathBuf,
    metadata: Metadata,
    sources: Vec<Source>,
    /// The same file, once for each reader.
    open: Mutex<Vec<Book>>,
}

impl BaseBook {
    /// The base that the options name, if they are those that it was built with.
    pub(crate) fn of<G: Game>(options: &BuildOptions) -> Result<Option<Self>, BuildError> {
        let Some(path) = &options.base else { return Ok(None) };
        let book = Book::open_own(path, &options.stop)?;
        book.check_file()?;
        book.check_pages()?;
        book.expect_game::<G>()?;
        let about = book.metadata();
        if about.pruned {
            return Err(BuildError::Pruned { path: path.clone() });
        }
        if !about.counts.is_plausible() {
            return Err(forged(path));
        }
        check_options(options, &book)?;
        let sources = book.sources()?;
        let metadata = about.clone();
        let open = Mutex::new(readers(book, options)?);
        Ok(Some(Self { path: path.clone(), metadata, sources, open }))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub(crate) const fn counts(&self) -> Counts {
        self.metadata.counts
    }

    /// In the order of hashes.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    pub(crate) fn ids(&self) -> Result<Ids, BuildError> {
        let games = Paged::ids(self.book()?, IdTable::Games);
        Ok(Ids { games, elsewhere: Paged::ids(self.book()?, IdTable::Elsewhere) })
    }

    /// All rows, in order.
    pub(crate) fn rows(
        &self,
    ) -> Result<impl Iterator<Item = Result<KeyedRow, BuildError>> + Send + use<>, BuildError> {
        let blobs = Paged::new(self.book()?, Blob::after);
        let path = self.path.clone();
        Ok(blobs.map(move |blob| {
            let Blob { key, mv, bytes } = blob?;
            let row = MoveRow::take(key, mv, &bytes).filter(|row| row.stats.is_plausible());
            Ok((key, mv, row.ok_or_else(|| forged(&path))?))
        }))
    }

    /// Adds the members of all groups to those that are new.
    pub(crate) fn add_members(&self, to: &Sorter<GroupMember>) -> Result<(), BuildError> {
        let mut members = Paged::new(self.book()?, members_after);
        while let Some(first) = members.next().transpose()? {
            let mut batch = vec![first];
            batch.extend(members.rest_of_page());
            to.push(batch).map_err(|e| At(&self.path).io(e))?;
        }
        Ok(())
    }

    /// Adds all sample games to those that are new.
    pub(crate) fn add_samples(&self, to: &SampleSorters) -> Result<(), BuildError> {
        Ok(to.add_book(&self.book()?, Some)?)
    }

    /// Copies the tables that a build does not make: marks, the journal, and others.
    pub(crate) fn copy_rest(&self, to: &Writer) -> Result<(), BuildError> {
        Ok(At(&self.path).copy_tables(&self.book()?, to, is_carried)?)
    }

    /// The book for one more reader.
    fn book(&self) -> Result<Book, BuildError> {
        let book = self.open.lock().unwrap_or_else(PoisonError::into_inner).pop();
        book.ok_or_else(|| {
            At(&self.path).io(io::Error::other("no more readers of the base")).into()
        })
    }
}

/// Returns true for the parts that a build does not make, and that stay as they are.
const fn is_carried(part: BookPart) -> bool {
    match part {
        BookPart::Marks | BookPart::Journal | BookPart::Origins | BookPart::Scores => true,
        // With more moves, other things follow from scores.
        BookPart::Frame
        | BookPart::Games
        | BookPart::Moves
        | BookPart::Groups
        | BookPart::Propagated
        | BookPart::Samples => false,
    }
}

/// The same file once for each reader of a base.
fn readers(book: Book, options: &BuildOptions) -> Result<Vec<Book>, BuildError> {
    let path = book.path().to_owned();
    let identity =
        book.identity().map_err(|source| BookError::Io { path: path.clone(), source })?;
    let mut readers = vec![book];
    while readers.len() < READERS {
        let book = Book::open_own(&path, &options.stop)?;
        if !book.is_of(&identity).map_err(|source| BookError::Io { path: path.clone(), source })? {
            let what = "it was replaced or changed while it was opened; run this again";
            return Err(At(&path).refused(what).into());
        }
        readers.push(book);
    }
    Ok(readers)
}

impl Counts {
    /// Returns true if they can be those of a collection of games.
    pub(crate) fn is_plausible(&self) -> bool {
        [
            self.games,
            self.disputed,
            self.records,
            self.bad,
            self.filtered,
            self.duplicates,
            self.other_starts,
            self.other_start_records,
            self.no_moves,
            self.no_move_records,
        ]
        .iter()
        .all(|&n| n <= MAX_SUM)
    }
}

fn forged(path: &Path) -> BuildError {
    let what = "its sums are impossible";
    BookError::Damaged { path: path.to_owned(), what: what.into() }.into()
}

/// An option that is not the book's is an error that names both.
fn check_options(options: &BuildOptions, book: &Book) -> Result<(), BuildError> {
    let about = book.metadata();
    let pairs = [
        ("--max-ply", options.max_ply.to_string(), about.max_ply.to_string()),
        ("--min-games", options.min_games.to_string(), about.min_games.to_string()),
        ("--min-share", percent(options.min_share), percent(about.min_share)),
        ("--weight", options.weight.to_string(), about.weight.to_string()),
        ("--samples", options.samples.to_string(), about.samples.to_string()),
        ("the filter", options.filter.to_string(), about.filter.to_string()),
        ("keys", keys_text(options.key_table.as_ref()), keys_text(book.foreign_keys())),
    ];
    let differing = pairs.into_iter().find(|(_, asked, stated)| asked != stated);
    differing.map_or(Ok(()), |(option, asked, stated)| {
        Err(BuildError::Conflict { path: book.path().to_owned(), option, asked, stated })
    })
}

/// The keys as an error names them.
fn keys_text(table: Option<&KeyTable>) -> String {
    table.map_or_else(|| "the stored ones".to_owned(), KeyTable::fingerprint)
}

/// Hundredths of a percent as a percentage.
fn percent(share: u64) -> String {
    format!("{}.{:02}", share / 100, share % 100)
}

/// A row of `moves` as it is stored.
#[derive(Debug, Clone)]
struct Blob {
    key: i64,
    mv: u16,
    bytes: Vec<u8>,
}

impl Blob {
    fn after(connection: &Connection, last: Option<&Self>) -> rusqlite::Result<Vec<Self>> {
        // Moves are never negative, so that this is before all of them.
        let (key, mv) = last.map_or((i64::MIN, -1), |last| (last.key, i64::from(last.mv)));
        let sql = "SELECT key, move, stats FROM moves WHERE (key, move) > (?1, ?2) \
                   ORDER BY key, move LIMIT ?3";
        let mut statement = connection.prepare_cached(sql)?;
        let rows = statement.query_map((key, mv, PAGE), |row| {
            Ok(Self { key: row.get(0)?, mv: row.get(1)?, bytes: row.get(2)? })
        })?;
        rows.collect()
    }
}

impl Placed for Blob {
    fn place(&self) -> impl PartialOrd + '_ {
        (self.key, self.mv)
    }
}

impl Placed for GroupMember {
    fn place(&self) -> impl PartialOrd + '_ {
        (self.key, self.mv, &*self.group)
    }
}

fn members_after(
    connection: &Connection,
    last: Option<&GroupMember>,
) -> rusqlite::Result<Vec<GroupMember>> {
    let sql = "SELECT key, move, name FROM line_groups WHERE (key, move, name) > (?1, ?2, ?3) \
               ORDER BY key, move, name LIMIT ?4";
    let mut statement = connection.prepare_cached(sql)?;
    let (key, mv, name) =
        last.map_or((i64::MIN, -1, ""), |last| (last.key, i64::from(last.mv), &*last.group));
    let rows = statement.query_map((key, mv, name, PAGE), |row| {
        Ok(GroupMember { key: row.get(0)?, mv: row.get(1)?, group: row.get(2)? })
    })?;
    rows.collect()
}

/// The ids of a base, handed over in ascending order while new games come by in that order.
pub(crate) struct Ids {
    games: Paged<Book, GameId>,
    elsewhere: Paged<Book, GameId>,
}

impl Ids {
    /// Every id with its table, each table ascending, and the tables interleaved by ids.
    pub(crate) fn in_order(
        self,
    ) -> impl Iterator<Item = Result<(IdTable, GameId), BuildError>> + Send {
        let games = self.games.map(|id| Ok((IdTable::Games, id?)));
        let elsewhere = self.elsewhere.map(|id| Ok((IdTable::Elsewhere, id?)));
        merge(games, elsewhere, |a, b| a.1.cmp(&b.1), |a, _| a)
    }
}

/// The rows of a base and new ones, equal ones summed. Settings of a move in the base stay.
pub(crate) fn add_rows(
    new: impl Iterator<Item = Result<KeyedRow, BuildError>> + Send,
    base: impl Iterator<Item = Result<KeyedRow, BuildError>> + Send,
) -> impl Iterator<Item = Result<KeyedRow, BuildError>> + Send {
    merge(
        new,
        base,
        |a: &KeyedRow, b: &KeyedRow| (a.0, a.1).cmp(&(b.0, b.1)),
        |(key, mv, mut row), (_, _, old)| {
            row.stats.absorb(&old.stats);
            row.weight = old.weight;
            (key, mv, row)
        },
    )
}

/// Brings two ascending sequences together; errors come as soon as they are met.
fn merge<T, E>(
    a: impl Iterator<Item = Result<T, E>>,
    b: impl Iterator<Item = Result<T, E>>,
    order: impl Fn(&T, &T) -> Ordering,
    sum: impl Fn(T, T) -> T,
) -> impl Iterator<Item = Result<T, E>> {
    let mut a = a.peekable();
    let mut b = b.peekable();
    std::iter::from_fn(move || {
        let next = match (a.peek(), b.peek()) {
            (Some(Ok(a)), Some(Ok(b))) => order(a, b),
            (Some(Err(_)), _) | (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        match next {
            Ordering::Less => a.next(),
            Ordering::Greater => b.next(),
            Ordering::Equal => both(&mut a, &mut b).map(|pair| pair.map(|(a, b)| sum(a, b))),
        }
    })
}

fn both<T, E>(
    a: &mut Peekable<impl Iterator<Item = Result<T, E>>>,
    b: &mut Peekable<impl Iterator<Item = Result<T, E>>>,
) -> Option<Result<(T, T), E>> {
    let a = a.next()?;
    let b = b.next()?;
    Some(a.and_then(|a| Ok((a, b?))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// The entries of a map as rows that can all be read.
    fn ok(map: &BTreeMap<u8, u32>) -> std::vec::IntoIter<Result<(u8, u32), ()>> {
        map.clone().into_iter().map(Ok).collect::<Vec<_>>().into_iter()
    }

    proptest! {
        #[test]
        fn merging_sums_equal_ones(
            a in prop::collection::btree_map(0..30u8, 0..9u32, 0..20),
            b in prop::collection::btree_map(0..30u8, 0..9u32, 0..20),
        ) {
            let merged = merge(ok(&a), ok(&b), |x, y| x.0.cmp(&y.0), |x, y| (x.0, x.1 + y.1));
            let mut expected = a;
            for (key, n) in b {
                *expected.entry(key).or_default() += n;
            }
            let expected: Vec<(u8, u32)> = expected.into_iter().collect();
            prop_assert_eq!(merged.collect::<Result<Vec<_>, ()>>(), Ok(expected));
        }
    }

    #[test]
    fn errors_are_not_lost() {
        let a = [Ok(1), Err("a")];
        let b = [Ok(2), Ok(3)];
        let merged = merge(a.into_iter(), b.into_iter(), Ord::cmp, |x, _| x);
        assert_eq!(merged.collect::<Result<Vec<u8>, _>>(), Err("a"));
    }

    #[test]
    fn percentages_are_exact() {
        assert_eq!([0, 5, 250, 10_000].map(percent), ["0.00", "0.05", "2.50", "100.00"]);
    }
}
