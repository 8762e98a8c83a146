//! Tables read in the order of their primary keys, a page at a time.

use std::borrow::Borrow;

use rusqlite::Connection;

use crate::book::file::annotation_rows::disordered;
use crate::book::file::reader::Book;
use crate::book::model::counted_game::{GameId, IdTable};
use crate::book::model::error::BookError;

/// Rows that are read at once.
pub(crate) const PAGE: u16 = 4096;

/// A row that has a place in its table.
pub(crate) trait Placed: Clone {
    /// The primary key.
    fn place(&self) -> impl PartialOrd + '_;
}

impl Placed for GameId {
    fn place(&self) -> impl PartialOrd + '_ {
        self
    }
}

/// Reads the first rows after a row, or after the beginning, up to [`PAGE`] of them.
type ReadPage<T> = fn(&Connection, Option<&T>) -> rusqlite::Result<Vec<T>>;

/// All of a table. No statement stays open between two pages, so this can go to another thread.
pub(crate) struct Paged<B, T> {
    book: B,
    read: ReadPage<T>,
    page: std::vec::IntoIter<T>,
    last: Option<T>,
    is_done: bool,
}

impl<B: Borrow<Book>, T: Placed> Paged<B, T> {
    pub(crate) fn new(book: B, read: ReadPage<T>) -> Self {
        Self { book, read, page: Vec::new().into_iter(), last: None, is_done: false }
    }

    /// The rows that were read already.
    pub(crate) fn rest_of_page(&mut self) -> impl Iterator<Item = T> + '_ {
        self.page.by_ref()
    }

    fn read_page(&mut self) -> Result<(), BookError> {
        let book = self.book.borrow();
        let page = book.query(|connection| {
            let page = (self.read)(connection, self.last.as_ref())?;
            if is_ascending(&page, self.last.as_ref()) { Ok(page) } else { Err(disordered()) }
        })?;
        self.is_done = page.len() < usize::from(PAGE);
        self.last = page.last().cloned();
        self.page = page.into_iter();
        Ok(())
    }
}

impl<B: Borrow<Book>> Paged<B, GameId> {
    /// The ids in a table.
    pub(crate) fn ids(book: B, table: IdTable) -> Self {
        let read: ReadPage<GameId> = match table {
            IdTable::Games => |connection, last| {
                let sql = "SELECT id FROM games WHERE id > ?1 ORDER BY id LIMIT ?2";
                ids_after(connection, sql, last)
            },
            IdTable::Elsewhere => |connection, last| {
                let sql = "SELECT id FROM elsewhere WHERE id > ?1 ORDER BY id LIMIT ?2";
                ids_after(connection, sql, last)
            },
        };
        Self::new(book, read)
    }
}

impl<B: Borrow<Book>, T: Placed> Iterator for Paged<B, T> {
    type Item = Result<T, BookError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.len() == 0
            && !self.is_done
            && let Err(error) = self.read_page()
        {
            self.is_done = true;
            return Some(Err(error));
        }
        self.page.next().map(Ok)
    }
}

/// Returns true if all come in order, after the last one.
fn is_ascending<T: Placed>(page: &[T], last: Option<&T>) -> bool {
    last.into_iter().chain(page).is_sorted_by(|a, b| a.place() < b.place())
}

fn ids_after(
    connection: &Connection,
    sql: &str,
    last: Option<&GameId>,
) -> rusqlite::Result<Vec<GameId>> {
    let mut statement = connection.prepare_cached(sql)?;
    // The empty blob is before all others.
    let last = last.map_or(&[][..], |id| &id.0[..]);
    let rows = statement.query_map((last, PAGE), |row| Ok(GameId(row.get(0)?)))?;
    rows.collect()
}
