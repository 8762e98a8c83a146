//! The options of every command that plays.

use std::path::PathBuf;
use std::time::Duration;

use super::evaluation::EvaluationArgs;
use crate::cli::{CliError, Context, exit};
use juzhong::answers::{Described, parse_rules};
use juzhong::book::{Policy, SelectOptions};
use juzhong::engine::{Engine, EngineOptions, OwnBook, Playable, TableOptions, clock};
use juzhong::game::Side;
use juzhong::message::message;
use juzhong::protocol::client::{EngineSizes, GoLimits};
use juzhong::search::{Limits, MAX_HASH_MIB, MAX_PLY, MAX_THREADS};
use juzhong::tablebase::{Metric as TableMetric, Rules as TableRules};

/// What the engine plays with.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayerArgs {
    /// Repetition rules (xiangqi: none, check, asian, computer or chinese; default: asian).
    #[arg(long)]
    rules: Option<String>,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    hash: usize,
    /// Number of search threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    #[command(flatten)]
    pub(crate) evaluation: EvaluationArgs,
    /// Random seed [default: drawn from the operating system for each process].
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten, next_help_heading = "Opening books")]
    books: BookArgs,
    #[command(flatten, next_help_heading = "Endgame tables")]
    tables: TableArgs,
}

/// Opening books at play.
#[derive(Debug, clap::Args)]
pub(crate) struct BookArgs {
    /// Opening book; may be repeated, books are queried in this order. FILE:red and FILE:black apply to one side only.
    /// FILE:policy=P:plies=N:games=N:weight=N:temperature=CP, any of these in any order, overrides the options below
    /// for this book.
    #[arg(long, value_name = "FILE")]
    book: Vec<String>,
    /// Book for Red only, queried before those of --book.
    #[arg(long, value_name = "FILE")]
    book_red: Vec<String>,
    /// Book for Black only, queried before those of --book.
    #[arg(long, value_name = "FILE")]
    book_black: Vec<String>,
    /// Choice among book moves: best, weighted, softmax (by score), uniform or group (stay in a line group).
    #[arg(long, default_value_t)]
    policy: Policy,
    /// Leave the books after this many plies [default: never].
    #[arg(long, value_name = "PLIES")]
    book_plies: Option<usize>,
    /// Play no book moves with fewer games.
    #[arg(long, value_name = "N", default_value_t = SelectOptions::default().min_games)]
    book_min_games: u64,
    /// Play no book moves with less weight.
    #[arg(long, value_name = "N", default_value_t = SelectOptions::default().min_weight)]
    book_min_weight: u64,
    /// Leave the books after N consecutive positions found in none of them (0: never).
    #[arg(long, value_name = "N", default_value_t = SelectOptions::default().misses)]
    book_misses: usize,
    /// Temperature of --policy softmax, in centipawns.
    #[arg(long, value_name = "CP", default_value_t = SelectOptions::default().temperature,
        value_parser = clap::value_parser!(u32).range(1..))]
    temperature: u32,
}

impl BookArgs {
    pub(crate) fn select(&self) -> SelectOptions {
        SelectOptions {
            policy: self.policy,
            ply_limit: self.book_plies.unwrap_or(usize::MAX),
            min_games: self.book_min_games,
            min_weight: self.book_min_weight,
            misses: self.book_misses,
            temperature: self.temperature,
        }
    }

    /// The books, in the order in which they are consulted.
    pub(crate) fn books(&self) -> Vec<OwnBook> {
        let mut books = books_of(&self.book_red, Side::First);
        books.extend(books_of(&self.book_black, Side::Second));
        books.extend(self.book.iter().map(|text| OwnBook::parse(text)));
        books
    }
}

/// The books that apply to one side only.
fn books_of(texts: &[String], side: Side) -> Vec<OwnBook> {
    texts.iter().map(|text| OwnBook { side: Some(side), ..OwnBook::parse(text) }).collect()
}

/// Endgame tables at play.
#[derive(Debug, clap::Args)]
pub(crate) struct TableArgs {
    /// Folder of endgame tables; may be repeated, the first folder that has a table is used.
    #[arg(long, value_name = "FOLDER")]
    tables: Vec<PathBuf>,
    /// Use only tables for these rules: none, check or asian [default: all, best match for --rules first].
    #[arg(long, value_name = "RULES")]
    tables_rules: Option<TableRules>,
    /// Use only tables with this metric: dtm or dtc [default: both, dtm first].
    #[arg(long, value_name = "METRIC")]
    tables_metric: Option<TableMetric>,
    /// Minimum remaining depth at which the search probes the tables.
    #[arg(long, value_name = "PLIES", default_value_t = TableOptions::default().probe_depth)]
    tables_depth: u32,
    /// Maximum number of pieces, kings included, at which the tables are probed.
    #[arg(long, value_name = "N", default_value_t = TableOptions::default().men)]
    tables_men: usize,
}

impl TableArgs {
    pub(crate) fn options(&self) -> TableOptions {
        TableOptions {
            folders: self.tables.clone(),
            rules: self.tables_rules,
            metric: self.tables_metric,
            probe_depth: self.tables_depth,
            men: self.tables_men,
            ..TableOptions::default()
        }
    }
}

impl PlayerArgs {
    /// The engine's options.
    pub(crate) fn options<G: Described + Playable>(
        &self,
    ) -> Result<EngineOptions<G::Rules>, CliError> {
        Ok(EngineOptions {
            books: self.books.books(),
            select: self.books.select(),
            tables: self.tables.options(),
            hash_mib: self.hash,
            threads: self.threads,
            multipv: 1,
            seed: self.seed,
            rules: self.rules::<G>()?,
            evaluation: self.evaluation.kind(),
            ..EngineOptions::default()
        })
    }

    /// The sizes that stand on the command line itself.
    pub(crate) fn typed_sizes(&self, context: &Context<'_>) -> EngineSizes {
        context.typed_sizes(self.threads, self.hash)
    }

    /// The opening books, in the order in which they are consulted.
    pub(crate) fn own_books(&self) -> Vec<OwnBook> {
        self.books.books()
    }

    /// Refuses sizes that no engine can have, where none is started yet.
    pub(crate) fn check_sizes(&self) -> Result<(), CliError> {
        for (name, value, most) in
            [("--hash", self.hash, MAX_HASH_MIB), ("--threads", self.threads, MAX_THREADS)]
        {
            if !(1..=most).contains(&value) {
                let message = message!("{name} {value}: choose 1 to {most}");
                return Err(CliError::message(exit::USAGE, message));
            }
        }
        Ok(())
    }

    /// The rules requested.
    pub(crate) fn rules<G: Described>(&self) -> Result<G::Rules, CliError> {
        Ok(parse_rules::<G>(self.rules.as_deref())?)
    }
}

/// Prints the problems of books and tablebases, each one once.
pub(crate) fn tell_warnings<G: Playable>(engine: &mut Engine<G>) {
    for warning in engine.take_warnings() {
        crate::cli::notice(warning);
    }
}

/// How long a move may take.
#[derive(Debug, clap::Args)]
pub(crate) struct LimitArgs {
    /// Milliseconds per move (1000 if no other limit is given).
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Depth in plies.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..MAX_PLY as i64))]
    depth: Option<u32>,
    /// Nodes per move.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

impl LimitArgs {
    /// The limits of one move, for a foreign engine.
    pub(crate) fn go_limits(&self) -> GoLimits {
        let free = self.depth.is_none() && self.nodes.is_none();
        let movetime = self.movetime.or(free.then_some(1000));
        GoLimits {
            depth: self.depth,
            nodes: self.nodes,
            move_time: movetime.map(Duration::from_millis),
            ..GoLimits::default()
        }
    }

    /// The limits of one move.
    pub(crate) fn limits(&self) -> Limits {
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
