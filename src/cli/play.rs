use std::io::stdin;

use super::player::{LimitArgs, PlayerArgs, tell_notices};
use super::position::read_start;
use super::terminal::{BoardStyle, Start, Terminal, legal_texts};
use super::{CliError, Context, GameName, OrExit, exit};
use crate::bytes::read_line;
use crate::engine::{Choice, Engine, Limits, Playable, Score, ScoreKind};
use crate::game::{Horizon, Line, Outcome, Side};
use crate::gomoku::Board;
use crate::xiangqi::Position;
use crate::xiangqi::notation::MoveNotation;

/// Plays against the engine in the terminal.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// The position to start from (default: the start of a game).
    #[arg(long)]
    fen: Option<String>,
    /// Your side (xiangqi: red or black; gomoku: black or white; default: who begins).
    #[arg(long)]
    side: Option<String>,
    /// How the board is drawn.
    #[arg(long, value_enum, default_value_t)]
    board: BoardStyle,
    /// How moves are written: uci, iccs, wxf or chinese. All are read.
    #[arg(long, default_value_t)]
    notation: MoveNotation,
}

const HELP: &str = "\
a move      in any notation (xiangqi: h2e2, C2=5, 炮二平五; gomoku: h8)
undo        take back your last move
hint        ask the engine for a move
moves       list the legal moves
board       draw the board again
fen         show the position as text
resign      give up
quit        leave
";

/// The longest typed line that is read, in bytes.
const MAX_LINE: u64 = 4096;

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.json {
        let message = "play speaks to people; use uci or position for --json";
        return Err(CliError::message(exit::USAGE, message));
    }
    match context.common.game {
        GameName::Xiangqi => run_game::<Position>(args, context),
        GameName::Gomoku => run_game::<Board>(args, context),
    }
}

fn run_game<G: Terminal + Playable>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let Start { position, clock, fullmoves } =
        read_start::<G>(args.fen.as_deref()).or_exit(exit::BAD_DATA)?;
    let human = match &args.side {
        None => position.side_to_move(),
        Some(name) => parse_side::<G>(name)?,
    };
    let mut table = Table {
        engine: args.player.engine::<G>()?,
        line: Line::new(position, clock),
        fullmoves,
        human,
        limits: args.limits.limits(),
        style: args.board,
        notation: args.notation,
        context,
    };
    table.play()?;
    Ok(exit::OK)
}

fn parse_side<G: Terminal>(name: &str) -> Result<Side, CliError> {
    let found = Side::ALL.into_iter().find(|&side| G::side_name(side).eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let [first, second] = Side::ALL.map(G::side_name);
        let message = format!("unknown side \"{name}\"; choose {first} or {second}");
        CliError::message(exit::USAGE, message.to_lowercase())
    })
}

/// A game between a human and the engine.
struct Table<'a, 'c, G: Playable> {
    engine: Engine<G>,
    line: Line<G>,
    fullmoves: u32,
    human: Side,
    limits: Limits,
    style: BoardStyle,
    notation: MoveNotation,
    context: &'a mut Context<'c>,
}

/// Whether the game goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The position has changed.
    Moved,
    /// It has not.
    Same,
    /// The game is over.
    Over,
}

impl<G: Terminal + Playable> Table<'_, '_, G> {
    fn play(&mut self) -> Result<(), CliError> {
        let mut next = Next::Moved;
        while next != Next::Over {
            if next == Next::Moved {
                self.draw()?;
                if let Some(result) = result_text(&self.line, self.engine.options().rules) {
                    writeln!(self.context.out, "{result}")?;
                    return Ok(());
                }
            }
            next = if self.line.position().side_to_move() == self.human {
                self.human_turn()?
            } else {
                self.engine_turn()?
            };
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<(), CliError> {
        let position = self.line.position();
        let check = if position.in_check() { ", in check" } else { "" };
        let side = G::side_name(position.side_to_move());
        let drawing = position.draw(self.style, self.line.moves().last());
        write!(self.context.out, "\n{drawing}{side} to move{check}\n")?;
        Ok(())
    }

    fn engine_turn(&mut self) -> Result<Next, CliError> {
        self.context.out.flush()?;
        let Some(choice) = self.choose()? else { return Ok(Next::Over) };
        let text = self.write_move(&choice);
        writeln!(self.context.out, "engine: {text}")?;
        self.line.push(choice.mv);
        Ok(Next::Moved)
    }

    fn choose(&mut self) -> Result<Option<Choice<G::Move>>, CliError> {
        let choice = self.engine.choose(&self.line, &self.limits, &());
        tell_notices(&mut self.engine);
        if choice.is_none() {
            writeln!(self.context.out, "there is no legal move")?;
        }
        Ok(choice)
    }

    fn write_move(&self, choice: &Choice<G::Move>) -> String {
        let written = self.line.position().write_move(choice.mv, self.notation);
        format!("{written}  ({})", describe(choice))
    }

    fn human_turn(&mut self) -> Result<Next, CliError> {
        write!(self.context.out, "> ")?;
        self.context.out.flush()?;
        let Some(typed) = read_line(&mut stdin().lock(), MAX_LINE)? else {
            writeln!(self.context.out, "\nend of input")?;
            return Ok(Next::Over);
        };
        match typed.trim() {
            "" => Ok(Next::Same),
            "quit" | "exit" => Ok(Next::Over),
            "undo" => self.undo(),
            "resign" => {
                let winner = G::side_name(!self.human);
                writeln!(self.context.out, "you resign: {winner} wins")?;
                Ok(Next::Over)
            }
            "hint" => {
                if let Some(choice) = self.choose()? {
                    let text = self.write_move(&choice);
                    writeln!(self.context.out, "hint: {text}")?;
                }
                Ok(Next::Same)
            }
            "moves" => {
                let texts = legal_texts(self.line.position());
                writeln!(self.context.out, "{}", texts.join(" "))?;
                Ok(Next::Same)
            }
            "board" => self.draw().map(|()| Next::Same),
            "fen" => {
                let text = G::line_text(&self.line, self.fullmoves);
                writeln!(self.context.out, "{text}")?;
                Ok(Next::Same)
            }
            "help" | "?" => {
                write!(self.context.out, "{HELP}")?;
                Ok(Next::Same)
            }
            typed => self.human_move(typed),
        }
    }

    fn human_move(&mut self, typed: &str) -> Result<Next, CliError> {
        match self.line.position().read_move(typed) {
            Ok(mv) => {
                self.line.push(mv);
                Ok(Next::Moved)
            }
            Err(reason) => {
                writeln!(self.context.out, "{reason}; type help for what is understood")?;
                Ok(Next::Same)
            }
        }
    }

    /// Takes back the human's last move and what came after.
    fn undo(&mut self) -> Result<Next, CliError> {
        let first = usize::from(self.line.start().side_to_move() != self.human);
        if self.line.len() < first + 2 {
            writeln!(self.context.out, "there is no move of yours to take back")?;
            return Ok(Next::Same);
        }
        self.line.pop();
        self.line.pop();
        Ok(Next::Moved)
    }
}

/// Where a move comes from and what it is worth.
pub(super) fn describe<M>(choice: &Choice<M>) -> String {
    let source = choice.source.name();
    match (&choice.table, choice.score) {
        (Some(table), _) => format!("{source}: {table}"),
        (None, Some(score)) => format!("{source}: depth {}, {}", choice.depth, worth(score)),
        (None, None) => source.to_owned(),
    }
}

/// A score in words where it is more than an evaluation.
fn worth(score: Score) -> String {
    let (what, plies) = match score.kind() {
        ScoreKind::MateIn(plies) => ("mates", plies),
        ScoreKind::MatedIn(plies) => ("is mated", plies),
        ScoreKind::TableWin(plies) => ("wins by the tables", plies),
        ScoreKind::TableLoss(plies) => ("loses by the tables", plies),
        ScoreKind::Centipawns(value) => return format!("{:+.2}", f64::from(value) / 100.0),
    };
    format!("{what} in {plies} {}", if plies == 1 { "ply" } else { "plies" })
}

/// How the game has ended, if it has.
pub(super) fn result_text<G: Terminal>(line: &Line<G>, rules: G::Rules) -> Option<String> {
    let wins = |outcome| match outcome {
        Outcome::Win(side) => format!("{} wins", G::side_name(side)),
        Outcome::Draw => "draw".to_owned(),
    };
    if let Some(outcome) = line.position().outcome() {
        return Some(format!("{}: {}", line.position().status(), wins(outcome)));
    }
    let judgement = G::judge(line, rules, Horizon::Game);
    let outcome = judgement.verdict.outcome()?;
    let reason = judgement.reason.unwrap_or("by the rules on repetition");
    Some(format!("{reason}: {}", wins(outcome)))
}
