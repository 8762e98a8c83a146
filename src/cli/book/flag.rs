use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::interrupt::stop_flag;
use super::super::position::parse_rules;
use super::super::{CliError, Context, OrExit, exit};
use super::from_replace;
use juzhong::book::{Ban, Evaluator, FlagError, FlagReport, flag};
use juzhong::engine::TablebaseEvaluator;
use juzhong::game::Line;
use juzhong::xiangqi::{Move, Position};

/// Moves shown of each sort.
const SHOWN: usize = 20;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The book.
    book: PathBuf,
    /// Which rules judge repetitions: none, check, asian, computer or chinese [default: asian].
    #[arg(long)]
    rules: Option<String>,
    /// The folder of endgame tables.
    #[arg(long, value_name = "FOLDER")]
    tables: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    context.common.require_xiangqi("book flag")?;
    let was_backed = super::open(&args.book)?.is_backed().map_err(super::from_book)?;
    let rules = parse_rules::<Position>(args.rules.as_deref())?;
    let tables =
        args.tables.as_ref().map(|folder| TablebaseEvaluator::<Position>::open(folder, rules));
    let mut tables = tables.transpose().or_exit(exit::NO_INPUT)?;
    let tables = tables.as_mut().map(|tables| tables as &mut dyn Evaluator<Position>);
    let report = flag(&args.book, rules, tables, &stop_flag()).map_err(|error| match error {
        FlagError::Replace(error) => from_replace(error),
        error => CliError::new(exit::BAD_DATA, error),
    })?;
    if context.common.json {
        let answer = json!({
            "schema": "juzhong.book.flag/1",
            "book": args.book.to_string_lossy(),
            "rules": rules.to_string(),
            "banned": report.bans.moves.iter().map(ban_answer).collect::<Vec<_>>(),
            "lost": report.lost.iter().map(|line| json!({"line": texts(line.moves())})).collect::<Vec<_>>(),
            "unfinished": report.bans.unfinished,
            "unreached_moves": report.unreached,
        });
        writeln!(context.out, "{answer}")?;
    } else {
        print(&report, context)?;
    }
    super::tell_unbacked(was_backed, &args.book);
    Ok(exit::OK)
}

fn ban_answer(ban: &Ban<Move>) -> Value {
    json!({"line": texts(ban.line.iter().copied()), "reason": ban.reason})
}

fn texts(moves: impl Iterator<Item = Move>) -> Vec<String> {
    moves.map(|mv| mv.to_string()).collect()
}

fn print(report: &FlagReport<Position>, context: &mut Context<'_>) -> Result<(), CliError> {
    let FlagReport { bans, lost, unreached } = report;
    writeln!(context.out, "banned {} moves", bans.moves.len())?;
    for ban in bans.moves.iter().take(SHOWN) {
        let line = texts(ban.line.iter().copied()).join(" ");
        writeln!(context.out, "  {line}: {}", ban.reason)?;
    }
    if bans.unfinished > 0 {
        let many = bans.unfinished;
        writeln!(context.out, "  not all loops were looked at from {many} positions")?;
    }
    writeln!(context.out, "lost   {} moves", lost.len())?;
    for line in lost.iter().take(SHOWN) {
        writeln!(context.out, "  {}", texts(Line::moves(line)).join(" "))?;
    }
    if *unreached > 0 {
        writeln!(
            context.out,
            "not looked at: {unreached} moves of positions that the start does not lead to"
        )?;
    }
    Ok(())
}
