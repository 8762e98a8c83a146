//! `book merge`: one book of several.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::args::size::parse_size;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{counts, say, text};
use juzhong::answers::book::{MergeAnswer, rekeyed_share};
use juzhong::book::{MergeOptions, MergeReport, merge};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;

/// Merge several books into one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The books. No game may be counted in two of them, unless one book counts all games of the other and keeps as
    /// many moves of them.
    #[arg(required = true, num_args = 2.., value_name = "BOOK")]
    books: Vec<PathBuf>,
    /// Output file for the merged book. Edits are kept but can no longer be undone.
    #[arg(short, long)]
    output: PathBuf,
    /// Memory for sorting, such as 512MiB; the rest goes to temporary files.
    #[arg(long, default_value = "512MiB", value_parser = parse_size::<usize>)]
    memory: usize,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let was_backed = args.books.iter().any(|book| super::is_backed(book));
    let options = MergeOptions { memory: args.memory, stop: stop_flag() };
    let report = merge::<G>(&args.books, &args.output, &options).map_err(by_kind)?;
    if context.common.json {
        write_answer(context.out, &MergeAnswer::of(&args.output, &report))?;
    } else {
        print(args, &report, context.out)?;
    }
    super::tell_unbacked(was_backed, &args.output);
    Ok(exit::OK)
}

fn print(args: &Args, report: &MergeReport, out: &mut dyn Write) -> Result<(), CliError> {
    let about = &report.metadata;
    let book = args.output.shown();
    say!(out, "{book}: {} of {}", counts::moves(about.rows), counts::positions(about.positions))?;
    say!(out, "games      {}", about.counts.games)?;
    say!(
        out,
        "marks      {} ({} with different ones)",
        report.marks,
        counts::moves(report.conflicts)
    )?;
    if report.depths_differ {
        say!(out, "depth      the books differ; beyond the least, moves lack the games of some")?;
    }
    for book in &report.books {
        let mut notes = Vec::new();
        if book.is_contained {
            notes.push(text!("only its marks: another book counts all its games"));
        }
        if book.is_rekeyed {
            let percent = 100.0 * rekeyed_share(book);
            notes.push(text!(
                "other keys, {} not reached ({percent:.2}%)",
                counts::rows(book.unreached)
            ));
        }
        let notes = notes.join("; ");
        say!(out, "from       {}: {} {notes}", book.path.shown(), counts::games(book.games))?;
    }
    Ok(())
}
