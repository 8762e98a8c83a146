use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};

use super::line_args::BoardArgs;
use super::listing::claim_file;
use super::openings::read_openings;
use super::terminal::Terminal;
use super::{CliError, Context, OrExit, exit, with_game};
use crate::cli::language::{counts, say};
use juzhong::answers::parse_rules;
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::{Contested, SelfPlay};
use juzhong::xiangqi::notation::MoveNotation;

/// Plays games of the engine against itself, from opening lines, and writes them as PGN (gomoku: lines of JSON). The
/// games do not depend on the number of threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files and folders of openings: games in any format, lists of positions; gomoku: one opening per line, as moves,
    /// offsets or a position.
    #[arg(long, required = true, num_args = 1..)]
    openings: Vec<PathBuf>,
    #[command(flatten)]
    board: BoardArgs,
    /// Number of games to play.
    #[arg(long, default_value_t = 240)]
    games: usize,
    /// Nodes per move, varied by up to a fifth.
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Games played in parallel (0: one per core).
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Random seed for varying games from the same opening.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Size of the transposition table per game in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 16)]
    hash: usize,
    /// Repetition rules.
    #[arg(long)]
    rules: Option<String>,
    /// Output file for the games.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => play::<G>(args, context))
}

fn play<G: Contested + Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let openings = read_openings(&args.openings, &args.board.start::<G>()?)?;
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.or_exit_with(exit::UNAVAILABLE, || "cannot start the threads")?;
    let plan = SelfPlay::<G> { nodes: args.nodes, hash_mib: args.hash, seed: args.seed, rules };
    let bar = ProgressBar::new(args.games as u64);
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} games {elapsed} eta {eta}") {
        bar.set_style(style);
    }
    let games = pool.install(|| plan.play(&openings, args.games, &|| bar.inc(1)));
    bar.finish_and_clear();
    let games = games.or_exit(exit::BAD_DATA)?;
    let mut text = Vec::new();
    for game in &games {
        G::write_game(&mut text, game, MoveNotation::Chinese)?;
    }
    let _lock = claim_file(&args.output)?;
    atomic::write(&args.output, &text).or_exit_with(exit::CANNOT_CREATE, || args.output.shown())?;
    say!(context.out, "{} written to {}", counts::games(games.len()), args.output.shown())?;
    Ok(exit::OK)
}
