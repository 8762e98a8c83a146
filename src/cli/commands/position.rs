//! `juzhong position`: board, legal moves, key, the verdict of the rules, the evaluation.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::args::fens::Fens;
use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::args::picture::PictureArgs;
use crate::cli::print::terminal::{DrawingArgs, Terminal};
use crate::cli::print::verdict_explanation::write_explanation;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::{self, say, text, word, wrapped};
use juzhong::answers::{
    ErrorReport, PositionAnswer, Refusal, RefusedLine, Typed, legal_moves, parse_rules,
};
use juzhong::game::{Line, Outcome};

/// Show a position: board, legal moves, key and verdict by the rules.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    line: LineArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Repetition rules (xiangqi: none, check, asian, computer or chinese; default: asian).
    #[arg(long)]
    rules: Option<String>,
    /// Break the evaluation down by term, and show the value of every piece (gomoku: of every point).
    #[arg(long)]
    eval: bool,
    /// Answer each line of a file (`-`: standard input) with one JSON object.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves", "svg", "png"])]
    fens: Option<PathBuf>,
    #[command(flatten)]
    drawing: DrawingArgs,
    #[command(flatten)]
    picture: PictureArgs,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        self.picture.is_standard()
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    if let Some(path) = &args.fens {
        return run_batch::<G>(&mut Fens::open(path)?, rules, args, context);
    }
    let typed = match args.line.read::<G>() {
        Ok(typed) => typed,
        Err(refusal) => return refuse::<G>(refusal, context),
    };
    let line = &typed.line;
    if args.picture.is_given() {
        let moves: Vec<G::Move> = line.moves().collect();
        args.picture.write((line.position(), &moves), args.notation.shown(), context)?;
        if args.picture.is_standard() {
            return Ok(exit::OK);
        }
    }
    let description = PositionAnswer::of(&typed, rules, args.notation.asked(), args.eval);
    if context.common.json {
        write_line(context, &description)?;
    } else {
        show(line, &description, args, context)?;
        if args.eval {
            line.position().show_evaluation(context.out)?;
        }
    }
    Ok(exit::OK)
}

/// Says why there is no position to work with; a position that can be read is described.
pub(crate) fn refuse<G: Terminal>(
    refusal: Refusal,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    match refusal {
        Refusal::Unreadable(message) => return Err(CliError::message(exit::BAD_DATA, message)),
        Refusal::Illegal { text, reasons } if context.common.json => {
            write_line(context, &PositionAnswer::illegal(text, reasons))?;
        }
        Refusal::Illegal { text, reasons } => {
            let drawing = G::draw_illegal(&text);
            say!(context.out, "{drawing}fen      {text}\nstatus   illegal")?;
            for reason in reasons {
                say!(context.out, "reason   {}", language::translated(reason))?;
            }
        }
    }
    Ok(exit::BAD_DATA)
}

fn run_batch<G: Terminal>(
    fens: &mut Fens,
    rules: G::Rules,
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let mut code = exit::OK;
    while let Some(text) = fens.next_line()? {
        match Typed::<G>::read(&text) {
            Ok(typed) => {
                let asked = args.notation.asked();
                write_line(context, &PositionAnswer::of(&typed, rules, asked, args.eval))?;
            }
            Err(Refusal::Illegal { text, reasons }) => {
                code = exit::BAD_DATA;
                write_line(context, &PositionAnswer::illegal(text, reasons))?;
            }
            Err(Refusal::Unreadable(message)) => {
                code = exit::BAD_DATA;
                let error = ErrorReport { code: exit::BAD_DATA, message };
                write_answer(context.out, &RefusedLine { fen: text, error })?;
            }
        }
    }
    Ok(code)
}

fn write_line(context: &mut Context<'_>, value: &impl Serialize) -> Result<(), CliError> {
    serde_json::to_writer(&mut *context.out, value)?;
    writeln!(context.out)?;
    Ok(())
}

fn show<G: Terminal>(
    line: &Line<G>,
    description: &PositionAnswer,
    args: &Args,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let position = line.position();
    let out = &mut context.out;
    let view = args.drawing.view::<G>(args.notation);
    write!(out, "{}", position.draw(view, line.moves().last()))?;
    say!(out, "fen      {}", description.fen)?;
    say!(out, "key      {}", description.key.as_deref().unwrap_or("-"))?;
    say!(out, "to move  {}", word(G::side_name(position.turn())))?;
    if description.in_check {
        say!(out, "check    yes")?;
    }
    let ended = match position.outcome() {
        Some(Outcome::Win(side)) => text!("; {} wins", word(G::side_name(side))),
        Some(Outcome::Draw) => text!("; a draw"),
        None => String::new(),
    };
    say!(out, "status   {}{ended}", word(description.status))?;
    let reason = description
        .reason
        .as_ref()
        .map(|r| format!(" ({})", language::translated(r.as_str())))
        .unwrap_or_default();
    say!(out, "verdict  {}{reason}", word(description.verdict))?;
    write_explanation(&description.explanation, out)?;
    for point in &description.forbidden {
        say!(out, "forbidden {}: {}", point.mv, word(point.reason))?;
    }
    let notation = args.notation.shown();
    let moves = legal_moves(position);
    let texts: Vec<String> = moves.iter().map(|&mv| position.write_move(mv, notation)).collect();
    let line = text!("moves    {}: {}", moves.len(), texts.join(" "));
    // The label is in the language of the program; it ends where the number begins.
    let (label, list) = line.split_at(line.find(char::is_numeric).unwrap_or(0));
    writeln!(out, "{label}{}", wrapped(list, 70).join("\n         "))?;
    Ok(())
}
