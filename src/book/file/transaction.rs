//! Putting a book in its place: a new one, or a changed copy of the existing one.
//!
//! Every book is written in this way: the right to write is claimed, the book is written under another
//! name beside its place, sealed, and moved there. So at any moment the old or the new book is there,
//! whole, and readers that have the old one open keep it. The bytes of a book depend on its content
//! alone: a changed copy is packed anew, as a new book is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode};
use tempfile::TempPath;

use crate::book::file::connect::{open_working, set_schema_version};
use crate::book::file::digest;
use crate::book::file::reader::Book;
use crate::book::file::store::{APPLICATION_ID, BookPart, Writer, vacuum_into};
use crate::book::model::error::ReplaceError;
use crate::book::model::metadata::{Metadata, Source};
use crate::bytes::atomic::{self, AtomicFile};
use crate::bytes::lock::{FileLock, LockError};
use crate::bytes::paths::folder_of;
use crate::bytes::visible::ShowPath;
use crate::bytes::{StopFlag, open};
use crate::message::{Message, ToMessage, message};

/// Steps of SQLite's machine between two checks of the stop flag.
const STEPS: i32 = 1 << 16;

/// Makes errors that name a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<'a>(pub(crate) &'a Path);

impl At<'_> {
    pub(crate) fn refused(self, what: impl Into<Message>) -> ReplaceError {
        ReplaceError::Refused { path: self.0.to_owned(), what: what.into() }
    }

    /// A file there cannot be created or replaced.
    pub(crate) fn create(self, error: &io::Error) -> ReplaceError {
        let is_closed = [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem];
        if is_closed.contains(&error.kind()) {
            self.refused(message!("nothing can be written in its folder ({error}); choose another"))
        } else {
            self.refused(error.message())
        }
    }

    pub(crate) fn interrupted(self) -> ReplaceError {
        ReplaceError::Interrupted { path: self.0.to_owned() }
    }

    pub(crate) fn io(self, source: io::Error) -> ReplaceError {
        match source.kind() {
            io::ErrorKind::Interrupted => self.interrupted(),
            _ => ReplaceError::Write { path: self.0.to_owned(), source },
        }
    }

    pub(crate) fn store(self, source: rusqlite::Error) -> ReplaceError {
        match source.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => self.interrupted(),
            _ => ReplaceError::Store { path: self.0.to_owned(), source },
        }
    }

    /// Copies some tables of `book` to the book that is written there.
    pub(crate) fn copy_tables(
        self,
        book: &Book,
        to: &Writer,
        is_carried: impl Fn(BookPart) -> bool,
    ) -> Result<(), ReplaceError> {
        let copied = book.query(|from| Ok(to.add_tables(from, is_carried)))?;
        copied.map_err(|error| match error.sqlite_error_code() {
            _ if book.is_stopped() => self.interrupted(),
            // The book that is written is sound, and only the stop flag ends its statements.
            Some(
                ErrorCode::OperationInterrupted
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase,
            ) => book.store_error(&error).into(),
            _ => self.store(error),
        })
    }

    pub(crate) fn check_stop(self, stop: &StopFlag) -> Result<(), ReplaceError> {
        if stop.is_set() { Err(self.interrupted()) } else { Ok(()) }
    }
}

impl From<LockError> for ReplaceError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy(busy) => Self::Busy(busy),
            LockError::File { path, source } => At(&path).create(&source),
        }
    }
}

/// Checks that a book may be put at `path`: nothing is there, or a book that is not read-only.
fn check(path: &Path) -> Result<(), ReplaceError> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(
            At(path).refused(message!("there is no folder {}; make it first", folder.shown()))
        );
    }
    let what = if path.is_dir() {
        "this is a folder; name a file in it"
    } else if path.metadata().is_ok_and(|about| about.permissions().readonly()) {
        "this file is read-only; make it writable or choose another name"
    } else if path.exists() && !is_book(path) {
        "a file that is no book stands there; move it away or choose another name"
    } else {
        return Ok(());
    };
    Err(At(path).refused(what))
}

/// Returns true if the file is a book, damaged perhaps, and may be replaced by one.
fn is_book(path: &Path) -> bool {
    let header = open::regular(path).and_then(|mut file| digest::Header::read(&mut file));
    matches!(header, Ok(Some(header)) if header.application_id == APPLICATION_ID)
}

/// A book being written for a place, and the right to put it there.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    file: AtomicFile,
    /// Ends the work soon after it was set.
    stop: StopFlag,
    /// True if there is a book, to be replaced.
    replaces: bool,
    /// Held until everything else is done.
    lock: Arc<FileLock>,
}

impl Output {
    /// Claims a place where a book may exist already.
    pub(crate) fn claim(path: &Path, stop: &StopFlag) -> Result<Self, ReplaceError> {
        Self::create(path, stop, true)
    }

    /// Claims a place where nothing may exist.
    pub(crate) fn claim_new(path: &Path, stop: &StopFlag) -> Result<Self, ReplaceError> {
        Self::create(path, stop, false)
    }

    fn create(path: &Path, stop: &StopFlag, replaces: bool) -> Result<Self, ReplaceError> {
        check_place(path, replaces)?;
        let lock = Arc::new(FileLock::take(path)?);
        // If nothing is there now, a file that appears meanwhile is no book of this program.
        let replaces = replaces && path.symlink_metadata().is_ok();
        let file = if replaces { AtomicFile::create(path) } else { AtomicFile::create_new(path) };
        let file = file.map_err(|error| At(path).create(&error))?;
        Ok(Self { path: path.to_owned(), file, stop: stop.clone(), replaces, lock })
    }

    pub(crate) fn at(&self) -> At<'_> {
        At(&self.path)
    }

    /// The right to write there.
    pub(crate) fn lock(&self) -> Arc<FileLock> {
        Arc::clone(&self.lock)
    }

    /// [`ReplaceError::Interrupted`] if the stop flag is set.
    pub(crate) fn check_stop(&self) -> Result<(), ReplaceError> {
        self.at().check_stop(&self.stop)
    }

    /// Starts a new book.
    pub(crate) fn writer(&self) -> Result<Writer, ReplaceError> {
        let working = self.working_file()?.into_temp_path();
        let mut writer = Writer::create(working).map_err(|e| self.at().store(e))?;
        self.watch(writer.connection()).map_err(|e| self.at().store(e))?;
        Ok(writer)
    }

    fn working_file(&self) -> Result<tempfile::NamedTempFile, ReplaceError> {
        atomic::beside(&self.path).map_err(|error| self.at().create(&error))
    }

    /// Makes the store check the stop flag now and then.
    fn watch(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let stop = self.stop.clone();
        // Statements such as VACUUM run for minutes; this is the only way to end one from within.
        connection.progress_handler(STEPS, Some(move || stop.is_set()))
    }

    /// Opens a working copy under the stop flag; also returns its schema number.
    fn open_copy(&self, working: &Path) -> rusqlite::Result<(Connection, i64)> {
        let mut copy = connect(working)?;
        self.watch(&mut copy)?;
        let schema = copy.query_row("PRAGMA schema_version", [], |row| row.get(0))?;
        Ok((copy, schema))
    }

    /// Writes the metadata and tables that are known only at the end, and puts the new book in its place.
    pub(crate) fn finish(
        self,
        writer: Writer,
        metadata: &mut Metadata,
        key_table: &[u8],
        sources: &[Source],
    ) -> Result<(), ReplaceError> {
        writer
            .finish(self.file.temporary_path(), metadata, key_table, sources)
            .map_err(|e| self.at().store(e))?;
        self.commit()
    }

    /// Seals the book and moves it to its place.
    fn commit(mut self) -> Result<(), ReplaceError> {
        // Last, because the digest covers every other byte of the file.
        digest::seal(self.file.file_mut(), &self.stop).map_err(|e| At(&self.path).io(e))?;
        check_place(&self.path, self.replaces)?; // someone may have put a file there meanwhile
        self.check_stop()?;
        let Self { path, file, .. } = self;
        file.commit().map_err(|error| At(&path).create(&error))
    }
}

fn check_place(path: &Path, replaces: bool) -> Result<(), ReplaceError> {
    if !replaces && path.symlink_metadata().is_ok() {
        return Err(At(path).refused("it already exists; move it away or choose another name"));
    }
    check(path)
}

/// A book being changed: the existing one, which is locked meanwhile, and a copy that replaces it in the end.
#[derive(Debug)]
pub(crate) struct Revision {
    output: Output,
    book: Book,
    copy: Connection,
    /// The path of the working file, on systems where an open file cannot be removed.
    working: Option<TempPath>,
    /// SQLite's number of the schema, which packing counts up.
    schema: i64,
}

impl Revision {
    /// Starts to change the book at `path`, which must be a sound one, or the copy would be sealed as
    /// such, and might have no end.
    pub(crate) fn open(path: &Path, stop: &StopFlag) -> Result<Self, ReplaceError> {
        // Before the lock, which would make a file beside something that is no book.
        drop(Book::open_own(path, stop)?);
        let output = Output::claim(path, stop)?;
        // Again: the last holder of the lock may have changed it.
        let book = Book::open_own(path, stop)?;
        book.check_file()?;
        book.check_pages()?;
        let mut working = output.working_file()?;
        open::regular(path)
            .and_then(|mut from| io::copy(&mut from, working.as_file_mut()))
            .map_err(|e| At(path).io(e))?;
        let working = working.into_temp_path();
        let (copy, schema) = output.open_copy(&working).map_err(|e| At(path).store(e))?;
        // The file stays open; without a name nothing of it is left behind, whatever happens.
        let working = Some(working).filter(|_| !cfg!(unix));
        Ok(Self { output, book, copy, working, schema })
    }

    /// The book as it was before.
    pub(crate) const fn book(&self) -> &Book {
        &self.book
    }

    /// Reads from the copy or changes it.
    pub(crate) fn run<T>(
        &self,
        run: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ReplaceError> {
        run(&self.copy).map_err(|e| self.output.at().store(e))
    }

    /// Puts the changed copy in the book's place.
    pub(crate) fn commit(self) -> Result<(), ReplaceError> {
        let Self { output, copy, working, schema, book } = self;
        pack(copy, schema, output.file.temporary_path()).map_err(|e| output.at().store(e))?;
        drop(working);
        drop(book); // Windows replaces no open file
        output.commit()
    }
}

/// Ends the changes of a working copy whose schema number was `schema`, and writes it to the empty file at
/// `path`.
fn pack(copy: Connection, schema: i64, path: &Path) -> rusqlite::Result<()> {
    copy.execute_batch("COMMIT")?;
    // Otherwise the number would show how often a book was changed.
    set_schema_version(&copy, schema - 1)?;
    vacuum_into(&copy, path)?;
    copy.close().map_err(|(_, error)| error)
}

/// Opens a working copy. The transaction is only for speed: a copy that is not finished is dropped.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    open_working(
        path,
        "PRAGMA journal_mode = OFF;
         PRAGMA synchronous = OFF;
         PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA secure_delete = ON;
         PRAGMA temp_store = FILE;
         PRAGMA cache_size = -32768;
         BEGIN;",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::options::BuildOptions;
    use crate::book::file::key_tables::table_file;
    use crate::book::model::move_stats::MoveRow;
    use crate::book::tests::build_some;
    use crate::bytes::lock::tests::names;

    #[test]
    fn an_interrupt_is_heard_while_a_book_is_packed() {
        let (folder, book) = build_some(BuildOptions::default());
        let before = std::fs::read(book.path()).unwrap();
        let stop = StopFlag::default();
        let output = Output::claim(book.path(), &stop).unwrap();
        let mut writer = output.writer().unwrap();
        let row = MoveRow {
            stats: crate::book::model::move_stats::MoveStats { games: 1, ..Default::default() },
            weight: None,
        };
        for key in 0..20_000 {
            writer.add_row((key, 1), &row).unwrap();
        }
        stop.set();
        let mut metadata = book.metadata().clone();
        let table = table_file(&metadata.game, None);
        let error = output.finish(writer, &mut metadata, &table, &[]).unwrap_err();
        assert!(matches!(error, ReplaceError::Interrupted { .. }), "{error}");
        assert_eq!(std::fs::read(book.path()).unwrap(), before);
        assert_eq!(names(folder.path()), ["test.book"]);
        let stop = StopFlag::default();
        let revision = Revision::open(book.path(), &stop).unwrap();
        stop.set();
        assert!(matches!(revision.commit(), Err(ReplaceError::Interrupted { .. })));
        assert_eq!(std::fs::read(book.path()).unwrap(), before);
    }

    #[test]
    fn a_revision_without_changes_has_the_same_bytes() {
        let (_folder, book) = build_some(BuildOptions::default());
        let path = book.path().to_owned();
        drop(book);
        let before = std::fs::read(&path).unwrap();
        for _ in 0..2 {
            let revision = Revision::open(&path, &StopFlag::default()).unwrap();
            revision
                .run(|c| c.execute_batch("INSERT INTO marks VALUES(1, 2, 3, 4, 5, 'x', 0)"))
                .unwrap();
            revision.run(|c| c.execute_batch("DELETE FROM marks")).unwrap();
            revision.commit().unwrap();
            assert!(std::fs::read(&path).unwrap() == before);
        }
    }

    #[test]
    fn only_one_writes_at_a_time() {
        let (_folder, book) = build_some(BuildOptions::default());
        let revision = Revision::open(book.path(), &StopFlag::default()).unwrap();
        for again in [
            Revision::open(book.path(), &StopFlag::default()).map(drop),
            Output::claim(book.path(), &StopFlag::default()).map(drop),
        ] {
            assert!(matches!(again, Err(ReplaceError::Busy { .. })));
        }
        drop(revision);
        assert!(Output::claim_new(book.path(), &StopFlag::default()).is_err());
        Output::claim(book.path(), &StopFlag::default()).unwrap();
    }
}
