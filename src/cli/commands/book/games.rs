//! `book games`: the sample games behind a position.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::print::listing::ListFile;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, notice, with_game, write_answer};
use crate::language::{self, fitting, say};
use juzhong::answers::book::{GamesRequest, next_move};
use juzhong::book::{Book, BookGame, MAX_SAMPLES};
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::Side;
use juzhong::message::{Message, message};
use juzhong::record::{PgnOptions, Record, Tree, WriteOptions};
use juzhong::xiangqi::notation::MoveNotation;

/// Columns of a line of output.
const COLUMNS: usize = 80;
/// Columns of a player's name.
const NAME: usize = 28;

/// Show sample games of a book that reached a position.
///
/// Only books that were built with --samples have them: a number of games for each move, the best rated first, then
/// the latest.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    #[command(flatten)]
    line: LineArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Maximum number of games to show.
    #[arg(long, value_name = "N", default_value_t = 10,
        value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
    /// Also write the games as PGN to a new file; - writes them to standard output instead of the text.
    #[arg(short, long, visible_alias = "pgn", value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let book = super::open(&args.book)?;
    let request = GamesRequest {
        line: args.line.request(),
        limit: args.limit.into(),
        notation: args.notation.asked(),
    };
    let found = request.find::<G>(&book)?;
    let to_stdout = args.output.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_stdout && context.common.json {
        let message = "-o - and --json both write to standard output; name a file after -o";
        return Err(CliError::message(exit::USAGE, message));
    }
    if let Some(path) = &args.output {
        let text = games_text(&found.games, args.notation.shown())?;
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
        write_answer(context.out, &found.answer(request.notation))?;
    } else {
        print(&book, &found.games, args.notation.shown(), context.out)?;
    }
    if context.common.json && book.samples() == 0 {
        notice(without_samples(&book));
    }
    Ok(if found.games.is_empty() { exit::FAILED } else { exit::OK })
}

fn without_samples(book: &Book) -> Message {
    message!(
        "{} has no sample games; build it from its game files with --samples N (N at most {MAX_SAMPLES})",
        book.path().shown()
    )
}

fn print<G: Terminal>(
    book: &Book,
    games: &[BookGame<G>],
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    if book.samples() == 0 {
        writeln!(out, "{}", language::translated(without_samples(book)))?;
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

fn print_game<G: Terminal>(
    game: &BookGame<G>,
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

/// The games in the usual format of files.
fn games_text<G: Terminal>(
    games: &[BookGame<G>],
    notation: MoveNotation,
) -> Result<Vec<u8>, CliError> {
    let pgn = PgnOptions { notation, ..PgnOptions::default() };
    let options = WriteOptions { pgn, ..WriteOptions::default() };
    let mut text = Vec::new();
    for game in games {
        G::write_record(&mut text, &record(game), G::WRITTEN[0], &options).or_exit(exit::IO)?;
    }
    Ok(text)
}

/// The game as a record; only what the book has of it.
fn record<G: Terminal>(game: &BookGame<G>) -> Record<G> {
    let mut tags = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        tags.extend(value.map(|value| (name.to_owned(), value)));
    };
    let [first, second] = &game.players;
    let [first_name, second_name] = Side::ALL.map(G::side_name);
    add("Event", game.event.clone());
    add("Date", game.year.map(|year| format!("{year}.??.??")));
    add(first_name, first.clone());
    add(second_name, second.clone());
    add(&format!("{first_name}Elo"), game.ratings[0].map(|rating| rating.to_string()));
    add(&format!("{second_name}Elo"), game.ratings[1].map(|rating| rating.to_string()));
    let tree = Tree { moves: game.moves.clone(), ..Tree::default() };
    Record { tags, start: game.start.clone(), start_clock: 0, result: game.result, tree }
}
