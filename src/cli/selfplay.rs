use std::fs;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};

use super::{CliError, Context, OrExit, exit};
use crate::arena::SelfPlay;
use crate::book::find_games;
use crate::bytes::atomic;
use crate::record::{PgnOptions, Record, read_packed, write_pgn};
use crate::xiangqi::{Position, RuleSet};

/// Plays games of the engine against itself, from opening lines, and writes them as PGN. The games
/// do not depend on the number of threads.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files and folders of opening lines (PGN).
    #[arg(long, required = true, num_args = 1..)]
    openings: Vec<PathBuf>,
    /// How many games to play.
    #[arg(long, default_value_t = 240)]
    games: usize,
    /// Positions searched for a move, give or take a fifth.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Games at the same time (0: one for each core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Seed of the chance that tells games from one opening apart.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Size of the transposition table of each game in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    hash: usize,
    /// Which rules judge repetitions.
    #[arg(long, default_value_t)]
    rules: RuleSet,
    /// Where the games go.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    context.common.require_xiangqi("selfplay")?;
    let openings = read_openings(&find_games(&args.openings).or_exit(exit::NO_INPUT)?.files)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.or_exit_with(exit::UNAVAILABLE, || "cannot start the threads")?;
    let plan =
        SelfPlay { nodes: args.nodes, hash_mib: args.hash, seed: args.seed, rules: args.rules };
    let bar = ProgressBar::new(args.games as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} games {elapsed} eta {eta}") {
        bar.set_style(style);
    }
    let games = pool.install(|| plan.play(&openings, args.games, &|| bar.inc(1)));
    bar.finish_and_clear();
    let games = games.or_exit(exit::BAD_DATA)?;
    let mut text = Vec::new();
    for game in &games {
        write_pgn(&mut text, game, &PgnOptions::default())?;
    }
    atomic::write(&args.output, &text)
        .or_exit_with(exit::CANNOT_CREATE, || args.output.display())?;
    writeln!(context.out, "{} games written to {}", games.len(), args.output.display())?;
    Ok(exit::OK)
}

/// The lines of the files that begin at the usual start; a bad one is refused with its place.
fn read_openings(files: &[PathBuf]) -> Result<Vec<Record<Position>>, CliError> {
    let mut openings = Vec::new();
    let mut problem = None;
    for file in files {
        let bytes = fs::read(file).or_exit_with(exit::NO_INPUT, || file.display())?;
        let name = file.display().to_string();
        let read =
            read_packed(&name, &bytes, &std::env::temp_dir(), &Arc::default(), &mut |_, game| {
                match game {
                    Ok(game) if game.record.start.is_none() => openings.push(game.record),
                    Ok(_) => {}
                    Err(bad) => problem = problem.take().or(Some(bad)),
                }
                ControlFlow::Continue(())
            });
        read.or_exit_with(exit::IO, || name)?;
    }
    match problem {
        Some(bad) => Err(CliError::new(exit::BAD_DATA, bad)),
        None => Ok(openings),
    }
}
