//! What all requests share: the books, the tables, the engine's searches, and the limits on them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use lru::LruCache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Config;
use super::library::Library;
use super::problem::Problem;
use super::searches::StopAtEnd;
use crate::cli::CliError;
use crate::cli::book::from_book;
use juzhong::book::Book;
use juzhong::bytes::StopFlag;
use juzhong::tablebase::Tables;

/// Answers that are remembered, and the longest of them in bytes.
const REMEMBERED: usize = 2_048;
const LONGEST_REMEMBERED: usize = 64 << 10;
/// The longest request whose answer is remembered, in bytes.
const LONGEST_REQUEST: usize = 2 << 10;

/// The longest name of a client, in characters.
const LONGEST_CLIENT: usize = 64;

/// The state of a server.
pub(super) struct App {
    pub(super) config: Config,
    /// Allows writing; drawn at each start.
    pub(super) token: String,
    books: Vec<Arc<SharedBook>>,
    pub(super) tables: Option<Arc<Tables>>,
    answers: Mutex<LruCache<String, Bytes>>,
    /// Counts the changes of books, so that no answer from before is remembered after one.
    changes: AtomicU64,
    pub(super) library: Library,
    /// Searches that may run at the same time.
    searches: Arc<Semaphore>,
    /// The searches that run or wait for their turn.
    running: Mutex<Vec<Running>>,
    /// Set when the server ends.
    pub(super) stop: StopFlag,
}

impl App {
    /// Opens the books and the tables of a server.
    pub(super) fn open(config: Config, token: String, stop: StopFlag) -> Result<Self, CliError> {
        let open = |path: &PathBuf| SharedBook::open(path).map(Arc::new);
        let books = config.books.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let tables = config.open_tables()?.map(Arc::new);
        let searches = std::thread::available_parallelism().map_or(2, usize::from).max(2);
        let remembered =
            std::num::NonZero::new(REMEMBERED).unwrap_or(std::num::NonZero::<usize>::MIN);
        Ok(Self {
            config,
            token,
            books,
            tables,
            answers: Mutex::new(LruCache::new(remembered)),
            changes: AtomicU64::new(0),
            library: Library::default(),
            searches: Arc::new(Semaphore::new(searches)),
            running: Mutex::default(),
            stop,
        })
    }

    /// The books of a game, in the order in which they were given.
    pub(super) fn books(&self, game: &str) -> impl Iterator<Item = &Arc<SharedBook>> {
        self.books.iter().filter(move |book| book.game == game)
    }

    /// The book of that name, or the first of the game.
    pub(super) fn book(&self, game: &str, name: Option<&str>) -> Result<Arc<SharedBook>, Problem> {
        let mut books = self.books(game);
        let found = match name {
            Some(name) => books.find(|book| book.name == name),
            None => books.next(),
        };
        found.cloned().ok_or_else(|| {
            let hint = "build one with `juzhong book build GAMES -o my.book` and start the server with --book my.book";
            Problem::not_found("no_book", "no such book is open").with_hint(hint)
        })
    }

    /// The answer to a request that was answered before.
    pub(super) fn remembered(&self, request: &str) -> Option<Bytes> {
        locked(&self.answers).get(request).cloned()
    }

    /// The number of changes so far, to be handed to [`remember`](Self::remember).
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Remembers an answer, unless a book was changed since.
    pub(super) fn remember(&self, request: &str, answer: &Bytes, changes: u64) {
        if answer.len() > LONGEST_REMEMBERED || request.len() > LONGEST_REQUEST {
            return;
        }
        let mut answers = locked(&self.answers);
        if changes == self.changes() {
            answers.put(request.to_owned(), answer.clone());
        }
    }

    /// Forgets every answer after a book was changed.
    pub(super) fn changed(&self) {
        let mut answers = locked(&self.answers);
        self.changes.fetch_add(1, Ordering::AcqRel);
        answers.clear();
    }

    /// The folders of endgame tables, as engines of xiangqi open them.
    pub(super) fn table_folders(&self) -> Vec<PathBuf> {
        self.config.tables.iter().cloned().collect()
    }

    /// A permit to search, if there is room for one more within `patience`. It is held until the search has ended.
    pub(super) async fn search_permit(
        &self,
        patience: Duration,
    ) -> Result<OwnedSemaphorePermit, Problem> {
        let waiting = tokio::time::timeout(patience, Arc::clone(&self.searches).acquire_owned());
        match waiting.await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Problem::busy("other searches are running; try again")),
        }
    }

    /// What ends a search when it is dropped. It ends an earlier search of the same kind that the same client runs; a
    /// client without a name has none.
    pub(super) fn search_of(&self, kind: &'static str, client: Option<&str>) -> StopAtEnd {
        let stop = StopFlag::default();
        let name = match client {
            Some(client) => client.chars().take(LONGEST_CLIENT).collect(),
            None => String::new(),
        };
        let mut running = locked(&self.running);
        running.retain(|search| !search.stop.is_set());
        let is_same = |search: &&Running| (search.kind, &search.client) == (kind, &name);
        if client.is_some() {
            running.iter().filter(is_same).for_each(|search| search.stop.set());
        }
        running.push(Running { kind, client: name, stop: stop.clone() });
        StopAtEnd(stop)
    }

    /// Stops everything that runs.
    pub(super) fn stop_all(&self) {
        self.stop.set();
        locked(&self.running).iter().for_each(|search| search.stop.set());
    }
}

/// A search.
struct Running {
    kind: &'static str,
    /// The name that the client gives itself.
    client: String,
    stop: StopFlag,
}

/// A lock that a panic elsewhere leaves usable: what it guards is whole at every step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A book that many requests read, each by a connection of its own.
pub(super) struct SharedBook {
    /// The file's name without its ending.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The name of the game.
    pub(super) game: String,
    pub(super) games: u64,
    pub(super) positions: u64,
    idle: Mutex<Vec<Book>>,
    /// One writer at a time.
    writing: Mutex<()>,
}

impl SharedBook {
    fn open(path: &Path) -> Result<Self, CliError> {
        let book = crate::cli::book::open(path)?;
        let metadata = book.metadata();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self {
            name,
            path: path.to_owned(),
            game: metadata.game.clone(),
            games: metadata.counts.games,
            positions: metadata.positions,
            idle: Mutex::new(vec![book]),
            writing: Mutex::new(()),
        })
    }

    /// Reads the book. Connections are kept for later requests, unless one fails.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Book) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let idle = locked(&self.idle).pop();
        let book = match idle {
            Some(book) => book,
            // The whole file was checked at the start; each row proves itself.
            None => Book::open(&self.path).map_err(from_book)?,
        };
        let answer = work(&book);
        if answer.is_ok() {
            locked(&self.idle).push(book);
        }
        answer
    }

    /// Waits until nobody else writes.
    pub(super) fn begin_writing(&self) -> MutexGuard<'_, ()> {
        locked(&self.writing)
    }

    /// Closes the connections that see the book as it was before a change.
    pub(super) fn forget_connections(&self) {
        locked(&self.idle).clear();
    }
}
