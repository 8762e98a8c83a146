//! `play`: a game against an engine in the terminal.
//!
//! What is typed is a move or a command: `commands` has the table of them and reads the line (`arguments`: what
//! follows a command; `suggestions`: what was meant). They are carried out by [`TerminalGame`]: `session` is its loop,
//! `moves` and `setup` change the game, `engine_side` is the engine's part of it (`opponent`: who that is), `losses` says
//! what moves give away, `showing` shows, `files` saves and opens. `game` is the game on the board itself, `autosave`
//! keeps it from session to session.

mod arguments;
mod autosave;
mod commands;
mod engine_side;
mod files;
mod game;
mod losses;
mod moves;
mod opponent;
mod session;
mod setup;
mod showing;
mod suggestions;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::PathBuf;

use crate::cli::args::engine_args::{EngineArgs, front};
use crate::cli::args::engine_command::{
    Spoken, engine_fault, parse_option, parse_protocol, started,
};
use crate::cli::args::line_args::{LineArgs, NotationArgs};
use crate::cli::args::player::{LimitArgs, PlayerArgs, tell_warnings};
use crate::cli::interrupt::Interruptible;
use crate::cli::print::terminal::{DrawingArgs, View, parse_side, wants_colour};
use crate::cli::prompt::{Prompt, Words};
use crate::cli::{CliError, Context, OrExit, exit, with_game};
use autosave::Autosave;
use game::{GameStack, Played};
use juzhong::answers;
use juzhong::bytes::StopFlag;
use juzhong::engine::{Engine, Level, OwnBook};
use juzhong::game::Side;
use juzhong::message::message;
use juzhong::protocol::client::{Client, EngineEntry, Timeouts};
use opponent::{Foreign, Opponent, Own};
pub(crate) use setup::PlayGame;

/// Play against the engine in the terminal.
///
/// Type help for the commands. In a terminal, lines can be edited, the Tab key completes commands and legal moves,
/// and a game left by Ctrl-C, Ctrl-D or a crash is offered again the next time.
#[derive(Debug, clap::Args)]
#[command(after_help = LEVELS)]
pub(crate) struct Args {
    /// Your side (xiangqi: red or black; gomoku: black or white; default: the side that moves first).
    #[arg(long)]
    side: Option<String>,
    /// Flip the board.
    #[arg(long)]
    flip: bool,
    #[command(flatten)]
    drawing: DrawingArgs,
    #[command(flatten)]
    notation: NotationArgs,
    /// Playing strength, 1 to 10; in gomoku also 0, which does not search [default: 10, full strength].
    #[arg(long, value_name = "N", conflicts_with = "engine",
        value_parser = clap::value_parser!(u8).range(0..=i64::from(Level::FULL.number())),
        help_heading = "Engine")]
    level: Option<u8>,
    #[command(flatten, next_help_heading = "Engine")]
    engine: EngineArgs,
    /// Option for another engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, requires = "engine",
        help_heading = "Engine")]
    option: Vec<(String, String)>,
    /// Protocol of another engine: auto, uci, ucci, cyclone or, for gomoku, gomocup.
    #[arg(long, default_value = "auto", value_parser = parse_protocol, help_heading = "Engine")]
    protocol: Spoken,
    /// Do not say when a move gives a win or a draw by the endgame tables away.
    #[arg(long, help_heading = "Engine")]
    silent_tables: bool,
    #[command(flatten, next_help_heading = "Engine")]
    limits: LimitArgs,
    #[command(flatten, next_help_heading = "Engine")]
    player: PlayerArgs,
    #[command(flatten, next_help_heading = "Position")]
    line: LineArgs,
}

const LEVELS: &str = "\
Levels limit the nodes searched per move; the weakest also pick a move at random from the
best lines:
  1  800, up to 500 centipawns worse    6  8000
  2  1500, up to 250                    7  16,000
  3  4000, up to 120                    8  40,000
  4  10,000, up to 40                   9  120,000
  5  4000                              10  no limit except --movetime, --depth and --nodes
Level 0 of gomoku does not search: it plays the point with the highest value.";

/// Plays a game.
pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.json {
        let message = "play speaks to people; use uci or position for --json";
        return Err(CliError::message(exit::USAGE, message));
    }
    with_game!(context.common.game, G => {
        TerminalGame::<G>::new(args, prompt::<G>(), context)?.run()
    })
}

/// A game between a human and an engine.
struct TerminalGame<'a, G: PlayGame> {
    opponent: Opponent<G>,
    rules: G::Rules,
    games: GameStack<G>,
    human: Side,
    view: View,
    books: Vec<OwnBook>,
    notation: NotationArgs,
    prompt: Prompt,
    autosave: Option<Autosave>,
    interruptible: Option<Interruptible>,
    /// True if it is said when a move gives a win or a draw by the endgame tables away.
    tells_losses: bool,
    /// The file to which this session has saved a game.
    saved: Option<PathBuf>,
    /// A placement that is no legal position yet.
    draft: Option<String>,
    out: &'a mut dyn Write,
}

/// The state of the game after a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The position has changed.
    Moved,
    /// It has not.
    Same,
    /// The program ends, with that exit code.
    Leave(u8),
}

/// The end of a turn, of a command or a move.
type Turn = Result<Next, CliError>;

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Yes,
    No,
    /// None: the program ends, with that exit code.
    Leave(u8),
}

impl<'a, G: PlayGame> TerminalGame<'a, G> {
    /// The game that the arguments ask for; nothing is kept of it yet.
    fn new(args: &Args, prompt: Prompt, context: &'a mut Context<'_>) -> Result<Self, CliError> {
        let answers::Typed { line, fullmoves, start_clock } = args.line.line::<G>()?;
        let human = match &args.side {
            None => line.position().turn(),
            Some(name) => parse_side::<G>(name)?,
        };
        let game = Played::of(line, fullmoves, start_clock, args.line.fen.is_some());
        Ok(Self {
            opponent: opponent::<G>(args, context)?,
            rules: args.player.rules::<G>()?,
            games: GameStack::new(game),
            human,
            view: View {
                is_flipped: args.flip && G::HAS_VIEWS,
                is_coloured: wants_colour(),
                ..args.drawing.view::<G>(args.notation)
            },
            books: args.player.own_books(),
            notation: args.notation,
            prompt,
            autosave: None,
            interruptible: None,
            tells_losses: !args.silent_tables,
            saved: None,
            draft: None,
            out: &mut *context.out,
        })
    }
}

/// The opponent that the arguments ask for.
fn opponent<G: PlayGame>(args: &Args, context: &Context<'_>) -> Result<Opponent<G>, CliError> {
    let entry = args.engine.entry::<G>(args.player.typed_sizes(context), context)?;
    args.player.evaluation.check(entry.as_ref(), context)?;
    let options = args.engine.with_front(args.player.options::<G>()?);
    if let Some(entry) = entry {
        let client = start_engine(entry, args)?;
        let mut front = front::<G>(options)?;
        front.iter_mut().for_each(tell_warnings);
        let limits = args.limits.go_limits();
        return Ok(Opponent::Foreign(Box::new(Foreign { client, limits, front })));
    }
    let Some(level) = args.level.map_or(Some(Level::FULL), Level::of_game::<G>) else {
        let message = message!("--level: {} has levels from 1", G::NAME);
        return Err(CliError::message(exit::USAGE, message));
    };
    let mut engine = Engine::new(options).or_exit(exit::USAGE)?;
    tell_warnings(&mut engine);
    let own = Own::new(engine, args.limits.limits(), level);
    Ok(Opponent::Own(Box::new(own)))
}

/// The prompt, which completes the words of a game and the names of files.
fn prompt<G: PlayGame>() -> Prompt {
    Prompt::new("play-history.txt", || {
        Words::new(commands::words::<G>(), commands::wants_file::<G>)
    })
}

/// Starts another engine, ready for a game, and tells its warnings.
fn start_engine(entry: EngineEntry, args: &Args) -> Result<Client, CliError> {
    let options = [&entry.options[..], &args.option].concat();
    let protocol = args.protocol.0.or(entry.protocol);
    let entry = EngineEntry { options, protocol, ..entry };
    let mut client = started(&entry, Timeouts::default(), &StopFlag::default())?;
    client.new_game().map_err(engine_fault)?;
    Ok(client)
}
