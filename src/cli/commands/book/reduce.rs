//! `book reduce`: the games of shards brought together.

use std::num::NonZero;
use std::path::PathBuf;

use crate::cli::args::size::parse_size;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::ReduceAnswer;
use juzhong::book::{Work, reduce};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;

/// Distributed `build`, step 2 of 3: combine the games of shards and sum their moves.
///
/// Finds copies of games across all shards of `book map`, replays the games and sums their moves. Several machines
/// can share the work: each reads all shards and does one part.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shards: folders written by `book map` with the same options.
    #[arg(required = true, value_name = "SHARD")]
    shards: Vec<PathBuf>,
    /// Folder for the shard that `book pack` reads; it must be new or empty.
    #[arg(short, long)]
    output: PathBuf,
    /// Process only this part of the games, such as 2/8 for the second of eight.
    #[arg(long, default_value = "1/1", value_parser = parse_part)]
    part: (u32, u32),
    #[command(flatten)]
    effort: Effort,
}

/// With what a step works.
#[derive(Debug, clap::Args)]
pub(crate) struct Effort {
    /// Number of threads [default: one per core].
    #[arg(long, default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// Memory for sorting, such as 512MiB; the rest goes to temporary files.
    #[arg(long, default_value = "512MiB", value_parser = parse_size::<usize>)]
    memory: usize,
}

impl Effort {
    pub(crate) fn work(&self) -> Work {
        Work { memory: self.memory, threads: NonZero::new(self.threads.into()), stop: stop_flag() }
    }
}

fn parse_part(text: &str) -> Result<(u32, u32), String> {
    let (part, parts) = text.split_once('/').ok_or("give a part such as 2/8")?;
    match (part.parse(), parts.parse()) {
        (Ok(part), Ok(parts)) if (1..=parts).contains(&part) => Ok((part, parts)),
        _ => Err("give a part such as 2/8: from 1/8 to 8/8".to_owned()),
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let report =
        reduce::<G>(&args.shards, &args.output, args.part, &args.effort.work()).map_err(by_kind)?;
    if context.common.json {
        write_answer(context.out, &ReduceAnswer::of(&args.output, args.part, &report))?;
    } else {
        let [_, games, moves, _] = report.rows;
        let shard = args.output.shown();
        say!(context.out, "{shard}: {} of different games: {games}", counts::moves(moves))?;
    }
    Ok(exit::OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        assert_eq!(parse_part("2/8"), Ok((2, 8)));
        for bad in ["", "2", "0/8", "9/8", "1/0", "-1/2", "1/x"] {
            assert!(parse_part(bad).is_err(), "{bad}");
        }
    }
}
