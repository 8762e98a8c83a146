//! Opening books.

mod build;
mod classify;
mod doctor;
mod edit;
mod expand;
mod export;
mod flag;
mod foreign;
mod games;
mod import;
mod map;
mod merge;
mod pack;
mod prune;
mod query;
mod reduce;
mod score;
mod sources;
mod stats;
mod tree;

use std::io::Write;
use std::path::Path;

use clap::ValueEnum;

use crate::cli::exit::by_kind;
use crate::cli::interrupt::stop_flag;
use crate::cli::print::bar::Bar;
use crate::cli::{CliError, Context, notice};
use crate::language::{counts, say};
use juzhong::book::interop::{BookFormat, Dialect, Reach};
use juzhong::book::{Book, Counts};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Game, Side};
use juzhong::message::message;

/// Build, query and maintain opening books.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Build(build::Args),
    Edit(edit::Args),
    Export(export::Args),
    Merge(merge::Args),
    Prune(prune::Args),
    Expand(expand::Args),
    Flag(flag::Args),
    Query(query::Args),
    Games(games::Args),
    Score(score::Args),
    Classify(classify::Args),
    Stats(stats::Args),
    Import(import::Args),
    Doctor(doctor::Args),
    Map(map::Args),
    Reduce(reduce::Args),
    Pack(pack::Args),
}

impl Command {
    /// Returns true if standard output is for programs.
    pub(crate) const fn writes_data(&self) -> bool {
        matches!(self, Self::Export(args) if args.writes_data())
    }
}

pub(crate) fn run(command: &Command, context: &mut Context<'_>) -> Result<u8, CliError> {
    match command {
        Command::Build(args) => build::run(args, context),
        Command::Edit(args) => edit::run(args, context),
        Command::Export(args) => export::run(args, context),
        Command::Merge(args) => merge::run(args, context),
        Command::Prune(args) => prune::run(args, context),
        Command::Expand(args) => expand::run(args, context),
        Command::Flag(args) => flag::run(args, context),
        Command::Query(args) => query::run(args, context),
        Command::Games(args) => games::run(args, context),
        Command::Score(args) => score::run(args, context),
        Command::Classify(args) => classify::run(args, context),
        Command::Stats(args) => stats::run(args, context),
        Command::Import(args) => import::run(args, context),
        Command::Doctor(args) => doctor::run(args, context),
        Command::Map(args) => map::run(args, context),
        Command::Reduce(args) => reduce::run(args, context),
        Command::Pack(args) => pack::run(args, context),
    }
}

/// Opens a book whose bytes are all as they were written.
pub(crate) fn open(path: &Path) -> Result<Book, CliError> {
    Book::open(path).and_then(|book| book.check_file().map(|()| book)).map_err(by_kind)
}

/// Returns true if the book at `path` has values backed up from its scores.
fn is_backed(path: &Path) -> bool {
    Book::open_own(path, &stop_flag()).and_then(|book| book.is_backed()).unwrap_or(false)
}

/// Reports the remedy if the moves of a book were changed, so that the values backed up from its scores were
/// dropped.
fn tell_unbacked(was_backed: bool, path: &Path) {
    if was_backed && !is_backed(path) {
        let book = path.shown();
        notice(message!(
            "{book}: the moves changed, so what followed from the scores is forgotten; run \
             `juzhong book score {book} --no-engine`"
        ));
    }
}

/// Prints the numbers of records by what became of them, a line for each sort.
fn print_counts<G: Game>(counts: &Counts, out: &mut dyn Write) -> Result<(), CliError> {
    let c = counts;
    say!(out, "records    {}", c.records)?;
    match G::BLACK {
        Side::Second => say!(
            out,
            "games      {} counted: {} won by Red, {} drawn, {} won by Black, {} unknown",
            c.games,
            c.first,
            c.draws,
            c.second,
            c.unknown()
        )?,
        Side::First => say!(
            out,
            "games      {} counted: {} won by Black, {} drawn, {} won by White, {} unknown",
            c.games,
            c.first,
            c.draws,
            c.second,
            c.unknown()
        )?,
    }
    say!(
        out,
        "disputed   {} whose copies state different results: {} settled by the majority, \
         {} tied and so unknown",
        counts::games(c.disputed),
        c.disputed - c.tied,
        c.tied
    )?;
    print_not_counted(c, out)
}

/// Prints the records that were not counted.
fn print_not_counted(c: &Counts, out: &mut dyn Write) -> Result<(), CliError> {
    say!(out, "copies     {} further ones of counted games", c.duplicates)?;
    say!(
        out,
        "others     {} from other starts (different ones: {}), not counted",
        c.other_start_records,
        c.other_starts
    )?;
    say!(out, "no moves   {}, not counted", c.no_move_records)?;
    say!(out, "bad        {}, left out", c.bad)?;
    say!(out, "filtered   {}, left out", c.filtered)?;
    Ok(())
}

/// A format of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// .obk: BHGUI and many others.
    Obk,
    /// .pfBook: 鹏飞, 佳佳.
    Pfbook,
    /// .xqb: xqbook.
    Xqb,
    /// BOOK.DAT: ElephantEye, XQWizard.
    Eleeye,
    /// .xob: MoonRiver.
    Moonriver,
    /// .bin: XBoard for xiangqi, in PolyGlot format.
    Polyglot,
}

impl From<FormatName> for BookFormat {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Obk => Self::Obk,
            FormatName::Pfbook => Self::PfBook,
            FormatName::Xqb => Self::Xqb,
            FormatName::Eleeye => Self::ElephantEye,
            FormatName::Moonriver => Self::MoonRiver,
            FormatName::Polyglot => Self::Polyglot,
        }
    }
}

/// How keys from 2^63 on are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DialectName {
    /// Signed integers.
    Int64,
    /// Doubles with the same bytes (BHGUI).
    Double,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Int64 => Self::Int64,
            DialectName::Double => Self::Double,
        }
    }
}

/// How far positions are searched.
#[derive(Debug, clap::Args)]
struct ReachArgs {
    /// Bridge gaps of up to this many plies that are not in the book.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(..=2))]
    plies: u8,
    /// Maximum number of positions searched to bridge gaps.
    #[arg(long, default_value_t = 40_000_000)]
    positions: u64,
}

impl ReachArgs {
    /// The limits; `bar` shows the progress.
    fn reach(&self, bar: &Bar) -> Reach {
        let (stop, progress) = (stop_flag(), bar.progress());
        Reach { plies: self.plies, positions: self.positions, stop, progress }
    }
}
