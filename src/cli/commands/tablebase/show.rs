//! `juzhong tablebase stats` and `list`: the statistics of a table, and the tables of a folder.

use std::path::PathBuf;

use super::{Folder, report_of, tell_error};
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::{Language, counts as noun, say, word};
use juzhong::answers::tablebase::{
    BeyondLimit, HistogramEntry, ListAnswer, ListedTable, ManualOpinion, NamedSet, SideStatsAnswer,
    StatsAnswer, TableEntry, TableKind, TableSize,
};
use juzhong::xiangqi::move_limit::MOVE_LIMIT;

/// Show the statistics of a table.
#[derive(Debug, clap::Args)]
pub(crate) struct StatsArgs {
    /// Material, as in KRvKN; the side named first is reported as Red.
    material: NamedSet,
    #[command(flatten)]
    folder: Folder,
    /// Also show the number of positions for each order and distance (always included with --json).
    #[arg(long)]
    histogram: bool,
}

/// List the tables in a folder.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Folder of the tables.
    #[arg(long = "tables", visible_alias = "dir", value_name = "FOLDER")]
    dir: PathBuf,
}

pub(crate) fn stats(args: &StatsArgs, context: &mut Context<'_>) -> Result<u8, CliError> {
    let answer = StatsAnswer::of(&args.folder.open()?, args.material)?;
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    let name = title(&answer);
    say!(context.out, "{name}, rules {}, metric {}", answer.kind.rules, answer.kind.metric)?;
    for (label, side) in [("red", &answer.red), ("black", &answer.black)] {
        print_side(label, side, args.histogram, context)?;
    }
    if let Some(manual) = answer.manual {
        print_manual(manual, context)?;
    }
    say!(
        context.out,
        "{} slots for each side, {}: {} for results, {} for distances",
        answer.size.slots,
        noun::bytes(answer.size.bytes),
        answer.size.wdl_bytes,
        answer.size.distance_bytes
    )?;
    say!(context.out, "content {}", answer.size.content)?;
    Ok(exit::OK)
}

/// The name of a set, in Chinese with that of manuals.
fn title(answer: &StatsAnswer) -> String {
    let StatsAnswer { material, chinese_name, .. } = answer;
    match Language::current() {
        Language::En => material.clone(),
        Language::Zh => format!("{material} {chinese_name}"),
    }
}

/// The positions with the side of that name to move.
fn print_side(
    label: &str,
    side: &SideStatsAnswer,
    with_histogram: bool,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    say!(
        context.out,
        "{label} to move: {} won ({} by rule), {} drawn, {} lost ({} by rule)",
        side.win,
        side.by_rule_win,
        side.draw,
        side.loss,
        side.by_rule_loss
    )?;
    if let Some(fen) = &side.longest_fen {
        say!(context.out, "  longest win: {}, {fen}", noun::plies(side.longest_win))?;
    }
    if let Some(BeyondLimit { win: won, loss: lost, .. }) = side.beyond_limit {
        say!(
            context.out,
            "  beyond the limit of {MOVE_LIMIT} plies without a capture: {won} won, {lost} lost"
        )?;
    }
    for row in side.histogram.iter().filter(|_| with_histogram) {
        let HistogramEntry { wdl, order, distance, count } = row;
        say!(context.out, "  {wdl} order {order} distance {distance}: {count}")?;
    }
    Ok(())
}

fn print_manual(manual: ManualOpinion, context: &mut Context<'_>) -> Result<(), CliError> {
    let verdict = word(match manual.verdict {
        "win" => "a win against the best defence",
        "draw" => "a draw: a good defence holds",
        _ => "the places of the men decide",
    });
    if manual.agrees {
        say!(context.out, "manuals say: {verdict}; the table agrees")?;
    } else {
        say!(context.out, "manuals say: {verdict}; the table does not agree")?;
    }
    Ok(())
}

pub(crate) fn list(args: &ListArgs, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut worst = exit::OK;
    let answer = ListAnswer::of_folder(&args.dir, &mut |error| {
        let report = report_of(&error);
        tell_error(&report);
        worst = worst.max(report.code);
        report
    })?;
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(worst);
    }
    for table in &answer.tables {
        let ListedTable::Table(table) = table else { continue };
        let TableEntry { material, kind: TableKind { rules, metric }, size } = table;
        let TableSize { slots, bytes, .. } = size;
        say!(context.out, "{material} {rules} {metric} {slots} slots {bytes} bytes")?;
    }
    Ok(worst)
}
