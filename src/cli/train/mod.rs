//! `train`: exercises in the terminal.
//!
//! [`Args`] are its options; `adding` makes exercises of sources, `listing` shows them, `session` asks for moves (`words`:
//! the commands there), `truth` says what is known of moves.

mod adding;
mod listing;
mod session;
mod truth;
mod words;

use std::path::PathBuf;

use crate::cli::args::evaluation::EvaluationArgs;
use crate::cli::args::line_args::NotationArgs;
use crate::cli::args::player::{TableArgs, tell_warnings};
use crate::cli::exit::by_kind;

use crate::cli::print::terminal::{DrawingArgs, Terminal, parse_side};
use crate::cli::{CliError, Context, OrExit, exit, with_game};
use crate::today::today;
use juzhong::answers::parse_rules;
use juzhong::engine::{EngineOptions, OwnBook, Playable};
use juzhong::game::Side;
use juzhong::message::message;
use juzhong::review::ReviewBooks;
use juzhong::train::{Day, Examiner};

/// Learn from mistakes, endings and a repertoire: exercises that come again when they are due.
///
/// An exercise is a position in which a better move is to be found. Exercises are made from reviews, positions of
/// endgame tables and a repertoire (--add). Without --add, --list and --due the exercises due today are asked; type
/// help for the commands there. The answers decide when an exercise comes again (SM-2).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  juzhong review game.pgn --json > review.jsonl && juzhong train my.train --add review.jsonl --side red
  juzhong review game.pgn -o reviewed.pgn && juzhong train my.train --add reviewed.pgn
  juzhong tablebase mine KRCvKR --tables tables --theme only-move --json | juzhong train my.train --add -
  juzhong train my.train --add my.book --side red --depth 12
  juzhong train my.train --tables tables --book my.book")]
pub(crate) struct Args {
    /// File of exercises.
    file: PathBuf,
    /// Day to train for [default: today].
    #[arg(long, value_name = "YYYY-MM-DD")]
    today: Option<Day>,
    /// Maximum number of exercises per session.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    number: u64,
    /// List all exercises with their answers.
    #[arg(long, conflicts_with_all = ["add", "due"])]
    list: bool,
    /// List the exercises that are due, without their answers.
    #[arg(long, conflicts_with = "add")]
    due: bool,
    /// Add the exercises of these sources (- is standard input); existing ones are kept. Sources are JSON
    /// lines of review --json, PGN of review -o (marked moves that have a variation), positions of tablebase mine (JSON
    /// lines, FENs, PGN), and, as a repertoire, books and with --repertoire games.
    #[arg(long, value_name = "SOURCE", num_args = 1.., help_heading = "Adding")]
    add: Vec<PathBuf>,
    /// Take games as lines of a repertoire of --side, variations included.
    #[arg(long, requires = "add", requires = "side", help_heading = "Adding")]
    repertoire: bool,
    /// Add only exercises of this side (xiangqi: red or black; gomoku: black or white).
    #[arg(long, requires = "add", help_heading = "Adding")]
    side: Option<String>,
    /// Plies from the start up to which a repertoire is taken.
    #[arg(long, value_name = "PLIES", default_value_t = 20,
        value_parser = clap::value_parser!(u64).range(1..=juzhong::train::MAX_DEPTH as u64), help_heading = "Adding")]
    depth: u64,
    /// Take no moves of a book with fewer games.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Adding")]
    min_games: u64,
    /// Flip the board.
    #[arg(long, help_heading = "Output")]
    flip: bool,
    #[command(flatten, next_help_heading = "Output")]
    drawing: DrawingArgs,
    #[command(flatten, next_help_heading = "Output")]
    notation: NotationArgs,
    /// Opening book in which moves are looked up; may be repeated. FILE:red and FILE:black apply to one side only.
    #[arg(long, value_name = "FILE", help_heading = "Truth")]
    book: Vec<String>,
    /// Repetition rules (xiangqi: none, check, asian, computer or chinese; default: asian).
    #[arg(long, help_heading = "Truth")]
    rules: Option<String>,
    /// Nodes searched after a move that neither the exercise nor the tables know, and as many after the right one.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000),
        help_heading = "Truth")]
    nodes: u64,
    /// Size of the transposition table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 16, help_heading = "Truth")]
    hash: usize,
    #[command(flatten, next_help_heading = "Truth")]
    evaluation: EvaluationArgs,
    #[command(flatten, next_help_heading = "Endgame tables")]
    tables: TableArgs,
}

impl Args {
    /// Returns true if exercises are asked.
    pub(crate) const fn is_session(&self) -> bool {
        self.add.is_empty() && !self.list && !self.due
    }

    fn day(&self) -> Day {
        self.today.unwrap_or_else(today)
    }

    fn side<G: Terminal + Playable>(&self) -> Result<Option<Side>, CliError> {
        self.side.as_deref().map(parse_side::<G>).transpose()
    }

    /// The examiner with the books and tables that are named.
    fn examiner<G: Terminal + Playable>(&self) -> Result<Examiner<G>, CliError> {
        let books: Vec<OwnBook> = self.book.iter().map(|text| OwnBook::parse(text)).collect();
        let books = ReviewBooks::open(&books).map_err(by_kind)?;
        let options = EngineOptions {
            tables: self.tables.options(),
            hash_mib: self.hash,
            evaluation: self.evaluation.kind(),
            rules: parse_rules::<G>(self.rules.as_deref())?,
            ..EngineOptions::default()
        };
        let mut examiner = Examiner::new(options, books, self.nodes).or_exit(exit::USAGE)?;
        tell_warnings(examiner.engine());
        Ok(examiner)
    }
}

/// Adds, lists or asks exercises.
pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if args.is_session() && context.common.json {
        let message = message!("train speaks to people; --json goes with --add, --list or --due");
        return Err(CliError::message(exit::USAGE, message));
    }
    with_game!(context.common.game, G => match args.is_session() {
        true => session::run::<G>(args, context),
        false if args.add.is_empty() => listing::run::<G>(args, context),
        false => adding::run::<G>(args, context),
    })
}
