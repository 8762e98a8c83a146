//! `book games`: the sample games behind a position.

use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::line_args::{LineArgs, NotationArgs};
use super::super::listing::ListFile;
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, OrExit, exit, tell};
use super::from_book;
use crate::cli::language::{self, fitting, say};
use juzhong::book::{Book, BookGame, MAX_SAMPLES};
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::Game;
use juzhong::record::{Format, PgnOptions, Record, Tree, WriteOptions, write_game};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// Columns of a line of output.
const COLUMNS: usize = 80;
/// Columns of a player's name.
const NAME: usize = 28;

/// Show games of the book in which a position was on the board.
///
/// Only books that were built with --samples have them: so many games of each move, the best rated first, then
/// the latest.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The book.
    book: PathBuf,
    #[command(flatten)]
    line: LineArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// How many games to show, at most.
    #[arg(long, value_name = "N", default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// Also write the games, as PGN, to a new file; - writes them to standard output in place of the text.
    #[arg(short, long, visible_alias = "pgn", value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game != GameName::Xiangqi {
        return Err(CliError::message(exit::USAGE, "there are no books of gomoku yet"));
    }
    let book = super::open(&args.book)?;
    let line = args.line.line::<Position>()?.line;
    let position = line.position();
    let games = book.games_of(position, None, args.limit.into()).map_err(from_book)?;
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_stdout && context.common.json {
        let message = "-o - and --json both write to standard output; name a file after -o";
        return Err(CliError::message(exit::USAGE, message));
    }
    if let Some(path) = &args.output {
        let text = pgn(&games, args.notation.shown())?;
        if to_stdout {
            context.out.write_all(&text)?;
        } else {
            let mut file = ListFile::open("--output", path, &args.book)?;
            file.text(&text);
            file.close()?;
        }
    }
    if to_stdout {
        // The games are the answer.
    } else if context.common.json {
        writeln!(context.out, "{}", answer(&book, position, &games, args.notation))?;
    } else {
        print(&book, &games, args.notation.shown(), context.out)?;
    }
    if context.common.json && book.samples() == 0 {
        tell(format_args!("juzhong: {}", without_samples(&book)));
    }
    Ok(if games.is_empty() { exit::FAILED } else { exit::OK })
}

fn without_samples(book: &Book) -> String {
    format!(
        "{} has no sample games; build it from its game files with --samples N (N at most {MAX_SAMPLES})",
        book.path().shown()
    )
}

fn answer(
    book: &Book,
    position: &Position,
    games: &[BookGame<Position>],
    notation: NotationArgs,
) -> Value {
    json!({
        "schema": "juzhong.book.games/1",
        "book": book.path().to_string_lossy(),
        "fen": position.to_fen(),
        "key": book.key_of(position).to_string(),
        "samples": book.samples(),
        "games": games.iter().map(|game| game_answer(game, notation)).collect::<Vec<_>>(),
    })
}

fn game_answer(game: &BookGame<Position>, notation: NotationArgs) -> Value {
    let [red, black] = &game.players;
    let (file, number) = game.source.as_ref().map(|(name, number)| (name, number)).unzip();
    let mut answer = json!({
        "red": red,
        "black": black,
        "red_rating": game.ratings[0],
        "black_rating": game.ratings[1],
        "event": game.event,
        "year": game.year,
        "result": game.result.map(|result| result.to_string()),
        "file": file,
        "number": number,
        "ply": game.ply,
        "move": next_move(game, MoveNotation::Uci),
        "moves": game.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    });
    if let Some(notation) = notation.asked() {
        answer["text"] = next_move(game, notation).into();
    }
    answer
}

/// The move that a game goes on by where the position is on the board, as it was played.
fn next_move(game: &BookGame<Position>, notation: MoveNotation) -> Option<String> {
    let ply = game.ply?;
    let next = *game.moves.get(ply)?;
    let mut position = Position::start();
    for &mv in &game.moves[..ply] {
        position.make(mv);
    }
    Some(position.write_move(next, notation))
}

fn print(
    book: &Book,
    games: &[BookGame<Position>],
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if book.samples() == 0 {
        writeln!(out, "{}", language::message(&without_samples(book)))?;
        return Ok(());
    }
    if games.is_empty() {
        say!(out, "the book has no sample games of this position")?;
    }
    for game in games {
        print_game(game, notation, out)?;
    }
    Ok(())
}

fn print_game(
    game: &BookGame<Position>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let year = game.year.map_or_else(|| "?".to_owned(), |year| year.to_string());
    let result = game.result.map_or_else(|| "*".to_owned(), |result| result.to_string());
    let [red, black] = [0, 1].map(|side| {
        let name = game.players[side].as_deref().unwrap_or("?");
        match game.ratings[side] {
            Some(rating) => format!("{} ({rating})", fitting(name, NAME - 7)),
            None => fitting(name, NAME),
        }
    });
    writeln!(out, "{year:<4} {result:<7}  {} - {}", Visible(red), Visible(black))?;
    if let Some(event) = &game.event {
        writeln!(out, "    {}", Visible(fitting(event, COLUMNS - 4)))?;
    }
    if let (Some(ply), Some(next)) = (game.ply, next_move(game, notation)) {
        say!(out, "    {next} at ply {} of {}", ply + 1, game.moves.len())?;
    }
    if let Some((file, number)) = &game.source {
        let name = fitting(file, COLUMNS - 32);
        say!(out, "    game {number} of {}", Visible(name))?;
    }
    Ok(())
}

/// The games as PGN.
fn pgn(games: &[BookGame<Position>], notation: MoveNotation) -> Result<Vec<u8>, CliError> {
    let pgn = PgnOptions { notation, ..PgnOptions::default() };
    let options = WriteOptions { pgn, ..WriteOptions::default() };
    let mut text = Vec::new();
    for game in games {
        write_game(&mut text, &record(game), Format::Pgn, &options).or_exit(exit::IO)?;
    }
    Ok(text)
}

/// The game as a record; only what the book has of it.
fn record(game: &BookGame<Position>) -> Record<Position> {
    let mut tags = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        tags.extend(value.map(|value| (name.to_owned(), value)));
    };
    let [red, black] = &game.players;
    add("Event", game.event.clone());
    add("Date", game.year.map(|year| format!("{year}.??.??")));
    add("Red", red.clone());
    add("Black", black.clone());
    add("RedElo", game.ratings[0].map(|rating| rating.to_string()));
    add("BlackElo", game.ratings[1].map(|rating| rating.to_string()));
    let tree = Tree { moves: game.moves.clone(), ..Tree::default() };
    Record { tags, start: None, start_clock: 0, result: game.result, tree }
}
