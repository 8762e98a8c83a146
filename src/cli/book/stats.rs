use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::line_args::NotationArgs;
use super::super::terminal::Terminal;
use super::super::{CliError, Context, GameName, OrExit, exit};
use super::query::side_names;
use super::{from_book, names, print_not_counted};
use crate::cli::language::{counted, counts, left, right, say, text, word, wrapped};
use juzhong::answers::line_texts;
use juzhong::book::opening::Code;
use juzhong::book::{
    AnnotationCounts, Book, BookMove, Counts, Depth, Difference, LineCount, OpeningStats, Origin,
    Origins, Sample, Source, Stats, StatsOptions, Years,
};
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::{Game, Side, Symmetric};
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    /// List the files the book was built from.
    #[arg(long)]
    sources: bool,
    /// Leave moves with fewer games out of coverage and lines [default: as the book was built].
    #[arg(long)]
    min_games: Option<u64>,
    /// Number of most played lines to show.
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(..=1000))]
    lines: u16,
    /// Length of these lines, in plies.
    #[arg(long, value_name = "N", default_value_t = 8,
        value_parser = clap::value_parser!(u8).range(1..=100))]
    line_depth: u8,
    /// Number of most frequent openings to show.
    #[arg(long, value_name = "N", default_value_t = 5)]
    openings: u16,
    /// Number of positions to show whose most played move scores clearly worse than another.
    #[arg(long, value_name = "N", default_value_t = 5)]
    differences: u16,
    /// Minimum number of decided games of both moves in such a position.
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
struct Found<G: Game> {
    book: Book,
    survey: Stats,
    census: OpeningStats,
    sources: Vec<Source>,
    origins: Origins,
    /// Edits that can be undone.
    edits: u64,
    bytes: u64,
    /// The first start that the book has moves for.
    start: G,
    /// The moves there.
    first_moves: Vec<BookMove<G::Move>>,
}

/// The number of first moves that are shown.
const FIRST_MOVES: usize = 4;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let book = Book::open(&args.book).map_err(from_book)?;
    book.verify().map_err(from_book)?;
    let survey = book.survey::<G>(&args.options(&book)).map_err(from_book)?;
    let mut census = book.opening_stats::<G>(args.options(&book).min_games).map_err(from_book)?;
    census.openings.truncate(args.openings.into());
    let sources = book.sources().map_err(from_book)?;
    let origins = book.origins().map_err(from_book)?;
    let edits: BTreeSet<u64> =
        book.history().map_err(from_book)?.iter().map(|step| step.edit).collect();
    let bytes = std::fs::metadata(&args.book)
        .or_exit_with(exit::IO, || args.book.shown().to_string())?
        .len();
    let (mut start, mut first_moves) = (G::start(), Vec::new());
    for other in G::starts() {
        first_moves = book.probe_with(&other, args.options(&book).min_games).map_err(from_book)?;
        if !first_moves.is_empty() {
            start = other;
            break;
        }
    }
    let edits = edits.len() as u64;
    let found = Found { book, survey, census, sources, origins, edits, bytes, start, first_moves };
    if context.common.json {
        writeln!(context.out, "{}", answer(args, &found))?;
    } else {
        print(&found, args.notation.shown(), context.out)?;
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

fn answer<G: Terminal>(args: &Args, found: &Found<G>) -> Value {
    let Found { book, survey, sources, .. } = found;
    let about = book.metadata();
    let counts = &about.counts;
    let [first, second] = side_names::<G>();
    let differences = survey.differences.iter().map(|d| difference_answer::<G>(d, args.notation));
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
        "version": book.version(),
        "bytes": found.bytes,
        "positions": about.positions,
        "moves": about.rows,
        "games": counts.games,
        first: counts.first,
        "draws": counts.draws,
        second: counts.second,
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
        "lines": survey.lines.iter().map(|line| line_answer::<G>(line, args.notation)).collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
    });
    answer["samples"] = book.samples().into();
    answer["by_weight"] = survey.by_weight.into();
    answer["year_min"] = found.years().map(|years| years.min).into();
    answer["year_max"] = found.years().map(|years| years.max).into();
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
fn share<G: Terminal>(found: &Found<G>, count: u64) -> f64 {
    let all = match found.survey.by_weight {
        true => found.survey.coverage.first().copied().unwrap_or(0),
        false => found.book.metadata().counts.games,
    };
    (count as f64 / all.max(1) as f64).min(1.0)
}

impl<G: Game> Found<G> {
    /// A number of games as answers have it, and the weight that it is in books without games.
    fn games_or_weight(&self, count: u64) -> (u64, Option<u64>) {
        if self.survey.by_weight { (0, Some(count)) } else { (count, None) }
    }
}

/// To four digits.
fn rounded(n: f64) -> f64 {
    (n * 1e4).round() / 1e4
}

fn coverage_answer<G: Terminal>(found: &Found<G>) -> Vec<Value> {
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

fn openings_answer<G: Terminal>(found: &Found<G>) -> Value {
    let census = &found.census;
    let opening = |&(code, name, count): &(Code, &str, u64)| {
        let (games, weight) = found.games_or_weight(count);
        let name_en = code.english_name();
        json!({
            G::CODE_MEMBER: code.to_string(),
            "name": name,
            "name_en": name_en,
            "games": games,
            "weight": weight,
        })
    };
    let (games, weight) = found.games_or_weight(census.games);
    json!({
        "games": games,
        "weight": weight,
        "letters": census.letters,
        "most_frequent": census.openings.iter().map(opening).collect::<Vec<_>>(),
    })
}

fn line_answer<G: Terminal>(line: &LineCount, notation: NotationArgs) -> Value {
    let [first, second] = side_names::<G>();
    let mut answer = json!({
        "line": line.moves.join(" "),
        "games": line.games,
        "weight": line.weight,
        first: line.last.first,
        "draws": line.last.draws,
        second: line.last.second,
        "score": line.last.score(Side::First).map(rounded),
    });
    if let Some(notation) = notation.asked() {
        answer["text"] = line_text::<G>(line, notation).into();
    }
    if let Some(start) = &line.start {
        answer["start"] = start.as_str().into();
    }
    answer
}

/// A line in another notation.
fn line_text<G: Terminal>(line: &LineCount, notation: MoveNotation) -> String {
    let moves = line.moves.iter().map_while(|text| G::parse_move(text));
    let start = line.start.as_ref().and_then(|text| G::from_fen(text).ok());
    line_texts(&start.unwrap_or_else(G::start), moves, notation).join(" ")
}

/// A move in another notation.
fn move_text<G: Terminal>(fen: &str, mv: &str, notation: MoveNotation) -> String {
    match (G::from_fen(fen), G::parse_move(mv)) {
        (Ok(position), Some(mv)) => position.write_move(mv, notation),
        _ => mv.to_owned(),
    }
}

fn difference_answer<G: Terminal>(difference: &Difference, notation: NotationArgs) -> Value {
    let Difference { position, ply, played, better } = difference;
    let sample = |sample: &Sample| {
        let Sample { mv, games, score } = sample;
        let mut answer = json!({"move": mv, "games": games, "score": rounded(*score)});
        if let Some(notation) = notation.asked() {
            answer["text"] = move_text::<G>(position, mv, notation).into();
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

/// Prints what people look for first: games, years, results, first moves, openings, lines, size; then
/// how the book was made, and its coverage by plies.
fn print<G: Terminal>(
    found: &Found<G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let Found { book, survey, bytes, .. } = found;
    let about = book.metadata();
    let Counts { games, first, draws, second, .. } = about.counts;
    say!(out, "{}: sound, version {}", book.path().shown(), book.version())?;
    say!(out, "games      {games}")?;
    let unknown = about.counts.unknown();
    match G::BLACK {
        Side::Second => say!(
            out,
            "results    {first} won by Red, {draws} drawn, {second} won by Black, {unknown} unknown"
        )?,
        Side::First => say!(
            out,
            "results    {first} won by Black, {draws} drawn, {second} won by White, {unknown} unknown"
        )?,
    }
    if let Some(Years { min, max }) = found.years() {
        say!(out, "years      {min} to {max}")?;
    }
    print_first_moves(found, notation, out)?;
    print_openings::<G>(&found.census, survey.by_weight, out)?;
    print_lines::<G>(survey, notation, out)?;
    say!(out, "positions  {}", about.positions)?;
    say!(out, "moves      {}, up to ply {}", about.rows, about.max_ply)?;
    say!(out, "size       {bytes} bytes")?;
    let samples = book.samples();
    if samples > 0 {
        let text = counted!(
            samples == 1,
            "samples    {samples} game of each move",
            "samples    up to {samples} games of each move"
        );
        writeln!(out, "{text}")?;
    }
    writeln!(out)?;
    print_making(found, out)?;
    print_marks(found, out)?;
    writeln!(out)?;
    print_coverage(found, out)?;
    print_differences::<G>(survey, notation, out)
}

impl<G: Game> Found<G> {
    /// The years of the games by the first moves of the book.
    fn years(&self) -> Option<Years> {
        self.first_moves.iter().filter_map(|first| first.stats.years).reduce(Years::union)
    }
}

fn print_first_moves<G: Terminal>(
    found: &Found<G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let start = &found.start;
    let count = |first: &BookMove<G::Move>| match found.survey.by_weight {
        true => first.weight,
        false => first.stats.games,
    };
    let all: u64 = found.first_moves.iter().map(count).fold(0, u64::saturating_add);
    let mut firsts: Vec<_> = found.first_moves.iter().collect();
    firsts.sort_by_key(|&first| Reverse(count(first)));
    for first in firsts.into_iter().take(FIRST_MOVES) {
        let text = start.write_move(first.mv, notation);
        let share = 100.0 * count(first) as f64 / all.max(1) as f64;
        match first.stats.score(Side::First) {
            Some(score) => {
                let score = 100.0 * score;
                match G::BLACK {
                    Side::Second => {
                        say!(out, "first      {text} {share:.1}%, Red scores {score:.1}%")?;
                    }
                    Side::First => {
                        say!(out, "first      {text} {share:.1}%, Black scores {score:.1}%")?;
                    }
                }
            }
            None => say!(out, "first      {text} {share:.1}%")?,
        }
    }
    Ok(())
}

fn print_openings<G: Terminal>(
    census: &OpeningStats,
    by_weight: bool,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let percent = |games: u64| 100.0 * games as f64 / census.games.max(1) as f64;
    for (&letter, &games) in &census.letters {
        let of_letter =
            |text: String| Code::parse(&text).filter(|&code| G::name_of(code).is_some());
        let code = of_letter(format!("{letter}00")).or_else(|| of_letter(format!("1{letter}")));
        let group = word(code.map_or("", Code::group));
        let share = format!("{:.1}%", percent(games));
        say!(out, "openings   {letter} {share:>6}  {group}")?;
    }
    for &(code, name, games) in &census.openings {
        let share = percent(games);
        let count = match by_weight {
            true => text!("weight {games}"),
            false => counts::games(games),
        };
        say!(out, "opening    {code} {share:.1}%, about {count}")?;
        // Names of variations are long.
        for part in names::in_language(code, name).split(" / ") {
            for line in wrapped(part, 67) {
                writeln!(out, "             {line}")?;
            }
        }
    }
    Ok(())
}

fn print_lines<G: Terminal>(
    survey: &Stats,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in &survey.lines {
        let (games, weight) = (line.games, line.weight);
        let number = match games {
            0 => text!("weight {weight}"),
            games => counts::games(games),
        };
        let text = line_text::<G>(line, notation);
        match line.last.score(Side::First) {
            Some(score) => {
                let score = 100.0 * score;
                match G::BLACK {
                    Side::Second => say!(out, "line       {number}, Red scores {score:.1}%")?,
                    Side::First => say!(out, "line       {number}, Black scores {score:.1}%")?,
                }
            }
            None => say!(out, "line       {number}")?,
        }
        if let Some(start) = &line.start {
            writeln!(out, "             {start}")?;
        }
        for line in wrapped(&text, 67) {
            writeln!(out, "             {line}")?;
        }
    }
    Ok(())
}

/// Prints what became of the records, and what the book was made with.
fn print_making<G: Terminal>(found: &Found<G>, out: &mut dyn Write) -> Result<(), CliError> {
    let Found { book, sources, .. } = found;
    let about = book.metadata();
    let counts = &about.counts;
    say!(out, "sources    {}", sources.len())?;
    say!(out, "records    {}", counts.records)?;
    let majority = counts.disputed - counts.tied;
    say!(
        out,
        "disputed   {}: {majority} settled by most copies, {} tied and so unknown",
        counts.disputed,
        counts.tied
    )?;
    print_not_counted(counts, out)?;
    if about.pruned {
        say!(out, "pruned     moves were left out; no games can be added")?;
    }
    let least = about.min_games;
    let share = format!("{}.{:02} %", about.min_share / 100, about.min_share % 100);
    let limits = counted!(
        least == 1,
        "shown are moves of {least} game and more, {share} of the position's games",
        "shown are moves of {least} games and more, {share} of the position's games"
    );
    say!(out, "limits     {limits}")?;
    say!(out, "weight     {}", about.weight)?;
    say!(out, "filter     {}", about.filter)?;
    let keys =
        if book.foreign_keys().is_none() { word("the stored ones") } else { word("its own") };
    say!(out, "keys       {} ({keys})", about.key_table)?;
    say!(out, "content    {}", about.content)?;
    for Origin { name, games, moves, .. } in &found.origins.books {
        let name = Visible(name);
        say!(out, "merged     {name}: games {games}, moves {moves}")?;
    }
    Ok(())
}

fn print_marks<G: Terminal>(found: &Found<G>, out: &mut dyn Write) -> Result<(), CliError> {
    let marks = &found.survey.marks;
    if marks.moves > 0 {
        let AnnotationCounts { moves, weights, priorities, comments, .. } = marks;
        say!(out, "marked     {moves}")?;
        for (name, &count) in
            [("weights", weights), ("priorities", priorities), ("comments", comments)]
        {
            if count > 0 {
                writeln!(out, "  {}{count}", left(word(name), 9))?;
            }
        }
        for (name, count) in &marks.flags {
            writeln!(out, "  {}{count}", left(word(name), 9))?;
        }
    }
    for (name, &count) in &marks.groups {
        let name = Visible(name);
        say!(out, "group      {name}: {}", counts::moves(count))?;
    }
    if found.edits > 0 {
        say!(out, "edits      {} that can be undone", found.edits)?;
    }
    Ok(())
}

fn print_coverage<G: Terminal>(found: &Found<G>, out: &mut dyn Write) -> Result<(), CliError> {
    let survey = &found.survey;
    let unit = if survey.by_weight { word("weight") } else { word("games") };
    let [positions, moves, unit] =
        [word("positions"), word("moves"), unit].map(|head| right(head, 10));
    let (ply, part) = (right(word("ply"), 5), right(word("share"), 7));
    writeln!(out, "{ply} {positions} {moves} {unit} {part}")?;
    for ((ply, depth), &games) in survey.walk.depths.iter().enumerate().zip(&survey.coverage) {
        let share = 100.0 * share(found, games);
        let Depth { positions, moves } = depth;
        writeln!(out, "{ply:>5} {positions:>10} {moves:>10} {games:>10} {share:>6.1}%")?;
    }
    let unreached = survey.walk.unreached;
    if unreached > 0 {
        let text = counted!(
            unreached == 1,
            "{unreached} move is not reached from the start",
            "{unreached} moves are not reached from the start"
        );
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// Prints the positions whose most played move scores badly.
fn print_differences<G: Terminal>(
    survey: &Stats,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    for Difference { position, played, better, .. } in &survey.differences {
        let [(played, worse, often), (other, score, games)] = [played, better].map(|sample| {
            (move_text::<G>(position, &sample.mv, notation), 100.0 * sample.score, sample.games)
        });
        say!(
            out,
            "score      {played} {worse:.1}% of {often}, but {other} {score:.1}% of {games}"
        )?;
        writeln!(out, "  {position}")?;
    }
    Ok(())
}
