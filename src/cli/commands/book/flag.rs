//! `book flag`: moves banned by the repetition rules or proven lost.

use std::path::PathBuf;

use crate::cli::args::line_args::NotationArgs;
use crate::cli::exit::{self, by_kind};
use crate::cli::interrupt::stop_flag;
use crate::cli::{CliError, Context, GameName, OrExit, write_answer};
use crate::language::{counts, say};
use juzhong::answers::book::FlagAnswer;
use juzhong::answers::{line_texts, parse_rules};
use juzhong::book::{Evaluator, FlagReport, flag};
use juzhong::engine::TablebaseEvaluator;
use juzhong::xiangqi::notation::MoveNotation;
use juzhong::xiangqi::{Move, Position};

/// Moves shown of each sort.
const SHOWN: usize = 20;

/// Flag moves banned by the repetition rules or proven lost by endgame tables.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The book.
    book: PathBuf,
    /// Repetition rules: none, check, asian, computer or chinese [default: asian].
    #[arg(long)]
    rules: Option<String>,
    /// Folder of endgame tables.
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.game == GameName::Gomoku {
        let message = "book flag: gomoku has no repetitions and no endgame tables, so there is nothing to flag";
        return Err(CliError::message(exit::USAGE, message));
    }
    let was_backed = super::open(&args.book)?.is_backed().map_err(by_kind)?;
    let rules = parse_rules::<Position>(args.rules.as_deref())?;
    let tables =
        args.tables.as_ref().map(|folder| TablebaseEvaluator::<Position>::open(folder, rules));
    let mut tables = tables.transpose().or_exit(exit::NO_INPUT)?;
    let tables = tables.as_mut().map(|tables| tables as &mut dyn Evaluator<Position>);
    let report = flag(&args.book, rules, tables, &stop_flag()).map_err(by_kind)?;
    if context.common.json {
        let answer = FlagAnswer::of(&args.book, rules, &report, args.notation.asked());
        write_answer(context.out, &answer)?;
    } else {
        print(&report, args.notation.shown(), context)?;
    }
    super::tell_unbacked(was_backed, &args.book);
    Ok(exit::OK)
}

fn print(
    report: &FlagReport<Position>,
    notation: MoveNotation,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let FlagReport { bans, lost, unreached } = report;
    let text =
        |moves: &[Move]| line_texts(&Position::start(), moves.iter().copied(), notation).join(" ");
    say!(context.out, "banned {}", counts::moves(bans.moves.len()))?;
    for ban in bans.moves.iter().take(SHOWN) {
        let line = text(&ban.line);
        writeln!(context.out, "  {line}: {}", ban.reason)?;
    }
    if bans.unfinished > 0 {
        let many = bans.unfinished;
        say!(context.out, "  not all loops were looked at from {}", counts::positions(many))?;
    }
    say!(context.out, "lost   {}", counts::moves(lost.len()))?;
    for line in lost.iter().take(SHOWN) {
        writeln!(context.out, "  {}", text(&line.moves().collect::<Vec<_>>()))?;
    }
    if *unreached > 0 {
        say!(
            context.out,
            "not looked at: {} of positions that the start does not lead to",
            counts::moves(unreached)
        )?;
    }
    Ok(())
}
