//! The web server of `juzhong serve`: the page, its answers in JSON, and the searches that it streams.
//!
//! It belongs to the program, not to the library: its answers are those of the command line, and its texts come from
//! the same catalogue. Handlers are thin: they read the request ([`params`]), do the work in a thread that may
//! wait ([`reply::blocking`]), and answer JSON or a [`Problem`].

mod analyse;
mod autosave;
mod body;
mod books;
mod chessdb;
mod config;
mod description;
mod engine_about;
mod engine_facts;
mod engine_move;
mod engines;
mod examiners;
mod game_index;
mod games;
mod guard;
mod library;
mod locked;
mod meta;
mod page;
mod params;
mod positions;
mod problem;
mod reply;
mod review;
mod searches;
mod solve;
mod state;
mod tables;
mod train;

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::DefaultBodyLimit;
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use body::LONGEST_BODY;
use guard::Client;
use juzhong::answers::AnswerError;
use juzhong::bytes::StopFlag;
use problem::Problem;
use state::{App, BuiltIn};

pub(crate) use config::Config;

/// The time within which the head of a request must be there.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Connections at the same time; further ones are refused.
const CONNECTIONS: usize = 512;
/// The time that a client may leave an answer unread.
const WRITE_TIME: Duration = Duration::from_secs(20);
/// The time that running requests have once the server is to end.
const SHUTDOWN_TIME: Duration = Duration::from_secs(3);
/// The interval at which an interrupt is looked for.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The reason why a server does not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// The system gives no threads.
    Threads(io::Error),
    /// Nothing can listen at the address.
    Listen(SocketAddr, io::Error),
    /// A book or the tables cannot be opened.
    Open(AnswerError),
}

/// A server that listens and has its books and tables open.
pub(crate) struct Server {
    runtime: Runtime,
    listener: TcpListener,
    bound: SocketAddr,
    app: Arc<App>,
}

impl Server {
    /// Listens, and opens books and tables.
    pub(crate) fn start(config: Config, stop: &StopFlag) -> Result<Self, StartError> {
        let runtime = runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(StartError::Threads)?;
        let address = SocketAddr::new(config.host, config.port);
        let listener = runtime
            .block_on(TcpListener::bind(address))
            .map_err(|error| StartError::Listen(address, error))?;
        let bound = listener.local_addr().map_err(|error| StartError::Listen(address, error))?;
        let app = App::open(config, new_token(), stop.clone()).map_err(StartError::Open)?;
        Ok(Self { runtime, listener, bound, app: Arc::new(app) })
    }

    /// The address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", reachable(self.bound))
    }

    /// The same with the token that allows writing.
    pub(crate) fn url_to_write(&self) -> String {
        format!("{}#token={}", self.url(), self.app.token)
    }

    /// A handle to open a book and tables by while the server runs.
    pub(crate) fn opener(&self) -> Opener {
        self.app.set_built_in(BuiltIn::Making);
        Opener(Arc::clone(&self.app))
    }

    /// Serves until the stop flag is set.
    pub(crate) fn run(self) {
        let Self { runtime, listener, bound, app } = self;
        runtime.block_on(accept(listener, router(Arc::clone(&app), bound), &app));
        runtime.shutdown_timeout(SHUTDOWN_TIME);
    }
}

/// Opens the built-in book and tables of a server that runs.
pub(crate) struct Opener(Arc<App>);

impl Opener {
    pub(crate) fn add_book(&self, path: &Path) -> Result<(), AnswerError> {
        self.0.add_book(path)
    }

    pub(crate) fn add_tables(&self, folder: &Path) -> Result<(), AnswerError> {
        self.0.add_tables(folder)
    }

    /// Says that all is open, or why it could not be made.
    pub(crate) fn finish(self, made: Result<(), String>) {
        self.0.set_built_in(match made {
            Ok(()) => BuiltIn::Ready,
            Err(reason) => BuiltIn::Failed(reason),
        });
    }
}

/// The address at which this machine itself reaches what listens at all of its addresses.
const fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}

/// A token that nobody guesses: 128 bits of the operating system's.
fn new_token() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// Accepts connections until `stop` is set, then ends what runs and waits for those that are open.
async fn accept(listener: TcpListener, router: Router, app: &App) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    while !app.stop.is_set() {
        let Ok(accepted) = tokio::time::timeout(POLL_INTERVAL, listener.accept()).await else {
            continue;
        };
        let Ok((stream, client)) = accepted else {
            // Out of files, perhaps: the next attempt may succeed.
            tokio::time::sleep(POLL_INTERVAL).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else {
            // Best effort: the response is dropped if the socket is not writable.
            let _written = stream.try_write(Problem::NO_CONNECTION);
            continue;
        };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let service = router.clone().layer(Extension(Client(client.ip())));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            let _slot = slot;
            // A client that breaks off is no error of the server.
            let _broken = connection.await;
        });
    }
    app.stop_all();
    let _late = tokio::time::timeout(SHUTDOWN_TIME, graceful.shutdown()).await;
    app.engines.close().await;
}

fn router(app: Arc<App>, bound: SocketAddr) -> Router {
    let routes = Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/api/meta", get(meta::meta))
        .route("/api/legal", get(positions::legal))
        .route("/api/eval", get(positions::eval))
        .route("/api/line", get(positions::line))
        .route("/api/read", get(positions::read))
        .route("/api/book", get(books::query))
        .route("/api/book/games", get(books::games))
        .route("/api/book/edit", post(books::edit))
        .route("/api/book/undo", post(books::undo))
        .route("/api/table", get(tables::probe_position))
        .route("/api/table/line", get(tables::line))
        .route("/api/table/random", get(tables::random))
        .route("/api/tables", get(tables::list))
        .route("/api/tables/{set}", get(tables::stats))
        .route("/api/analyse", get(analyse::analyse))
        .route("/api/engine", get(engine_about::answer))
        .route("/api/move", post(engine_move::choose))
        .route("/api/review", with_long_body(post(review::stream)))
        .route("/api/solve", get(solve::answer))
        .route("/api/games", get(library::list))
        .route("/api/games/moves", get(library::moves))
        .route("/api/games/{id}", get(library::game))
        .route("/api/open", with_long_body(post(games::open)))
        .route("/api/save", with_long_body(post(games::save)))
        .route("/api/convert", with_long_body(post(games::convert)))
        .route("/api/autosave", with_long_body(get(autosave::list).post(autosave::save)))
        .route("/api/autosave/{id}", get(autosave::game))
        .route("/api/train", get(train::due))
        .route("/api/train/answer", post(train::answer))
        .route("/api/train/judge", post(train::judge))
        .route("/api/train/add", post(train::add))
        .route("/api/openapi.json", get(page::openapi))
        .route("/chessdb", get(chessdb::answer).post(chessdb::answer))
        .route("/chessdb.php", get(chessdb::answer).post(chessdb::answer))
        .fallback(page::asset)
        .method_not_allowed_fallback(|| async { Problem::method() })
        .with_state(Arc::clone(&app));
    guard::guarded(routes, app, bound)
}

/// A route whose requests may bring games in a body of [`LONGEST_BODY`].
fn with_long_body(route: MethodRouter<Arc<App>>) -> MethodRouter<Arc<App>> {
    route.layer(DefaultBodyLimit::max(LONGEST_BODY))
}
