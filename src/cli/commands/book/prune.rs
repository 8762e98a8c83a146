//! `book prune`: a smaller copy of a book.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::PruneAnswer;
use juzhong::book::{PruneOptions, PruneReport, prune};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;

/// Write a smaller copy of a book.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("limits").required(true).multiple(true)
    .args(["min_games", "min_share", "max_ply"]))]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    /// Output file for the smaller book. Edits are kept but can no longer be undone.
    #[arg(short, long)]
    output: PathBuf,
    /// Drop moves with fewer games.
    #[arg(long, value_name = "N")]
    min_games: Option<u64>,
    /// Drop moves played in a smaller share of their position's games, such as 0.02 or 2%.
    #[arg(long, value_name = "P", value_parser = parse_share)]
    min_share: Option<f64>,
    /// Drop moves in positions N or more plies from the start.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_ply: Option<u64>,
    /// Keep every annotated move: with a weight, priority, comment, group or flag of its own.
    #[arg(long)]
    keep_marked: bool,
}

/// A share: a number from 0 to 1, or percent.
fn parse_share(text: &str) -> Result<f64, String> {
    let (digits, whole) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    let share = digits.parse::<f64>().ok().map(|share| share / whole);
    share
        .filter(|share| (0.0..=1.0).contains(share))
        .ok_or_else(|| "give a share from 0 to 1, such as 0.02 or 2%".to_owned())
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let was_backed = super::is_backed(&args.book);
    let options = PruneOptions {
        min_games: args.min_games.unwrap_or(0),
        min_share: args.min_share.unwrap_or(0.0),
        max_ply: args.max_ply,
        keep_marked: args.keep_marked,
        stop: stop_flag(),
    };
    let report = prune::<G>(&args.book, &args.output, &options).map_err(by_kind)?;
    if context.common.json {
        write_answer(context.out, &PruneAnswer::of(&args.output, &report))?;
    } else {
        print(args, &report, context.out)?;
    }
    super::tell_unbacked(was_backed, &args.output);
    Ok(exit::OK)
}

fn print(args: &Args, report: &PruneReport, out: &mut dyn Write) -> Result<(), CliError> {
    let about = &report.metadata;
    let book = args.output.shown();
    say!(out, "{book}: {} of {}", counts::moves(about.rows), counts::positions(about.positions))?;
    say!(
        out,
        "dropped    {}: {} of few games, {} of small share, {} cut off, {} deleted",
        counts::moves(report.dropped()),
        report.few_games,
        report.small_share,
        report.cut_off,
        report.deleted
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        assert_eq!(parse_share("0.5"), Ok(0.5));
        assert_eq!(parse_share("25%"), Ok(0.25));
        for bad in ["", "%", "-1", "2", "101%", "NaN"] {
            assert!(parse_share(bad).is_err(), "{bad}");
        }
    }
}
