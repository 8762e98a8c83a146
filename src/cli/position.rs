use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

use super::fens::Fens;
use super::terminal::{BoardStyle, Refusal, Start, Terminal, legal_texts};
use super::verdict_explanation::{Account, verdict_name};
use super::{CliError, Context, GameName, evaluation, exit};
use juzhong::game::{Horizon, Line, Outcome};
use juzhong::gomoku::Board;
use juzhong::search::eval::xiangqi::Explanation;
use juzhong::xiangqi::Position;

/// Shows a position: board, legal moves, key, verdict of the rules and what led to it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The position (default: the start of a game).
    #[arg(long, conflicts_with = "fens")]
    fen: Option<String>,
    /// Moves to play first, in any notation: one quoted text or many arguments.
    #[arg(long, num_args = 1.., conflicts_with = "fens")]
    moves: Vec<String>,
    /// Which rules judge repetitions (xiangqi: none, check, asian, computer or chinese; default
    /// asian).
    #[arg(long)]
    rules: Option<String>,
    /// Take the evaluation apart: every term, and every man's value.
    #[arg(long)]
    eval: bool,
    /// Answer each line of a file (`-`: standard input) with one JSON object.
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
    /// How the board is drawn.
    #[arg(long, value_enum, default_value_t)]
    board: BoardStyle,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if args.eval {
        context.common.require_xiangqi("position --eval")?;
    }
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let rules = parse_rules::<G>(args.rules.as_deref())?;
    if let Some(path) = &args.fens {
        return run_batch::<G>(&mut Fens::open(path)?, rules, args.eval, context);
    }
    let start = match read_start::<G>(args.fen.as_deref()) {
        Ok(start) => start,
        Err(refusal) => return refuse(refusal, context),
    };
    let line = play(&start, &args.moves)?;
    let mut description = describe(&line, start.fullmoves, rules);
    let explanation = explained(&line, args.eval);
    description.eval = explanation.as_ref().map(evaluation::to_json);
    if context.common.json {
        write_line(context, &description)?;
    } else {
        show(&line, &description, args.board, context)?;
        if let Some(explanation) = &explanation {
            evaluation::show(explanation, context.out)?;
        }
    }
    Ok(exit::OK)
}

/// The rule set of that name, or the usual one.
pub(super) fn parse_rules<G: Terminal>(name: Option<&str>) -> Result<G::Rules, CliError> {
    match name {
        Some(name) => name.parse().map_err(|error| CliError::message(exit::USAGE, error)),
        None => Ok(G::Rules::default()),
    }
}

/// The position of a text, or the start of a game.
pub(super) fn read_start<G: Terminal>(text: Option<&str>) -> Result<Start<G>, Refusal> {
    match text {
        Some(text) => G::read_start(text),
        None => Ok(Start { position: G::start(), clock: 0, fullmoves: 1 }),
    }
}

/// Says why there is no position to work with; a position that can be read is described.
pub(super) fn refuse(refusal: Refusal, context: &mut Context<'_>) -> Result<u8, CliError> {
    match refusal {
        Refusal::Unreadable(message) => return Err(CliError::message(exit::BAD_DATA, message)),
        Refusal::Illegal { text, reasons, .. } if context.common.json => {
            write_line(context, &Description::illegal(text, reasons))?;
        }
        Refusal::Illegal { text, drawing, reasons } => {
            writeln!(context.out, "{drawing}fen      {text}\nstatus   illegal")?;
            for reason in reasons {
                writeln!(context.out, "reason   {reason}")?;
            }
        }
    }
    Ok(exit::BAD_DATA)
}

/// Plays typed moves from a start.
pub(super) fn play<G: Terminal>(start: &Start<G>, moves: &[String]) -> Result<Line<G>, CliError> {
    let mut line = Line::new(start.position.clone(), start.clock);
    for (i, text) in moves.iter().flat_map(|words| words.split_whitespace()).enumerate() {
        let mv = line.position().read_move(text).map_err(|reason| {
            let text = G::line_text(&line, start.fullmoves);
            let message = format!("move {}: {reason} (position: {text})", i + 1);
            CliError::message(exit::BAD_DATA, message)
        })?;
        line.push(mv);
    }
    Ok(line)
}

/// The terms of the evaluation, if `wanted`.
fn explained<G: Terminal>(line: &Line<G>, wanted: bool) -> Option<Explanation> {
    if wanted { line.position().explain() } else { None }
}

fn run_batch<G: Terminal>(
    fens: &mut Fens,
    rules: G::Rules,
    eval: bool,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let mut code = exit::OK;
    while let Some(text) = fens.next_line()? {
        match G::read_start(&text) {
            Ok(start) => {
                let line = Line::new(start.position, start.clock);
                let mut description = describe::<G>(&line, start.fullmoves, rules);
                let explanation = explained(&line, eval);
                description.eval = explanation.as_ref().map(evaluation::to_json);
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
    status: &'static str,
    verdict: &'static str,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<Value>,
    #[serde(flatten)]
    account: Account,
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
            status: "illegal",
            verdict: "none",
            reason: Some(reasons.join("; ")),
            reasons,
            eval: None,
            account: Account::default(),
        }
    }
}

fn describe<G: Terminal>(line: &Line<G>, fullmoves: u32, rules: G::Rules) -> Description {
    let position = line.position();
    let judgement = G::judge(line, rules, Horizon::Game);
    Description {
        schema: SCHEMA,
        fen: G::line_text(line, fullmoves),
        key: Some(position.key().to_string()),
        in_check: position.in_check(),
        legal_moves: legal_texts(position),
        status: position.status(),
        verdict: verdict_name(judgement.verdict),
        reason: judgement.reason.map(str::to_owned),
        reasons: Vec::new(),
        eval: None,
        account: G::account(line, rules),
    }
}

fn show<G: Terminal>(
    line: &Line<G>,
    description: &Description,
    style: BoardStyle,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let position = line.position();
    let out = &mut context.out;
    write!(out, "{}", position.draw(style, line.moves().last()))?;
    writeln!(out, "fen      {}", description.fen)?;
    writeln!(out, "key      {}", description.key.as_deref().unwrap_or("-"))?;
    writeln!(out, "to move  {}", G::side_name(position.turn()))?;
    if description.in_check {
        writeln!(out, "check    yes")?;
    }
    let ended = match position.outcome() {
        Some(Outcome::Win(side)) => format!("; {} wins", G::side_name(side)),
        Some(Outcome::Draw) => "; a draw".to_owned(),
        None => String::new(),
    };
    writeln!(out, "status   {}{ended}", description.status)?;
    let reason = description.reason.as_ref().map(|r| format!(" ({r})")).unwrap_or_default();
    writeln!(out, "verdict  {}{reason}", description.verdict)?;
    description.account.write(out)?;
    let moves = &description.legal_moves;
    writeln!(out, "moves    {}: {}", moves.len(), moves.join(" "))?;
    Ok(())
}
