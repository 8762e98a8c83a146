//! `book classify`: the openings of games, or of one position.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::cli::args::line_args::LineArgs;
use crate::cli::exit::{self, by_kind};
use crate::cli::print::terminal::Terminal;
use crate::cli::print::{opening_names, percent_of};
use crate::cli::{CliError, Context, OrExit, with_game, write_answer};
use crate::language::{counts, fitting, left, right, say, word};
use juzhong::answers::book::{Comparison, GameOpening, OpeningCounts, classify_line};
use juzhong::answers::side_name;
use juzhong::book::find_games;
use juzhong::book::opening::Opening;
use juzhong::bytes::StopFlag;
use juzhong::bytes::open;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::game::Side;
use juzhong::message::message;
use juzhong::record::{ChangedError, GameFile, Place, ReadOptions, Record, read_game_file};

/// The most pairs of disagreeing codes that are printed.
const PAIRS: usize = 20;

/// Classify the openings of games, or of one position, by ECCO code.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game files and folders of them.
    #[arg(required_unless_present_any = ["fen", "moves"], conflicts_with_all = ["fen", "moves"])]
    games: Vec<PathBuf>,
    #[command(flatten)]
    line: LineArgs,
    /// List every game before the totals (with --json: one object per line).
    #[arg(long)]
    list: bool,
    /// Compare with the codes stated in the games (tag ECCO).
    #[arg(long)]
    compare: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if args.games.is_empty() { one::<G>(args, context) } else { many::<G>(args, context) }
}

/// Names a position or a line of moves.
fn one<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let named = classify_line::<G>(&args.line.request())?;
    let found = named.opening;
    if context.common.json {
        write_answer(context.out, &named.answer())?;
    } else {
        match found {
            Some(o) => {
                opening_names::write_both(&o, context.out)?;
                let group = word(o.code.group());
                say!(context.out, "    {}: {group}; ply {}", o.code.letter(), o.ply)?;
            }
            None => say!(context.out, "no name")?,
        }
    }
    Ok(if found.is_some() { exit::OK } else { exit::FAILED })
}

fn many<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let inputs = find_games::<G>(&args.games).map_err(by_kind)?;
    let mut sums = OpeningCounts::default();
    for file in &inputs.files {
        read::<G>(file, args, &mut sums, context)?;
    }
    if sums.games == 0 {
        let message =
            message!("no games in {} ({} bad)", counts::files(inputs.files.len()), sums.bad);
        return Err(CliError::message(exit::BAD_DATA, message));
    }
    if context.common.json {
        write_answer(context.out, &sums.answer::<G>(args.compare))?;
    } else {
        print::<G>(args, &sums, context.out)?;
    }
    Ok(exit::OK)
}

fn read<G: Terminal>(
    file: &Path,
    args: &Args,
    sums: &mut OpeningCounts,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let source = file.shown().to_string();
    let folder = std::env::temp_dir();
    let opened = match GameFile::open::<G>(file, &folder) {
        Err(error) if open::is_refused(&error) => {
            tracing::info!("{source:?}: {error}");
            sums.bad += 1;
            return Ok(());
        }
        Err(error) if ChangedError::is_in(&error) => {
            return Err(CliError::new(exit::IO, error).within(&source));
        }
        opened => opened.or_exit_with(exit::NO_INPUT, || source.clone())?,
    };
    let mut listed = Ok(());
    let never = StopFlag::default();
    let read = read_game_file::<G>(
        &source,
        &opened,
        &folder,
        &never,
        ReadOptions::default(),
        &mut |source, game| {
            match game {
                Ok(game) => {
                    let found = sums.add(&game.record);
                    if args.list {
                        listed = list((source, game.place), &game.record, found, context);
                    }
                }
                Err(error) => {
                    tracing::info!("{error}");
                    sums.bad += 1;
                }
            }
            if listed.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
    read.or_exit_with(exit::IO, || source.clone())?;
    listed
}

/// Writes one game.
fn list<G: Terminal>(
    (file, place): (&str, Place),
    record: &Record<G>,
    found: Option<Opening>,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    if context.common.json {
        let entry = GameOpening::of(file, place.to_string(), record, found);
        write_answer(context.out, &entry)?;
    } else {
        let (code, name) = found.map_or_else(
            || ("-".to_owned(), "-"),
            |o| (o.code.to_string(), opening_names::in_language(o.code, o.name)),
        );
        writeln!(context.out, "{}\t{code}\t{name}", Visible(place.within(file)))?;
    }
    Ok(())
}

fn print<G: Terminal>(
    args: &Args,
    sums: &OpeningCounts,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let [first, second] = Side::ALL.map(side_name::<G>);
    let [games, first, draws, second] =
        [word("games"), word(first), word("draws"), word(second)].map(|head| right(head, 8));
    writeln!(out, "{} {games} {first} {draws} {second}  {}", left(word("code"), 4), word("name"))?;
    for (&code, r) in &sums.codes {
        writeln!(
            out,
            "{code:<4} {:>8} {:>8} {:>8} {:>8}  {}",
            r.games,
            r.first,
            r.draws,
            r.second,
            fitting(opening_names::in_language(code, G::name_of(code).unwrap_or_default()), 38)
        )?;
    }
    say!(
        out,
        "{}; {} from other starts, {} of no named opening; {} bad ones left out",
        counts::games(sums.games),
        sums.other_starts,
        sums.unnamed,
        sums.bad
    )?;
    if args.compare { print_comparison(&sums.comparison, out) } else { Ok(()) }
}

fn print_comparison(c: &Comparison, out: &mut dyn Write) -> Result<(), CliError> {
    say!(
        out,
        "{} with a code: {:.2}% have the same letter, {:.2}% the same code",
        counts::games(c.stated),
        percent_of(c.letters, c.stated),
        percent_of(c.codes, c.stated)
    )?;
    for ((stated, found), games) in c.others().into_iter().take(PAIRS) {
        let found = found.map_or_else(|| "-".to_owned(), |code| code.to_string());
        say!(out, "stated {stated}, found {found:<3} {games:>6}")?;
    }
    Ok(())
}
