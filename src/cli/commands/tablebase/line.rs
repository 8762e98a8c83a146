//! `juzhong tablebase line`: best play of both sides from a position.

use std::io;

use super::probe::describe_with_clock;
use super::{Folder, clock};
use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::print::terminal::ShownBoardArgs;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::{say, text, word};
use juzhong::answers::tablebase::BestPlay;
use juzhong::answers::verdict_name;
use juzhong::game::{Game, Side};
use juzhong::tablebase::{LoopMove, Material};
use juzhong::xiangqi::{Position, Role};

/// Show the best line from a position.
///
/// Both sides play their best moves: to mate, to the next capture (with dtc), or once around the loop that the
/// repetition rules decide.
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
    let play = BestPlay::of(&tables, &typed.line, args.plies, args.notation.shown())?;
    if context.common.json {
        write_answer(context.out, &play.answer())?;
    } else {
        let last = typed.line.moves().last();
        args.drawing.draw(&play.position, last, args.notation, context.out)?;
        print(&play, context)?;
        if args.why {
            explain(&play, context)?;
        }
    }
    Ok(exit::OK)
}

fn print(play: &BestPlay, context: &mut Context<'_>) -> io::Result<()> {
    let (material, _) = Material::of(&play.position);
    let BestPlay { rules, metric, line, texts, clock, .. } = play;
    let out = &mut context.out;
    let by_capture = play.begins_with_capture();
    let value = describe_with_clock(clock, line.entry, by_capture);
    say!(out, "{material}, rules {rules}, metric {metric}: {value}")?;
    if let Some(summary) = clock::summary(clock, line.entry, by_capture) {
        writeln!(out, "{summary}")?;
    }
    if !texts.is_empty() {
        writeln!(out, "{}", texts.join(" "))?;
    }
    writeln!(out, "{}", word(line.end.name()))
}

/// Says what each move of the loop does that decides the line, and the verdict on it.
fn explain(play: &BestPlay, context: &mut Context<'_>) -> io::Result<()> {
    let out = &mut context.out;
    let BestPlay { line, texts, .. } = play;
    let Some(repeated) = &line.repeated else {
        return say!(out, "no loop: the repetition rule does not decide this line");
    };
    say!(out, "the loop begins at ply {}:", repeated.start + 1)?;
    let steps = line.moves[repeated.start..].iter().zip(&texts[repeated.start..]);
    for ((step, text), loop_move) in steps.zip(&repeated.moves) {
        let side = word(if step.before.turn() == Side::First { "red" } else { "black" });
        writeln!(out, "  {side} {text}  {}", loop_move_text(&step.before, loop_move))?;
    }
    let judgement = &repeated.judgement;
    let reason = judgement.reason.unwrap_or("nothing");
    writeln!(out, "{}: {}", word(verdict_name(judgement.verdict)), word(reason))
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
