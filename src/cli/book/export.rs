use std::path::PathBuf;

use super::super::{CliError, Context};
use super::FormatName;
use super::foreign::{self, ForeignArgs};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The book.
    book: PathBuf,
    /// The format.
    #[arg(long, value_enum)]
    to: FormatName,
    /// Where to write it.
    #[arg(short, long)]
    output: PathBuf,
    /// Leave out moves of fewer games [default: what the book was built with].
    #[arg(long)]
    min_games: Option<u64>,
    #[command(flatten)]
    foreign: ForeignArgs,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    context.common.require_xiangqi("book export")?;
    let book = super::open(&args.book)?;
    foreign::run(&book, &args.output, args.to, args.min_games, &args.foreign, context)
}
