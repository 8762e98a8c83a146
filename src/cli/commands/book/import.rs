//! `book import`: books of other programs.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;

use super::{FormatName, ReachArgs};
use crate::cli::args::size::parse_size;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::bar::Bar;
use crate::cli::{CliError, Context, GameName, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::{
    GomokuImportAnswer, ImportAnswer, LinesImportAnswer, TableImportAnswer, dialect_name,
    scores_name, share,
};
use juzhong::book::interop::{
    FileImportOptions, ForeignKind, GomokuImport, ImportOptions, ImportReport, LinesImport, Scores,
    TableImport, foreign_kind, import, import_gomoku, import_lines, import_table,
};
use juzhong::book::propagate;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Notation, Symmetric};
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// Import a book of another program.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A book of another program, whatever its name: .obk, .pfBook, .xqb, BOOK.DAT, .xob or .bin; for gomoku a .db of
    /// Yixin or Rapfi, a RenLib .lib. For both, a table (csv) with the columns fen and move, and any others of an export;
    /// and any game file: its moves, those of variations included, become moves of the book, with their comments, and
    /// with priorities for the glyphs !!, !, ? and ??.
    foreign: PathBuf,
    /// New file for the book.
    #[arg(short, long)]
    output: PathBuf,
    /// Format of the file, if it cannot be detected.
    #[arg(long, value_enum)]
    from: Option<FormatName>,
    /// Target of the scores of an .obk, .pfBook or .xqb [default: weights, or priorities if any is negative].
    #[arg(long, value_enum)]
    scores: Option<ScoresName>,
    /// Report in detail what was merged, skipped and clamped.
    #[arg(long)]
    report: bool,
    /// Memory limit for the rows; larger books are refused.
    #[arg(long, default_value = "1GiB", value_parser = parse_size::<usize>)]
    memory: usize,
    #[command(flatten)]
    reach: ReachArgs,
}

impl Args {
    fn file_options(&self, bar: &Bar) -> FileImportOptions {
        FileImportOptions { memory: self.memory, stop: stop_flag(), progress: bar.progress() }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScoresName {
    /// Weights, by which moves are chosen.
    Weight,
    /// Priorities: the highest is always chosen.
    Priority,
    /// Nothing: drop the scores.
    Drop,
}

impl From<ScoresName> for Scores {
    fn from(name: ScoresName) -> Self {
        match name {
            ScoresName::Weight => Self::Weight,
            ScoresName::Priority => Self::Priority,
            ScoresName::Drop => Self::Drop,
        }
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let kind = match args.from {
        Some(_) => None,
        None => foreign_kind(&args.foreign, &stop_flag()).ok(),
    };
    if matches!(kind, Some(ForeignKind::Table(_))) {
        return with_game!(context.common.game, G => run_table::<G>(args, context));
    }
    if context.common.game == GameName::Gomoku {
        return run_gomoku(args, context);
    }
    if kind == Some(ForeignKind::Games) {
        return run_lines(args, context);
    }
    let bar = Bar::new();
    let options = ImportOptions {
        from: args.from.map(Into::into),
        memory: args.memory,
        reach: args.reach.reach(&bar),
        scores: args.scores.map(Into::into),
    };
    let report = import(&args.foreign, &args.output, &options).map_err(by_kind)?;
    drop(bar);
    if context.common.json {
        let answer = ImportAnswer::of(&args.foreign, &args.output, &report);
        write_answer(context.out, &answer)?;
    } else {
        print(args, &report, context.out)?;
    }
    Ok(exit::OK)
}

/// Makes a book of games with variations.
fn run_lines(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    expect_no_scores(args)?;
    let bar = Bar::new();
    let options = args.file_options(&bar);
    let report =
        import_lines::<Position>(&args.foreign, &args.output, &options).map_err(by_kind)?;
    drop(bar);
    if context.common.json {
        let answer = LinesImportAnswer::of(&args.foreign, &args.output, &report);
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    let LinesImport { games, unreadable, comments, metadata } = &report;
    let out = &mut context.out;
    let moves = counts::moves(metadata.rows);
    let positions = counts::positions(metadata.positions);
    say!(out, "{}: {moves} of {positions}", args.output.shown())?;
    say!(out, "from       {}", args.foreign.shown())?;
    say!(out, "games      {games}, {unreadable} more cannot be read")?;
    say!(out, "comments   {comments}")?;
    Ok(exit::OK)
}

/// Makes a book of a table of moves.
fn run_table<G: Symmetric + Notation>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    expect_no_scores(args)?;
    let bar = Bar::new();
    let options = args.file_options(&bar);
    let report = import_table::<G>(&args.foreign, &args.output, &options).map_err(by_kind)?;
    drop(bar);
    if context.common.json {
        let answer = TableImportAnswer::of(&args.foreign, &args.output, &report);
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    let TableImport { rows, unreadable, first_unreadable, comments, metadata } = &report;
    let out = &mut context.out;
    let moves = counts::moves(metadata.rows);
    let positions = counts::positions(metadata.positions);
    say!(out, "{}: {moves} of {positions}", args.output.shown())?;
    say!(out, "from       {} ({})", args.foreign.shown(), "csv")?;
    say!(out, "rows       {rows}, {unreadable} of them unreadable")?;
    if let Some(line) = first_unreadable {
        say!(out, "           the first of these is line {line}")?;
    }
    say!(out, "comments   {comments}")?;
    Ok(exit::OK)
}

/// Refuses `--scores` where it means nothing.
fn expect_no_scores(args: &Args) -> Result<(), CliError> {
    if args.scores.is_some() {
        let message = "--scores is for books of other programs; leave it out";
        return Err(CliError::message(exit::USAGE, message));
    }
    Ok(())
}

/// Imports a gomoku book, and backs up the scores that come with it.
fn run_gomoku(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if args.from.is_some() || args.scores.is_some() {
        let message = "--from and --scores are for books of xiangqi; leave them out";
        return Err(CliError::message(exit::USAGE, message));
    }
    let bar = Bar::new();
    let options = args.file_options(&bar);
    let report = import_gomoku(&args.foreign, &args.output, &options).map_err(by_kind)?;
    drop(bar);
    if report.scores > 0 {
        propagate::<Board>(&args.output, 1, &stop_flag()).map_err(by_kind)?;
    }
    if context.common.json {
        let answer = GomokuImportAnswer::of(&args.foreign, &args.output, &report);
        write_answer(context.out, &answer)?;
    } else {
        print_gomoku(args, &report, context.out)?;
    }
    Ok(exit::OK)
}

fn print_gomoku(args: &Args, report: &GomokuImport, out: &mut dyn Write) -> Result<(), CliError> {
    let GomokuImport { source, rows, unreadable, unreached, scores, comments, metadata } = report;
    let book = args.output.shown();
    let foreign = args.foreign.shown();
    let moves = counts::moves(metadata.rows);
    let positions = counts::positions(metadata.positions);
    say!(out, "{book}: {moves} of {positions}")?;
    say!(out, "from       {foreign} ({})", source.name())?;
    say!(out, "rows       {rows}, {unreadable} of them unreadable")?;
    say!(out, "unreached  {unreached}")?;
    say!(out, "scores     {}", counts::positions(scores))?;
    say!(out, "comments   {comments}")?;
    Ok(())
}

fn print(args: &Args, report: &ImportReport, out: &mut dyn Write) -> Result<(), CliError> {
    let about = &report.metadata;
    let (book, foreign) = (args.output.shown(), args.foreign.shown());
    let percent = 100.0 * share(report.unreached, report.rows);
    say!(out, "{book}: {} of {}", counts::moves(about.rows), counts::positions(about.positions))?;
    say!(out, "from       {foreign} ({})", report.format)?;
    say!(out, "rows       {}, {} taken over", report.rows, report.taken)?;
    say!(out, "unreached  {} ({percent:.2}%)", report.unreached)?;
    if report.is_cut {
        say!(out, "           the search ended at its limit; --positions N sets another")?;
    }
    if !args.report {
        return Ok(());
    }
    if let Some(dialect) = report.dialect {
        say!(out, "keys       {}", dialect_name(dialect))?;
    }
    if report.is_swapped {
        say!(out, "moves      stored with origin and destination exchanged")?;
    } else if report.swapped_rows > 0 {
        let rows = counts::rows(report.swapped_rows);
        say!(out, "moves      of {rows} stored with origin and destination exchanged")?;
    }
    say!(out, "merged     {} into other rows of the same move", report.merged)?;
    say!(out, "illegal    {}, left out", report.illegal)?;
    say!(out, "unreadable {}, left out", report.unreadable)?;
    say!(out, "disabled   {}", report.disabled)?;
    say!(out, "comments   {}, {} of them shortened", report.comments, report.shortened)?;
    say!(out, "scores     {}", scores_name(report.scores))?;
    say!(out, "clamped    {}, out of range", report.clamped)?;
    say!(
        out,
        "learning   {} with results of learning, left out",
        counts::records(report.learning)
    )?;
    Ok(())
}
