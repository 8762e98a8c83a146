//! Exporting to the formats of other programs.

use std::io::Write;
use std::path::Path;

use super::{DialectName, FormatName, ReachArgs};
use crate::cli::args::size::parse_size;
use crate::cli::exit::{self, by_kind};
use crate::cli::print::bar::Bar;
use crate::cli::{CliError, Context, write_answer};
use crate::language::{counts, left, say, word};
use juzhong::answers::book::{ExportAnswer, share};
use juzhong::book::Book;
use juzhong::book::interop::{ExportOptions, ExportReport, export};
use juzhong::bytes::visible::ShowPath;

/// What only foreign formats need.
#[derive(Debug, clap::Args)]
pub(crate) struct ForeignArgs {
    /// Storage of keys of 2^63 and above in an .obk, not all of which fit a double.
    #[arg(long, value_enum, default_value = "int64")]
    dialect: DialectName,
    /// Swap origin and destination of the moves in an .obk or .pfBook.
    #[arg(long)]
    swapped: bool,
    /// Memory limit for the rows of another program's book; larger books are refused.
    #[arg(long, default_value = "1GiB", value_parser = parse_size::<usize>)]
    memory: usize,
    #[command(flatten)]
    reach: ReachArgs,
}

pub(crate) fn run(
    book: &Book,
    output: &Path,
    to: FormatName,
    min_games: Option<u64>,
    args: &ForeignArgs,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let bar = Bar::new();
    let options = ExportOptions {
        dialect: args.dialect.into(),
        swapped: args.swapped,
        min_games,
        memory: args.memory,
        reach: args.reach.reach(&bar),
        ..ExportOptions::new(to.into())
    };
    let report = export(book, output, &options).map_err(by_kind)?;
    drop(bar);
    if context.common.json {
        let answer = ExportAnswer::of(book.path(), output, options.to, &report);
        write_answer(context.out, &answer)?;
    } else {
        print(output, &options, &report, context.out)?;
    }
    Ok(exit::OK)
}

fn print(
    output: &Path,
    options: &ExportOptions,
    report: &ExportReport,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let percent = 100.0 * share(report.unreached, report.moves);
    say!(out, "{}: {} ({})", output.shown(), counts::rows(report.written), options.to)?;
    say!(out, "moves      {} in the book", report.moves)?;
    say!(out, "unreached  {} ({percent:.2}%), left out", report.unreached)?;
    if report.is_cut {
        say!(out, "           the search ended at its limit; --positions N sets another")?;
    }
    for (what, count) in &report.dropped {
        writeln!(out, "{} {count}", left(word(&what.replace('_', " ")), 10))?;
    }
    Ok(())
}
