use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::fens::Fens;
use super::line_args::{LineArgs, NotationArgs, Typed, parse_rules};
use super::terminal::{DrawingArgs, Refusal, Terminal, legal_moves};
use super::verdict_explanation::{VerdictExplanation, verdict_name};
use super::{CliError, Context, GameName, exit};
use crate::cli::language::{self, say, text, word, wrapped};
use juzhong::game::{Horizon, Line, Outcome};
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// Shows a position: board, legal moves, key, verdict of the rules and what led to it.
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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fen", "moves"])]
    fens: Option<PathBuf>,
    #[command(flatten)]
    drawing: DrawingArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    if let Some(path) = &args.fens {
        return run_batch::<G>(&mut Fens::open(path)?, rules, args, context);
    }
    let typed = match args.line.read::<G>() {
        Ok(typed) => typed,
        Err(refusal) => return refuse(refusal, context),
    };
    let line = &typed.line;
    let mut description = describe(&typed, rules, args.notation);
    description.eval = evaluation(line, args.eval);
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

/// The object of `position --json`.
///
/// # Errors
///
/// If the position cannot be read, or the rules are not known.
#[cfg(feature = "web")]
pub(crate) fn answer<G: Terminal>(
    line: &LineArgs,
    rules: Option<&str>,
    notation: NotationArgs,
    with_evaluation: bool,
) -> Result<Value, CliError> {
    let rules = parse_rules::<G>(rules)?;
    let description = match line.read::<G>() {
        Ok(typed) => {
            let eval = evaluation(&typed.line, with_evaluation);
            Description { eval, ..describe(&typed, rules, notation) }
        }
        Err(Refusal::Illegal { text, reasons, .. }) => Description::illegal(text, reasons),
        Err(Refusal::Unreadable(message)) => {
            return Err(CliError::message(exit::BAD_DATA, message));
        }
    };
    Ok(serde_json::to_value(description)?)
}

/// Says why there is no position to work with; a position that can be read is described.
pub(crate) fn refuse(refusal: Refusal, context: &mut Context<'_>) -> Result<u8, CliError> {
    match refusal {
        Refusal::Unreadable(message) => return Err(CliError::message(exit::BAD_DATA, message)),
        Refusal::Illegal { text, reasons, .. } if context.common.json => {
            write_line(context, &Description::illegal(text, reasons))?;
        }
        Refusal::Illegal { text, drawing, reasons } => {
            say!(context.out, "{drawing}fen      {text}\nstatus   illegal")?;
            for reason in reasons {
                say!(context.out, "reason   {}", language::message(&reason))?;
            }
        }
    }
    Ok(exit::BAD_DATA)
}

/// The evaluation taken apart, if `wanted`.
fn evaluation<G: Terminal>(line: &Line<G>, wanted: bool) -> Option<Value> {
    wanted.then(|| line.position().evaluation_json())
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
                let mut description = describe(&typed, rules, args.notation);
                description.eval = evaluation(&typed.line, args.eval);
                write_line(context, &description)?;
            }
            Err(Refusal::Illegal { text, reasons, .. }) => {
                code = exit::BAD_DATA;
                write_line(context, &Description::illegal(text, reasons))?;
            }
            Err(Refusal::Unreadable(message)) => {
                code = exit::BAD_DATA;
                let error = json!({"code": exit::BAD_DATA, "message": message});
                write_line(context, &json!({"fen": text, "error": error}))?;
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

/// The JSON answer; other programs read it.
#[derive(Debug, Serialize)]
struct Description {
    schema: &'static str,
    fen: String,
    key: Option<String>,
    in_check: bool,
    legal_moves: Vec<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal_texts: Option<Vec<String>>,
    /// The points where a move is forbidden, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    forbidden: Vec<ForbiddenPoint>,
    status: &'static str,
    verdict: &'static str,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<Value>,
    #[serde(flatten)]
    explanation: VerdictExplanation,
}

/// A point where a move is forbidden.
#[derive(Debug, Serialize)]
struct ForbiddenPoint {
    #[serde(rename = "move")]
    mv: String,
    reason: &'static str,
}

const SCHEMA: &str = "juzhong.position/1";

impl Description {
    fn illegal(fen: String, reasons: Vec<String>) -> Self {
        Self {
            schema: SCHEMA,
            fen,
            key: None,
            in_check: false,
            legal_moves: Vec::new(),
            legal_texts: None,
            forbidden: Vec::new(),
            status: "illegal",
            verdict: "none",
            reason: Some(reasons.join("; ")),
            reasons,
            eval: None,
            explanation: VerdictExplanation::default(),
        }
    }
}

fn describe<G: Terminal>(typed: &Typed<G>, rules: G::Rules, notation: NotationArgs) -> Description {
    let line = &typed.line;
    let position = line.position();
    let moves = legal_moves(position);
    let judgement = G::judge(line, rules, Horizon::Game);
    Description {
        schema: SCHEMA,
        fen: G::line_text(line, typed.fullmoves),
        key: Some(position.key().to_string()),
        in_check: position.in_check(),
        legal_moves: moves.iter().map(|&mv| G::move_text(mv)).collect(),
        legal_texts: notation
            .asked()
            .map(|notation| moves.iter().map(|&mv| position.write_move(mv, notation)).collect()),
        forbidden: position
            .forbidden_points()
            .into_iter()
            .map(|(mv, reason)| ForbiddenPoint { mv: G::move_text(mv), reason })
            .collect(),
        status: position.status(),
        verdict: verdict_name(judgement.verdict),
        reason: judgement.reason.map(str::to_owned),
        reasons: Vec::new(),
        eval: None,
        explanation: G::explain_verdict(line, rules, notation),
    }
}

fn show<G: Terminal>(
    line: &Line<G>,
    description: &Description,
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
        .map(|r| format!(" ({})", language::message(r)))
        .unwrap_or_default();
    say!(out, "verdict  {}{reason}", word(description.verdict))?;
    description.explanation.write(out)?;
    for point in &description.forbidden {
        say!(out, "forbidden {}: {}", point.mv, word(point.reason))?;
    }
    let notation = args.notation.shown();
    let moves = legal_moves(position);
    let texts: Vec<String> = moves.iter().map(|&mv| position.write_move(mv, notation)).collect();
    let line = text!("moves    {}: {}", moves.len(), texts.join(" "));
    let (label, list) = line.split_at(line.find(char::is_numeric).unwrap_or(0));
    writeln!(out, "{label}{}", wrapped(list, 70).join("\n         "))?;
    Ok(())
}
