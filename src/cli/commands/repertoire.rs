//! `repertoire`: books for one side.

use std::io::Write;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::cli::args::line_args::NotationArgs;
use crate::cli::args::percentage::positive_percentage;
use crate::cli::args::side::SideName;
use crate::cli::commands::book;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::{is_requested, stop_flag};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, with_game, write_answer};
use crate::language::{say, text, word, wrapped};
use juzhong::answers::book::{
    DoubtfulPlace, RepertoireAnswer, RepertoireCheckAnswer, RepertoireMove, RepertoirePlace,
};
use juzhong::book::{AnswerChoice, RepertoireOptions, build_repertoire, check_repertoire};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;

/// Columns of the text.
const COLUMNS: usize = 80;

/// Positions of each list that are printed.
const PRINTED: usize = 10;

/// Make and check opening repertoires: books for one side.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Build(BuildArgs),
    Check(CheckArgs),
}

/// Make the repertoire of a side from a book.
///
/// The repertoire has a few answers for the side, and of the other side's moves those that are likely by their share of
/// games. It is a book as any other: play, query, edit, export --to pgn and train use it. The book may be one of all games
/// of a collection, or of one player's: juzhong games find games/ --player hu -o hu.pgn, then book build hu.pgn.
#[derive(Debug, clap::Args)]
pub(crate) struct BuildArgs {
    /// The book.
    source: PathBuf,
    /// New file for the repertoire.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    walk: WalkArgs,
    /// Maximum number of answers in a position.
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..))]
    answers: u8,
    /// Way of choosing the answers.
    #[arg(long, value_enum, default_value = "score")]
    by: Choice,
}

/// Find what a repertoire lacks beside a book of games.
///
/// Lists positions that games reach and the repertoire does not answer, answers that the book refutes (by endgame tables, by
/// the scores of engines, or by the games), and the positions that come up most often: what to learn first.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The repertoire.
    repertoire: PathBuf,
    /// Book of the games that are to be expected.
    source: PathBuf,
    #[command(flatten)]
    walk: WalkArgs,
    #[command(flatten)]
    notation: NotationArgs,
}

/// The positions that are walked through.
#[derive(Debug, clap::Args)]
struct WalkArgs {
    /// Side of the repertoire.
    #[arg(long, value_enum)]
    side: SideName,
    /// Minimum share of games that reach a position, in percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = positive_percentage)]
    reach: f64,
    /// Maximum number of plies.
    #[arg(long, value_name = "N", default_value_t = 40,
        value_parser = clap::value_parser!(u16).range(1..=1000))]
    depth: u16,
    /// Minimum number of games of a move [default: as the book was built].
    #[arg(long, value_name = "N")]
    min_games: Option<u64>,
}

/// The way of choosing answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Scores of engines and tables where the book has them, else the score of the games.
    Score,
    /// Number of games.
    Popularity,
    /// Priority and weight, as the book itself chooses.
    Weight,
}

impl From<Choice> for AnswerChoice {
    fn from(choice: Choice) -> Self {
        match choice {
            Choice::Score => Self::Score,
            Choice::Popularity => Self::Popularity,
            Choice::Weight => Self::Weight,
        }
    }
}

impl WalkArgs {
    fn options<G: Terminal>(&self, min_games: u64) -> Result<RepertoireOptions, CliError> {
        Ok(RepertoireOptions {
            side: self.side.side::<G>()?,
            reach: self.reach / 100.0,
            depth: self.depth.into(),
            min_games: self.min_games.unwrap_or(min_games),
            stop: stop_flag(),
            ..RepertoireOptions::default()
        })
    }
}

pub(crate) fn run(command: &Command, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => match command {
        Command::Build(args) => build::<G>(args, context),
        Command::Check(args) => check::<G>(args, context),
    })
}

fn build<G: Terminal + Symmetric>(
    args: &BuildArgs,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let source = book::open(&args.source)?;
    let options = RepertoireOptions {
        answers: args.answers.into(),
        choice: args.by.into(),
        ..args.walk.options::<G>(source.metadata().min_games)?
    };
    let report = build_repertoire::<G>(&source, &args.output, &options).map_err(by_kind)?;
    if context.common.json {
        let paths = (args.source.as_path(), args.output.as_path());
        write_answer(context.out, &RepertoireAnswer::of::<G>(paths, options.side, &report))?;
        return Ok(exit::OK);
    }
    let out = &mut context.out;
    say!(
        out,
        "{}: {} positions with {} answers",
        args.output.shown(),
        report.positions,
        report.answers
    )?;
    say!(out, "replies    {}", report.replies)?;
    say!(out, "depth      {} plies", report.depth)?;
    say!(out, "transposed {} lines", report.transpositions)?;
    Ok(exit::OK)
}

fn check<G: Terminal + Symmetric>(
    args: &CheckArgs,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let [repertoire, source] = [&args.repertoire, &args.source].map(|path| book::open(path));
    let (repertoire, source) = (repertoire?, source?);
    let options = args.walk.options::<G>(source.metadata().min_games)?;
    let found = check_repertoire::<G>(&repertoire, &source, &options).map_err(by_kind)?;
    if is_requested() {
        return Err(CliError::message(exit::INTERRUPTED, "interrupted"));
    }
    let notation = match context.common.json {
        true => args.notation.asked(),
        false => Some(args.notation.shown()),
    };
    let paths = (args.repertoire.as_path(), args.source.as_path());
    let answer = RepertoireCheckAnswer::of::<G>(paths, &found, (options.side, notation));
    if context.common.json {
        write_answer(context.out, &answer)?;
    } else {
        show(&answer, context.out)?;
    }
    let is_whole = answer.holes.is_empty() && answer.doubtful.is_empty();
    Ok(if is_whole { exit::OK } else { exit::FAILED })
}

fn show(answer: &RepertoireCheckAnswer, out: &mut dyn Write) -> Result<(), CliError> {
    say!(out, "{} positions with {} answers", answer.positions, answer.answers)?;
    say!(out, "{} lines lead to a position that another one reaches, too", answer.transpositions)?;
    if !answer.first.is_empty() {
        heading("What to learn first", answer.first.len(), out)?;
        answer.first.iter().take(PRINTED).try_for_each(|place| show_place(place, out))?;
    }
    if !answer.holes.is_empty() {
        heading("Without an answer", answer.holes.len(), out)?;
        answer.holes.iter().take(PRINTED).try_for_each(|place| show_place(place, out))?;
    }
    if !answer.doubtful.is_empty() {
        heading("Doubtful answers", answer.doubtful.len(), out)?;
        answer.doubtful.iter().take(PRINTED).try_for_each(|place| show_doubt(place, out))?;
    }
    Ok(())
}

fn heading(text: &str, count: usize, out: &mut dyn Write) -> Result<(), CliError> {
    let shown = count.min(PRINTED);
    Ok(writeln!(out, "\n{} ({shown}/{count})", word(text))?)
}

/// A position: its reach and line, then the moves for it.
fn show_place(place: &RepertoirePlace, out: &mut dyn Write) -> Result<(), CliError> {
    let line = place.line_text.as_deref().unwrap_or(&place.line).join(" ");
    let line = if line.is_empty() { word("start position").to_owned() } else { line };
    for (number, row) in wrapped(&line, COLUMNS - 8).into_iter().enumerate() {
        let reach =
            if number == 0 { format!("{:.1}%", place.reach * 100.0) } else { String::new() };
        writeln!(out, "{reach:>6}  {row}")?;
    }
    let moves: Vec<String> = place.moves.iter().map(shown_move).collect();
    for row in wrapped(&moves.join(", "), COLUMNS - 12) {
        writeln!(out, "          {row}")?;
    }
    Ok(())
}

fn show_doubt(doubtful: &DoubtfulPlace, out: &mut dyn Write) -> Result<(), CliError> {
    show_place(&doubtful.place, out)?;
    let answer = shown_move(&doubtful.answer);
    let why = match doubtful.doubt {
        "lost" => text!("rather than {answer}, which loses by tables or by rule"),
        "score" => text!("rather than {answer}, by the scores of the book"),
        _ => text!("rather than {answer}, by its games"),
    };
    Ok(writeln!(out, "          {why}")?)
}

/// A move with its games and their score.
fn shown_move(found: &RepertoireMove) -> String {
    let mv = found.text.as_deref().unwrap_or(&found.mv);
    match found.score {
        Some(score) => format!("{mv} ({}, {:.1}%)", found.games, score * 100.0),
        None => format!("{mv} ({})", found.games),
    }
}
