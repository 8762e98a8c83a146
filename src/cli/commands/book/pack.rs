//! `book pack`: a book of shards.

use std::path::PathBuf;

use super::print_counts;
use super::reduce::Effort;
use crate::cli::exit::{self, by_kind};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::PackAnswer;
use juzhong::book::pack;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;

/// Distributed `build`, step 3 of 3: pack the output of `reduce` into a book.
///
/// The book is the same, byte for byte, as `book build` makes from all the files.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shards: the folder written by `book reduce`, or the folders of all its parts.
    #[arg(required = true, value_name = "SHARD")]
    shards: Vec<PathBuf>,
    /// Output file for the book.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    effort: Effort,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let about = pack::<G>(&args.shards, &args.output, &args.effort.work()).map_err(by_kind)?;
    if context.common.json {
        write_answer(context.out, &PackAnswer::of(&args.output, &about))?;
    } else {
        let book = args.output.shown();
        say!(
            context.out,
            "{book}: {} of {}",
            counts::moves(about.rows),
            counts::positions(about.positions)
        )?;
        print_counts::<G>(&about.counts, context.out)?;
    }
    Ok(exit::OK)
}
