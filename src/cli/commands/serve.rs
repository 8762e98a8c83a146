//! `juzhong serve`: the server and its page.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::thread;

use super::demo::built_in::BuiltIn;
use super::games::index_folder;
use crate::cli::args::engine_args::EngineArgs;
use crate::cli::args::evaluation::EvaluationArgs;
use crate::cli::exit::by_kind;
use crate::cli::interrupt::stop_flag;
use crate::cli::{CliError, Common, Context, OrExit, exit, tell, user_folders};
use crate::language::{say, text};
use crate::web::{Config, Opener, Server, StartError};
use juzhong::bytes::machine::has_own_console;
use juzhong::bytes::memory::return_freed_memory;
use juzhong::bytes::visible::ShowPath;
use juzhong::search::{MAX_HASH_MIB, MAX_THREADS};
use juzhong::train::{Collection, Day};

/// Serve the web page: board, books, tables, engine.
///
/// Runs until Ctrl-C. The first line printed is the address of the page.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Open the page in the default browser.
    #[arg(long)]
    open: bool,
    /// Offer the book and the tables of `juzhong demo` where none are named; they are built at the first start.
    #[arg(long)]
    demo: bool,
    /// Start without books and tables where none are named; otherwise a server without any builds those of `juzhong demo`
    /// in the background and offers them.
    #[arg(long, conflicts_with = "demo")]
    no_demo: bool,
    /// Port to listen on (0: any free port) [default: 8000; with --open any free port if that is taken].
    #[arg(long, help_heading = "Network")]
    port: Option<u16>,
    /// Address to listen on; any other than 127.0.0.1 accepts connections from other machines.
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST),
        help_heading = "Network")]
    host: IpAddr,
    /// Host name by which other machines or a proxy reach the server; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = parse_host, help_heading = "Network")]
    allow_host: Vec<String>,
    /// Log each request to standard error.
    #[arg(long, help_heading = "Network")]
    access_log: bool,
    /// Opening book of either game; may be repeated.
    #[arg(long, value_name = "FILE", help_heading = "Books, tables and games")]
    book: Vec<PathBuf>,
    /// Folder of endgame tables.
    #[arg(long, value_name = "FOLDER", help_heading = "Books, tables and games")]
    tables: Option<PathBuf>,
    /// Game file, or folder of games, to list, search and open on the page; may be repeated.
    #[arg(long, value_name = "PATH", help_heading = "Books, tables and games")]
    library: Vec<PathBuf>,
    /// Save games played on the page to this folder, as JSON lines; none saves nothing [default: juzhong/games in the
    /// data folder of the user].
    #[arg(long, value_name = "FOLDER", help_heading = "Books, tables and games")]
    autosave: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Engine")]
    engine: EngineArgs,
    /// File of exercises (juzhong train); those that are due are offered on the page.
    #[arg(long, value_name = "FILE", help_heading = "Books, tables and games")]
    train: Option<PathBuf>,
    /// Day for the exercises [default: today].
    #[arg(
        long,
        value_name = "YYYY-MM-DD",
        requires = "train",
        help_heading = "Books, tables and games"
    )]
    today: Option<Day>,
    /// Size of the transposition table per search in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MIB as u64),
        help_heading = "Engine")]
    hash: u64,
    /// Number of threads per search.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64),
        help_heading = "Engine")]
    threads: u64,
    #[command(flatten, next_help_heading = "Engine")]
    evaluation: EvaluationArgs,
}

/// The port where none is named.
const PORT: u16 = 8000;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    return_freed_memory();
    for path in &args.library {
        std::fs::metadata(path).or_exit_with(exit::NO_INPUT, || path.shown())?;
    }
    if let Some(path) = &args.train {
        // Read for its faults only, which end the command before the server starts.
        Collection::read(path).map_err(by_kind)?;
    }
    if !args.host.is_loopback() {
        tell(
            "other machines can reach the page now, see books, tables and kept games, and use the engine; only the token allows writing",
        );
    }
    let mut config = args.config(context)?;
    if args.demo {
        add_built_in(&mut config, context)?;
    }
    let server = started(config, args.open && args.port.is_none())?;
    if args.has_nothing() && !args.no_demo {
        make_built_in(server.opener(), context.common.clone());
    }
    show_address(&server, args.open, context.out)?;
    server.run();
    Ok(exit::OK)
}

/// Shows where the page is, and opens it in a browser if that is wanted.
fn show_address(server: &Server, opens: bool, out: &mut dyn io::Write) -> Result<(), CliError> {
    let address = server.url_to_write();
    writeln!(out, "{}", server.url())?;
    writeln!(out, "{}", text!("to edit books too, open {address}"))?;
    // Before a browser is started: the address is known even if none can be.
    out.flush()?;
    if opens && open_browser::that_detached(address).is_err() {
        tell("no browser could be started; open the address yourself");
    }
    if has_own_console() {
        say!(out, "The page can be used as long as this window is open; close the window to end.")?;
    }
    out.flush()?;
    Ok(())
}

/// Adds the book and the tables of the demo where the user has named none.
fn add_built_in(config: &mut Config, context: &mut Context<'_>) -> Result<(), CliError> {
    if !config.books.is_empty() && config.tables.is_some() {
        return Ok(());
    }
    let made = BuiltIn::in_cache()?;
    let (book, tables) = (made.book(context)?, made.tables(context)?);
    if config.books.is_empty() {
        config.books.push(book);
    }
    config.tables.get_or_insert(tables);
    Ok(())
}

impl Args {
    /// The settings of the server.
    fn config(&self, context: &Context<'_>) -> Result<Config, CliError> {
        let sizes = context.typed_sizes(self.threads as usize, self.hash as usize);
        let engine = self.engine.entry_of_any_game(sizes, context)?;
        Ok(Config {
            host: self.host,
            port: self.port.unwrap_or(PORT),
            allowed_hosts: self.allow_host.clone(),
            books: self.book.clone(),
            tables: self.tables.clone(),
            library: self.library.clone(),
            indexes: index_folder(),
            autosave: autosave_folder(self.autosave.as_deref()),
            engines: context.engines.clone(),
            engine,
            has_front: self.engine.has_front(),
            train: self.train.clone(),
            today: self.today,
            hash_mib: self.hash as usize,
            threads: self.threads as usize,
            evaluation: self.evaluation.kind(),
            log: self.access_log,
        })
    }

    /// Returns true if no book, no tables and no games are named.
    fn has_nothing(&self) -> bool {
        self.book.is_empty() && self.tables.is_none() && self.library.is_empty() && !self.demo
    }
}

/// Makes the built-in book and tables beside a server that answers already, and opens each once it is there.
fn make_built_in(opener: Opener, common: Common) {
    thread::spawn(move || {
        let made = open_built_in(&opener, common).map_err(|error| error.line());
        if let Err(reason) = &made {
            tell(text!("the built-in book and tables cannot be offered: {reason}"));
        }
        opener.finish(made);
    });
}

fn open_built_in(opener: &Opener, common: Common) -> Result<(), CliError> {
    let mut unseen = io::sink();
    let mut context = Context::new(&mut unseen, common);
    let made = BuiltIn::in_cache()?;
    opener.add_book(&made.book(&mut context)?)?;
    opener.add_tables(&made.tables(&mut context)?)?;
    Ok(())
}

/// Starts the server; at any port that is free if it may and another program listens at the one of `config`.
fn started(config: Config, at_any_port: bool) -> Result<Server, CliError> {
    let stop = stop_flag();
    if !at_any_port {
        return Server::start(config, &stop).map_err(from_start);
    }
    match Server::start(config.clone(), &stop) {
        Err(StartError::Listen(_, error)) if is_taken(error.kind()) => {
            Server::start(Config { port: 0, ..config }, &stop).map_err(from_start)
        }
        server => server.map_err(from_start),
    }
}

/// Returns true if a port cannot be had because others use it or, on Windows, because the system keeps it for others
/// (Hyper-V, WSL).
const fn is_taken(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied)
}

/// The error of a server that does not start.
fn from_start(fault: StartError) -> CliError {
    match fault {
        StartError::Threads(error) => CliError::new(exit::UNAVAILABLE, error),
        StartError::Listen(address, error) => {
            CliError::new(exit::UNAVAILABLE, error).within(text!(
                "cannot listen at {address}; choose another --port (0: any that is free) or --host"
            ))
        }
        StartError::Open(error) => error.into(),
    }
}

/// Reads the name of a host, without scheme and port.
fn parse_host(text: &str) -> Result<String, String> {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c));
    match !text.is_empty() && is_plain {
        true => Ok(text.to_owned()),
        false => Err("a name such as board.example.org, without scheme and port".to_owned()),
    }
}

/// The folder of played games, if they are kept.
fn autosave_folder(named: Option<&Path>) -> Option<PathBuf> {
    match named {
        Some(named) => (named != Path::new("none")).then(|| named.to_owned()),
        None => Some(user_folders::data()?.join("games")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_others_are_no_reason_to_end() {
        assert!(is_taken(io::ErrorKind::AddrInUse) && is_taken(io::ErrorKind::PermissionDenied));
        assert!(!is_taken(io::ErrorKind::AddrNotAvailable));
    }
}
