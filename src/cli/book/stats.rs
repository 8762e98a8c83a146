use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::line_args::{NotationArgs, line_texts};
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, OrExit, exit};
use super::from_book;
use juzhong::book::opening::Code;
use juzhong::book::{
    AnnotationCounts, Book, Depth, Difference, LineCount, OpeningStats, Origin, Origins, Sample,
    Source, Stats, StatsOptions, VERSION,
};
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::{Notation, Side};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The book.
    book: PathBuf,
    /// List the files that it was made from.
    #[arg(long)]
    sources: bool,
    /// Leave moves of fewer games out of coverage and lines [default: what the book was built with].
    #[arg(long)]
    min_games: Option<u64>,
    /// How many of the most played lines to show.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(..=1000))]
    lines: u16,
    /// How many plies of a line to show.
    #[arg(long, value_name = "N", default_value_t = 8,
        value_parser = clap::value_parser!(u8).range(1..=100))]
    line_depth: u8,
    /// How many of the most frequent openings to show.
    #[arg(long, value_name = "N", default_value_t = 5)]
    openings: u16,
    /// How many positions to show whose most played move scores clearly worse than another.
    #[arg(long, value_name = "N", default_value_t = 5)]
    differences: u16,
    /// Decided games that both moves of such a position have, at least.
    #[arg(long, value_name = "N", default_value_t = 20)]
    enough: u64,
    #[command(flatten)]
    notation: NotationArgs,
}

impl Args {
    fn options(&self, book: &Book) -> StatsOptions {
        StatsOptions {
            min_games: self.min_games.unwrap_or(book.metadata().min_games),
            lines: self.lines.into(),
            line_depth: self.line_depth.into(),
            differences: self.differences.into(),
            enough: self.enough,
        }
    }
}

/// A book and what was found in it.
struct Found {
    book: Book,
    survey: Stats,
    census: OpeningStats,
    sources: Vec<Source>,
    origins: Origins,
    /// Edits that can be undone.
    edits: u64,
    bytes: u64,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game != GameName::Xiangqi {
        return Err(CliError::message(exit::USAGE, "there are no books of gomoku yet"));
    }
    let book = Book::open(&args.book).map_err(from_book)?;
    book.verify().map_err(from_book)?;
    let survey = book.survey::<Position>(&args.options(&book)).map_err(from_book)?;
    let mut census = book.opening_stats(args.options(&book).min_games).map_err(from_book)?;
    census.openings.truncate(args.openings.into());
    let sources = book.sources().map_err(from_book)?;
    let origins = book.origins().map_err(from_book)?;
    let edits: BTreeSet<u64> =
        book.history().map_err(from_book)?.iter().map(|step| step.edit).collect();
    let bytes = std::fs::metadata(&args.book)
        .or_exit_with(exit::IO, || args.book.shown().to_string())?
        .len();
    let found = Found { book, survey, census, sources, origins, edits: edits.len() as u64, bytes };
    if context.common.json {
        writeln!(context.out, "{}", answer(args, &found))?;
    } else {
        print(&found, context.out)?;
        print_survey(&found, args.notation.shown(), context.out)?;
        if args.sources {
            for source in &found.sources {
                let hash = hex(&source.hash);
                let books = books_of(&found.origins, source).join(", ");
                let from = if books.is_empty() { books } else { format!("  ({books})") };
                writeln!(context.out, "{hash}  {:>8}  {}{from}", source.games, source.name)?;
            }
        }
    }
    Ok(exit::OK)
}

fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}

/// The names of the merged books that a source came with.
fn books_of<'a>(origins: &'a Origins, source: &Source) -> Vec<&'a str> {
    (1u32..)
        .zip(&origins.books)
        .filter(|(number, _)| origins.sources.contains(&(*number, source.hash)))
        .map(|(_, book)| book.name.as_str())
        .collect()
}

fn answer(args: &Args, found: &Found) -> Value {
    let Found { book, survey, sources, .. } = found;
    let about = book.metadata();
    let counts = &about.counts;
    let differences = survey.differences.iter().map(|d| difference_answer(d, args.notation));
    let depth: Vec<Value> = survey
        .walk
        .depths
        .iter()
        .enumerate()
        .map(|(ply, d)| json!({"ply": ply, "positions": d.positions, "moves": d.moves}))
        .collect();
    let mut answer = json!({
        "schema": "juzhong.book.stats/1",
        "book": book.path().to_string_lossy(),
        "game": about.game,
        "version": VERSION,
        "bytes": found.bytes,
        "positions": about.positions,
        "moves": about.rows,
        "games": counts.games,
        "red": counts.first,
        "draws": counts.draws,
        "black": counts.second,
        "unknown": counts.unknown(),
        "disputed": counts.disputed,
        "tied": counts.tied,
        "duplicates": counts.duplicates,
        "records": counts.records,
        "bad": counts.bad,
        "filtered": counts.filtered,
        "other_starts": counts.other_starts,
        "other_start_records": counts.other_start_records,
        "no_moves": counts.no_moves,
        "no_move_records": counts.no_move_records,
        "sources": sources.len(),
        "max_ply": about.max_ply,
        "min_games": about.min_games,
        "min_share": about.min_share as f64 / 100.0,
        "filter": serde_json::to_value(&about.filter).unwrap_or_default(),
        "weight": about.weight.to_string(),
        "key_table": about.key_table,
        "stored_keys": book.foreign_keys().is_none(),
        "content": about.content,
        "depth": depth,
        "unreached": survey.walk.unreached,
        "pruned": about.pruned,
        "edits": found.edits,
        "books": found.origins.books.iter().map(origin_answer).collect::<Vec<_>>(),
        "marks": marks_answer(&survey.marks),
        "coverage": coverage_answer(found),
        "openings": openings_answer(found),
        "lines": survey.lines.iter().map(|line| line_answer(line, args.notation)).collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
    });
    answer["by_weight"] = survey.by_weight.into();
    if args.sources {
        answer["source_files"] = sources
            .iter()
            .map(|s| {
                let books = books_of(&found.origins, s);
                json!({"hash": hex(&s.hash), "name": s.name, "records": s.games, "books": books})
            })
            .collect();
    }
    answer
}

fn origin_answer(origin: &Origin) -> Value {
    let Origin { content, name, games, moves } = origin;
    json!({"name": name, "content": content, "games": games, "moves": moves})
}

fn marks_answer(marks: &AnnotationCounts) -> Value {
    json!({
        "moves": marks.moves,
        "flags": marks.flags,
        "weights": marks.weights,
        "priorities": marks.priorities,
        "comments": marks.comments,
        "groups": marks.groups,
    })
}

/// The share of all games that still make a move of the book at a distance from the start.
/// The share of the book's games; of the weight of its first moves where it has no games.
fn share(found: &Found, count: u64) -> f64 {
    let all = match found.survey.by_weight {
        true => found.survey.coverage.first().copied().unwrap_or(0),
        false => found.book.metadata().counts.games,
    };
    (count as f64 / all.max(1) as f64).min(1.0)
}

impl Found {
    /// A number of games as answers have it, and the weight that it is in books without games.
    fn games_or_weight(&self, count: u64) -> (u64, Option<u64>) {
        if self.survey.by_weight { (0, Some(count)) } else { (count, None) }
    }
}

/// To four digits.
fn rounded(n: f64) -> f64 {
    (n * 1e4).round() / 1e4
}

fn coverage_answer(found: &Found) -> Vec<Value> {
    let counts = found.survey.coverage.iter().enumerate();
    counts
        .map(|(ply, &count)| {
            let (games, weight) = found.games_or_weight(count);
            let share = rounded(share(found, count));
            let mut answer = json!({"ply": ply, "games": games, "share": share});
            if let Some(weight) = weight {
                answer["weight"] = weight.into();
            }
            answer
        })
        .collect()
}

fn openings_answer(found: &Found) -> Value {
    let census = &found.census;
    let opening = |&(code, name, count): &(Code, &str, u64)| {
        let (games, weight) = found.games_or_weight(count);
        json!({"ecco": code.to_string(), "name": name, "games": games, "weight": weight})
    };
    let (games, weight) = found.games_or_weight(census.games);
    json!({
        "games": games,
        "weight": weight,
        "letters": census.letters,
        "most_frequent": census.openings.iter().map(opening).collect::<Vec<_>>(),
    })
}

fn line_answer(line: &LineCount, notation: NotationArgs) -> Value {
    let mut answer = json!({
        "line": line.moves.join(" "),
        "games": line.games,
        "weight": line.weight,
        "red": line.last.first,
        "draws": line.last.draws,
        "black": line.last.second,
        "score": line.last.score(Side::First).map(rounded),
    });
    if let Some(notation) = notation.asked() {
        answer["text"] = line_text(&line.moves, notation).into();
    }
    answer
}

/// A line from the start of a game in another notation.
fn line_text(moves: &[String], notation: MoveNotation) -> String {
    let moves = moves.iter().map_while(|text| Position::parse_move(text));
    line_texts(&Position::start(), moves, notation).join(" ")
}

/// A move in another notation.
fn move_text(fen: &str, mv: &str, notation: MoveNotation) -> String {
    match (Position::from_fen(fen), Position::parse_move(mv)) {
        (Ok(position), Some(mv)) => position.write_move(mv, notation),
        _ => mv.to_owned(),
    }
}

fn difference_answer(difference: &Difference, notation: NotationArgs) -> Value {
    let Difference { position, ply, played, better } = difference;
    let sample = |sample: &Sample| {
        let Sample { mv, games, score } = sample;
        let mut answer = json!({"move": mv, "games": games, "score": rounded(*score)});
        if let Some(notation) = notation.asked() {
            answer["text"] = move_text(position, mv, notation).into();
        }
        answer
    };
    json!({
        "fen": position,
        "ply": ply,
        "played": sample(played),
        "better": sample(better),
        "difference": rounded(better.score - played.score),
    })
}

fn print(found: &Found, out: &mut dyn Write) -> Result<(), CliError> {
    let Found { book, sources, bytes, .. } = found;
    let about = book.metadata();
    let keys = if book.foreign_keys().is_none() { "the stored ones" } else { "its own" };
    writeln!(out, "{}: sound, version {VERSION}, {bytes} bytes", book.path().shown())?;
    writeln!(out, "positions  {}", about.positions)?;
    let pruned = if about.pruned { "; pruned" } else { "" };
    writeln!(out, "moves      {} (up to ply {}{pruned})", about.rows, about.max_ply)?;
    writeln!(out, "sources    {}", sources.len())?;
    super::print_counts(&about.counts, out)?;
    writeln!(
        out,
        "limits     {} games, {}.{:02} % of the position's games",
        about.min_games,
        about.min_share / 100,
        about.min_share % 100
    )?;
    writeln!(out, "weight     {}", about.weight)?;
    writeln!(out, "filter     {}", about.filter)?;
    writeln!(out, "keys       {} ({keys})", about.key_table)?;
    writeln!(out, "content    {}", about.content)?;
    for Origin { name, games, moves, .. } in &found.origins.books {
        writeln!(out, "merged     {}: {games} games, {moves} moves", Visible(name))?;
    }
    let marks = &found.survey.marks;
    if marks.moves > 0 {
        write!(out, "marks      {} moves: {} weights", marks.moves, marks.weights)?;
        write!(out, ", {} priorities, {} comments", marks.priorities, marks.comments)?;
        for (name, count) in &marks.flags {
            write!(out, ", {count} {name}")?;
        }
        writeln!(out)?;
    }
    for (name, count) in &marks.groups {
        writeln!(out, "group      {}: {count} moves", Visible(name))?;
    }
    if found.edits > 0 {
        writeln!(out, "edits      {} that can be undone", found.edits)?;
    }
    Ok(())
}

fn print_survey(
    found: &Found,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let survey = &found.survey;
    let unit = if survey.by_weight { "weight" } else { "games" };
    writeln!(out, "{:>5} {:>10} {:>10} {:>10} {:>7}", "ply", "positions", "moves", unit, "share")?;
    for ((ply, depth), &games) in survey.walk.depths.iter().enumerate().zip(&survey.coverage) {
        let share = 100.0 * share(found, games);
        let Depth { positions, moves } = depth;
        writeln!(out, "{ply:>5} {positions:>10} {moves:>10} {games:>10} {share:>6.1}%")?;
    }
    if survey.walk.unreached > 0 {
        writeln!(out, "{} moves are not reached from the start", survey.walk.unreached)?;
    }
    print_census(&found.census, unit, out)?;
    for line in &survey.lines {
        let score = line.last.score(Side::First);
        let score = score.map_or_else(String::new, |score| format!(" {:.1}%", 100.0 * score));
        let number = match line.games {
            0 => format!("weight {}", line.weight),
            games => format!("{games} games"),
        };
        writeln!(out, "line       {number}{score}: {}", line_text(&line.moves, notation))?;
    }
    for Difference { position, played, better, .. } in &survey.differences {
        let text = |s: &Sample| {
            format!(
                "{} {:.1}% of {}",
                move_text(position, &s.mv, notation),
                100.0 * s.score,
                s.games
            )
        };
        writeln!(out, "score      {position}: {}, but {}", text(played), text(better))?;
    }
    Ok(())
}

fn print_census(census: &OpeningStats, unit: &str, out: &mut dyn Write) -> Result<(), CliError> {
    let percent = |games: u64| 100.0 * games as f64 / census.games.max(1) as f64;
    for (&letter, &games) in &census.letters {
        let group = Code::parse(&format!("{letter}00")).map_or("", Code::group);
        writeln!(out, "openings   {letter}: {:.1}% of {unit} ({group})", percent(games))?;
    }
    for &(code, name, games) in &census.openings {
        writeln!(out, "opening    {code} {name}: {:.1}%, some {games} {unit}", percent(games))?;
    }
    Ok(())
}
