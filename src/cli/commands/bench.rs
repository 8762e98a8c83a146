//! `juzhong bench`: the signature of the search, and other measurements.

use super::bench_mates;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::say;
use juzhong::answers::BenchAnswer;
use juzhong::search::MAX_PLY;

/// Search a fixed set of positions; the node count is the engine's signature.
///
/// The positions are searched to a fixed depth on one thread. A change that is meant to leave the search as it is
/// must leave the node count as it is.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,

    /// Depth in plies; the signature is defined for the default.
    #[arg(long, default_value_t = BenchAnswer::DEPTH, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: u32,
}

/// Other measurements.
#[derive(Debug, clap::Subcommand)]
enum What {
    Mates(bench_mates::Args),
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    context.common.require_xiangqi("bench")?;
    match &args.what {
        Some(What::Mates(args)) => return bench_mates::run(args, context),
        None => {}
    }
    let answer = BenchAnswer::measure(args.depth)?;
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    for row in &answer.positions {
        writeln!(context.out, "{:>10}  {:<4}  {:>9}  {}", row.nodes, row.best, row.score, row.fen)?;
    }
    let BenchAnswer { signature, main_nodes: main, quiescence_nodes: quiescence, .. } = answer;
    let speed = answer.nodes_per_second;
    say!(context.out, "main search {main}, quiescence {quiescence}")?;
    say!(context.out, "signature {signature}")?;
    say!(context.out, "nodes/s {speed}")?;
    Ok(exit::OK)
}
