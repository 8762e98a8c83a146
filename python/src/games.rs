//! Game records of every format that the library reads.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, thread};

use juzhong::book::find_games;
use juzhong::bytes::{StopFlag, open};
use juzhong::game::Game as _;
use juzhong::record::{
    BadGame, BadGameReason, GameFile, Keep, ParsedGame, Place, ReadOptions, Record, Tree,
    Variation as RecordVariation, read_chunk, read_game_file, split_games,
};
use juzhong::xiangqi::notation::{MoveNotation, format_move};
use juzhong::xiangqi::{Move, Position};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::board::Board;
use crate::book::input_error;
use crate::convert::{Paths, named};
use crate::errors::{ClosedError, game_error, os_error};
use crate::interrupt::SIGNALS_EVERY;
use crate::moves::PyMove;

/// Games that are read ahead.
const GAMES_AHEAD: usize = 256;

/// The name of games that come from memory.
const IN_MEMORY: &str = "<data>";

/// A game as a file states it. Every move in it is legal. Its faults are in `errors`: where the main line breaks off at an
/// illegal move, the moves before it are there; of a game that cannot be read at all nothing else is.
#[pyclass(module = "juzhong.games", frozen)]
#[derive(Debug)]
pub(crate) struct Game {
    record: Record<Position>,
    source: String,
    place: Place,
    number: u64,
    note: Option<String>,
    fault: Option<BadGame>,
}

impl Game {
    fn new(source: &str, read: Result<ParsedGame, BadGame>) -> Self {
        match read {
            Ok(game) => Self {
                record: game.record,
                source: source.to_owned(),
                place: game.place,
                number: game.game,
                note: game.note.map(|note| note.to_string()),
                fault: game.cut.map(|fault| *fault),
            },
            Err(fault) => Self {
                record: nothing(),
                source: source.to_owned(),
                place: fault.place,
                number: fault.game,
                note: None,
                fault: Some(fault),
            },
        }
    }

    fn start(&self) -> Position {
        self.record.start.clone().unwrap_or_else(Position::start)
    }
}

/// The record of a game that cannot be read.
fn nothing() -> Record<Position> {
    Record { tags: Vec::new(), start: None, start_clock: 0, result: None, tree: Tree::default() }
}

fn moves_of(tree: &Tree<Position>) -> Vec<PyMove> {
    tree.moves.iter().copied().map(PyMove).collect()
}

/// The comments of a line by the number of plies before them; those of one place are joined by line ends.
fn comments_of<'py>(py: Python<'py>, tree: &Tree<Position>) -> PyResult<Bound<'py, PyDict>> {
    let comments = PyDict::new(py);
    for (ply, text) in &tree.comments {
        let text = match comments.get_item(ply)? {
            Some(earlier) => format!("{}\n{text}", earlier.extract::<String>()?),
            None => text.clone(),
        };
        comments.set_item(ply, text)?;
    }
    Ok(comments)
}

fn variations_of(tree: &Tree<Position>) -> Vec<Variation> {
    tree.variations.iter().cloned().map(Variation).collect()
}

/// Another continuation of a game.
#[pyclass(module = "juzhong.games", frozen)]
#[derive(Debug)]
pub(crate) struct Variation(RecordVariation<Position>);

#[pymethods]
impl Variation {
    /// The index, in the line that it belongs to, of the move that its first one replaces.
    #[getter]
    const fn ply(&self) -> usize {
        self.0.ply
    }

    /// Its moves.
    #[getter]
    fn moves(&self) -> Vec<PyMove> {
        moves_of(&self.0.tree)
    }

    /// Its comments, by the number of its moves before them.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        comments_of(py, &self.0.tree)
    }

    /// The continuations that replace its moves.
    #[getter]
    fn variations(&self) -> Vec<Self> {
        variations_of(&self.0.tree)
    }
}

#[pymethods]
impl Game {
    /// The tags and their values in the order of the file; of equal names the first.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let headers = PyDict::new(py);
        for (name, value) in &self.record.tags {
            if !headers.contains(name)? {
                headers.set_item(name, value)?;
            }
        }
        Ok(headers)
    }

    /// The stated result: `1-0`, `0-1`, `1/2-1/2`, or `*` if there is none.
    #[getter]
    fn result(&self) -> String {
        self.record.result.map_or_else(|| "*".to_owned(), |result| result.to_string())
    }

    /// The file, or the member of an archive.
    #[getter]
    fn source(&self) -> &str {
        &self.source
    }

    /// The place in the source: `games.pgn:12` or `games.xqf: byte 0x1a2b`.
    #[getter]
    fn place(&self) -> String {
        self.place.within(&self.source)
    }

    /// The number in the source, from 1.
    #[getter]
    const fn number(&self) -> u64 {
        self.number
    }

    /// A deviation of the game from what the file states, in words.
    #[getter]
    fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The faults of the game: GameError objects. Empty for a game that was read whole.
    #[getter]
    fn errors(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.fault.iter().map(|fault| game_error(py, fault)).collect()
    }

    /// The comments of the main line, by the number of moves before them.
    #[getter]
    fn comments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        comments_of(py, &self.record.tree)
    }

    /// The continuations that replace moves of the main line.
    #[getter]
    fn variations(&self) -> Vec<Variation> {
        variations_of(&self.record.tree)
    }

    /// The moves of the main line.
    fn mainline_moves(&self) -> Vec<PyMove> {
        moves_of(&self.record.tree)
    }

    /// The first position.
    fn board(&self) -> Board {
        Board::at(self.start(), self.record.start_clock, 1)
    }

    /// The last position of the main line, with the moves that led to it.
    fn final_board(&self) -> PyResult<Board> {
        let mut board = self.board();
        self.record.tree.moves.iter().try_for_each(|&mv| board.play(mv))?;
        Ok(board)
    }

    /// The moves of the main line in a notation: `uci`, `iccs`, `wxf` or `chinese`.
    ///
    /// Raises ValueError for another notation.
    #[pyo3(signature = (notation = "uci"))]
    fn notate(&self, notation: &str) -> PyResult<Vec<String>> {
        let notation: MoveNotation = named(notation)?;
        let mut position = self.start();
        let written = self.record.tree.moves.iter().map(|&mv: &Move| {
            let text = format_move(&position, mv, notation);
            position.make(mv);
            text
        });
        Ok(written.collect())
    }

    fn __repr__(&self) -> String {
        format!("<Game {} of {}, {} plies>", self.number, self.source, self.record.tree.moves.len())
    }
}

/// A game, or a failure that ends the reading: the file, and why.
type Message = Result<Game, (PathBuf, io::Error)>;

/// An iterator over the games of files. A thread of its own reads some games ahead.
///
/// All threads may share an object; each game goes to one of them. After `close`, asking for a game raises ClosedError.
#[pyclass(module = "juzhong.games", frozen)]
#[derive(Debug)]
pub(crate) struct GameReader {
    games: Mutex<Option<Receiver<Message>>>,
    stop: StopFlag,
}

impl GameReader {
    fn closed() -> PyErr {
        ClosedError::new_err("the reader of games is closed")
    }

    fn lock(&self) -> MutexGuard<'_, Option<Receiver<Message>>> {
        self.games.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next message, if one comes soon; called detached from the interpreter.
    fn wait(&self) -> PyResult<Result<Message, RecvTimeoutError>> {
        match self.lock().as_ref() {
            Some(games) => Ok(games.recv_timeout(SIGNALS_EVERY)),
            None => Err(Self::closed()),
        }
    }
}

impl Drop for GameReader {
    fn drop(&mut self) {
        self.stop.set();
    }
}

#[pymethods]
impl GameReader {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Game>> {
        loop {
            match py.detach(|| self.wait())? {
                Ok(Ok(game)) => return Ok(Some(game)),
                // The reading ends early, or as interrupted, once another thread has closed the reader.
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) if self.stop.is_set() => {
                    return Err(Self::closed());
                }
                Ok(Err((path, error))) => return Err(os_error(&path, &error)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }

    /// Ends the reading. Closing twice does nothing.
    fn close(&self, py: Python<'_>) {
        self.stop.set();
        py.detach(|| *self.lock() = None);
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyTuple>) {
        self.close(py);
    }
}

/// Reads files of games, and folders of them, of any format, packed or in archives: an iterator. Nothing is lost in
/// silence: a game that cannot be read comes with its `errors`.
///
/// Raises OSError if an input does not exist or cannot be read, BuildError if folders hold no games; the iterator raises
/// OSError where reading fails.
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, paths: Paths) -> PyResult<GameReader> {
    let paths: Vec<PathBuf> = paths.into();
    let inputs = py.detach(|| find_games::<Position>(&paths));
    let inputs = inputs.map_err(|error| input_error(&error))?;
    let (sender, games) = sync_channel(GAMES_AHEAD);
    let stop = StopFlag::default();
    let stopped = stop.clone();
    let name = "juzhong-games".to_owned();
    thread::Builder::new().name(name).spawn(move || read_all(&inputs.files, &stopped, &sender))?;
    Ok(GameReader { games: Mutex::new(Some(games)), stop })
}

/// Sends the games of all files, until reading fails or nobody receives them.
fn read_all(files: &[PathBuf], stop: &StopFlag, sender: &SyncSender<Message>) {
    for path in files {
        if let Err(error) = read_file(path, stop, sender) {
            // Nobody receives it where the reader was closed.
            let _is_received = sender.send(Err((path.clone(), error)));
            return;
        }
        if stop.is_set() {
            return;
        }
    }
}

/// Sends the games of a file. One that may not be opened is a bad game: it was found in a folder.
fn read_file(path: &Path, stop: &StopFlag, sender: &SyncSender<Message>) -> io::Result<()> {
    let source = path.display().to_string();
    let folder = std::env::temp_dir();
    let mut send = |source: &str, game: Result<ParsedGame, BadGame>| match sender
        .send(Ok(Game::new(source, game)))
    {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let file = match GameFile::open::<Position>(path, &folder) {
        Ok(file) => file,
        Err(error) if open::is_refused(&error) => {
            let reason = BadGameReason::Unsupported(format!("cannot be read: {error}").into());
            let bad = BadGame { source: source.clone(), place: Place::Offset(0), game: 1, reason };
            let _goes_on = send(&source, Err(bad));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    read_game_file(&source, &file, &folder, stop, ReadOptions::keeping(Keep::LegalPart), &mut send)
        .map(|_| ())
}

/// The bytes of a source of games.
#[derive(FromPyObject)]
pub(crate) enum Data {
    Text(String),
    Bytes(Vec<u8>),
}

/// Reads games from memory, detached from the interpreter: text or bytes of any format, not packed. A game that cannot be
/// read comes with its `errors`.
#[pyfunction]
#[pyo3(signature = (data))]
pub(crate) fn parse_games(py: Python<'_>, data: Data) -> Vec<Game> {
    py.detach(|| {
        let bytes = match data {
            Data::Text(text) => text.into_bytes(),
            Data::Bytes(bytes) => bytes,
        };
        let mut games = Vec::new();
        for chunk in split_games(&bytes, usize::MAX) {
            let chunk = chunk.keeping_legal_part(true);
            read_chunk(IN_MEMORY, &bytes, &chunk, &mut |game| {
                games.push(Game::new(IN_MEMORY, game));
            });
        }
        games
    })
}
