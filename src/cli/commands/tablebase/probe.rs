//! `juzhong tablebase probe`: the values of positions and of their moves.

use std::io;
use std::path::PathBuf;

use super::{Folder, clock, report_of};
use crate::cli::args::fens::Fens;
use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::print::terminal::ShownBoardArgs;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::{counts, say, text, word};
use juzhong::answers::tablebase::{Clock, Probe, ProbeAnswer, is_beyond_limit};
use juzhong::answers::{ErrorReport, RefusedLine, Typed};
use juzhong::message::ToMessage;
use juzhong::tablebase::{Entry, Material, Metric, Rules, Tables, Wdl};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::move_limit::MOVE_LIMIT;
use juzhong::xiangqi::notation::format_move;

/// Probe positions.
///
/// Shows the value of a position for the side to move, and of all its moves, best first. The folder must also hold
/// the tables that captures lead to.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    line: LineArgs,
    /// Answer every position in a file, one per line (- for standard input), with one JSON object per line.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["fen", "moves"],
        conflicts_with_all = ["fen", "moves"])]
    fens: Option<PathBuf>,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    drawing: ShownBoardArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let tables = args.folder.open()?;
    if let Some(path) = &args.fens {
        return batch(&tables, &mut Fens::open(path)?, args.notation, context);
    }
    let typed = args.line.line::<Position>()?;
    let probe = Probe::of(&tables, &typed.line)?;
    if context.common.json {
        write_answer(context.out, &probe.answer(args.notation.asked()))?;
    } else {
        let last = typed.line.moves().last();
        args.drawing.draw(&probe.position, last, args.notation, context.out)?;
        print(&probe, args.notation, context)?;
    }
    Ok(exit::OK)
}

fn print(probe: &Probe, notation: NotationArgs, context: &mut Context<'_>) -> io::Result<()> {
    let (material, _) = Material::of(&probe.position);
    let Probe { position, rules, metric, entry, clock, .. } = probe;
    let out = &mut context.out;
    let is_saved = probe.is_saved_by_capture();
    say!(
        out,
        "{material}, rules {rules}, metric {metric}: {}",
        describe_with_clock(clock, *entry, is_saved)
    )?;
    if let Some(summary) = clock::summary(clock, *entry, is_saved) {
        writeln!(out, "{summary}")?;
    }
    for &(mv, entry) in &probe.moves {
        let value = describe_with_clock(clock, entry, probe.is_capture(mv));
        let mv = format_move(position, mv, notation.shown());
        writeln!(out, "{mv}  {value}")?;
    }
    Ok(())
}

/// The value in words with the effect of the clock on it: of a clock that has begun more is known than that of a limit
/// that the position alone is beyond.
pub(crate) fn describe_with_clock(clock: &Clock, entry: Entry, by_capture: bool) -> String {
    match clock::note(clock, entry, by_capture) {
        note if note.is_empty() => describe_by(entry, clock.rules(), clock.metric()),
        note => describe(entry) + &note,
    }
}

/// The value in words, and whether it comes after the limit of plies without a capture: then that prevents
/// it, unless repetition decides the position in time.
pub(crate) fn describe_by(entry: Entry, rules: Rules, metric: Metric) -> String {
    let value = describe(entry);
    if is_beyond_limit(entry, metric) != Some(true) {
        value
    } else if rules == Rules::None {
        text!("{value}, which the limit of {MOVE_LIMIT} plies without a capture prevents")
    } else {
        text!("{value}, after the limit of {MOVE_LIMIT} plies without a capture")
    }
}

pub(crate) fn describe(entry: Entry) -> String {
    match (entry.wdl, entry.order) {
        (Wdl::Draw, _) => text!("draw"),
        (wdl, 0) => text!("{} in {}", word(wdl.name()), counts::plies(entry.distance)),
        (wdl, order) => text!(
            "{} by the repetition rule (order {order}), the loop within {}",
            word(wdl.name()),
            counts::plies(entry.distance)
        ),
    }
}

fn batch(
    tables: &Tables,
    fens: &mut Fens,
    notation: NotationArgs,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let mut code = exit::OK;
    while let Some(line) = fens.next_line()? {
        match answer_line(tables, &line, notation) {
            Ok(answer) => write_answer(context.out, &answer)?,
            Err(error) => {
                code = exit::BAD_DATA;
                write_answer(context.out, &RefusedLine { fen: line, error })?;
            }
        }
    }
    Ok(code)
}

fn answer_line(
    tables: &Tables,
    line: &str,
    notation: NotationArgs,
) -> Result<ProbeAnswer, ErrorReport> {
    let typed = Typed::<Position>::read(line)
        .map_err(|refusal| ErrorReport { code: exit::BAD_DATA, message: refusal.message() })?;
    let probe = Probe::of(tables, &typed.line).map_err(|error| report_of(&error))?;
    Ok(probe.answer(notation.asked()))
}
