//! Opening books.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use juzhong::book::{
    Book, BookMove, BuildError, BuildOptions, Policy, ReadOptions, ReplaceError, SelectOptions,
    Selector, build, find_games,
};
use juzhong::xiangqi::{Move, Position};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::board::Board;
use crate::convert::{Paths, named, seed_from};
use crate::errors::{ClosedError, book_error, build_error, os_error};
use crate::interrupt::interruptible;
use crate::moves::PyMove;

/// A move that a book has for a position.
#[pyclass(module = "juzhong.book", frozen)]
#[derive(Debug, Clone)]
pub(crate) struct BookEntry(BookMove<Move>);

#[pymethods]
impl BookEntry {
    /// The move; legal.
    #[getter]
    const fn r#move(&self) -> PyMove {
        PyMove(self.0.mv)
    }

    /// The weight in selection.
    #[getter]
    const fn weight(&self) -> u64 {
        self.0.weight
    }

    /// The games in which the move was played; those without a known result are among them.
    #[getter]
    const fn games(&self) -> u64 {
        self.0.stats.games
    }

    /// The games that Red won.
    #[getter]
    const fn red_wins(&self) -> u64 {
        self.0.stats.first
    }

    /// The drawn games.
    #[getter]
    const fn draws(&self) -> u64 {
        self.0.stats.draws
    }

    /// The games that Black won.
    #[getter]
    const fn black_wins(&self) -> u64 {
        self.0.stats.second
    }

    /// The first and the last year of the games, if years are known.
    #[getter]
    fn years(&self) -> Option<(u16, u16)> {
        self.0.stats.years.map(|years| (years.min, years.max))
    }

    /// The assured value for the side that makes the move, if the book has scores. Up to 20,000 it is in centipawns, from
    /// 24,001 on a proven win.
    #[getter]
    fn score(&self) -> Option<i32> {
        self.0.score.assured().map(|value| value.value())
    }

    /// The priority: selection prefers the highest; 0 unless one was set.
    #[getter]
    const fn priority(&self) -> i64 {
        self.0.priority
    }

    /// True if selection leaves the move out: it is disabled, or loses by repetition or by tablebase.
    #[getter]
    fn excluded(&self) -> bool {
        self.0.disabled || self.0.banned || self.0.lost || self.0.score.is_proven_loss()
    }

    /// A remark for people.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.0.comment.as_deref()
    }

    /// The line groups that the move belongs to, in order.
    #[getter]
    fn groups(&self) -> Vec<&str> {
        self.0.groups.iter().map(String::as_str).collect()
    }

    fn __repr__(&self) -> String {
        format!("<BookEntry {} weight {} games {}>", self.0.mv, self.weight(), self.games())
    }
}

/// An opening book, open for reading.
///
/// All threads may share an object; they take turns. After `close`, every call raises ClosedError.
#[pyclass(module = "juzhong.book", frozen)]
#[derive(Debug)]
pub(crate) struct BookReader {
    book: Mutex<Option<Book>>,
}

impl BookReader {
    fn lock(&self) -> MutexGuard<'_, Option<Book>> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the open book. No other thread holds the lock while it waits for the interpreter.
    fn with<T>(&self, ask: impl FnOnce(&Book) -> PyResult<T>) -> PyResult<T> {
        match self.lock().as_ref() {
            Some(book) => ask(book),
            None => Err(ClosedError::new_err("the book is closed")),
        }
    }

    fn moves(&self, position: &Position) -> PyResult<Vec<BookMove<Move>>> {
        self.with(|book| book.probe(position).map_err(|error| book_error(&error)))
    }

    /// The move that a policy chooses for a position, if the book has one.
    fn chosen(
        &self,
        board: &Board,
        policy: Policy,
        minimum_weight: u64,
        exclude: &[PyMove],
        seed: u64,
    ) -> PyResult<Option<BookEntry>> {
        let options =
            SelectOptions { policy, min_weight: minimum_weight, ..SelectOptions::default() };
        let moves = self.moves(board.position())?;
        let admits = |mv| !exclude.contains(&PyMove(mv));
        let chosen = Selector::new(options, seed).choose(&moves, board.ply(), admits);
        Ok(chosen.cloned().map(BookEntry))
    }
}

/// The exception where a book has no move for a position.
fn not_found(board: &Board) -> PyErr {
    PyIndexError::new_err(format!("the book has no move for {}", board.position().to_fen()))
}

#[pymethods]
impl BookReader {
    /// Opens a book made by `juzhong book build`, or imported by `juzhong book import`.
    ///
    /// Raises OSError (as FileNotFoundError) if it cannot be read, UnsupportedFileError if it is something else, and
    /// DamagedFileError if it is damaged, as far as that shows at once.
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        let book = Book::open(&path).map_err(|error| book_error(&error))?;
        Ok(Self { book: Mutex::new(Some(book)) })
    }

    /// The moves of the book for a position, those of most games first; of equivalent moves of a symmetric position, one.
    /// An empty list if the book does not have it.
    ///
    /// Raises DamagedFileError if the book is damaged there.
    #[pyo3(signature = (board, *, minimum_weight = 0, exclude_moves = vec![]))]
    fn find_all(
        &self,
        board: &Board,
        minimum_weight: u64,
        exclude_moves: Vec<PyMove>,
    ) -> PyResult<Vec<BookEntry>> {
        let mut moves = self.moves(board.position())?;
        moves.retain(|found| {
            found.weight >= minimum_weight && !exclude_moves.contains(&PyMove(found.mv))
        });
        Ok(moves.into_iter().map(BookEntry).collect())
    }

    /// The best move: of the greatest assured value, or the heaviest where the book has no values.
    ///
    /// Raises IndexError if the book has no move that may be chosen, else as `find_all`.
    #[pyo3(signature = (board, *, minimum_weight = 0, exclude_moves = vec![]))]
    fn find(
        &self,
        board: &Board,
        minimum_weight: u64,
        exclude_moves: Vec<PyMove>,
    ) -> PyResult<BookEntry> {
        let chosen = self.chosen(board, Policy::Best, minimum_weight, &exclude_moves, 0)?;
        chosen.ok_or_else(|| not_found(board))
    }

    /// As `find`, but returns `default` if the book has no move.
    #[pyo3(signature = (board, default = None, *, minimum_weight = 0, exclude_moves = vec![]))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        board: &Board,
        default: Option<Bound<'py, PyAny>>,
        minimum_weight: u64,
        exclude_moves: Vec<PyMove>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.chosen(board, Policy::Best, minimum_weight, &exclude_moves, 0)? {
            Some(entry) => Ok(Bound::new(py, entry)?.into_any()),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    /// Chooses a move by a policy: `best`, `weighted` (in proportion to the weights), `softmax` (by the values) or
    /// `uniform`. `random` is a `random.Random`; equal states of it give equal moves.
    ///
    /// Raises IndexError if the book has no move that may be chosen, ValueError for another policy, else as `find_all`.
    #[pyo3(signature = (board, *, policy = "uniform", minimum_weight = 0, exclude_moves = vec![], random = None))]
    fn choice(
        &self,
        py: Python<'_>,
        board: &Board,
        policy: &str,
        minimum_weight: u64,
        exclude_moves: Vec<PyMove>,
        random: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<BookEntry> {
        let policy: Policy = named(policy)?;
        if policy == Policy::Group {
            return Err(PyValueError::new_err("the policy group needs the game so far"));
        }
        let seed = seed_from(py, random)?;
        let chosen = self.chosen(board, policy, minimum_weight, &exclude_moves, seed)?;
        chosen.ok_or_else(|| not_found(board))
    }

    /// Chooses a move at random in proportion to the weights: `choice` with the policy `weighted`.
    #[pyo3(signature = (board, *, exclude_moves = vec![], random = None))]
    fn weighted_choice(
        &self,
        py: Python<'_>,
        board: &Board,
        exclude_moves: Vec<PyMove>,
        random: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<BookEntry> {
        self.choice(py, board, "weighted", 0, exclude_moves, random)
    }

    /// The counts of the book: games, won by Red, drawn, won by Black, positions and moves.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let about = self.with(|book| Ok(book.metadata().clone()))?;
        let counts = PyDict::new(py);
        counts.set_item("games", about.counts.games)?;
        counts.set_item("red_wins", about.counts.first)?;
        counts.set_item("draws", about.counts.draws)?;
        counts.set_item("black_wins", about.counts.second)?;
        counts.set_item("positions", about.positions)?;
        counts.set_item("moves", about.rows)?;
        Ok(counts)
    }

    /// Checks every byte and every row, detached from the interpreter.
    ///
    /// Raises DamagedFileError at the first fault.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.with(|book| book.verify().map_err(|error| book_error(&error))))
    }

    /// Closes the book. Closing twice does nothing.
    fn close(&self, py: Python<'_>) {
        // Another thread may be verifying.
        py.detach(|| *self.lock() = None);
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }

    fn __contains__(&self, board: &Board) -> PyResult<bool> {
        Ok(!self.moves(board.position())?.is_empty())
    }

    fn __repr__(&self) -> String {
        let text = self.with(|book| Ok(format!("<BookReader {}>", book.path().display())));
        text.unwrap_or_else(|_| "<BookReader, closed>".to_owned())
    }
}

/// Builds a book from game files, or folders of them, and returns the number of games in it; what cannot be read is left
/// out. Replaces a book at `output` when it is whole. Detached from the interpreter; an interrupt from the keyboard ends
/// it.
///
/// Raises OSError if an input cannot be read, BuildError if there is no game to count or the book cannot be written.
#[pyfunction]
#[pyo3(signature = (games, output, *, max_ply = 60))]
pub(crate) fn build_book(
    py: Python<'_>,
    games: Paths,
    output: PathBuf,
    max_ply: usize,
) -> PyResult<u64> {
    let games: Vec<PathBuf> = games.into();
    let options = BuildOptions { max_ply, ..BuildOptions::default() };
    let stop = options.stop.clone();
    let work = || {
        let inputs = find_games::<Position>(&games)?;
        build::<Position>(&inputs.files, &output, options, ReadOptions::default())
    };
    let report = interruptible(py, &stop, work)?.map_err(|error| input_error(&error))?;
    Ok(report.metadata.counts.games)
}

/// The exception for inputs that cannot be read, and for all else that keeps a book from being built.
pub(crate) fn input_error(error: &BuildError) -> PyErr {
    match error {
        BuildError::Input { path, source } => os_error(path, source),
        BuildError::Replace(ReplaceError::Write { path, source }) => os_error(path, source),
        _ => build_error(error),
    }
}
