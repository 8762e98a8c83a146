//! One book of several.
//!
//! Rows are summed and games, sources and marks united. No game may count twice: books that share games are
//! refused, unless one counts all games of another and keeps as much of them; the other then adds only its
//! marks. Games without ids, as in imported books, are distinguished by the files that they came from and by
//! the content of books. The result does not depend on the order in which books are named.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::book::file::annotation_rows::expect_after;
use crate::book::file::key_tables::table_file;
use crate::book::file::paged::Paged;
use crate::book::file::reader::Book;
use crate::book::file::rehash::for_each_rekeyed;
use crate::book::file::samples::SampleSorters;
use crate::book::file::store::{BookPart, Writer};
use crate::book::file::transaction::Output;
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::counted_game::{GameId, IdTable};
use crate::book::model::error::{BookError, RemakeError};
use crate::book::model::metadata::{Counts, Metadata, Source};
use crate::book::model::move_stats::{MoveRow, RowKey};
use crate::book::model::observation::MoveSum;
use crate::book::model::origins::{Origin, Origins};
use crate::bytes::external_sort::{Reduce, Sorter, Summand};
use crate::bytes::paths::base_name;
use crate::bytes::paths::folder_of;
use crate::bytes::{StopFlag, varint};
use crate::game::{Notation, Symmetric};
use crate::hash::KeyTable;

/// Books merged at once.
const MAX_BOOKS: usize = 100;

/// Rows sorted at a time.
const BATCH: usize = 1 << 14;

/// The options of a merge.
#[derive(Debug, Clone)]
pub struct MergeOptions {
    /// Bytes for sorting; beyond that, temporary files are written beside the book. Default 512 MiB.
    pub memory: usize,
    /// Ends the work soon after it was set.
    pub stop: StopFlag,
}

impl Default for MergeOptions {
    fn default() -> Self {
        Self { memory: 512 << 20, stop: StopFlag::default() }
    }
}

/// One of the merged books, and its contribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedBook {
    /// The path of the book.
    pub path: PathBuf,
    /// Its counted games.
    pub games: u64,
    /// Its rows.
    pub rows: u64,
    /// True if another book counts all its games, so that its own rows were left out.
    pub is_contained: bool,
    /// True if its rows were found anew under other keys.
    pub is_rekeyed: bool,
    /// Rows and marks that could not be found under the other keys, and were left out.
    pub unreached: u64,
}

/// The counts of a merge.
#[derive(Debug, Clone)]
pub struct MergeReport {
    /// The merged book's metadata.
    pub metadata: Metadata,
    /// The books, as they were named.
    pub books: Vec<MergedBook>,
    /// Marks in the merged book.
    pub marks: u64,
    /// Moves of which books say different things.
    pub conflicts: u64,
    /// True if the books keep games to different depths.
    pub depths_differ: bool,
}

/// Merges `inputs` into a book at `output`:
///
/// - rows are summed; of weights that came with them the highest is kept;
/// - marks: the mark of a move in one book only is kept. Otherwise, if marks are locked, only those count;
///   then flags are united, the highest weight and the highest priority other than 0 are kept, and all
///   comments, in the order of their text;
/// - the greatest `max_ply`, the least `min_games` and the least `min_share` are kept; one pruned book
///   makes a pruned one;
/// - filter and formula of weights are kept where all books have the same; otherwise the formula is
///   the usual one, the filter none, and the book takes no further games, like a pruned one;
/// - of other rows under the same key (scores of one engine) that of one book is kept;
/// - of a book whose games another one counts only the marks are merged, if the other one keeps all moves of
///   these games: it was not pruned, and neither its filter nor its depth leaves out moves that the first one
///   has;
/// - so it is with a book of games that have no ids, such as an imported one, or with some of them, where
///   another book has the same content, was merged of it or was made from the same file, and has every row
///   with at least its sums;
/// - where key tables differ, the stored one is used, and the rows of books with another are found by playing
///   from the start position.
///
/// ```
/// use juzhong::book::{BuildOptions, MergeOptions, ReadOptions, build, merge};
/// use juzhong::xiangqi::Position;
///
/// let folder = tempfile::tempdir()?;
/// let mut books = Vec::new();
/// for (name, moves) in [("a", "炮二平五 马8进7\n"), ("b", "马二进三 卒7进1\n")] {
///     let games = folder.path().join(name).with_extension("txt");
///     std::fs::write(&games, moves)?;
///     books.push(folder.path().join(name).with_extension("book"));
///     let book = books.last().unwrap();
///     build::<Position>(&[games], book, BuildOptions::default(), ReadOptions::default())?;
/// }
/// let both = folder.path().join("both.book");
/// let report = merge::<Position>(&books, &both, &MergeOptions::default())?;
/// assert_eq!(report.metadata.counts.games, 2);
/// assert_eq!(report.books[0].games, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`RemakeError`].
pub fn merge<G: Symmetric + Notation>(
    inputs: &[PathBuf],
    output: &Path,
    options: &MergeOptions,
) -> Result<MergeReport, RemakeError> {
    if inputs.len() > MAX_BOOKS {
        return Err(RemakeError::TooMany { given: inputs.len(), limit: MAX_BOOKS });
    }
    // First, so that the file there does not change meanwhile; it may be an input.
    let out = Output::claim(output, &options.stop)?;
    let mut books = Vec::new();
    for path in inputs {
        let book = Book::open_until(path, &options.stop)?;
        book.check_file()?;
        book.check_pages()?;
        book.expect_game::<G>()?;
        books.push(book);
    }
    let contained = contained(&books)?;
    expect_ids(&books, &contained)?;
    let table = common_table(&books);
    let mut merging = Merging {
        books: &books,
        contained,
        table,
        origins: Numbered::new(&books)?,
        marks: BTreeMap::new(),
        unreached: vec![0; books.len()],
        other_starts: 0,
        samples: None,
        writer: out.writer()?,
        out,
    };
    merging.begin_samples(output, options)?;
    merging.games()?;
    merging.rows::<G>(output, options)?;
    merging.finish()
}

/// The key table of all books; where they differ, the stored one.
fn common_table(books: &[Book]) -> Option<KeyTable> {
    let first = books.first()?.foreign_keys()?;
    books.iter().all(|book| book.foreign_keys() == Some(first)).then(|| first.clone())
}

/// Finds the books that are left out because another one counts all their games.
fn contained(books: &[Book]) -> Result<Vec<bool>, RemakeError> {
    let shared = Shared::of(books)?;
    let contained: Vec<bool> = shared.holders()?.0.iter().map(Option::is_some).collect();
    shared.refuse_overlaps(&contained)?;
    Ok(contained)
}

/// The extent of a book: of books with the same games the greatest stays.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Extent<'a> {
    games: u64,
    max_ply: u64,
    is_whole: bool,
    rows: u64,
    content: &'a str,
}

impl<'a> Extent<'a> {
    fn of(book: &'a Book) -> Self {
        let about = book.metadata();
        Self {
            games: about.counts.games,
            max_ply: about.max_ply,
            is_whole: !about.pruned,
            rows: about.rows,
            content: &about.content,
        }
    }
}

/// The games that books share; methods name books by their numbers.
struct Shared<'a> {
    books: &'a [Book],
    /// See [`common_games`].
    common: Vec<Vec<u64>>,
    unnamed: Vec<Unnamed>,
}

impl<'a> Shared<'a> {
    fn of(books: &'a [Book]) -> Result<Self, RemakeError> {
        let common = common_games(books)?;
        let unnamed = books.iter().map(Unnamed::of).collect::<Result<_, _>>()?;
        Ok(Self { books, common, unnamed })
    }

    /// For each book one that holds it.
    fn holders(&self) -> Result<Holders, BookError> {
        let mut holders = Holders(vec![None; self.books.len()]);
        for (a, b) in pairs(self.books.len()) {
            if self.holds_named(a, b) {
                holders.note(a, b);
            } else if self.holds_named(b, a) {
                holders.note(b, a);
            } else if self.unnamed[a].overlaps(&self.unnamed[b])
                || self.is_part(a, b)
                || self.is_part(b, a)
            {
                match (self.has_rows(a, b)?, self.has_rows(b, a)?) {
                    // Of equal books the first stays, of others one that does not depend on the order.
                    (true, true) if self.content(a) >= self.content(b) => holders.note(a, b),
                    (true, false) => holders.note(a, b),
                    (_, true) => holders.note(b, a),
                    (false, false) => {}
                }
            }
        }
        Ok(holders)
    }

    /// Returns true if book `a` holds book `b` as ids of games show.
    fn holds_named(&self, a: usize, b: usize) -> bool {
        let book = &self.books[a];
        let other = &self.books[b];
        let extent = Extent::of(book);
        let of_other = Extent::of(other);
        let games = of_other.games;
        let same = extent == of_other;
        let is_named = self.unnamed[b].is_empty();
        (same || is_named && keeps_as_much(book.metadata(), other.metadata()))
            && games > 0
            && self.common[a][b] == games
            && extent.max_ply >= of_other.max_ply
            // Of equal books the first stays; of others with the same games the deeper one.
            && (self.common[a][a] > games || extent > of_other || same && a < b)
    }

    /// Returns true if book `a` has the games of book `b` that have ids, and its rows.
    fn has_rows(&self, a: usize, b: usize) -> Result<bool, BookError> {
        let is_named_in = self.common[a][b] == self.books[b].metadata().stored_games();
        Ok(is_named_in && has_rows_of(&self.books[a], &self.books[b])?)
    }

    /// Returns true if book `b` was merged into book `a`.
    fn is_part(&self, a: usize, b: usize) -> bool {
        self.unnamed[a].merged.contains(self.content(b))
    }

    /// Refuses books that share games and do not hold each other.
    fn refuse_overlaps(&self, contained: &[bool]) -> Result<(), RemakeError> {
        for (a, b) in pairs(self.books.len()).filter(|&(a, b)| !contained[a] && !contained[b]) {
            let common = self.common[a][b];
            if common > 0 {
                return Err(RemakeError::Overlap { a: self.path(a), b: self.path(b), common });
            }
            if self.unnamed[a].overlaps(&self.unnamed[b]) {
                return Err(RemakeError::SameSource { a: self.path(a), b: self.path(b) });
            }
        }
        Ok(())
    }

    /// The digest over the rows of a book.
    fn content(&self, book: usize) -> &str {
        &self.books[book].metadata().content
    }

    fn path(&self, book: usize) -> PathBuf {
        self.books[book].path().to_owned()
    }
}

/// For each book one that holds it, if any does. No book holds itself by way of others, so that at least one
/// of those that hold each other stays.
struct Holders(Vec<Option<usize>>);

impl Holders {
    /// Notes that book number `a` holds number `b`.
    fn note(&mut self, a: usize, b: usize) {
        // Follows the holders of `a`: if `b` is among them, `b` would hold itself.
        let mut chain = std::iter::successors(Some(a), |&book| self.0[book]);
        if self.0[b].is_none() && !chain.any(|book| book == b) {
            self.0[b] = Some(a);
        }
    }
}

/// Every pair of numbers below `count`.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// The number of games that each two books both count, as far as ids show.
fn common_games(books: &[Book]) -> Result<Vec<Vec<u64>>, RemakeError> {
    let mut common = vec![vec![0u64; books.len()]; books.len()];
    for_each_id(books, IdTable::Games, |_, having| {
        for &a in having {
            for &b in having {
                common[a][b] += 1;
            }
        }
        Ok::<(), RemakeError>(())
    })?;
    Ok(common)
}

/// A book that counts every record can be merged only with books that it holds, or that hold it.
fn expect_ids(books: &[Book], contained: &[bool]) -> Result<(), RemakeError> {
    let mut rest = books.iter().zip(contained).filter(|(_, contained)| !**contained);
    let nameless = rest.clone().find(|(book, _)| book.metadata().filter.every_record);
    match nameless {
        Some((book, _)) if rest.nth(1).is_some() => {
            Err(RemakeError::NoIds { path: book.path().to_owned() })
        }
        _ => Ok(()),
    }
}

/// The origins of the games of a book, in particular of those that have no ids.
struct Unnamed {
    /// Digests of all books that were merged into it.
    merged: BTreeSet<String>,
    /// Digests of books of games without ids: of this one, of those that were merged into it.
    contents: BTreeSet<String>,
    /// Hashes of the files.
    sources: BTreeSet<[u8; 32]>,
}

impl Unnamed {
    fn of(book: &Book) -> Result<Self, BookError> {
        let about = book.metadata();
        let origins = book.origins()?;
        let numbered = (1u32..).zip(&origins.books).filter(|(_, origin)| origin.games == 0);
        let numbers: BTreeSet<u32> = numbered.clone().map(|(number, _)| number).collect();
        let mut contents: BTreeSet<String> =
            numbered.map(|(_, origin)| origin.content.clone()).collect();
        let mut sources: BTreeSet<[u8; 32]> = origins
            .sources
            .iter()
            .filter(|(number, _)| numbers.contains(number))
            .map(|&(_, hash)| hash)
            .collect();
        if about.stored_games() == 0 {
            contents.insert(about.content.clone());
            sources.extend(book.sources()?.into_iter().map(|source| source.hash));
        }
        let merged = origins.books.into_iter().map(|origin| origin.content).collect();
        Ok(Self { merged, contents, sources })
    }

    /// Returns true if all games of the book have ids.
    fn is_empty(&self) -> bool {
        self.contents.is_empty()
    }

    fn overlaps(&self, other: &Self) -> bool {
        !self.contents.is_disjoint(&other.contents) || !self.sources.is_disjoint(&other.sources)
    }
}

/// Returns true if a book has every row of another one, with at least its sums.
fn has_rows_of(book: &Book, other: &Book) -> Result<bool, BookError> {
    if book.foreign_keys() != other.foreign_keys() {
        return Ok(false);
    }
    if book.metadata().content == other.metadata().content {
        return Ok(true);
    }
    let sql = "SELECT key, move, stats FROM moves ORDER BY key, move";
    let mut mine = book.prepare(sql)?;
    let mut others = other.prepare(sql)?;
    let mut mine = StoredRows::new(book, &mut mine)?;
    let mut others = StoredRows::new(other, &mut others)?;
    while let Some((place, wanted)) = others.next()? {
        // Both go by place: rows of the larger book that the other lacks are passed over.
        let found = loop {
            match mine.next()? {
                Some((at, _)) if at < place => {}
                found => break found,
            }
        };
        if found.is_none_or(|(at, row)| at != place || !row.stats.has(&wanted.stats)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The rows of a book, in order.
struct StoredRows<'a> {
    book: &'a Book,
    rows: rusqlite::Rows<'a>,
    before: Option<RowKey>,
}

impl<'a> StoredRows<'a> {
    fn new(book: &'a Book, statement: &'a mut rusqlite::Statement<'_>) -> Result<Self, BookError> {
        let rows = statement.query([]).map_err(|e| book.store_error(&e))?;
        Ok(Self { book, rows, before: None })
    }

    fn next(&mut self) -> Result<Option<(RowKey, MoveRow)>, BookError> {
        let next = self.read().map_err(|e| self.book.store_error(&e))?;
        let Some((place, row)) = next else { return Ok(None) };
        let row = row.ok_or_else(|| self.book.damaged_row(place.0, place.1))?;
        Ok(Some((place, row)))
    }

    /// The next place and its row; `None` for a row that was changed.
    fn read(&mut self) -> rusqlite::Result<Option<(RowKey, Option<MoveRow>)>> {
        let Some(row) = self.rows.next()? else { return Ok(None) };
        let key = row.get(0)?;
        let mv = row.get(1)?;
        expect_after(&mut self.before, (key, mv))?;
        Ok(Some(((key, mv), MoveRow::take(key, mv, row.get_ref(2)?.as_blob()?))))
    }
}

/// Returns true if a book that counts all games of another one also has all moves that the other one keeps of
/// them, as far as its options show.
fn keeps_as_much(book: &Metadata, other: &Metadata) -> bool {
    let kept = &book.filter;
    let of_other = &other.filter;
    !book.pruned
        && (kept.mover.is_none() || kept.mover == of_other.mover)
        && kept.from_ply.max(1) <= of_other.from_ply.max(1)
}

/// Calls `visit` with every id in a table of the books, in order, and the numbers of the books that
/// have it.
fn for_each_id<E: From<BookError>>(
    books: &[Book],
    table: IdTable,
    mut visit: impl FnMut(GameId, &[usize]) -> Result<(), E>,
) -> Result<(), E> {
    let mut lists = Vec::new();
    for book in books {
        let mut ids = Paged::ids(book, table);
        lists.push((ids.next().transpose()?, ids));
    }
    while let Some(least) = lists.iter().filter_map(|(next, _)| *next).min() {
        // A hundred lists at most: looking through all of them is cheap beside reading the ids.
        let having: Vec<usize> = (0..lists.len()).filter(|&i| lists[i].0 == Some(least)).collect();
        visit(least, &having)?;
        for i in having {
            let (next, ids) = &mut lists[i];
            *next = ids.next().transpose()?;
        }
    }
    Ok(())
}

/// The books merged, those that they were merged of included, and their numbers.
struct Numbered {
    all: Vec<Origin>,
    /// By book: the number of the book itself, and those of its own origins.
    numbers: Vec<(u32, Vec<u32>)>,
}

impl Numbered {
    fn new(books: &[Book]) -> Result<Self, BookError> {
        let own: Vec<Origin> = books.iter().map(origin_of).collect();
        let older: Vec<Vec<Origin>> =
            books.iter().map(|book| Ok(book.origins()?.books)).collect::<Result<_, BookError>>()?;
        let all: BTreeSet<&Origin> = own.iter().chain(older.iter().flatten()).collect();
        let all: Vec<Origin> = all.into_iter().cloned().collect();
        let numbers = own
            .iter()
            .zip(&older)
            .map(|(own, older)| {
                let older: Vec<u32> = older.iter().map(|origin| number_of(origin, &all)).collect();
                (number_of(own, &all), older)
            })
            .collect();
        Ok(Self { all, numbers })
    }

    /// The number of a book's own origin, or of the one that its `origin` states.
    fn of(&self, book: usize, origin: Option<u32>) -> u32 {
        let (own, older) = &self.numbers[book];
        let older = origin.and_then(|number| older.get((number as usize).checked_sub(1)?));
        older.copied().unwrap_or(*own)
    }
}

/// The number of an origin among all, which are in order, from 1.
fn number_of(origin: &Origin, all: &[Origin]) -> u32 {
    all.binary_search(origin).map_or(0, |i| i as u32 + 1)
}

fn origin_of(book: &Book) -> Origin {
    let about = book.metadata();
    let name = base_name(book.path());
    Origin { content: about.content.clone(), name, games: about.counts.games, moves: about.rows }
}

/// A merge underway.
struct Merging<'a> {
    books: &'a [Book],
    contained: Vec<bool>,
    table: Option<KeyTable>,
    origins: Numbered,
    /// The marks of moves in the books.
    marks: BTreeMap<RowKey, Vec<Annotation>>,
    unreached: Vec<u64>,
    /// Different games from other starts.
    other_starts: u64,
    /// The sample games, if a book has such.
    samples: Option<SampleSorters>,
    out: Output,
    writer: Writer,
}

impl Merging<'_> {
    /// Prepares for sample games, if a book whose rows count has such; of each move as many are kept as in the
    /// book that has most.
    fn begin_samples(&mut self, output: &Path, options: &MergeOptions) -> Result<(), RemakeError> {
        let books = self.books.iter().zip(&self.contained).filter(|(_, contained)| !**contained);
        let most = books.map(|(book, _)| book.samples()).max().unwrap_or(0);
        if most > 0 {
            self.writer.begin_samples().map_err(|e| self.out.at().store(e))?;
            let folder = folder_of(output);
            let samples = SampleSorters::new(most, folder, options.memory / 4, &options.stop);
            self.samples = Some(samples);
        }
        Ok(())
    }

    /// Unites the ids of games, which do not depend on keys.
    fn games(&mut self) -> Result<(), RemakeError> {
        for table in [IdTable::Games, IdTable::Elsewhere] {
            let mut number = 0;
            for_each_id(self.books, table, |id, _| {
                self.writer.add_id(table, id).map_err(|e| self.out.at().store(e))?;
                number += 1;
                Ok::<(), RemakeError>(())
            })?;
            if table == IdTable::Elsewhere {
                self.other_starts = number;
            }
        }
        Ok(())
    }

    /// Sums the rows, and collects the marks.
    fn rows<G: Symmetric + Notation>(
        &mut self,
        output: &Path,
        options: &MergeOptions,
    ) -> Result<(), RemakeError> {
        let sorter = Sorter::<Summed>::new(folder_of(output), options.memory / 4, &options.stop);
        for (number, book) in self.books.iter().enumerate() {
            self.out.check_stop()?;
            let mut collect = Collect {
                sorter: &sorter,
                batch: Vec::new(),
                takes_rows: !self.contained[number],
                failed: Ok(()),
                origins: &self.origins,
                number,
                marks: &mut self.marks,
            };
            if book.foreign_keys() == self.table.as_ref() {
                book.for_each_place(|place, row, mark| {
                    collect.add(place, row, mark);
                    Ok(())
                })?;
                if let Some(samples) = &self.samples
                    && !self.contained[number]
                {
                    samples.add_book(book, Some)?;
                }
            } else {
                let table = self.table.as_ref();
                let has_samples = book.samples() > 0 && !self.contained[number];
                let mut places = BTreeMap::new();
                let unreached = for_each_rekeyed::<G, BookError>(book, table, |place, to| {
                    let (row, mark) = book.row_and_mark(place)?;
                    collect.add(to, row, mark);
                    if has_samples {
                        places.insert(place, to);
                    }
                    Ok(())
                })?;
                self.unreached[number] = unreached;
                if let Some(samples) = &self.samples {
                    samples.add_book(book, |place| places.get(&place).copied())?;
                }
            }
            collect.finish().map_err(|e| self.out.at().io(e))?;
        }
        let rows = sorter.finish().map_err(|e| self.out.at().io(e))?;
        for (i, row) in rows.enumerate() {
            if i % BATCH == 0 {
                self.out.check_stop()?;
            }
            let Summed { place, row } = row.map_err(|e| self.out.at().io(e))?;
            self.writer.add_row(place, &row).map_err(|e| self.out.at().store(e))?;
        }
        Ok(())
    }

    /// Writes the marks and the remaining tables.
    fn finish(self) -> Result<MergeReport, RemakeError> {
        let Self {
            books,
            contained,
            table,
            origins,
            marks,
            unreached,
            other_starts,
            samples,
            out,
            writer,
        } = self;
        let mut written = 0;
        let mut conflicts = 0;
        for (place, said) in &marks {
            let mark = combined(said);
            conflicts += u64::from(said.iter().any(|other| !says_the_same(other, &mark)));
            written += 1;
            writer.add_mark(*place, &mark).map_err(|e| out.at().store(e))?;
        }
        // In the order of numbers, which does not depend on that of the names.
        let mut numbered: Vec<(u32, &Book)> =
            books.iter().enumerate().map(|(i, book)| (origins.of(i, None), book)).collect();
        numbered.sort_by_key(|(number, _)| *number);
        for (_, book) in numbered {
            // Rows under other keys would mean nothing in the merged book.
            if book.foreign_keys() == table.as_ref() {
                out.at().copy_tables(book, &writer, is_carried)?;
            }
        }
        let sources = sources(books, &origins)?;
        let numbered = Origins { books: origins.all, sources: sources.numbered };
        writer.add_origins(&numbered).map_err(|e| out.at().store(e))?;
        let mut metadata = metadata(books, &contained, table.as_ref());
        if let Some(samples) = samples {
            metadata.samples = samples.most;
            samples.write(&writer, out.at())?;
        }
        metadata.counts.other_starts = other_starts;
        let key_table = table_file(&metadata.game, table.as_ref());
        out.finish(writer, &mut metadata, &key_table, &sources.united)?;
        let depths_differ = books.iter().any(|book| book.metadata().max_ply != metadata.max_ply);
        let contributions = books.iter().zip(contained).zip(unreached);
        let books = contributions
            .map(|((book, is_contained), unreached)| {
                merged_book(book, is_contained, unreached, table.as_ref())
            })
            .collect();
        Ok(MergeReport { metadata, books, marks: written, conflicts, depths_differ })
    }
}

/// The contribution of a book to a merged one whose keys are those of `table`, or the stored ones.
fn merged_book(
    book: &Book,
    is_contained: bool,
    unreached: u64,
    table: Option<&KeyTable>,
) -> MergedBook {
    MergedBook {
        path: book.path().to_owned(),
        games: book.metadata().counts.games,
        rows: book.metadata().rows,
        is_contained,
        is_rekeyed: book.foreign_keys() != table,
        unreached,
    }
}

const fn is_carried(part: BookPart) -> bool {
    match part {
        BookPart::Scores => true,
        // United, or left behind: with other moves, other things follow from scores, and edits cannot
        // be undone where marks were united.
        BookPart::Frame
        | BookPart::Games
        | BookPart::Moves
        | BookPart::Marks
        | BookPart::Groups
        | BookPart::Journal
        | BookPart::Origins
        | BookPart::Propagated
        | BookPart::Samples => false,
    }
}

/// The metadata that are not derived from rows.
fn metadata(books: &[Book], contained: &[bool], table: Option<&KeyTable>) -> Metadata {
    let mut counts = Counts::default();
    for (book, _) in books.iter().zip(contained).filter(|(_, contained)| !**contained) {
        counts.absorb(&book.metadata().counts);
    }
    let all: Vec<&Metadata> = books.iter().map(Book::metadata).collect();
    let game = all.first().map(|about| about.game.clone()).unwrap_or_default();
    let stored = KeyTable::from_bytes(&table_file(&game, table));
    let filter = common(all.iter().map(|about| &about.filter));
    Metadata {
        key_table: stored.map(|table| table.fingerprint()).unwrap_or_default(),
        game,
        // The widest limits: the moves of every book are in it.
        max_ply: all.iter().map(|about| about.max_ply).max().unwrap_or(0),
        min_games: all.iter().map(|about| about.min_games).min().unwrap_or(1),
        min_share: all.iter().map(|about| about.min_share).min().unwrap_or(0),
        pruned: filter.is_none() || all.iter().any(|about| about.pruned),
        filter: filter.cloned().unwrap_or_default(),
        weight: common(all.iter().map(|about| &about.weight)).cloned().unwrap_or_default(),
        counts,
        ..Metadata::default()
    }
}

/// The common value of all, if they are equal.
fn common<'a, T: PartialEq>(mut all: impl Iterator<Item = &'a T>) -> Option<&'a T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

struct Sources {
    united: Vec<Source>,
    numbered: BTreeSet<(u32, [u8; 32])>,
}

/// Every source once, under the least of its names, and the books that it came with.
fn sources(books: &[Book], origins: &Numbered) -> Result<Sources, BookError> {
    let mut united: BTreeMap<[u8; 32], Source> = BTreeMap::new();
    let mut numbered = BTreeSet::new();
    for (number, book) in books.iter().enumerate() {
        for source in book.sources()? {
            numbered.insert((origins.of(number, None), source.hash));
            let known = united.entry(source.hash).or_insert_with(|| source.clone());
            known.games = known.games.max(source.games);
            if source.name < known.name {
                known.name = source.name;
            }
        }
        for (origin, hash) in book.origins()?.sources {
            numbered.insert((origins.of(number, Some(origin)), hash));
        }
    }
    Ok(Sources { united: united.into_values().collect(), numbered })
}

/// The combined marks of a move in several books, see [`merge`].
fn combined(said: &[Annotation]) -> Annotation {
    let is_locked = said.iter().any(|mark| mark.flags.has(Flags::LOCKED));
    let said: Vec<&Annotation> =
        said.iter().filter(|mark| !is_locked || mark.flags.has(Flags::LOCKED)).collect();
    let comments: BTreeSet<&str> = said.iter().filter_map(|mark| mark.comment.as_deref()).collect();
    let comment = comments.into_iter().collect::<Vec<_>>().join("\n");
    let priorities = said.iter().map(|mark| mark.priority).filter(|&priority| priority != 0);
    Annotation {
        priority: priorities.max().unwrap_or(0),
        flags: said.iter().fold(Flags::default(), |flags, mark| flags.union(mark.flags)),
        weight: said.iter().filter_map(|mark| mark.weight).max(),
        comment: (!comment.is_empty()).then_some(comment),
        groups: said.iter().flat_map(|mark| mark.groups.iter().cloned()).collect(),
        // The origin of a mark from several books is the first of them.
        origin: said.iter().filter_map(|mark| mark.origin).min(),
    }
}

/// Returns true if two marks differ at most in their origins.
fn says_the_same(a: &Annotation, b: &Annotation) -> bool {
    *a == Annotation { origin: a.origin, ..b.clone() }
}

/// Collects the rows and marks of a book.
struct Collect<'a> {
    sorter: &'a Sorter<Summed>,
    batch: Vec<Summed>,
    takes_rows: bool,
    failed: std::io::Result<()>,
    origins: &'a Numbered,
    number: usize,
    marks: &'a mut BTreeMap<RowKey, Vec<Annotation>>,
}

impl Collect<'_> {
    fn add(&mut self, place: RowKey, row: Option<MoveRow>, mark: Annotation) {
        if mark != Annotation::default() {
            let origin = Some(self.origins.of(self.number, mark.origin));
            self.marks.entry(place).or_default().push(Annotation { origin, ..mark });
        }
        let Some(row) = row.filter(|_| self.takes_rows) else { return };
        if !row.stats.is_plausible() {
            // Kept until the end: the callback that brings rows cannot return this error.
            self.failed = Err(std::io::Error::other("counts beyond those of any collection"));
        }
        self.batch.push(Summed { place, row });
        if self.batch.len() >= BATCH {
            self.push();
        }
    }

    fn push(&mut self) {
        if self.failed.is_ok() {
            self.failed = self.sorter.push(std::mem::take(&mut self.batch));
        }
        self.batch.clear();
    }

    fn finish(mut self) -> std::io::Result<()> {
        self.push();
        self.failed
    }
}

/// A row, summed over books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summed {
    place: RowKey,
    row: MoveRow,
}

impl Summand for Summed {
    fn order(&self, other: &Self) -> Ordering {
        self.place.cmp(&other.place)
    }

    fn absorb(&mut self, other: Self) {
        self.row.stats.absorb(&other.row.stats);
        self.row.weight = self.row.weight.max(other.row.weight);
    }

    fn put(&self, out: &mut Vec<u8>) {
        let (key, mv) = self.place;
        MoveSum { key, mv, stats: self.row.stats }.put(out);
        varint::put(out, self.row.weight.is_some().into());
        varint::put(out, self.row.weight.unwrap_or(0));
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let MoveSum { key, mv, stats } = MoveSum::take(input)?;
        let is_weighted = varint::take(input)? == 1;
        let weight = Some(varint::take(input)?).filter(|_| is_weighted);
        Some(Self { place: (key, mv), row: MoveRow { stats, weight } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::builder::options::BuildOptions;
    use crate::book::edit::editor::{Change, Editor};
    use crate::book::model::annotation::tests::any_mark;
    use crate::book::tests::{build_with, elsewhere, lines, random_games, some_games};
    use crate::hash;
    use crate::xiangqi::{Move, Position};
    use proptest::prelude::*;

    /// Every move of a book, without the numbers of merged books.
    fn entries(book: &Book) -> Vec<crate::book::file::reader::BookEntry> {
        let mut entries = Vec::new();
        book.for_each_entry(|mut entry| {
            entry.mark.origin = None;
            entries.push(entry);
        })
        .unwrap();
        entries
    }

    fn other_keys() -> KeyTable {
        let mut seed = hash::SEED;
        seed[0] ^= 1;
        KeyTable::draw("xiangqi", seed, 0, hash::xiangqi::LEN)
    }

    #[test]
    fn a_game_from_elsewhere_is_one_in_the_merged_book_too() {
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let inputs = [(0, "h2e2 h9g7"), (1, "c3c4 c6c5")].map(|(folder, line): (usize, _)| {
            let mut records = lines(&[line]);
            records.push(elsewhere());
            let built = build_with(folders[folder].path(), &records, BuildOptions::default());
            built.unwrap().0.path().to_owned()
        });
        let output = folders[2].path().join("merged.book");
        let merged = merge::<Position>(&inputs, &output, &MergeOptions::default()).unwrap();
        assert_eq!(merged.metadata.counts.other_starts, 1);
        assert_eq!(merged.metadata.counts.other_start_records, 2);
        let merged = Book::open(&output).unwrap();
        merged.verify().unwrap();
        let known = merged
            .prepare("SELECT count(*) FROM elsewhere")
            .unwrap()
            .query_row([], |row| row.get::<_, i64>(0));
        assert_eq!(known.unwrap(), 1);
    }

    #[test]
    fn books_with_other_keys_are_found_again() {
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let [some, many] = [some_games(), random_games(60)];
        let foreign = BuildOptions { key_table: Some(other_keys()), ..BuildOptions::default() };
        let (a, _) = build_with(folders[0].path(), &some, foreign).unwrap();
        let (b, _) = build_with(folders[1].path(), &many, BuildOptions::default()).unwrap();
        let mut editor = Editor::open(a.path(), &StopFlag::default()).unwrap();
        let mv = Move::parse("h2e2").unwrap();
        editor.change(&Position::start(), mv, &[Change::Priority(3)]).unwrap();
        editor.commit().unwrap();
        let all: Vec<_> = some.iter().chain(&many).cloned().collect();
        let (expected, _) = build_with(folders[2].path(), &all, BuildOptions::default()).unwrap();
        let output = folders[2].path().join("merged.book");
        let inputs = [a.path().to_owned(), b.path().to_owned()];
        let report = merge::<Position>(&inputs, &output, &MergeOptions::default()).unwrap();
        assert_eq!(report.books.iter().map(|b| b.is_rekeyed).collect::<Vec<_>>(), [true, false]);
        assert_eq!(report.books.iter().map(|b| b.unreached).sum::<u64>(), 0);
        assert_eq!(report.metadata.content, expected.metadata().content);
        let merged = Book::open(&output).unwrap();
        merged.verify().unwrap();
        assert!(merged.foreign_keys().is_none());
        let found = merged.probe(&Position::start()).unwrap();
        assert_eq!(found.iter().find(|m| m.mv == mv).map(|m| m.priority), Some(3));
        // Books with the same other keys keep them.
        let inputs = [a.path().to_owned(), a.path().to_owned()];
        merge::<Position>(&inputs, &output, &MergeOptions::default()).unwrap();
        let merged = Book::open(&output).unwrap();
        assert_eq!(merged.foreign_keys(), a.foreign_keys());
        assert_eq!(entries(&merged), entries(&Book::open(a.path()).unwrap()));
    }

    #[test]
    fn a_book_that_keeps_fewer_moves_holds_no_other() {
        let folders: Vec<_> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
        let games = some_games();
        let (part, _) =
            build_with(folders[0].path(), &games[..1], BuildOptions::default()).unwrap();
        let filter = crate::book::model::filter::Filter { from_ply: 5, ..Default::default() };
        let late = BuildOptions { filter, ..BuildOptions::default() };
        let (late, _) = build_with(folders[1].path(), &games, late).unwrap();
        let output = folders[1].path().join("merged.book");
        let inputs = [part.path().to_owned(), late.path().to_owned()];
        let merged = merge::<Position>(&inputs, &output, &MergeOptions::default());
        assert!(matches!(merged, Err(RemakeError::Overlap { common: 1, .. })), "{merged:?}");
        assert!(!output.exists());
        let full = Metadata::default();
        let winner = crate::book::model::filter::Filter {
            mover: Some(crate::book::model::filter::Mover::Winner),
            ..Default::default()
        };
        let winner = Metadata { filter: winner, ..Metadata::default() };
        let pruned = Metadata { pruned: true, ..Metadata::default() };
        for fewer in [&winner, &pruned] {
            assert!(keeps_as_much(&full, fewer) && !keeps_as_much(fewer, &full));
        }
        assert!(keeps_as_much(&winner, &winner));
    }

    #[test]
    fn rows_two_moves_beside_the_book_are_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let foreign = BuildOptions { key_table: Some(other_keys()), ..BuildOptions::default() };
        let (book, _) = build_with(folder.path(), &some_games(), foreign).unwrap();
        // Deleted moves lead on: the walk needs other moves than selection does.
        let path = book.path().to_owned();
        drop(book);
        let start = {
            let book = Book::open(&path).unwrap();
            book.key_of(&Position::start()).to_i64()
        };
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute("DELETE FROM moves WHERE key = ?1", [start]).unwrap();
        drop(connection);
        let book = Book::open(&path).unwrap();
        let all = entries(&book).len() as u64;
        let mut found = BTreeSet::new();
        let unreached = for_each_rekeyed::<Position, BookError>(&book, None, |place, _| {
            found.insert(place);
            Ok(())
        })
        .unwrap();
        assert_eq!(found.len() as u64 + unreached, all);
        assert_eq!(unreached, 0, "one move beside the book reaches all of it");
    }

    proptest! {
        #[test]
        fn what_is_said_does_not_depend_on_who_speaks_first(
            mut said in prop::collection::vec(any_mark(), 1..4),
        ) {
            let one = combined(&said);
            said.reverse();
            prop_assert_eq!(&combined(&said), &one);
            prop_assert_eq!(combined(&[one.clone(), one.clone()]), one);
        }

        #[test]
        fn put_then_take_is_identity(
            stats in crate::book::model::move_stats::tests::any_tally(), weight: Option<u64>, key: i64, mv: u16,
        ) {
            let summed = Summed { place: (key, mv), row: MoveRow { stats, weight } };
            let mut bytes = Vec::new();
            Summand::put(&summed, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(<Summed as Summand>::take(&mut rest), Some(summed));
            prop_assert!(rest.is_empty());
        }
    }
}
