use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use rayon::prelude::*;

use super::super::listing::claim_file;
use super::super::{CliError, Context, OrExit, exit};
use crate::cli::language::{counts, say};
use juzhong::book::Synth;
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::visible::ShowPath;
use juzhong::record::{PgnOptions, write_pgn};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// Games written by one task.
const TASK: u64 = 1024;

/// Tasks at the same time.
const TASKS: u64 = 16;

/// Makes up games for measuring, as PGN with UCI moves: walks through a book, each move with the
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

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let book = super::open(&args.book)?;
    let synth = Synth::new::<Position>(&book, args.plies.into(), args.tail.into(), args.seed);
    let synth = synth.map_err(super::from_book)?;
    if args.output.as_os_str() == "-" {
        write(&synth, args.games, context.out)?;
        return Ok(exit::OK);
    }
    let about = || args.output.shown();
    let _lock = claim_file(&args.output)?;
    let file = AtomicFile::create(&args.output).or_exit_with(exit::CANNOT_CREATE, about)?;
    let mut out = BufWriter::new(file);
    write(&synth, args.games, &mut out).or_exit_with(exit::IO, about)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error);
    file.and_then(AtomicFile::commit).or_exit_with(exit::IO, about)?;
    say!(context.out, "{} written to {}", counts::games(args.games), about())?;
    Ok(exit::OK)
}

/// Writes games number 0 to `games` in order.
fn write(synth: &Synth, games: u64, out: &mut dyn Write) -> io::Result<()> {
    let options = PgnOptions { notation: MoveNotation::Uci, ..PgnOptions::default() };
    let text = |first: u64| -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        for number in first..games.min(first + TASK) {
            write_pgn(&mut text, &synth.game::<Position>(number), &options)?;
        }
        Ok(text)
    };
    for first in (0..games).step_by((TASK * TASKS) as usize) {
        let texts: Vec<io::Result<Vec<u8>>> =
            (0..TASKS).into_par_iter().map(|task| text(first + task * TASK)).collect();
        for text in texts {
            out.write_all(&text?)?;
        }
    }
    Ok(())
}
