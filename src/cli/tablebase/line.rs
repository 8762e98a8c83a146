use std::io;

use serde_json::{Value, json};

use super::clock::Clock;
use super::probe::{describe, describe_by};
use super::{Folder, distance_of, table_error};
use crate::cli::language::{say, text, word};
use crate::cli::line_args::{LineArgs, NotationArgs};
use crate::cli::terminal::ShownBoardArgs;
use crate::cli::{CliError, Context, exit};
use juzhong::answers::verdict_name;
use juzhong::game::{Game, Side};
use juzhong::tablebase::{BestLine, DecidingLoop, LoopMove, Material, Tables};
use juzhong::xiangqi::notation::format_move;
use juzhong::xiangqi::{Position, Role};

/// Shows the best line from a position: to mate, to the capture that counts (dtc), or once around
/// the loop that decides by rule.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    folder: Folder,
    #[command(flatten)]
    start: LineArgs,
    #[command(flatten)]
    notation: NotationArgs,
    #[command(flatten)]
    drawing: ShownBoardArgs,
    /// Maximum number of plies to show.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    plies: usize,
    /// Explain a value decided by the repetition rules: what each move of the loop does.
    #[arg(long)]
    why: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let tables = args.folder.open()?;
    if args.start.is_empty() {
        return Err(CliError::message(exit::USAGE, "name a position by --fen or --moves"));
    }
    let typed = args.start.line::<Position>()?;
    let position = typed.line.position();
    let line = tables.best_line(position, args.plies).map_err(table_error)?;
    let clock = Clock::of(&typed.line, &tables);
    let answer = Answer { tables: &tables, position, line: &line, clock, args };
    if context.common.json {
        writeln!(context.out, "{}", answer.to_json())?;
    } else {
        args.drawing.draw(position, typed.line.moves().last(), args.notation, context.out)?;
        answer.print(context)?;
    }
    Ok(exit::OK)
}

struct Answer<'a> {
    tables: &'a Tables,
    position: &'a Position,
    line: &'a BestLine,
    clock: Clock,
    args: &'a Args,
}

impl Answer<'_> {
    /// The moves in the notation requested.
    fn texts(&self) -> Vec<String> {
        let text = |step: &juzhong::tablebase::BestMove| {
            format_move(&step.before, step.mv, self.args.notation.shown())
        };
        self.line.moves.iter().map(text).collect()
    }

    fn to_json(&self) -> Value {
        let BestLine { entry, moves, end, .. } = self.line;
        let texts = self.texts();
        let moves: Vec<_> = moves
            .iter()
            .zip(&texts)
            .map(|(step, text)| {
                json!({
                    "move": step.mv.to_string(),
                    "text": text,
                    "wdl": step.value.wdl.name(),
                    "order": step.value.order,
                    "distance": distance_of(step.value),
                })
            })
            .collect();
        let mut answer = json!({
            "schema": "juzhong.tablebase.line/1",
            "fen": self.position.to_fen(),
            "material": Material::of(self.position).0.to_string(),
            "rules": self.tables.rules().name(),
            "metric": self.tables.metric().to_string(),
            "wdl": entry.wdl.name(),
            "order": entry.order,
            "distance": distance_of(*entry),
            "moves": moves,
            "last_fen": self.line.position.to_fen(),
            "loop": self.line.repeated.as_ref().map(|repeated| self.loop_json(repeated)),
            "end": end.name(),
        });
        self.clock.mark(&mut answer, *entry, self.begins_with_capture());
        answer
    }

    fn begins_with_capture(&self) -> bool {
        let first = self.line.moves.first();
        first.is_some_and(|step| step.before.piece_at(step.mv.to()).is_some())
    }

    fn loop_json(&self, repeated: &DecidingLoop) -> Value {
        let steps = self.line.moves[repeated.start..].iter().zip(&repeated.moves);
        let moves: Vec<_> = steps
            .map(|(step, loop_move)| {
                let chases: Vec<_> =
                    loop_move.chases.into_iter().map(|square| square.to_string()).collect();
                json!({"move": step.mv.to_string(), "check": loop_move.check, "chases": chases})
            })
            .collect();
        json!({
            "start": repeated.start,
            "moves": moves,
            "verdict": verdict_name(repeated.judgement.verdict),
            "reason": repeated.judgement.reason,
        })
    }

    fn print(&self, context: &mut Context<'_>) -> io::Result<()> {
        let (material, _) = Material::of(self.position);
        let (rules, metric) = (self.tables.rules(), self.tables.metric());
        let out = &mut context.out;
        let entry = self.line.entry;
        let by_capture = self.begins_with_capture();
        let value = match self.clock.note(entry, by_capture) {
            note if note.is_empty() => describe_by(entry, rules, metric),
            note => describe(entry) + &note,
        };
        say!(out, "{material}, rules {rules}, metric {metric}: {value}")?;
        if let Some(clock) = self.clock.summary(entry, by_capture) {
            writeln!(out, "{clock}")?;
        }
        let texts = self.texts();
        if !texts.is_empty() {
            writeln!(out, "{}", texts.join(" "))?;
        }
        writeln!(out, "{}", word(self.line.end.name()))?;
        if self.args.why {
            self.explain(&texts, context)?;
        }
        Ok(())
    }

    fn explain(&self, texts: &[String], context: &mut Context<'_>) -> io::Result<()> {
        let out = &mut context.out;
        let Some(repeated) = &self.line.repeated else {
            return say!(out, "no loop: the repetition rule does not decide this line");
        };
        say!(out, "the loop begins at ply {}:", repeated.start + 1)?;
        let steps = self.line.moves[repeated.start..].iter().zip(&texts[repeated.start..]);
        for ((step, text), loop_move) in steps.zip(&repeated.moves) {
            let side = word(if step.before.turn() == Side::First { "red" } else { "black" });
            writeln!(out, "  {side} {text}  {}", loop_move_text(&step.before, loop_move))?;
        }
        let judgement = &repeated.judgement;
        let reason = judgement.reason.unwrap_or("nothing");
        writeln!(out, "{}: {}", word(verdict_name(judgement.verdict)), word(reason))
    }
}

/// Describes the effects of a move in words.
fn loop_move_text(before: &Position, loop_move: &LoopMove) -> String {
    let mut parts = Vec::new();
    if loop_move.check {
        parts.push(text!("checks"));
    }
    for square in loop_move.chases {
        let name = before.piece_at(square).map_or("man", |piece| role_name(piece.role()));
        let name = word(name);
        parts.push(text!("newly chases the {name} on {square}"));
    }
    if parts.is_empty() { text!("neither checks nor chases") } else { parts.join(", ") }
}

const fn role_name(role: Role) -> &'static str {
    match role {
        Role::King => "king",
        Role::Advisor => "advisor",
        Role::Elephant => "elephant",
        Role::Horse => "horse",
        Role::Rook => "rook",
        Role::Cannon => "cannon",
        Role::Pawn => "pawn",
    }
}
