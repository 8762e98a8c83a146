//! The demo of gomoku: a book, a game, and the proof that it is won.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::Args;
use crate::cli::args::player::tell_warnings;
use crate::cli::print::describe::{describe, result_text};
use crate::cli::print::terminal::{BoardStyle, Drawn, Terminal, View};
use crate::cli::{CliError, Context, OrExit, exit};
use crate::language::{self, counts, say, word, wrapped};
use juzhong::answers::{Described, line_texts};
use juzhong::book::{self, BuildOptions, ReadOptions};
use juzhong::engine::{Engine, EngineOptions};
use juzhong::game::{Game, Line, Notation};
use juzhong::gomoku::{Board, FourSolver, FreeRules};
use juzhong::search::Limits;
use juzhong::solve::{Budget, ProofKind, Prover, ProverOptions, check};
use juzhong::xiangqi::notation::MoveNotation;

/// Games of the engine against itself.
const GAMES: &str = include_str!("../../../../books/gomoku/selfplay.txt");
/// Positions searched for a move.
const NODES: u64 = 10_000;
/// Moves of each game that the book has.
const BOOK_PLIES: usize = 6;
/// Size of the transposition table in MiB.
const HASH_MIB: usize = 16;
/// Positions in which continuous fours are looked for after each move.
const FOUR_NODES: u64 = 100_000;
/// Bytes of a line of moves.
const WIDTH: usize = 70;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if args.dir.is_some() || args.books.is_some() {
        let message =
            "demo: that of gomoku has its own games and keeps nothing; leave --dir and --books out";
        return Err(CliError::message(exit::USAGE, message));
    }
    let start = Instant::now();
    let cannot = "cannot make a folder for the book; is there room for temporary files?";
    let folder = tempfile::tempdir().or_exit_with(exit::CANNOT_CREATE, || cannot)?;
    let book = folder.path().join("demo.book");
    build_book(folder.path(), &book, context)?;
    let line = play(args, &book, context)?;
    let is_right = prove(&line, context)?;
    say!(context.out, "\nDone in {:.1} s.", start.elapsed().as_secs_f64())?;
    Ok(if is_right { exit::OK } else { exit::FAILED })
}

fn build_book(folder: &Path, book: &Path, context: &mut Context<'_>) -> Result<(), CliError> {
    let start = Instant::now();
    say!(context.out, "1. An opening book from the built-in games")?;
    context.out.flush()?;
    let games = folder.join("games.txt");
    let cannot = "cannot unpack the built-in games; is there room for temporary files?";
    fs::write(&games, GAMES).or_exit_with(exit::CANNOT_CREATE, || cannot)?;
    let options = BuildOptions { max_ply: BOOK_PLIES, ..BuildOptions::default() };
    let report = book::build::<Board>(&[games], book, options, ReadOptions::default())
        .or_exit_with(exit::CANNOT_CREATE, || "cannot build the book")?;
    say!(
        context.out,
        "   {} of {}, {} of {}, {:.1} s",
        counts::games(report.metadata.counts.games),
        counts::files(report.files),
        counts::moves(report.metadata.rows),
        counts::positions(report.metadata.positions),
        start.elapsed().as_secs_f64()
    )?;
    Ok(())
}

/// Plays a game of the engine against itself.
fn play(args: &Args, book: &Path, context: &mut Context<'_>) -> Result<Line<Board>, CliError> {
    say!(context.out, "\n2. A game: the book begins, the search goes on")?;
    let options = EngineOptions {
        books: vec![book.to_owned().into()],
        seed: Some(args.seed),
        hash_mib: HASH_MIB,
        ..EngineOptions::default()
    };
    let mut engine = Engine::<Board>::new(options).or_exit(exit::UNAVAILABLE)?;
    let limits = Limits::nodes(args.nodes.unwrap_or(NODES));
    let mut line = Line::new(Board::start(), 0);
    while line.position().outcome().is_none() {
        context.out.flush()?;
        let Some(choice) = engine.choose(&line, &limits, &()) else { break };
        tell_warnings(&mut engine);
        let side = word(Board::side_name(line.position().turn()));
        let text = line.position().write_move(choice.mv, MoveNotation::default());
        writeln!(
            context.out,
            "   {:>3}. {side} {text:<4} {}",
            line.len() + 1,
            describe::<Board>(&choice)
        )?;
        line.push(choice.mv);
    }
    let last = line.moves().last();
    write!(context.out, "{}", line.position().draw(view(args.board), last))?;
    let result = result_text(&line, FreeRules).unwrap_or_default();
    writeln!(context.out, "   {result}")?;
    Ok(line)
}

/// Proves the game won from the first position with continuous fours on; returns false if the proof is wrong.
fn prove(line: &Line<Board>, context: &mut Context<'_>) -> Result<bool, CliError> {
    say!(context.out, "\n3. The proof that it was won: continuous fours")?;
    context.out.flush()?;
    let Some((ply, board)) = first_won(line) else {
        say!(context.out, "   there was no position to win by fours")?;
        return Ok(true);
    };
    let kinds = vec![ProofKind::Five, ProofKind::Vcf];
    let budget = Budget::default();
    let solution = Prover::new(ProverOptions { kinds }).solve(&board, &budget);
    let (Some(proof), Some(distance)) = (&solution.proof, solution.distance) else {
        say!(context.out, "   no proof was found")?;
        return Ok(false);
    };
    let (side, plies) = (word(Board::side_name(board.turn())), counts::plies(distance));
    say!(context.out, "   after move {ply} {side} wins in {plies}:")?;
    let texts = line_texts(&board, solution.line.iter().copied(), MoveNotation::default());
    for row in wrapped(&texts.join(" "), WIDTH) {
        writeln!(context.out, "   {row}")?;
    }
    match check(proof, &budget) {
        Ok(positions) => {
            let (checked, verdict) = (counts::positions(positions), word("all right"));
            say!(
                context.out,
                "   {checked} of the proof checked against every defence: {verdict}"
            )?;
            Ok(true)
        }
        Err(error) => {
            say!(context.out, "   the proof is wrong: {error}")?;
            Ok(false)
        }
    }
}

/// Boards as wanted, else with symbols, unless the terminal has none.
fn view(wanted: Option<BoardStyle>) -> View {
    let usual = if language::has_unicode() { BoardStyle::Unicode } else { BoardStyle::Ascii };
    View { style: wanted.unwrap_or(usual), ..View::default() }
}

/// The first position of a game in which the side to move wins by continuous fours, and the moves before it.
fn first_won(line: &Line<Board>) -> Option<(usize, Board)> {
    let mut board = line.start().clone();
    let mut solver = FourSolver::default();
    for (ply, mv) in line.moves().enumerate() {
        if solver.search(&board, FOUR_NODES).win().is_some() {
            return Some((ply, board));
        }
        board.make(mv);
    }
    None
}
