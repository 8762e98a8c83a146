use std::io::{BufRead, stdin};

use super::contest::{Spoken, parse_engine, parse_option, parse_protocol};
use super::line_args::{LineArgs, NotationArgs, Typed};
use super::player::{LimitArgs, PlayerArgs, tell_warnings};
use super::terminal::{BoardStyle, Terminal, legal_moves};
use super::{CliError, Context, GameName, OrExit, exit, tell};
use juzhong::bytes::read_line;
use juzhong::engine::{Choice, Engine, Playable};
use juzhong::game::{Horizon, Line, Outcome, ScoreKind, Side};
use juzhong::gomoku::Board;
use juzhong::protocol::client::{Client, EngineCommand, GoLimits, Thought, Timeouts};
use juzhong::search::{Limits, Score};
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::MoveNotation;

/// Plays in the terminal, against this program's own engine or another one.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    player: PlayerArgs,
    #[command(flatten)]
    limits: LimitArgs,
    /// Another engine to play against: a program with its arguments, in UCI or UCCI.
    #[arg(long, value_name = "COMMAND", default_value = "self", hide_default_value = true,
        conflicts_with_all = ["book", "book_red", "book_black", "tables"])]
    engine: String,
    /// An option of that engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, requires = "engine")]
    option: Vec<(String, String)>,
    /// What that engine speaks: auto, uci, ucci or cyclone.
    #[arg(long, default_value = "auto", value_parser = parse_protocol)]
    protocol: Spoken,
    #[command(flatten)]
    line: LineArgs,
    /// Your side (xiangqi: red or black; gomoku: black or white; default: who begins).
    #[arg(long)]
    side: Option<String>,
    /// How the board is drawn.
    #[arg(long, value_enum, default_value_t)]
    board: BoardStyle,
    #[command(flatten)]
    notation: NotationArgs,
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
    let Typed { line, fullmoves, start_clock } = args.line.line::<G>()?;
    let human = match &args.side {
        None => line.position().turn(),
        Some(name) => parse_side::<G>(name)?,
    };
    let opponent = match parse_engine(&args.engine)? {
        None => Opponent::Own(Box::new(args.player.engine::<G>()?), args.limits.limits()),
        Some(command) => {
            let client = start_engine(&command, args)?;
            Opponent::Foreign(Box::new(client), args.limits.go_limits())
        }
    };
    let start = Line::new(line.start().clone(), start_clock);
    let mut table = TerminalGame {
        opponent,
        rules: args.player.rules::<G>()?,
        fen: args.line.fen.as_ref().map(|_| G::line_text(&start, fullmoves)),
        line,
        fullmoves,
        human,
        style: args.board,
        notation: args.notation.shown(),
        context,
    };
    table.play()?;
    Ok(exit::OK)
}

fn start_engine(command: &EngineCommand, args: &Args) -> Result<Client, CliError> {
    let start = || {
        let mut client = Client::start(command, args.protocol.0, Timeouts::default())?;
        for (name, value) in &args.option {
            client.set_option(name, value)?;
        }
        client.new_game()?;
        Ok::<_, juzhong::protocol::client::ClientError>(client)
    };
    let mut client = start().or_exit(exit::UNAVAILABLE)?;
    for warning in client.take_warnings() {
        tell(format_args!("juzhong: {}: {warning}", client.name()));
    }
    Ok(client)
}

fn parse_side<G: Terminal>(name: &str) -> Result<Side, CliError> {
    let found = Side::ALL.into_iter().find(|&side| G::side_name(side).eq_ignore_ascii_case(name));
    found.ok_or_else(|| {
        let [first, second] = Side::ALL.map(G::side_name);
        let message = format!("unknown side \"{name}\"; choose {first} or {second}");
        CliError::message(exit::USAGE, message.to_lowercase())
    })
}

/// The opponent of the human, and the limits of its searches.
enum Opponent<G: Playable> {
    Own(Box<Engine<G>>, Limits),
    Foreign(Box<Client>, GoLimits),
}

/// A move and its description.
struct Reply<M> {
    mv: M,
    about: String,
}

impl<G: Playable> Opponent<G> {
    /// The opponent's move in a game that is not over; `None` if there is none all the same. `start` is the
    /// position where the line begins, if that is not the usual start.
    fn choose(
        &mut self,
        start: Option<&str>,
        line: &Line<G>,
    ) -> Result<Option<Reply<G::Move>>, CliError> {
        match self {
            Self::Own(engine, limits) => {
                let choice = engine.choose(line, limits, &());
                tell_warnings(engine);
                Ok(choice.map(|choice| Reply { mv: choice.mv, about: describe(&choice) }))
            }
            Self::Foreign(client, limits) => {
                client.set_line(start, line).or_exit(exit::UNAVAILABLE)?;
                let thought = client.go(limits, &|| false).or_exit(exit::UNAVAILABLE)?;
                let Some(text) = &thought.best else {
                    let message = format!("{}: says that there is no move", client.name());
                    return Err(CliError::message(exit::UNAVAILABLE, message));
                };
                let legal = G::parse_move(text).filter(|&mv| line.position().is_legal(mv));
                let mv = legal.ok_or_else(|| {
                    let message = format!("{}: played the illegal move {text}", client.name());
                    CliError::message(exit::UNAVAILABLE, message)
                })?;
                Ok(Some(Reply { mv, about: describe_thought(&thought) }))
            }
        }
    }
}

/// Describes a foreign engine's score of its move.
fn describe_thought(thought: &Thought) -> String {
    let score = match thought.info.score {
        None => String::new(),
        Some((ScoreKind::Centipawns(score), _)) => {
            format!(", {:+.2}", f64::from(score) / 100.0)
        }
        Some((ScoreKind::MateIn(plies), _)) => format!(", mates in {} moves", plies.div_ceil(2)),
        Some((ScoreKind::MatedIn(plies), _)) => {
            format!(", is mated in {} moves", plies.div_ceil(2))
        }
        Some((ScoreKind::TableWin(_), _)) => ", wins by tables".to_owned(),
        Some((ScoreKind::TableLoss(_), _)) => ", loses by tables".to_owned(),
    };
    format!("depth {}{score}", thought.info.depth)
}

/// A game between a human and an engine.
struct TerminalGame<'a, 'c, G: Playable> {
    opponent: Opponent<G>,
    rules: G::Rules,
    /// The position requested as the start.
    fen: Option<String>,
    line: Line<G>,
    fullmoves: u32,
    human: Side,
    style: BoardStyle,
    notation: MoveNotation,
    context: &'a mut Context<'c>,
}

/// The state of the game after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The position has changed.
    Moved,
    /// It has not.
    Same,
    /// The game is over.
    Over,
}

impl<G: Terminal + Playable> TerminalGame<'_, '_, G> {
    fn play(&mut self) -> Result<(), CliError> {
        let mut next = Next::Moved;
        while next != Next::Over {
            if next == Next::Moved {
                self.draw()?;
                if let Some(result) = result_text(&self.line, self.rules) {
                    writeln!(self.context.out, "{result}")?;
                    return Ok(());
                }
            }
            next = if self.line.position().turn() == self.human {
                self.human_turn()?
            } else {
                self.engine_turn()?
            };
        }
        Ok(())
    }

    fn draw(&mut self) -> Result<(), CliError> {
        let position = self.line.position();
        let check = if Terminal::in_check(position) { ", in check" } else { "" };
        let side = G::side_name(position.turn());
        let drawing = position.draw(self.style, self.line.moves().last());
        write!(self.context.out, "\n{drawing}{side} to move{check}\n")?;
        Ok(())
    }

    fn engine_turn(&mut self) -> Result<Next, CliError> {
        self.context.out.flush()?;
        let Some(reply) = self.choose()? else { return Ok(Next::Over) };
        let text = self.write_move(&reply);
        writeln!(self.context.out, "engine: {text}")?;
        self.line.push(reply.mv);
        Ok(Next::Moved)
    }

    fn choose(&mut self) -> Result<Option<Reply<G::Move>>, CliError> {
        let reply = self.opponent.choose(self.fen.as_deref(), &self.line)?;
        if reply.is_none() {
            writeln!(self.context.out, "there is no legal move")?;
        }
        Ok(reply)
    }

    fn write_move(&self, reply: &Reply<G::Move>) -> String {
        let written = self.line.position().write_move(reply.mv, self.notation);
        format!("{written}  ({})", reply.about)
    }

    fn human_turn(&mut self) -> Result<Next, CliError> {
        write!(self.context.out, "> ")?;
        self.context.out.flush()?;
        let mut input = stdin().lock();
        let Some(typed) = read_line(&mut input, MAX_LINE)? else {
            writeln!(self.context.out, "\nend of input")?;
            return Ok(Next::Over);
        };
        if typed.is_cut {
            input.skip_until(b'\n')?;
        }
        let typed = match typed.text() {
            Ok(text) => text,
            Err(error) => {
                writeln!(self.context.out, "not understood: {error}")?;
                return Ok(Next::Same);
            }
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
                if let Some(reply) = self.choose()? {
                    let text = self.write_move(&reply);
                    writeln!(self.context.out, "hint: {text}")?;
                }
                Ok(Next::Same)
            }
            "moves" => {
                let position = self.line.position();
                let written = |mv| position.write_move(mv, self.notation);
                let texts: Vec<String> = legal_moves(position).into_iter().map(written).collect();
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
        let first = usize::from(self.line.start().turn() != self.human);
        if self.line.len() < first + 2 {
            writeln!(self.context.out, "there is no move of yours to take back")?;
            return Ok(Next::Same);
        }
        self.line.pop();
        self.line.pop();
        Ok(Next::Moved)
    }
}

/// Describes the source of a move and its score.
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

/// The result of the game, if it has ended.
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
