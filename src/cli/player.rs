//! The options of every command that plays.

use std::path::PathBuf;
use std::time::Duration;

use super::position::parse_rules;
use super::terminal::Terminal;
use super::{CliError, OrExit, exit};
use crate::book::Policy;
use crate::engine::{Engine, EngineOptions, Limits, MAX_PLY, Playable, clock};

/// What the engine plays with.
#[derive(Debug, clap::Args)]
pub(super) struct PlayerArgs {
    /// An opening book; several are asked in this order.
    #[arg(long, value_name = "FILE")]
    book: Vec<PathBuf>,
    /// How one of a book's moves is chosen: best, weighted or uniform.
    #[arg(long, default_value_t)]
    policy: Policy,
    /// The folder of endgame tables.
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
    /// Which rules judge repetitions (xiangqi: none, check, asian, computer or chinese; default
    /// asian).
    #[arg(long)]
    rules: Option<String>,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    hash: usize,
    /// Threads that search.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Seed of every random choice.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl PlayerArgs {
    /// The engine's options.
    pub(super) fn options<G: Terminal + Playable>(
        &self,
    ) -> Result<EngineOptions<G::Rules>, CliError> {
        Ok(EngineOptions {
            books: self.book.clone(),
            policy: self.policy,
            tables: self.tables.clone(),
            hash_mib: self.hash,
            threads: self.threads,
            multipv: 1,
            seed: self.seed,
            rules: parse_rules::<G>(self.rules.as_deref())?,
        })
    }

    /// The engine; what is wrong with books and tables goes to standard error.
    pub(super) fn engine<G: Terminal + Playable>(&self) -> Result<Engine<G>, CliError> {
        let mut engine = Engine::new(self.options::<G>()?).or_exit(exit::USAGE)?;
        tell_notices(&mut engine);
        Ok(engine)
    }
}

/// Prints what is wrong with books and tables, each thing once.
pub(super) fn tell_notices<G: Playable>(engine: &mut Engine<G>) {
    for notice in engine.take_notices() {
        eprintln!("juzhong: {notice}");
    }
}

/// How long a move may take.
#[derive(Debug, clap::Args)]
pub(super) struct LimitArgs {
    /// Milliseconds for each move (1000 if nothing else is given).
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Plies to search.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
    /// Positions to search.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

impl LimitArgs {
    /// The limits of one move.
    pub(super) fn limits(&self) -> Limits {
        let free = self.depth.is_none() && self.nodes.is_none();
        let movetime = self.movetime.or(free.then_some(1000));
        let time = movetime.map(|ms| clock::fixed(Duration::from_millis(ms)));
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            soft_time: time.and_then(|time| time.soft),
            hard_time: time.map(|time| time.hard),
        }
    }
}
