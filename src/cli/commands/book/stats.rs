//! `book stats`: the check of a book, and its statistics.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::PathBuf;

use super::print_not_counted;
use crate::cli::args::line_args::NotationArgs;
use crate::cli::print::terminal::Terminal;
use crate::cli::print::{opening_names, percent_of};
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{counted, counts, left, right, say, text, word, wrapped};
use juzhong::answers::book::{
    FoundStats, StatsRequest, hash_text, played_line_text, played_move_text,
};
use juzhong::book::opening::Code;
use juzhong::book::{
    AnnotationCounts, BookMove, BookStats, Counts, Depth, Difference, OpeningStats, Origin, Years,
};
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::Side;
use juzhong::xiangqi::notation::MoveNotation;

/// Check a book and show its statistics.
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
    fn request(&self) -> StatsRequest {
        StatsRequest {
            min_games: self.min_games,
            lines: self.lines.into(),
            line_depth: self.line_depth.into(),
            openings: self.openings.into(),
            differences: self.differences.into(),
            enough: self.enough,
            sources: self.sources,
            notation: self.notation.asked(),
        }
    }
}

/// The number of first moves that are shown.
const FIRST_MOVES: usize = 4;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let request = args.request();
    let found = request.find::<G>(&args.book)?;
    if context.common.json {
        write_answer(context.out, &found.answer(&request))?;
    } else {
        print(&found, args.notation.shown(), context.out)?;
        if args.sources {
            print_sources(&found, context.out)?;
        }
    }
    Ok(exit::OK)
}

fn print_sources<G: Terminal>(found: &FoundStats<G>, out: &mut dyn Write) -> Result<(), CliError> {
    for source in &found.sources {
        let hash = hash_text(source);
        let books = found.books_of(source).join(", ");
        let from = if books.is_empty() { books } else { format!("  ({books})") };
        writeln!(out, "{hash}  {:>8}  {}{from}", source.games, source.name)?;
    }
    Ok(())
}

/// Prints what people look for first: games, years, results, first moves, openings, lines, size; then
/// how the book was made, and its coverage by plies.
fn print<G: Terminal>(
    found: &FoundStats<G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let FoundStats { book, stats, bytes, .. } = found;
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
    print_openings::<G>(&found.opening_stats, stats.by_weight, out)?;
    print_lines::<G>(stats, notation, out)?;
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
    print_differences::<G>(stats, notation, out)
}

fn print_first_moves<G: Terminal>(
    found: &FoundStats<G>,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let start = &found.start;
    let by_weight = found.stats.by_weight;
    let played = found.first_moves.iter().map(|first| count_of(first, by_weight));
    let all: u64 = played.fold(0, u64::saturating_add);
    let mut firsts: Vec<_> = found.first_moves.iter().collect();
    firsts.sort_by_key(|&first| Reverse(count_of(first, by_weight)));
    for first in firsts.into_iter().take(FIRST_MOVES) {
        let text = start.write_move(first.mv, notation);
        let share = percent_of(count_of(first, by_weight), all);
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

/// The weight of a move, or its games.
const fn count_of<M>(found: &BookMove<M>, by_weight: bool) -> u64 {
    match by_weight {
        true => found.weight,
        false => found.stats.games,
    }
}

fn print_openings<G: Terminal>(
    openings: &OpeningStats,
    by_weight: bool,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    for (&letter, &games) in &openings.letters {
        let of_letter =
            |text: String| Code::parse(&text).filter(|&code| G::name_of(code).is_some());
        let code = of_letter(format!("{letter}00")).or_else(|| of_letter(format!("1{letter}")));
        let group = word(code.map_or("", Code::group));
        let share = format!("{:.1}%", percent_of(games, openings.games));
        say!(out, "openings   {letter} {share:>6}  {group}")?;
    }
    for &(code, name, games) in &openings.openings {
        let share = percent_of(games, openings.games);
        let count = match by_weight {
            true => text!("weight {games}"),
            false => counts::games(games),
        };
        say!(out, "opening    {code} {share:.1}%, about {count}")?;
        // Names of variations are long.
        for part in opening_names::in_language(code, name).split(" / ") {
            for line in wrapped(part, 67) {
                writeln!(out, "             {line}")?;
            }
        }
    }
    Ok(())
}

fn print_lines<G: Terminal>(
    stats: &BookStats,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> io::Result<()> {
    for line in &stats.lines {
        let (games, weight) = (line.games, line.weight);
        let number = match games {
            0 => text!("weight {weight}"),
            games => counts::games(games),
        };
        let text = played_line_text::<G>(line, notation);
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
fn print_making<G: Terminal>(found: &FoundStats<G>, out: &mut dyn Write) -> Result<(), CliError> {
    let FoundStats { book, sources, .. } = found;
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

fn print_marks<G: Terminal>(found: &FoundStats<G>, out: &mut dyn Write) -> Result<(), CliError> {
    let marks = &found.stats.marks;
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

fn print_coverage<G: Terminal>(found: &FoundStats<G>, out: &mut dyn Write) -> Result<(), CliError> {
    let stats = &found.stats;
    let unit = if stats.by_weight { word("weight") } else { word("games") };
    let [positions, moves, unit] =
        [word("positions"), word("moves"), unit].map(|head| right(head, 10));
    let (ply, part) = (right(word("ply"), 5), right(word("share"), 7));
    writeln!(out, "{ply} {positions} {moves} {unit} {part}")?;
    for ((ply, depth), &games) in stats.walk.depths.iter().enumerate().zip(&stats.coverage) {
        let share = 100.0 * found.share(games);
        let Depth { positions, moves } = depth;
        writeln!(out, "{ply:>5} {positions:>10} {moves:>10} {games:>10} {share:>6.1}%")?;
    }
    let unreached = stats.walk.unreached;
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
    stats: &BookStats,
    notation: MoveNotation,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    for Difference { position, played, better, .. } in &stats.differences {
        let [(played, worse, often), (other, score, games)] = [played, better].map(|sample| {
            (
                played_move_text::<G>(position, &sample.mv, notation),
                100.0 * sample.score,
                sample.games,
            )
        });
        say!(
            out,
            "score      {played} {worse:.1}% of {often}, but {other} {score:.1}% of {games}"
        )?;
        writeln!(out, "  {position}")?;
    }
    Ok(())
}
