use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use super::interrupt::stop_flag;
use super::{CliError, Context, OrExit, exit, tell};
use crate::language::text;
use crate::web::{Config, Server, StartError};
use juzhong::bytes::visible::ShowPath;
use juzhong::search::{MAX_HASH_MIB, MAX_THREADS};

/// Serves a page in the browser until Ctrl-C: board, books, tables, engine. The first line printed is its address.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Open the page in the default browser.
    #[arg(long)]
    open: bool,
    /// Port to listen on (0: any free port).
    #[arg(long, default_value_t = 8000, help_heading = "Network")]
    port: u16,
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
    /// Size of the transposition table per search in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=MAX_HASH_MIB as u64),
        help_heading = "Engine")]
    hash: u64,
    /// Number of threads per search.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=MAX_THREADS as u64),
        help_heading = "Engine")]
    threads: u64,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    for path in &args.library {
        std::fs::metadata(path).or_exit_with(exit::NO_INPUT, || path.shown())?;
    }
    if !args.host.is_loopback() {
        tell(
            "other machines can reach the page now, see books, tables and kept games, and use the engine; only the token allows writing",
        );
    }
    let config = Config {
        host: args.host,
        port: args.port,
        allowed_hosts: args.allow_host.clone(),
        books: args.book.clone(),
        tables: args.tables.clone(),
        library: args.library.clone(),
        autosave: autosave_folder(args.autosave.as_deref()),
        hash_mib: args.hash as usize,
        threads: args.threads as usize,
        log: args.access_log,
    };
    let server = Server::start(config, &stop_flag()).map_err(from_start)?;
    let address = server.url_to_write();
    writeln!(context.out, "{}", server.url())?;
    writeln!(context.out, "{}", text!("to edit books too, open {address}"))?;
    context.out.flush()?;
    if args.open && open_browser::that_detached(address).is_err() {
        tell("no browser could be started; open the address yourself");
    }
    server.run();
    Ok(exit::OK)
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
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name such as board.example.org, without scheme and port".to_owned()),
    }
}

/// The folder of played games, if they are kept.
fn autosave_folder(named: Option<&Path>) -> Option<PathBuf> {
    match named {
        Some(named) => (named != Path::new("none")).then(|| named.to_owned()),
        None => Some(etcetera::choose_base_strategy().ok()?.data_dir().join("juzhong/games")),
    }
}
