use std::cmp::Reverse;
use std::io;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::clock::Clock;
use super::{Folder, distance_of, full_message, is_beyond_limit, table_code, table_error};
use crate::cli::fens::Fens;
use crate::cli::language::{counts, say, text, word};
use crate::cli::line_args::{LineArgs, NotationArgs};
use crate::cli::terminal::ShownBoardArgs;
use crate::cli::{CliError, Context, exit};
use juzhong::answers::{Described, Typed};
use juzhong::game::Line;
use juzhong::message::{Message, ToMessage};
use juzhong::tablebase::{Entry, Material, Metric, ProbeError, Rules, Tables, Wdl};
use juzhong::xiangqi::repetition::MOVE_LIMIT;
use juzhong::xiangqi::{Move, Position};

/// Looks up positions.
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

/// The value of a position and of its moves, best first.
struct Answer {
    position: Position,
    entry: Entry,
    moves: Vec<(Move, Entry)>,
    clock: Clock,
    notation: NotationArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let tables = args.folder.open()?;
    if let Some(path) = &args.fens {
        return batch(&tables, &mut Fens::open(path)?, args.notation, context);
    }
    let typed = args.line.line::<Position>()?;
    let answer = Answer::find(&tables, &typed.line, args.notation).map_err(table_error)?;
    if context.common.json {
        writeln!(context.out, "{}", answer.to_json(&tables))?;
    } else {
        let last = typed.line.moves().last();
        args.drawing.draw(&answer.position, last, args.notation, context.out)?;
        answer.print(&tables, context)?;
    }
    Ok(exit::OK)
}

/// The object of `tablebase probe --json`.
///
/// # Errors
///
/// If the tables do not have the position.
#[cfg(feature = "web")]
pub(crate) fn answer(
    tables: &Tables,
    line: &Line<Position>,
    notation: NotationArgs,
) -> Result<Value, ProbeError> {
    Answer::find(tables, line, notation).map(|answer| answer.to_json(tables))
}

impl Answer {
    fn find(
        tables: &Tables,
        line: &Line<Position>,
        notation: NotationArgs,
    ) -> Result<Self, ProbeError> {
        let position = line.position().clone();
        let entry = tables.probe(&position)?;
        let mut moves = tables.probe_root(&position)?;
        let clock = Clock::of(line, tables);
        // Of moves of one result those that the limit does not prevent come first for a winner, last for a loser.
        if clock.counts() {
            moves.sort_by_key(|&(mv, entry)| {
                let is_late = clock.effect(entry, position.piece_at(mv.to()).is_some()).is_late();
                (Reverse(entry.wdl), is_late == (entry.wdl == Wdl::Win))
            });
        }
        Ok(Self { position, entry, moves, clock, notation })
    }

    /// Returns true if a capture at once brings the result in time that comes too late otherwise.
    fn is_saved_by_capture(&self) -> bool {
        let is_late = |entry, by_capture| self.clock.effect(entry, by_capture).is_late();
        self.entry.wdl == Wdl::Win
            && is_late(self.entry, false)
            && self.moves.first().is_some_and(|&(mv, entry)| {
                entry.wdl == Wdl::Win && self.is_capture(mv) && !is_late(entry, true)
            })
    }

    fn is_capture(&self, mv: Move) -> bool {
        self.position.piece_at(mv.to()).is_some()
    }

    fn to_json(&self, tables: &Tables) -> Value {
        let moves: Vec<_> = self
            .moves
            .iter()
            .map(|&(mv, entry)| {
                let mut answer = json!({
                    "move": mv.to_string(),
                    "wdl": entry.wdl.name(),
                    "order": entry.order,
                    "distance": distance_of(entry),
                });
                mark_limit(&mut answer, entry, tables.metric());
                self.clock.mark_move(&mut answer, entry, self.is_capture(mv));
                if let Some(notation) = self.notation.asked() {
                    answer["text"] = self.position.write_move(mv, notation).into();
                }
                answer
            })
            .collect();
        let mut answer = json!({
            "schema": "juzhong.tablebase.probe/1",
            "fen": self.position.to_fen(),
            "material": Material::of(&self.position).0.to_string(),
            "rules": tables.rules().name(),
            "metric": tables.metric().to_string(),
            "wdl": self.entry.wdl.name(),
            "order": self.entry.order,
            "distance": distance_of(self.entry),
            "moves": moves,
        });
        mark_limit(&mut answer, self.entry, tables.metric());
        self.clock.mark(&mut answer, self.entry, self.is_saved_by_capture());
        answer
    }

    fn print(&self, tables: &Tables, context: &mut Context<'_>) -> io::Result<()> {
        let (material, _) = Material::of(&self.position);
        let (rules, metric) = (tables.rules(), tables.metric());
        let out = &mut context.out;
        let is_saved = self.is_saved_by_capture();
        // Of a clock that has begun more is known than that of a limit that the position alone is beyond.
        let value = |entry, by_capture| match self.clock.note(entry, by_capture) {
            note if note.is_empty() => describe_by(entry, rules, metric),
            note => describe(entry) + &note,
        };
        say!(out, "{material}, rules {rules}, metric {metric}: {}", value(self.entry, is_saved))?;
        if let Some(clock) = self.clock.summary(self.entry, is_saved) {
            writeln!(out, "{clock}")?;
        }
        for &(mv, entry) in &self.moves {
            let value = value(entry, self.is_capture(mv));
            let mv = self.position.write_move(mv, self.notation.shown());
            writeln!(out, "{mv}  {value}")?;
        }
        Ok(())
    }
}

/// Adds whether a value comes after the limit of plies without a capture, where that is known.
fn mark_limit(answer: &mut Value, entry: Entry, metric: Metric) {
    if let Some(is_beyond) = is_beyond_limit(entry, metric) {
        answer["beyond_limit"] = is_beyond.into();
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
        let answer =
            answer_line(tables, &line, notation).unwrap_or_else(|(error_code, message)| {
                code = exit::BAD_DATA;
                json!({"fen": line, "error": {"code": error_code, "message": message}})
            });
        writeln!(context.out, "{answer}")?;
    }
    Ok(code)
}

fn answer_line(
    tables: &Tables,
    line: &str,
    notation: NotationArgs,
) -> Result<Value, (u8, Message)> {
    let typed = Typed::<Position>::read(line).map_err(|e| (exit::BAD_DATA, e.message()))?;
    let answer = Answer::find(tables, &typed.line, notation)
        .map_err(|e| (table_code(&e), full_message(&e)))?;
    Ok(answer.to_json(tables))
}
