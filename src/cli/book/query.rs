use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::fens::Fens;
use super::super::line_args::{LineArgs, NotationArgs};
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, exit};
use super::names::{self, Names, fields};
use super::sources::span_json;
use super::tree;
use crate::cli::language::{self, left, right, say, text, word, wrapped};
use juzhong::answers::Typed;
use juzhong::book::{Book, BookMove, Evaluation, Score, Weight};
use juzhong::bytes::visible::Visible;
#[cfg(feature = "web")]
use juzhong::game::Line;
use juzhong::game::{Game, Notation, Side, Symmetric};
use juzhong::gomoku::Board;
use juzhong::message::ToMessage;
use juzhong::xiangqi::Position;

/// The greatest depth of a tree.
const MAX_DEPTH: i64 = 100;

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
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Symmetric + Terminal>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
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
    let line = args.line.line::<G>()?.line;
    let names = Names::along(&args.line, &line);
    let (position, notation) = (line.position(), args.notation);
    if let Some(depth) = args.tree {
        return tree::run(&book, position, &names, (depth, min_games, notation), context);
    }
    let found = probe(&book, position, min_games)?;
    let is_known = !found.is_empty() || own_score(&book, position)?.is_some();
    if context.common.json {
        writeln!(context.out, "{}", answer(&book, position, &found, &names, notation)?)?;
    } else {
        print(&book, position, &found, &names, notation, context.out)?;
    }
    Ok(if is_known { exit::OK } else { exit::FAILED })
}

/// The object of `book query --json`.
///
/// # Errors
///
/// If the position cannot be read, or the book.
#[cfg(feature = "web")]
pub(crate) fn answer_for<G: Symmetric + Terminal>(
    book: &Book,
    args: &LineArgs,
    min_games: Option<u64>,
    notation: NotationArgs,
) -> Result<Value, CliError> {
    let line = args.line::<G>()?.line;
    let names = Names::along(args, &line);
    let found = probe(book, line.position(), min_games.unwrap_or(book.metadata().min_games))?;
    answer(book, line.position(), &found, &names, notation)
}

/// The moves that games made at the end of a line, as an answer has them.
#[cfg(feature = "web")]
pub(crate) fn games_answer<G: Symmetric + Terminal>(
    args: &LineArgs,
    line: &Line<G>,
    mut moves: Vec<BookMove<G::Move>>,
    notation: NotationArgs,
) -> Value {
    in_order::<G>(&mut moves);
    let names = Names::along(args, line);
    let position = line.position();
    let mut answer = json!({
        "fen": position.to_fen(),
        "total": moves.iter().map(|m| m.stats.games).sum::<u64>(),
        "total_weight": moves.iter().map(|m| m.weight).sum::<u64>(),
    });
    let named = moves.iter().map(|m| {
        let mut answer = move_answer(m, position, notation);
        for (field, value) in fields::<G>(names.after(&after(position, m))) {
            answer[field] = value;
        }
        answer
    });
    answer["moves"] = named.collect();
    for (field, value) in fields::<G>(names.here(position)) {
        answer[field] = value;
    }
    answer
}

/// The score of the best source for the position itself.
fn own_score<G: Symmetric>(book: &Book, position: &G) -> Result<Option<Score>, CliError> {
    book.scores_of(position).map(Score::that_counts).map_err(super::from_book)
}

/// The moves of a position, in the order of [`in_order`].
pub(crate) fn probe<G: Symmetric + Notation>(
    book: &Book,
    position: &G,
    min_games: u64,
) -> Result<Vec<BookMove<G::Move>>, CliError> {
    let mut found = book.probe_with(position, min_games).map_err(super::from_book)?;
    in_order::<G>(&mut found);
    Ok(found)
}

/// Sorts the moves of most games first, then of most weight, then by their text.
fn in_order<G: Notation>(moves: &mut [BookMove<G::Move>]) {
    let most = |m: &BookMove<G::Move>| std::cmp::Reverse((m.stats.games, m.weight));
    moves.sort_by_cached_key(|m| (most(m), G::move_text(m.mv)));
}

/// Answers each line. 65 if one cannot be read, 1 if the book has none of the positions.
fn run_list<G: Symmetric + Terminal>(
    book: &Book,
    list: &mut Fens,
    (min_games, notation): (u64, NotationArgs),
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let (mut any_bad, mut any_found) = (false, false);
    while let Some(text) = list.next_line()? {
        let answer = match Typed::<G>::read(&text) {
            Ok(typed) => {
                let position = typed.line.position();
                let found = probe(book, position, min_games)?;
                any_found |= !found.is_empty();
                answer(book, position, &found, &Names::<G>::without_past(), notation)?
            }
            Err(error) => {
                any_bad = true;
                let error = json!({"code": exit::BAD_DATA, "message": error.to_string()});
                json!({"fen": text, "error": error})
            }
        };
        writeln!(context.out, "{answer}")?;
    }
    Ok(match (any_bad, any_found) {
        (true, _) => exit::BAD_DATA,
        (false, true) => exit::OK,
        (false, false) => exit::FAILED,
    })
}

/// The sides' names in answers, first side first.
pub(crate) const fn side_names<G: Game>() -> [&'static str; 2] {
    match G::BLACK {
        Side::First => ["black", "white"],
        Side::Second => ["red", "black"],
    }
}

fn answer<G: Symmetric + Terminal>(
    book: &Book,
    position: &G,
    found: &[BookMove<G::Move>],
    names: &Names<G>,
    notation: NotationArgs,
) -> Result<Value, CliError> {
    let mut moves = Vec::new();
    for m in found {
        let mut answer = move_answer(m, position, notation);
        let next = after(position, m);
        let games = games_of(book, &next)?;
        answer["games_after"] = games.into();
        answer["transposed"] = games.saturating_sub(m.stats.games).into();
        answer["origin"] = origin(book, m.origin)?.into();
        for (field, value) in fields::<G>(names.after(&next)) {
            answer[field] = value;
        }
        moves.push(answer);
    }
    let mut answer = head(book, position);
    answer["total"] = found.iter().fold(0u64, |sum, m| sum.saturating_add(m.stats.games)).into();
    answer["total_weight"] = found.iter().fold(0u64, |sum, m| sum.saturating_add(m.weight)).into();
    answer["engine"] = own_score(book, position)?.as_ref().map(engine_answer).into();
    answer["moves"] = moves.into();
    for (field, value) in fields::<G>(names.here(position)) {
        answer[field] = value;
    }
    Ok(answer)
}

/// The part of an answer about a position that comes before its moves.
pub(crate) fn head<G: Symmetric + Notation>(book: &Book, position: &G) -> Value {
    json!({
        "schema": "juzhong.book.query/1",
        "fen": position.to_fen(),
        "key": book.key_of(position).to_string(),
        "mirrored": is_mirrored(book, position),
    })
}

/// Returns true if the book has the position as its mirror image.
fn is_mirrored<G: Symmetric>(book: &Book, position: &G) -> bool {
    position.canonical_with(book.foreign_keys()).by & 1 == 0
}

/// The name of the merged book with that number.
fn origin(book: &Book, number: Option<u32>) -> Result<Option<String>, CliError> {
    let Some(number) = number else { return Ok(None) };
    let mut books = book.origins().map_err(super::from_book)?.books.into_iter();
    let index = (number as usize).checked_sub(1);
    Ok(index.and_then(|index| books.nth(index)).map(|origin| origin.name))
}

/// The position after a move of the book, which is legal.
fn after<G: Game>(position: &G, found: &BookMove<G::Move>) -> G {
    let mut next = position.clone();
    next.make(found.mv);
    next
}

/// The number of games that the book follows beyond a position, by any moves that led there.
fn games_of<G: Symmetric>(book: &Book, position: &G) -> Result<u64, CliError> {
    let found = book.probe_with(position, 0).map_err(super::from_book)?;
    Ok(found.iter().fold(0, |sum, m| sum.saturating_add(m.stats.games)))
}

/// The book's answer about a move of the position.
pub(crate) fn move_answer<G: Terminal>(
    found: &BookMove<G::Move>,
    position: &G,
    notation: NotationArgs,
) -> Value {
    let stats = &found.stats;
    let mover = position.turn();
    let [first, second] = side_names::<G>();
    let mut answer = json!({
        "move": G::move_text(found.mv),
        "games": stats.games,
        first: stats.first,
        "draws": stats.draws,
        second: stats.second,
        "score": stats.score(mover).map(|score| (score * 1e4).round() / 1e4),
        "weight": found.weight,
        "engine": found.score.engine.as_ref().map(engine_answer),
        "backed": found.score.backed.map(span_json),
        "year_min": stats.years.map(|y| y.min),
        "year_max": stats.years.map(|y| y.max),
        "name": Value::Null,
        "priority": found.priority,
        "flags": flag_names(found),
        "groups": found.groups,
        "comment": found.comment,
    });
    if let Some(notation) = notation.asked() {
        answer["text"] = position.write_move(found.mv, notation).into();
    }
    answer
}

/// The names of a move's flags.
pub(crate) fn flag_names<M>(found: &BookMove<M>) -> Vec<&'static str> {
    [
        (found.disabled, "disabled"),
        (found.banned, "banned"),
        (found.lost, "lost"),
        (found.locked, "locked"),
        (found.added, "added"),
    ]
    .into_iter()
    .filter_map(|(is_set, name)| is_set.then_some(name))
    .collect()
}

/// The remarks on a move beside its games.
fn marks_list<M>(found: &BookMove<M>) -> Vec<String> {
    let mut parts: Vec<String> = flag_names(found).into_iter().map(str::to_owned).collect();
    if found.priority != 0 {
        parts.push(text!("priority {}", found.priority));
    }
    parts.extend(found.groups.iter().map(|group| text!("group {}", Visible(group))));
    let comment = |text: &String| Visible(text.replace('\n', " / ")).to_string();
    parts.extend(found.comment.as_ref().map(comment));
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

/// The best source's score of the position after a move, for the side that makes the move.
fn engine_answer(score: &Score) -> Value {
    let Score { source, evaluation } = score;
    let Evaluation { score, bound, depth, nodes, .. } = evaluation;
    json!({
        "source": source,
        "value": score.value().value(),
        "text": score.to_string(),
        "bound": bound.name(),
        "depth": depth,
        "nodes": nodes,
    })
}

/// The column `others` counts games that reach the position after the move in another way and go on.
fn print<G: Symmetric + Terminal>(
    book: &Book,
    position: &G,
    found: &[BookMove<G::Move>],
    names: &Names<G>,
    notation: NotationArgs,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let mirrored =
        if is_mirrored(book, position) { word(" (found as its mirror image)") } else { "" };
    writeln!(out, "{}{mirrored}", position.to_fen())?;
    if let Some(opening) = names.here(position) {
        names::write_both(&opening, out)?;
    }
    let score = own_score(book, position)?;
    if let Some(Score { source, evaluation }) = &score {
        let score = language::told(evaluation.score.message());
        say!(out, "score {score} by {}", Visible(source))?;
    }
    if found.is_empty() {
        if score.is_none() {
            say!(out, "no entry (key {})", book.key_of(position))?;
        }
        return Ok(());
    }
    let [first, second] = side_names::<G>();
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
    for m in found {
        let t = &m.stats;
        let score = percent(m, position.turn());
        let next = after(position, m);
        let others = games_of(book, &next)?.saturating_sub(t.games);
        let years = t.years.map_or_else(|| "-".to_owned(), |y| format!("{}-{}", y.min, y.max));
        let opening = names.after(&next);
        let code = opening.map_or_else(|| "-".to_owned(), |opening| opening.code.to_string());
        codes.extend(opening.map(|o| (o.code, names::in_language(o.code, o.name))));
        let mv = left(&position.write_move(m.mv, notation.shown()), 8);
        writeln!(
            out,
            "{mv} {:>7} {:>6} {:>6} {:>6} {score:>6} {:>7} {others:>6}  {years:<9}  {code}",
            t.games, t.first, t.draws, t.second, m.weight,
        )?;
        let backed = m.score.backed.map(|span| format!("value {span}"));
        for text in backed.into_iter().chain(marks_list(m)) {
            writeln!(out, "    {text}")?;
        }
    }
    for (code, name) in codes {
        writeln!(out, "{code} {}", wrapped(name, 76).join("\n    "))?;
    }
    Ok(())
}
