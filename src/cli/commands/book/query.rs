//! `book query`: the moves that a book has for a position.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use super::tree;
use crate::cli::args::fens::{BadLine, Fens};
use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::print::opening_names;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{self, left, right, say, text, word, wrapped};
use juzhong::answers::book::{FoundPosition, Names, QueryRequest, TreeRequest, flag_names};
use juzhong::answers::{Typed, side_name};
use juzhong::book::opening::Opening;
use juzhong::book::{Book, BookMove, Score, Weight};
use juzhong::bytes::visible::Visible;
use juzhong::game::Side;
use juzhong::message::ToMessage;
use juzhong::xiangqi::notation::MoveNotation;

/// The greatest depth of a tree.
const MAX_DEPTH: i64 = 100;

/// Show the book moves of a position.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    #[command(flatten)]
    line: LineArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Answer every line of a file (- for standard input) with one JSON object per line.
    #[arg(long, conflicts_with_all = ["fen", "moves"])]
    fens: Option<PathBuf>,
    /// Show the tree of book lines to this depth, in plies.
    #[arg(long, value_name = "DEPTH", conflicts_with = "fens",
        value_parser = clap::value_parser!(u8).range(1..=MAX_DEPTH))]
    tree: Option<u8>,
    /// Hide moves with fewer games [default: as the book was built].
    #[arg(long)]
    min_games: Option<u64>,
    /// Hide moves played in less than this percentage of the position's games [default: as the book was built].
    #[arg(long, value_name = "PERCENT", value_parser = super::build::parse_percent)]
    min_share: Option<u64>,
    /// Formula for the weight of moves without a weight of their own (see `book build`).
    #[arg(long, value_name = "FORMULA")]
    weight: Option<Weight>,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut book = super::open(&args.book)?;
    if let Some(weight) = &args.weight {
        book.set_weight(weight.clone());
    }
    if let Some(min_share) = args.min_share {
        book.set_min_share(min_share);
    }
    let min_games = args.min_games.unwrap_or(book.metadata().min_games);
    if let Some(list) = &args.fens {
        return run_list::<G>(&book, &mut Fens::open(list)?, (min_games, args.notation), context);
    }
    let request = QueryRequest {
        line: args.line.request(),
        min_games: Some(min_games),
        notation: args.notation.asked(),
    };
    if let Some(depth) = args.tree {
        let request = TreeRequest { query: request, depth };
        return tree::run::<G>(&book, &request, args.notation.shown(), context);
    }
    let found = request.find::<G>(&book)?;
    if context.common.json {
        write_answer(context.out, &found.answer(request.notation)?)?;
    } else {
        print(&found, args.notation.shown(), context.out)?;
    }
    let is_known = !found.moves.is_empty() || found.score.is_some();
    Ok(if is_known { exit::OK } else { exit::FAILED })
}

/// Answers each line. 65 if one cannot be read, 1 if the book has none of the positions.
fn run_list<G: Terminal>(
    book: &Book,
    list: &mut Fens,
    (min_games, notation): (u64, NotationArgs),
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let mut any_bad = false;
    let mut any_found = false;
    while let Some(text) = list.next_line()? {
        match Typed::<G>::read(&text) {
            Ok(typed) => {
                let position = typed.line.position();
                let names = Names::without_past();
                let found = FoundPosition::look_up(book, position, names, Some(min_games))?;
                any_found |= !found.moves.is_empty();
                write_answer(context.out, &found.answer(notation.asked())?)?;
            }
            Err(refusal) => {
                any_bad = true;
                write_answer(context.out, &BadLine::new(text, &refusal))?;
            }
        }
    }
    Ok(match (any_bad, any_found) {
        (true, _) => exit::BAD_DATA,
        (false, true) => exit::OK,
        (false, false) => exit::FAILED,
    })
}

/// The remarks on a move beside its games.
fn marks_list<M>(found: &BookMove<M>) -> Vec<String> {
    let mut parts: Vec<String> = flag_names(found).into_iter().map(str::to_owned).collect();
    if found.priority != 0 {
        parts.push(text!("priority {}", found.priority));
    }
    parts.extend(found.groups.iter().map(|group| text!("group {}", Visible(group))));
    let comment = found.comment.as_ref();
    parts.extend(comment.map(|text| Visible(text.replace('\n', " / ")).to_string()));
    parts
}

/// The remarks on a move in brackets.
pub(crate) fn marks_text<M>(found: &BookMove<M>) -> String {
    let parts = marks_list(found);
    if parts.is_empty() { String::new() } else { format!("  ({})", parts.join("; ")) }
}

/// The mover's score in percent.
pub(crate) fn percent<M>(found: &BookMove<M>, mover: Side) -> String {
    let score = found.stats.score(mover);
    score.map_or_else(|| "-".to_owned(), |score| format!("{:.1}%", 100.0 * score))
}

/// The column `others` counts games that reach the position after the move in another way and go on.
fn print<G: Terminal>(
    found: &FoundPosition<'_, G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    print_position(found, out)?;
    if found.moves.is_empty() {
        return Ok(());
    }
    let [first, second] = Side::ALL.map(side_name::<G>);
    writeln!(
        out,
        "{} {} {} {} {} {} {} {}  {}  {}",
        left(word("move"), 8),
        right(word("games"), 7),
        right(word(first), 6),
        right(word("draws"), 6),
        right(word(second), 6),
        right(word("score"), 6),
        right(word("weight"), 7),
        right(word("others"), 6),
        left(word("years"), 9),
        word("code")
    )?;
    let mut codes = BTreeMap::new();
    for m in &found.moves {
        let opening = print_move(found, m, notation, out)?;
        codes.extend(opening.map(|o| (o.code, opening_names::in_language(o.code, o.name))));
    }
    for (code, name) in codes {
        writeln!(out, "{code} {}", wrapped(name, 76).join("\n    "))?;
    }
    Ok(())
}

/// Prints the position, its name and its own score.
fn print_position<G: Terminal>(
    found: &FoundPosition<'_, G>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let FoundPosition { book, position, names, score, .. } = found;
    let mirrored = if found.is_mirrored() { word(" (found as its mirror image)") } else { "" };
    writeln!(out, "{}{mirrored}", position.to_fen())?;
    if let Some(opening) = names.here(position) {
        opening_names::write_both(&opening, out)?;
    }
    if let Some(Score { source, evaluation }) = score {
        let score = language::translated(evaluation.score.message());
        say!(out, "score {score} by {}", Visible(source))?;
    } else if found.moves.is_empty() {
        say!(out, "no entry (key {})", book.key_of(position))?;
    }
    Ok(())
}

/// Prints a move and returns the name of the position after it.
fn print_move<G: Terminal>(
    found: &FoundPosition<'_, G>,
    m: &BookMove<G::Move>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<Option<Opening>, CliError> {
    let position = &found.position;
    let t = &m.stats;
    let score = percent(m, position.turn());
    let next = found.after(m);
    let others = found.games_beyond(&next)?.saturating_sub(t.games);
    let years = t.years.map_or_else(|| "-".to_owned(), |y| format!("{}-{}", y.min, y.max));
    let opening = found.names.after(&next);
    let code = opening.map_or_else(|| "-".to_owned(), |opening| opening.code.to_string());
    let mv = left(&position.write_move(m.mv, notation), 8);
    writeln!(
        out,
        "{mv} {:>7} {:>6} {:>6} {:>6} {score:>6} {:>7} {others:>6}  {years:<9}  {code}",
        t.games, t.first, t.draws, t.second, m.weight,
    )?;
    let backed = m.score.backed.map(|span| format!("value {span}"));
    for text in backed.into_iter().chain(marks_list(m)) {
        writeln!(out, "    {text}")?;
    }
    Ok(opening)
}
