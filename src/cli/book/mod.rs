//! Opening books.

mod build;
mod map;
mod pack;
mod query;
mod reduce;
mod stats;
mod synth;

use std::io::{ErrorKind, Write};
use std::path::Path;

use super::{CliError, Context, exit};
use crate::book::{Book, BookError, BuildError, Counts};

/// Build, query and describe opening books.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Build a book from game files and folders of them.
    Build(build::Args),
    /// Show the moves that a book has for a position.
    Query(query::Args),
    /// Check a book and show what is in it.
    Stats(stats::Args),
    /// First of the three steps of `build`, for many machines: read game files into a shard.
    Map(map::Args),
    /// Second step: bring the games of shards together and sum their moves.
    Reduce(reduce::Args),
    /// Last step: make a book of what `reduce` wrote.
    Pack(pack::Args),
    /// Make up games for measuring.
    #[command(hide = true)]
    Synth(synth::Args),
}

pub(super) fn run(command: &Command, context: &mut Context<'_>) -> Result<u8, CliError> {
    match command {
        Command::Build(args) => build::run(args, context),
        Command::Query(args) => query::run(args, context),
        Command::Stats(args) => stats::run(args, context),
        Command::Map(args) => map::run(args, context),
        Command::Reduce(args) => reduce::run(args, context),
        Command::Pack(args) => pack::run(args, context),
        Command::Synth(args) => synth::run(args, context),
    }
}

/// Opens a book whose bytes are all as they were written.
fn open(path: &Path) -> Result<Book, CliError> {
    Book::open(path).and_then(|book| book.check_file().map(|()| book)).map_err(from_book)
}

/// What became of every record, a line for each sort.
fn print_counts(counts: &Counts, out: &mut dyn Write) -> Result<(), CliError> {
    let c = counts;
    writeln!(out, "records    {}", c.records)?;
    writeln!(
        out,
        "games      {} counted: {} won by Red, {} drawn, {} won by Black, {} unknown",
        c.games,
        c.first,
        c.draws,
        c.second,
        c.unknown()
    )?;
    writeln!(
        out,
        "disputed   {} games whose copies state different results: {} settled by the majority, \
         {} tied and so unknown",
        c.disputed,
        c.disputed - c.tied,
        c.tied
    )?;
    writeln!(out, "copies     {} further ones of counted games", c.duplicates)?;
    writeln!(
        out,
        "others     {} from other starts ({} different games), not counted",
        c.other_start_records, c.other_starts
    )?;
    writeln!(out, "no moves   {}, not counted", c.no_move_records)?;
    writeln!(out, "bad        {}, left out", c.bad)?;
    writeln!(out, "filtered   {}, left out", c.filtered)?;
    Ok(())
}

fn from_book(error: BookError) -> CliError {
    let code = match &error {
        BookError::Io { source, .. } => match source.kind() {
            ErrorKind::NotFound | ErrorKind::PermissionDenied => exit::NO_INPUT,
            _ => exit::IO,
        },
        _ => exit::BAD_DATA,
    };
    CliError::new(code, error)
}

fn from_build(error: BuildError) -> CliError {
    let code = match &error {
        BuildError::Input { source, .. } => match source.kind() {
            ErrorKind::NotFound | ErrorKind::PermissionDenied => exit::NO_INPUT,
            _ => exit::IO,
        },
        BuildError::StrangeInput { .. }
        | BuildError::NoFiles { .. }
        | BuildError::NoGames { .. }
        | BuildError::Shard { .. }
        | BuildError::Strict { .. } => exit::BAD_DATA,
        BuildError::Create { .. } => exit::CANNOT_CREATE,
        BuildError::Interrupted { .. } => exit::INTERRUPTED,
        _ => exit::IO,
    };
    CliError::new(code, error)
}
