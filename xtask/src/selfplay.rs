//! Games of the engine against itself: how the games in `books/` were made.

use std::path::PathBuf;

use anyhow::anyhow;
use juzhong::answers::{BoardRequest, Described, parse_rules};
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::contest::{Contested, SelfPlay};
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

use crate::GameName;
use crate::games::{progress, read_openings};

/// Plays games of the engine against itself, from opening lines, and writes them as PGN (gomoku: lines of JSON). The
/// games do not depend on the number of threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game to play.
    #[arg(long, value_enum, default_value = "xiangqi")]
    game: GameName,
    /// Files and folders of openings: games in any format, lists of positions; gomoku: one opening per line, as moves,
    /// offsets or a position.
    #[arg(long, required = true, num_args = 1..)]
    openings: Vec<PathBuf>,
    /// Gomoku rules: freestyle, standard or renju.
    #[arg(long)]
    variant: Option<String>,
    /// Gomoku board size, such as 15 or 20x18.
    #[arg(long)]
    size: Option<String>,
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

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match args.game {
        GameName::Xiangqi => play::<Position>(args),
        GameName::Gomoku => play::<Board>(args),
    }
}

fn play<G: Contested + Described>(args: &Args) -> anyhow::Result<()> {
    let board = BoardRequest { variant: args.variant.clone(), size: args.size.clone() };
    let start = board.start::<G>().map_err(|refusal| anyhow!("{refusal}"))?;
    let openings = read_openings(&args.openings, &start)?;
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let plan = SelfPlay::<G> { nodes: args.nodes, hash_mib: args.hash, seed: args.seed, rules };
    let bar = progress(args.games as u64, "games")?;
    let games = pool.install(|| plan.play(&openings, args.games, &|| bar.inc(1)))?;
    bar.finish_and_clear();
    let mut text = Vec::new();
    for game in &games {
        G::write_game(&mut text, game, MoveNotation::Chinese)?;
    }
    atomic::write(&args.output, &text)?;
    println!("{} games written to {}", games.len(), args.output.shown());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;

    #[test]
    fn self_play_does_not_depend_on_threads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let line = "[Opening \"中炮\"]\n[ECCO \"B00\"]\n\n1. h2e2 h9g7 *\n\n";
        std::fs::write(at("lines.pgn"), line).unwrap();
        let games = |threads: &str| {
            let args = ["selfplay", "--games", "4", "--nodes", "100", "--hash", "1", "--threads"];
            let files = ["--openings", &at("lines.pgn"), "-o", &at(threads)];
            let args = [&args[..], &[threads], &files].concat();
            run(&parsed(args)).unwrap();
            std::fs::read_to_string(at(threads)).unwrap()
        };
        let text = games("1");
        assert_eq!(text, games("3"));
        assert_eq!(text.matches("[Event ").count(), 4);
        assert_eq!(text.matches("[Opening \"中炮\"]").count(), 4);
        assert!(!text.contains("[Result \"*\"]"));
    }
}
