//! The options of every command that plays.

use std::path::PathBuf;
use std::time::Duration;

use super::position::parse_rules;
use super::terminal::Terminal;
use super::{CliError, OrExit, exit};
use crate::book::{Policy, SelectOptions};
use crate::engine::{Engine, EngineOptions, Limits, MAX_PLY, OwnBook, Playable, clock};
use crate::game::Side;

/// What the engine plays with.
#[derive(Debug, clap::Args)]
pub(super) struct PlayerArgs {
    /// An opening book; several are asked in this order. FILE:red and FILE:black are for one side
    /// only.
    #[arg(long, value_name = "FILE")]
    book: Vec<String>,
    /// A book for Red only, asked before those of --book.
    #[arg(long, value_name = "FILE")]
    book_red: Vec<PathBuf>,
    /// A book for Black only, asked before those of --book.
    #[arg(long, value_name = "FILE")]
    book_black: Vec<PathBuf>,
    /// How one of a book's moves is chosen: best, weighted, softmax (by score), uniform or group
    /// (stay in a group of lines).
    #[arg(long, default_value_t)]
    policy: Policy,
    /// Leave the books after so many plies [default: never].
    #[arg(long, value_name = "PLIES")]
    book_plies: Option<usize>,
    /// Book moves of fewer games are not played.
    #[arg(long, value_name = "N", default_value_t = SelectOptions::default().min_games)]
    book_min_games: u64,
    /// Give up the books after so many positions in a row that none of them knows (0: never).
    #[arg(long, value_name = "N", default_value_t = SelectOptions::default().misses)]
    book_misses: usize,
    /// How far --policy softmax goes below the best move, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = SelectOptions::default().temperature,
        value_parser = clap::value_parser!(u32).range(1..))]
    temperature: u32,
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
            books: self.books(),
            select: SelectOptions {
                policy: self.policy,
                ply_limit: self.book_plies.unwrap_or(usize::MAX),
                min_games: self.book_min_games,
                misses: self.book_misses,
                temperature: self.temperature,
            },
            tables: self.tables.clone(),
            hash_mib: self.hash,
            threads: self.threads,
            multipv: 1,
            seed: self.seed,
            rules: parse_rules::<G>(self.rules.as_deref())?,
            ..EngineOptions::default()
        })
    }

    fn books(&self) -> Vec<OwnBook> {
        let of = |paths: &[PathBuf], side| {
            let book = |path: &PathBuf| OwnBook { path: path.clone(), side: Some(side) };
            paths.iter().map(book).collect::<Vec<_>>()
        };
        let mut books = of(&self.book_red, Side::First);
        books.extend(of(&self.book_black, Side::Second));
        books.extend(self.book.iter().map(|text| parse_book(text)));
        books
    }

    /// The engine; what is wrong with books and tables goes to standard error.
    pub(super) fn engine<G: Terminal + Playable>(&self) -> Result<Engine<G>, CliError> {
        let mut engine = Engine::new(self.options::<G>()?).or_exit(exit::USAGE)?;
        tell_notices(&mut engine);
        Ok(engine)
    }
}

/// A file, with `:red` or `:black` after it for one side only.
fn parse_book(text: &str) -> OwnBook {
    let sides = [(":red", Side::First), (":black", Side::Second)];
    let one = sides.iter().find_map(|&(end, side)| Some((text.strip_suffix(end)?, Some(side))));
    let (path, side) = one.unwrap_or((text, None));
    OwnBook { path: PathBuf::from(path), side }
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
