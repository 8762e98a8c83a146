//! What all requests share: the books, the tables, the engine's searches, and the limits on them.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use axum::body::Bytes;
use lru::LruCache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::body::Outbox;
use super::config::Config;
use super::engines::Engines;
use super::examiners::Examiners;
use super::game_index::Library;
use super::locked::locked;
use super::problem::Problem;
use super::searches::StopAtEnd;
use crate::game_name::GameName;
use juzhong::answers::AnswerError;
use juzhong::answers::tablebase::open_tables;
use juzhong::book::Book;
use juzhong::bytes::StopFlag;
use juzhong::bytes::visible::first_chars;
use juzhong::protocol::client::EngineSizes;
use juzhong::tablebase::{Metric, Tables};

/// Answers that are remembered, and the longest of them in bytes.
const REMEMBERED: NonZero<usize> = NonZero::new(2_048).unwrap();
const LONGEST_REMEMBERED: usize = 64 << 10;
/// The longest request whose answer is remembered, in bytes.
const LONGEST_REQUEST: usize = 2 << 10;

/// Requests that are worked on at the same time.
const WORKERS: usize = 64;
/// Requests whose games are read at the same time, and worked on: that needs up to fifty times their length
/// of memory.
const UPLOADS: usize = 16;
const GAMES: usize = 4;
/// The longest name of a client, in characters.
pub(crate) const LONGEST_CLIENT: usize = 64;
/// The time that a request waits for room beside others.
pub(crate) const QUEUE_TIME: Duration = Duration::from_secs(10);

/// The state of a server.
pub(crate) struct App {
    pub(crate) config: Config,
    /// Allows writing; drawn at each start.
    pub(crate) token: String,
    shelf: RwLock<Shelf>,
    answers: Mutex<LruCache<String, Bytes>>,
    /// Counts the changes of books, so that no answer from before is remembered after one.
    changes: AtomicU64,
    pub(crate) library: Library,
    /// Requests that are worked on, bodies with games that are read, and those that are worked on.
    pub(crate) work: Arc<Semaphore>,
    pub(crate) uploads: Semaphore,
    pub(crate) games: Arc<Semaphore>,
    /// Room for answers that clients have not taken yet.
    pub(crate) outbox: Outbox,
    /// Searches that may run at the same time.
    searches: Arc<Semaphore>,
    /// The searches that run or wait for their turn.
    running: Mutex<Vec<Running>>,
    /// The engines of other programs.
    pub(crate) engines: Engines,
    /// The examiners of exercises.
    pub(crate) examiners: Examiners,
    /// Set when the server ends.
    pub(crate) stop: StopFlag,
}

impl App {
    /// Opens the books and the tables of a server.
    pub(crate) fn open(config: Config, token: String, stop: StopFlag) -> Result<Self, AnswerError> {
        let mut books = Vec::new();
        for path in &config.books {
            books.push(Arc::new(SharedBook::open(path, &books)?));
        }
        let tables = config.open_tables()?.map(Arc::new);
        let folder = config.tables.clone();
        let searches = std::thread::available_parallelism().map_or(2, usize::from).max(2);
        let bounds = (config.sizes(), searches);
        let engines = Engines::new(&config.engines, config.engine.as_ref(), &stop, bounds);
        Ok(Self {
            config,
            token,
            shelf: RwLock::new(Shelf { books, tables, folder, built_in: None }),
            answers: Mutex::new(LruCache::new(REMEMBERED)),
            changes: AtomicU64::new(0),
            library: Library::default(),
            work: Arc::new(Semaphore::new(WORKERS)),
            uploads: Semaphore::new(UPLOADS),
            games: Arc::new(Semaphore::new(GAMES)),
            outbox: Outbox::new(),
            searches: Arc::new(Semaphore::new(searches)),
            running: Mutex::default(),
            engines,
            examiners: Examiners::default(),
            stop,
        })
    }

    /// The books of a game, in the order in which they were given.
    pub(crate) fn books(&self, game: &str) -> impl Iterator<Item = Arc<SharedBook>> + use<> {
        let shelf = self.shelf(|shelf| shelf.books.clone());
        let game = game.to_owned();
        shelf.into_iter().filter(move |book| book.game == game)
    }

    /// The endgame tables, if any are open.
    pub(crate) fn tables(&self) -> Option<Arc<Tables>> {
        self.shelf(|shelf| shelf.tables.clone())
    }

    /// The state of the built-in book and tables, if the server has them or is to have them.
    pub(crate) fn built_in(&self) -> Option<BuiltIn> {
        self.shelf(|shelf| shelf.built_in.clone())
    }

    /// Says how far the built-in book and tables are.
    pub(crate) fn set_built_in(&self, built_in: BuiltIn) {
        self.change_shelf(|shelf| shelf.built_in = Some(built_in));
    }

    /// Opens a book while the server runs.
    pub(crate) fn add_book(&self, path: &Path) -> Result<(), AnswerError> {
        let taken = self.shelf(|shelf| shelf.books.clone());
        let book = Arc::new(SharedBook::open(path, &taken)?);
        self.change_shelf(|shelf| shelf.books.push(book));
        Ok(())
    }

    /// Opens tables while the server runs.
    pub(crate) fn add_tables(&self, folder: &Path) -> Result<(), AnswerError> {
        let tables = Arc::new(open_tables(folder, None, Metric::default())?);
        self.change_shelf(|shelf| {
            shelf.tables = Some(tables);
            shelf.folder = Some(folder.to_owned());
        });
        Ok(())
    }

    fn shelf<T>(&self, read: impl FnOnce(&Shelf) -> T) -> T {
        read(&self.shelf.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes what is open, and forgets the answers from before.
    fn change_shelf(&self, change: impl FnOnce(&mut Shelf)) {
        let mut answers = locked(&self.answers);
        // The answers stay locked meanwhile: none from before can be remembered after the change.
        change(&mut self.shelf.write().unwrap_or_else(PoisonError::into_inner));
        self.changes.fetch_add(1, Ordering::AcqRel);
        answers.clear();
    }

    /// The book of that name, or the first of the game.
    pub(crate) fn book(&self, game: &str, name: Option<&str>) -> Result<Arc<SharedBook>, Problem> {
        let mut books = self.books(game);
        let found = match name {
            Some(name) => books.find(|book| book.name == name),
            None => books.next(),
        };
        found.ok_or_else(|| {
            let hint = "build one with `juzhong book build GAMES -o my.book` and start the server with --book my.book";
            Problem::not_found("no_book", "no such book is open").with_hint(hint)
        })
    }

    /// The answer to a request that was answered before, unless a book was changed since, by whomever.
    pub(crate) fn remembered(&self, request: &str) -> Option<Bytes> {
        self.look_for_changes().get(request).cloned()
    }

    /// The number of changes so far, to be handed to [`remember`](Self::remember).
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Acquire)
    }

    /// Remembers an answer, unless a book was changed since.
    pub(crate) fn remember(&self, request: &str, answer: &Bytes, changes: u64) {
        if answer.len() > LONGEST_REMEMBERED || request.len() > LONGEST_REQUEST {
            return;
        }
        let mut answers = locked(&self.answers);
        if changes == self.changes() {
            answers.put(request.to_owned(), answer.clone());
        }
    }

    /// Forgets every answer if a book was changed, by whomever. Returns the answers that hold.
    pub(crate) fn look_for_changes(&self) -> MutexGuard<'_, LruCache<String, Bytes>> {
        // Held while the books are asked: whoever comes second finds the answers forgotten.
        let mut answers = locked(&self.answers);
        let mut is_changed = false;
        for book in self.shelf(|shelf| shelf.books.clone()) {
            // Each is asked, for each has to notice.
            is_changed |= book.was_changed();
        }
        if is_changed {
            self.changes.fetch_add(1, Ordering::AcqRel);
            answers.clear();
        }
        answers
    }

    /// The sizes of the own engine, which are the most that requests may ask for.
    pub(crate) fn own_sizes(&self) -> EngineSizes {
        self.config.sizes()
    }

    /// The folders of endgame tables, as engines of a game open them: only xiangqi has some.
    pub(crate) fn table_folders(&self, game: GameName) -> Vec<PathBuf> {
        match game {
            GameName::Xiangqi => self.shelf(|shelf| shelf.folder.iter().cloned().collect()),
            GameName::Gomoku => Vec::new(),
        }
    }

    /// A permit to search, if there is room for one more within `patience`. It is held until the search has ended.
    pub(crate) async fn search_permit(
        &self,
        patience: Duration,
    ) -> Result<OwnedSemaphorePermit, Problem> {
        let waiting = tokio::time::timeout(patience, Arc::clone(&self.searches).acquire_owned());
        match waiting.await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Problem::busy("other searches are running; try again")),
        }
    }

    /// A guard that ends a search when it is dropped. It ends an earlier search of the same kind that the same client runs; a
    /// client without a name has none.
    pub(crate) fn search_of(&self, kind: &'static str, client: Option<&str>) -> StopAtEnd {
        let stop = StopFlag::default();
        let name = match client {
            Some(client) => first_chars(client, LONGEST_CLIENT).to_owned(),
            None => String::new(),
        };
        let mut running = locked(&self.running);
        running.retain(|search| !search.stop.is_set());
        if client.is_some() {
            let same = running.iter().filter(|search| search.kind == kind && search.client == name);
            same.for_each(|search| search.stop.set());
        }
        running.push(Running { kind, client: name, stop: stop.clone() });
        StopAtEnd(stop)
    }

    /// Stops everything that runs.
    pub(crate) fn stop_all(&self) {
        self.stop.set();
        locked(&self.running).iter().for_each(|search| search.stop.set());
    }
}

/// The books and the tables that are open.
struct Shelf {
    books: Vec<Arc<SharedBook>>,
    tables: Option<Arc<Tables>>,
    /// The folder of the tables.
    folder: Option<PathBuf>,
    built_in: Option<BuiltIn>,
}

/// The progress of the built-in book and tables, which are made while the server runs already.
#[derive(Debug, Clone)]
pub(crate) enum BuiltIn {
    /// They are being made.
    Making,
    /// They are open.
    Ready,
    /// They could not be made, for this reason.
    Failed(String),
}

/// A search.
struct Running {
    kind: &'static str,
    /// The name that the client gives itself.
    client: String,
    stop: StopFlag,
}

/// A book that many requests read, each by a connection of its own.
pub(crate) struct SharedBook {
    /// The file's name without its ending, numbered where another book has the same.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// The name of the game.
    pub(crate) game: String,
    connections: Mutex<Connections>,
    /// One writer at a time.
    writing: Mutex<()>,
}

/// The connections to a book that are not in use, all of the file as it was when `stamp` was taken.
struct Connections {
    stamp: Option<Stamp>,
    /// Counts the changes of the file.
    generation: u64,
    idle: Vec<Book>,
}

/// The properties that tell a file from the one that takes its place.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    file: u64,
}

impl Stamp {
    /// The stamp of the file that is there now.
    fn of(path: &Path) -> Option<Self> {
        let about = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&about);
        #[cfg(not(unix))]
        let file = 0;
        Some(Self { len: about.len(), modified: about.modified().ok(), file })
    }
}

impl Connections {
    /// Closes all that see the file as it was.
    fn forget(&mut self, stamp: Option<Stamp>) {
        self.stamp = stamp;
        self.generation += 1;
        self.idle.clear();
    }
}

impl SharedBook {
    /// Opens a book that gets a name which is not among `taken`.
    fn open(path: &Path, taken: &[Arc<Self>]) -> Result<Self, AnswerError> {
        let stamp = Stamp::of(path);
        let book = Book::open(path)?;
        book.check_file()?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let name = [stem.clone()]
            .into_iter()
            .chain(numbered)
            .find(|name| taken.iter().all(|other| other.name != *name))
            .unwrap_or(stem);
        let game = book.metadata().game.clone();
        let connections = Connections { stamp, generation: 0, idle: vec![book] };
        Ok(Self {
            name,
            path: path.to_owned(),
            game,
            connections: Mutex::new(connections),
            writing: Mutex::new(()),
        })
    }

    /// Returns true if the file was changed since the last call, by whomever; connections to what was there are closed.
    fn was_changed(&self) -> bool {
        let stamp = Stamp::of(&self.path);
        let mut connections = locked(&self.connections);
        let was_changed = connections.stamp != stamp;
        if was_changed {
            connections.forget(stamp);
        }
        was_changed
    }

    /// Reads the book. Connections are kept for later requests, unless one fails or the book is changed meanwhile.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Book) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        let (book, generation) = self.connect()?;
        let answer = work(&book)?;
        let mut connections = locked(&self.connections);
        if connections.generation == generation {
            connections.idle.push(book);
        }
        Ok(answer)
    }

    /// A connection to the book that its user keeps.
    pub(crate) fn connection(&self) -> Result<Book, Problem> {
        self.connect().map(|(book, _)| book)
    }

    /// A connection that is not in use, or a new one, and the number of changes of the file before it was made.
    fn connect(&self) -> Result<(Book, u64), Problem> {
        let mut connections = locked(&self.connections);
        let generation = connections.generation;
        let idle = connections.idle.pop();
        // Others need not wait while the book is opened.
        drop(connections);
        // The whole file was checked at the start; each row proves itself.
        let book = idle.map_or_else(|| Book::open(&self.path), Ok)?;
        Ok((book, generation))
    }

    /// Waits until nobody else writes.
    pub(crate) fn begin_writing(&self) -> MutexGuard<'_, ()> {
        locked(&self.writing)
    }
}
