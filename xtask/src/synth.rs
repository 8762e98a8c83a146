//! A file of made-up games.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use juzhong::book::Book;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::visible::ShowPath;
use juzhong::record::{PgnOptions, write_pgn};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;
use made_up::MadeUpGames;
use rayon::prelude::*;

/// Games written by one task.
const TASK: u64 = 1024;

/// Tasks at the same time.
const TASKS: u64 = 16;

/// Makes up games for measurements, as PGN with UCI moves: walks through a book, each move with the
/// chance of its share of the games, the last few plies random legal moves. The same options give
/// the same games.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    #[arg(long)]
    book: PathBuf,
    /// Number of games.
    #[arg(long, default_value_t = 1000)]
    games: u64,
    /// Plies per game.
    #[arg(long, default_value_t = 40)]
    plies: u16,
    /// Play up to this many of the last plies at random (at least one).
    #[arg(long, default_value_t = 12)]
    tail: u16,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output file for the games; - for standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let book = Book::open(&args.book)?;
    let plies = usize::from(args.plies);
    let made_up = MadeUpGames::new::<Position>(&book, plies, args.tail.into(), args.seed)?;
    if args.output.as_os_str() == "-" {
        return Ok(write(&made_up, args.games, &mut io::stdout().lock())?);
    }
    let mut out = BufWriter::new(AtomicFile::create(&args.output)?);
    write(&made_up, args.games, &mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.commit()?;
    println!("{} games written to {}", args.games, args.output.shown());
    Ok(())
}

/// Writes games number 0 to `games` in order.
fn write(made_up: &MadeUpGames, games: u64, out: &mut dyn Write) -> io::Result<()> {
    for first in (0..games).step_by((TASK * TASKS) as usize) {
        let texts: Vec<io::Result<Vec<u8>>> = (0..TASKS)
            .into_par_iter()
            .map(|task| text_of(made_up, first + task * TASK, games))
            .collect();
        for text in texts {
            out.write_all(&text?)?;
        }
    }
    Ok(())
}

/// The games of the task that begins with number `first`.
fn text_of(made_up: &MadeUpGames, first: u64, games: u64) -> io::Result<Vec<u8>> {
    let options = PgnOptions { notation: MoveNotation::Uci, ..PgnOptions::default() };
    let mut text = Vec::new();
    for number in first..games.min(first + TASK) {
        write_pgn(&mut text, &made_up.game::<Position>(number), &options)?;
    }
    Ok(text)
}
