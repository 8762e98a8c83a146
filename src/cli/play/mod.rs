//! `play`: a game against an engine in the terminal.

pub(crate) mod commands;
mod game;
mod opponent;
mod prompt;
mod state_file;
mod suggestions;
#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::io::{IsTerminal, Write, stdout};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::contest::{Spoken, parse_engine, parse_option, parse_protocol};
use super::game_input::remark;
use super::interrupt::Interruptible;
use super::line_args::{LineArgs, NotationArgs};
use super::player::{LimitArgs, PlayerArgs};
use super::terminal::{DrawingArgs, Terminal, View};
use super::verdict_explanation::write_explanation;
use super::{CliError, Context, GameName, OrExit, exit, tell};
use crate::cli::language::errors::message_of;
use crate::cli::language::{self, counts, left, say, text, word, wrapped};
use commands::Command;
use game::{Desk, Played};
use juzhong::answers::{Described, Refusal, Typed, legal_moves, line_texts, verdict_name};
use juzhong::book::Book;
use juzhong::bytes::StopFlag;
use juzhong::bytes::atomic::{AtomicFile, resolve};
use juzhong::bytes::visible::{Form, ShowPath, Visible, VisibleLines, VisibleWriter};
use juzhong::engine::{Choice, DistanceTarget, Level, MoveSource, OwnBook, Playable, RootMove};
use juzhong::game::{Horizon, Line, Outcome, ScoreKind, Side, Verdict};
use juzhong::gomoku::Board;
use juzhong::message::{Message, ToMessage, message};
use juzhong::protocol::client::{Client, EngineCommand, Timeouts};
use juzhong::record::{
    Format, GameFile, Keep, ParsedGame, ReadOptions, Record, WriteOptions, read_game_file,
};
use juzhong::search::Score;
use juzhong::tablebase::{Entry, Wdl};
use juzhong::xiangqi::Position;
use opponent::{Opponent, Own, Purpose, Reply};
use prompt::{Entered, Prompt};
use state_file::Autosave;

/// Plays in the terminal, against this program's own engine or another one.
///
/// Type help for the commands. In a terminal, lines can be edited, the tabulator completes commands and legal moves,
/// and a game that was left by Ctrl-C, Ctrl-D or a crash is offered the next time.
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
    /// Play against another engine: a program with its arguments, speaking any protocol of `--protocol`.
    #[arg(long, value_name = "COMMAND", default_value = "self", hide_default_value = true,
        conflicts_with_all = ["book", "book_red", "book_black", "tables"], help_heading = "Engine")]
    engine: String,
    /// Option for that engine; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option, requires = "engine",
        help_heading = "Engine")]
    option: Vec<(String, String)>,
    /// Protocol of that engine: auto, uci, ucci, cyclone or, for gomoku, gomocup.
    #[arg(long, default_value = "auto", value_parser = parse_protocol, help_heading = "Engine")]
    protocol: Spoken,
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

/// The exit code after Ctrl-C.
const LEFT: u8 = 130;
/// The games of a file that are passed over at most on the way to the one that was asked for.
const MAX_GAME: u64 = 1_000_000;

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
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
    TerminalGame::<G>::new(args, Prompt::new(), context)?.run()
}

/// Returns true if standard output is a terminal that may be written to in colour.
fn wants_colour() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb
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
        tell(message!("juzhong: {}: {warning}", client.name()));
    }
    Ok(client)
}

/// Reads the name of a side, in either language.
fn parse_side<G: Terminal>(name: &str) -> Result<Side, CliError> {
    let is_named = |side: &Side| {
        let chinese = match G::side_name(*side).to_ascii_lowercase().as_str() {
            "red" => ["红", "红方"],
            "white" => ["白", "白方"],
            _ => ["黑", "黑方"],
        };
        G::side_name(*side).eq_ignore_ascii_case(name) || chinese.contains(&name)
    };
    Side::ALL.into_iter().find(is_named).ok_or_else(|| {
        let [first, second] = Side::ALL.map(|side| G::side_name(side).to_lowercase());
        let message = text!("unknown side \"{name}\"; choose {first} or {second}");
        CliError::message(exit::USAGE, message)
    })
}

/// A game between a human and an engine.
struct TerminalGame<'a, 'c, G: Playable> {
    opponent: Opponent<G>,
    rules: G::Rules,
    desk: Desk<G>,
    human: Side,
    view: View,
    books: Vec<OwnBook>,
    notation: NotationArgs,
    prompt: Prompt,
    autosave: Option<Autosave>,
    interruptible: Option<Interruptible>,
    /// The file to which this session has saved a game.
    saved: Option<PathBuf>,
    /// A placement that is no legal position yet.
    draft: Option<String>,
    context: &'a mut Context<'c>,
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

impl<'a, 'c, G: Terminal + Playable> TerminalGame<'a, 'c, G> {
    fn new(args: &Args, prompt: Prompt, context: &'a mut Context<'c>) -> Result<Self, CliError> {
        let Typed { line, fullmoves, start_clock } = args.line.line::<G>()?;
        let human = match &args.side {
            None => line.position().turn(),
            Some(name) => parse_side::<G>(name)?,
        };
        let opponent = match parse_engine(&args.engine)? {
            None => {
                let Some(level) = args.level.map_or(Some(Level::FULL), Level::of_game::<G>) else {
                    let message = message!("--level: {} has levels from 1", G::NAME);
                    return Err(CliError::message(exit::USAGE, message));
                };
                let own = Own::new(args.player.engine::<G>()?, args.limits.limits(), level);
                Opponent::Own(Box::new(own))
            }
            Some(command) => {
                let client = start_engine(&command, args)?;
                Opponent::Foreign(Box::new(client), args.limits.go_limits())
            }
        };
        Ok(Self {
            opponent,
            rules: args.player.rules::<G>()?,
            desk: Desk::new(Played::of(line, fullmoves, start_clock, args.line.fen.is_some())),
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
            saved: None,
            draft: None,
            context,
        })
    }
}

/// The answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    /// None: the program ends, with that exit code.
    Leave(u8),
}

impl<G: Terminal + Playable> TerminalGame<'_, '_, G> {
    /// Plays, and remembers what was typed.
    fn run(&mut self) -> Result<u8, CliError> {
        if self.prompt.is_terminal() {
            match Autosave::claim::<G>() {
                Ok(autosave) => self.autosave = Some(autosave),
                Err(why) => tell(message!("juzhong: the game will not be kept: {why}")),
            }
            match Interruptible::catch() {
                Ok(interruptible) => self.interruptible = Some(interruptible),
                Err(error) => tracing::debug!("no handler for interrupts: {error}"),
            }
        }
        let played = self.play();
        self.remember();
        played
    }

    /// Writes what was typed to its file.
    fn remember(&mut self) {
        if let Err(error) = self.prompt.remember() {
            tell(message!("juzhong: what was typed is not remembered: {error}"));
        }
    }

    fn play(&mut self) -> Result<u8, CliError> {
        if let Next::Leave(code) = self.offer()? {
            return Ok(code);
        }
        let mut next = Next::Moved;
        loop {
            if let Next::Leave(code) = next {
                return Ok(code);
            }
            if next == Next::Moved {
                self.keep();
                self.draw()?;
                if let Some(result) = self.result() {
                    self.say(result)?;
                }
            }
            next = if self.is_engine_to_move() { self.engine_turn()? } else { self.human_turn()? };
        }
    }

    /// Offers the game that was left the last time. What cannot be read is left alone.
    fn offer(&mut self) -> Result<Next, CliError> {
        let (game, human) = match self.autosave.as_ref().map(Autosave::left::<G>) {
            None | Some(Ok(None)) => return Ok(Next::Same),
            Some(Ok(Some(left))) => left,
            Some(Err(why)) => {
                tell(message!("juzhong: the game will not be kept: {why}"));
                self.autosave = None;
                return Ok(Next::Same);
            }
        };
        self.say(text!("A game of {} was left unfinished.", counts::moves(game.len())))?;
        match self.ask(&text!("Go on with it? [y/n] "))? {
            Answer::Yes => {
                self.desk.replace(game);
                self.human = human;
                Ok(Next::Moved)
            }
            Answer::No => Ok(Next::Same),
            Answer::Leave(code) => Ok(Next::Leave(code)),
        }
    }

    /// Asks until there is an answer.
    fn ask(&mut self, question: &str) -> Result<Answer, CliError> {
        loop {
            self.rest();
            match self.prompt.ask(question, self.context.out)? {
                Entered::Interrupt => return Ok(Answer::Leave(LEFT)),
                Entered::End => return Ok(Answer::Leave(exit::OK)),
                Entered::Unreadable(_) => {}
                Entered::Line(answer) => match commands::yes_or_no(&answer) {
                    Some(true) => return Ok(Answer::Yes),
                    Some(false) => return Ok(Answer::No),
                    None => {}
                },
            }
        }
    }

    /// Keeps the game for the case that the program ends before it does.
    fn keep(&mut self) {
        let Some(autosave) = &mut self.autosave else { return };
        if let Err(error) = autosave.keep(self.desk.itself(), self.human) {
            tell(message!("juzhong: the game will not be kept: {error}"));
            self.autosave = None;
        }
    }

    fn game(&self) -> &Played<G> {
        &self.desk.game
    }

    fn position(&self) -> &G {
        self.desk.game.position()
    }

    /// Writes a line.
    fn say(&mut self, text: impl Into<Message>) -> Result<(), CliError> {
        writeln!(self.context.out, "{}", VisibleLines(language::told(text)))?;
        Ok(())
    }

    /// Writes a line; nothing has changed.
    fn answer(&mut self, text: impl Into<Message>) -> Result<Next, CliError> {
        self.say(text).map(|()| Next::Same)
    }

    fn draw(&mut self) -> Result<(), CliError> {
        let position = self.position();
        let side = word(G::side_name(position.turn()));
        let turn = match Described::in_check(position) {
            true => text!("{side} to move, in check"),
            false => text!("{side} to move"),
        };
        let drawing = position.draw(self.view, self.game().line().moves().last());
        writeln!(self.context.out, "\n{drawing}{turn}")?;
        Ok(())
    }

    /// The result of the game, if it has ended.
    fn result(&self) -> Option<String> {
        if let Some(side) = self.game().resigned() {
            let [loser, winner] = [side, !side].map(|side| word(G::side_name(side)));
            return Some(text!("{loser} has resigned: {winner} wins"));
        }
        result_text(self.game().line(), self.rules)
    }

    fn outcome(&self, game: &Played<G>) -> Option<Outcome> {
        let line = game.line();
        let resigned = game.resigned().map(|side| Outcome::Win(!side));
        resigned
            .or_else(|| line.position().outcome())
            .or_else(|| G::judge(line, self.rules, Horizon::Game).verdict.outcome())
    }

    fn is_engine_to_move(&self) -> bool {
        !self.game().waits
            && !self.desk.is_studying()
            && self.position().turn() != self.human
            && self.result().is_none()
    }

    fn engine_turn(&mut self) -> Result<Next, CliError> {
        let Some(reply) = self.choose(Purpose::Play)? else {
            self.desk.game.waits = true;
            return Ok(Next::Same);
        };
        let text = self.write_reply(&reply);
        self.say(text!("engine: {text}"))?;
        self.desk.game.push(reply.mv);
        Ok(Next::Moved)
    }

    /// Lets the engine think. Ctrl-C at a terminal ends that; a second one ends the program, so what must not be
    /// lost is written before.
    fn choose(&mut self, purpose: Purpose) -> Result<Option<Reply<G::Move>>, CliError> {
        self.remember();
        self.context.out.flush()?;
        let stop = self.interruptible.as_ref().map(Interruptible::begin).unwrap_or_default();
        let game = &self.desk.game;
        let reply = self.opponent.choose(game.fen(), game.line(), purpose, &stop)?;
        if stop.is_set() {
            // The terminal has shown ^C.
            self.say("")?;
        }
        if reply.is_none() {
            self.say("there is no legal move")?;
        }
        Ok(reply)
    }

    fn written(&self, mv: G::Move) -> String {
        self.position().write_move(mv, self.notation.shown())
    }

    fn write_reply(&self, reply: &Reply<G::Move>) -> String {
        format!("{}  ({})", self.written(reply.mv), reply.about)
    }

    /// Nothing is at work that Ctrl-C could end.
    fn rest(&self) {
        if let Some(interruptible) = &self.interruptible {
            interruptible.end();
        }
    }

    fn human_turn(&mut self) -> Result<Next, CliError> {
        self.rest();
        let prompt = if self.desk.is_studying() { "study> " } else { "> " };
        let (position, notation) = (self.desk.game.position(), self.notation.shown());
        let words = || {
            let moves = legal_moves(position).into_iter();
            let both = moves.flat_map(|mv| [G::move_text(mv), position.write_move(mv, notation)]);
            let mut words: Vec<String> = both.collect();
            words.dedup();
            words
        };
        match self.prompt.read(prompt, words, self.context.out)? {
            Entered::Line(line) => match commands::parse(&line) {
                Ok(command) => self.obey(command),
                Err(wanted) => self.answer(wanted),
            },
            Entered::Unreadable(why) => {
                self.answer(text!("not understood: {}", language::told(why)))
            }
            Entered::End => {
                self.say("\nend of input")?;
                Ok(Next::Leave(exit::OK))
            }
            Entered::Interrupt => Ok(Next::Leave(LEFT)),
        }
    }

    fn obey(&mut self, command: Command<'_>) -> Result<Next, CliError> {
        match command {
            Command::Nothing => Ok(Next::Same),
            Command::Move(typed) => self.human_move(typed),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::GoTo(ply) => self.go_to(ply),
            Command::Next => self.go_to(self.game().line().len() + 1),
            Command::Prev => match self.game().line().len().checked_sub(1) {
                Some(ply) => self.go_to(ply),
                None => self.answer("this is the start of the game"),
            },
            Command::End => self.go_to(self.game().len()),
            Command::Study(from) => self.study(from),
            Command::Back => self.back(),
            Command::New => {
                let other = self.position().other_start();
                self.begin(other.map_or_else(Played::new, Played::from_start), false)
            }
            Command::Switch => self.switch(),
            Command::Setup(text) => self.set_up(text),
            Command::Resign => self.resign(),
            Command::Save(file) => self.save(&file),
            Command::Open(file, number) => self.open(&file, number),
            Command::Level(number) => self.level(number),
            Command::Quit => self.quit(),
            Command::Flip if !G::HAS_VIEWS => self.answer("this board looks the same to both"),
            Command::Flip => {
                self.view.is_flipped = !self.view.is_flipped;
                self.draw().map(|()| Next::Same)
            }
            shown => self.show(&shown),
        }
    }

    /// The commands that only show something.
    fn show(&mut self, command: &Command<'_>) -> Result<Next, CliError> {
        match command {
            Command::Hint => match self.result() {
                Some(result) => self.answer(result),
                None => match self.choose(Purpose::Advise)? {
                    Some(reply) => self.answer(text!("hint: {}", self.write_reply(&reply))),
                    None => Ok(Next::Same),
                },
            },
            Command::Moves => {
                let moves = legal_moves(self.position());
                let texts: Vec<String> = moves.into_iter().map(|mv| self.written(mv)).collect();
                self.answer(wrapped(&texts.join(" "), 78).join("\n"))
            }
            Command::Board => self.draw().map(|()| Next::Same),
            Command::Fen => {
                let text = G::line_text(self.game().line(), self.game().fullmoves);
                self.answer(text)
            }
            Command::List => self.list(),
            Command::Eval => self.eval(),
            Command::Book => self.ask_books(),
            Command::Table => self.ask_tables(),
            Command::Why => self.why(),
            _ => {
                write!(self.context.out, "{}", language::lines(G::PLAY_HELP))?;
                Ok(Next::Same)
            }
        }
    }

    fn human_move(&mut self, typed: &str) -> Result<Next, CliError> {
        if let Some(result) = self.result().filter(|_| !self.desk.is_studying()) {
            return self.answer(text!("the game is over ({result}); undo or new goes on"));
        }
        match self.position().read_move(typed) {
            Ok(mv) => {
                if self.position().turn() == self.human {
                    self.desk.game.waits = false;
                }
                self.draft = None;
                self.desk.game.push(mv);
                Ok(Next::Moved)
            }
            Err(reason) => {
                let (reason, remedy) = (language::told(reason), suggestions::remedy(typed));
                self.answer(text!("{reason}; {remedy}"))
            }
        }
    }

    /// Returns true if single moves are taken back and made again: the engine makes none.
    fn goes_by_single_moves(&self) -> bool {
        self.game().waits || self.desk.is_studying()
    }

    /// Takes back the human's last move and what came after.
    fn undo(&mut self) -> Result<Next, CliError> {
        if self.goes_by_single_moves() {
            return match self.desk.game.back() {
                true => Ok(Next::Moved),
                false => self.answer("there is no move to take back"),
            };
        }
        if self.game().resigned().is_some() {
            self.desk.game.take_resignation_back();
            return Ok(Next::Moved);
        }
        let line = self.game().line();
        let is_humans = |turn: Side| turn == self.human;
        let first = usize::from(!is_humans(line.start().turn()));
        // At the end of a game the engine may still be to move.
        let plies = if is_humans(line.position().turn()) { 2 } else { 1 };
        if line.len() < first + plies {
            return self.answer("there is no move of yours to take back");
        }
        for _ in 0..plies {
            self.desk.game.back();
        }
        Ok(Next::Moved)
    }

    /// Makes moves again that were taken back, until the human is to move.
    fn redo(&mut self) -> Result<Next, CliError> {
        if !self.desk.game.forward() {
            return self.answer("there is no move to make again");
        }
        while !self.goes_by_single_moves()
            && self.position().turn() != self.human
            && self.desk.game.forward()
        {}
        Ok(Next::Moved)
    }

    fn go_to(&mut self, ply: usize) -> Result<Next, CliError> {
        let len = self.game().len();
        if !self.desk.game.go_to(ply) {
            return self.answer(text!("the game has {}", counts::moves(len)));
        }
        self.desk.game.waits = true;
        let ply = self.game().line().len();
        self.say(text!("after {ply} of {}", counts::moves(len)))?;
        Ok(Next::Moved)
    }

    fn study(&mut self, from: Option<usize>) -> Result<Next, CliError> {
        let len = self.game().len();
        if from.is_some_and(|ply| ply > len) {
            return self.answer(text!("the game has {}", counts::moves(len)));
        }
        self.desk.study();
        if let Some(ply) = from {
            self.desk.game.go_to(ply);
        }
        self.say("moves of both sides are yours now; back returns to the game")?;
        Ok(Next::Moved)
    }

    fn back(&mut self) -> Result<Next, CliError> {
        match self.desk.end_study() {
            true => Ok(Next::Moved),
            false => self.answer("this is the game; study tries variations, undo takes back"),
        }
    }

    /// Begins another game, unless this one stays. The engine waits for the human's first move if `waits`.
    fn begin(&mut self, game: Played<G>, waits: bool) -> Result<Next, CliError> {
        match self.may_drop()? {
            Next::Moved => self.replace(game, waits),
            stays => Ok(stays),
        }
    }

    /// Says whether another game may take the place of this one ([`Next::Moved`]). At a terminal that is asked if no
    /// file has it.
    fn may_drop(&mut self) -> Result<Next, CliError> {
        if self.desk.is_studying() {
            return self.answer("this is a study; back returns to the game first");
        }
        if !self.prompt.is_terminal() || !self.game().is_unsaved() {
            return Ok(Next::Moved);
        }
        match self.ask(&text!("The game is not saved. Drop it? [y/n] "))? {
            Answer::Yes => Ok(Next::Moved),
            Answer::No => self.answer("the game stays as it is"),
            Answer::Leave(code) => Ok(Next::Leave(code)),
        }
    }

    /// Puts another game in the place of this one; what was saved is that one's file.
    fn replace(&mut self, game: Played<G>, waits: bool) -> Result<Next, CliError> {
        self.saved = None;
        self.opponent.new_game()?;
        self.desk.replace(game);
        (self.desk.game.waits, self.draft) = (waits, None);
        Ok(Next::Moved)
    }

    fn switch(&mut self) -> Result<Next, CliError> {
        if self.desk.is_studying() {
            return self.answer("moves of both sides are yours here; back returns to the game");
        }
        self.human = !self.human;
        self.desk.game.waits = false;
        self.say(text!("you play {} now", word(G::side_name(self.human))))?;
        Ok(Next::Moved)
    }

    fn resign(&mut self) -> Result<Next, CliError> {
        if self.desk.is_studying() {
            return self.answer("not while variations are tried; back returns to the game");
        }
        if let Some(result) = self.result() {
            return self.answer(result);
        }
        let (human, winner) = (self.human, word(G::side_name(!self.human)));
        self.desk.game.resign(human);
        self.keep();
        self.answer(text!("you resign: {winner} wins"))
    }

    fn quit(&mut self) -> Result<Next, CliError> {
        if let Some(Err(error)) = self.autosave.as_ref().map(Autosave::remove) {
            tell(message!("juzhong: the game that was kept stays: {error}"));
        }
        Ok(Next::Leave(exit::OK))
    }

    /// Places men. What is no legal position is remembered, for further changes.
    fn set_up(&mut self, text: &str) -> Result<Next, CliError> {
        let line = self.game().line();
        let draft = self.draft.clone();
        let draft = draft.unwrap_or_else(|| G::line_text(line, self.game().fullmoves));
        if text.is_empty() {
            self.say(draft)?;
            return self.answer(G::SETUP);
        }
        let changes = commands::changes(text);
        let wanted =
            if text.contains('/') { Ok(text.to_owned()) } else { G::rearranged(&draft, &changes) };
        match wanted.map(|wanted| (G::read_start(&wanted), wanted)) {
            Ok((Ok(start), _)) => self.begin(Played::from_start(start), true),
            Err(message) | Ok((Err(Refusal::Unreadable(message)), _)) => self.answer(message),
            Ok((Err(Refusal::Illegal { reasons, .. }), wanted)) => {
                self.say(G::draw_illegal(&wanted).trim_end())?;
                self.draft = Some(wanted);
                for reason in reasons {
                    self.say(text!("illegal: {}", language::told(reason)))?;
                }
                self.answer("the game stays as it is until the position is legal")
            }
        }
    }

    fn list(&mut self) -> Result<Next, CliError> {
        let game = self.game();
        let (made, moves) = (game.line().len(), game.all_moves());
        if moves.is_empty() {
            return self.answer("no move has been made");
        }
        let texts = line_texts(game.line().start(), moves, self.notation.shown());
        let cell = |(ply, text): (usize, &String)| format!("{ply:>4} {text:<12}");
        let cells: Vec<String> = (1..).zip(&texts).map(cell).collect();
        for pair in cells.chunks(2) {
            self.say(pair.concat().trim_end())?;
        }
        if made < cells.len() {
            self.say(text!("after {made} of {}", counts::moves(cells.len())))?;
        }
        Ok(Next::Same)
    }

    fn level(&mut self, number: Option<u8>) -> Result<Next, CliError> {
        let Some(present) = self.opponent.level() else {
            return self.answer("levels are of this program's engine; see --option");
        };
        let Some(level) = number.map_or(Some(present), Level::of_game::<G>) else {
            return self.answer("write level N, where N is at most 10");
        };
        self.opponent.set_level(level);
        let nodes = match level.nodes() {
            Some(nodes) => text!("at most {nodes} nodes a move"),
            None if level == Level::WITHOUT_SEARCH => text!("no search"),
            None => text!("full strength"),
        };
        let margin = level.margin().map(|cp| text!(", up to {cp} centipawns worse by chance"));
        self.answer(text!("level {}: {nodes}{}", level.number(), margin.unwrap_or_default()))
    }

    fn eval(&mut self) -> Result<Next, CliError> {
        let position = self.position().clone();
        let mut out = VisibleWriter::new(&mut *self.context.out, Form::Text);
        position.show_evaluation(&mut out)?;
        Ok(Next::Same)
    }

    fn ask_books(&mut self) -> Result<Next, CliError> {
        let turn = self.position().turn();
        let books: Vec<PathBuf> = self
            .books
            .iter()
            .filter(|book| book.side.is_none_or(|side| side == turn))
            .map(|book| book.path.clone())
            .collect();
        if books.is_empty() {
            return self.answer("no book; give one by --book");
        }
        for path in books {
            let name = path.shown().to_string();
            let found = Book::open(&path).and_then(|book| book.probe(self.position()));
            let mut found = match found {
                Ok(found) => found,
                Err(error) => {
                    self.say(message!("{name}: {error}"))?;
                    continue;
                }
            };
            if found.is_empty() {
                self.say(text!("{name}: no move"))?;
                continue;
            }
            self.say(format_args!("{name}:"))?;
            found.sort_by_cached_key(|m| (std::cmp::Reverse(m.weight), G::move_text(m.mv)));
            for m in found {
                let text = self.written(m.mv);
                let score = m.stats.score(turn).map(|score| format!("{:.1} %", 100.0 * score));
                let score = score.unwrap_or_else(|| "-".to_owned());
                let (games, weight) = (m.stats.games, m.weight);
                self.say(text!("  {text:<8} {games:>8} games {score:>8}  weight {weight}"))?;
            }
        }
        Ok(Next::Same)
    }

    fn ask_tables(&mut self) -> Result<Next, CliError> {
        if !self.opponent.has_tables() {
            return self.answer("no endgame tables; give a folder of them by --tables");
        }
        let Some(moves) = self.opponent.table_moves(self.desk.game.line()) else {
            return self.answer("the endgame tables do not have this position");
        };
        for m in moves {
            let text = self.written(m.mv);
            self.say(format_args!("  {} {}", left(&text, 8), table_text(&m)))?;
        }
        Ok(Next::Same)
    }

    /// Explains the verdict of the rules.
    fn why(&mut self) -> Result<Next, CliError> {
        if let Some(result) = self.result() {
            self.say(result)?;
        }
        if G::RULES.len() < 2 {
            return self.answer("this game has no rules on repetition and moves");
        }
        let line = self.desk.game.line();
        let judgement = G::judge(line, self.rules, Horizon::Game);
        let explanation = G::explain_verdict(line, self.rules, self.notation.asked());
        let reason = judgement.reason.map(|r| format!(" ({})", word(r))).unwrap_or_default();
        let is_none = judgement.verdict == Verdict::None;
        say!(self.context.out, "verdict  {}{reason}", word(verdict_name(judgement.verdict)))?;
        let mut out = VisibleWriter::new(&mut *self.context.out, Form::Text);
        write_explanation(&explanation, &mut out)?;
        if is_none && explanation.is_empty() {
            self.say("no position has occurred twice, and the limit of moves is not reached")?;
        }
        Ok(Next::Same)
    }

    /// Writes the game to a file. What stands there is replaced only if this session has saved it.
    fn save(&mut self, file: &str) -> Result<Next, CliError> {
        let path = match (file, &self.saved) {
            ("", Some(saved)) if !self.desk.is_studying() => saved.clone(),
            ("", _) => return self.answer("write save FILE"),
            (file, _) => PathBuf::from(file),
        };
        match self.write_to(&path) {
            Ok(()) => self.answer(text!("saved: {}", path.shown())),
            Err(why) => self.answer(message!("{}: {why}", path.shown())),
        }
    }

    fn write_to(&mut self, path: &Path) -> Result<(), Message> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let format = Format::from_extension(ending, G::FORMATS).ok_or_else(|| {
            let endings = G::WRITTEN.iter().filter_map(|format| format.extensions().first());
            let endings: Vec<_> = endings.map(|ending| format!(".{ending}")).collect();
            match endings.split_last() {
                Some((last, others)) => {
                    message!("the name must end in {} or {last}", others.join(", "))
                }
                None => Message::default(),
            }
        })?;
        let players = Side::ALL.map(|side| match side == self.human {
            true => "player".to_owned(),
            false => self.opponent.name(),
        });
        let game = self.game().to_save();
        let record = game.record(self.outcome(&game), players);
        let mut options = WriteOptions::default();
        if let Some(notation) = self.notation.asked() {
            options.pgn.notation = notation;
        }
        let mut bytes = Vec::new();
        let written = G::write_record(&mut bytes, &record, format, &options);
        written.map_err(|error| error.message())?;
        let write = || {
            let place = resolve(path)?;
            let is_ours = self.saved.as_ref() == Some(&place) && !self.desk.is_studying();
            let mut file = match is_ours {
                true => AtomicFile::create(&place)?,
                false => AtomicFile::create_new(path)?,
            };
            file.write_all(&bytes)?;
            file.commit()?;
            Ok(place)
        };
        let place = write().map_err(|error: std::io::Error| error.message())?;
        if !self.desk.is_studying() {
            self.saved = Some(place);
            self.desk.game.mark_saved();
            self.keep();
        }
        Ok(())
    }

    /// Reads a game from a file, to go through it.
    fn open(&mut self, file: &str, number: u64) -> Result<Next, CliError> {
        let (record, fault) = match read_record::<G>(Path::new(file), number) {
            Ok(read) => read,
            Err(why) => return self.answer(message!("{}: {why}", Path::new(file).shown())),
        };
        let stays = self.may_drop()?;
        if stays != Next::Moved {
            return Ok(stays);
        }
        if let Some(fault) = fault {
            self.say(fault)?;
        }
        let player = |tag| record.tag(tag).unwrap_or("?").to_owned();
        let players = Side::ALL.map(|side| player(G::side_name(side)));
        let game = Played::of_record(record);
        let [red, black] = players.map(|name| Visible(name).to_string());
        self.say(text!("{red} - {black}, {}; next shows them", counts::moves(game.len())))?;
        self.replace(game, true)
    }
}

/// Reads the game of that number in a file of any format, and what is to be told of it.
fn read_record<G: Terminal>(
    path: &Path,
    number: u64,
) -> Result<(Record<G>, Option<String>), Message> {
    if number > MAX_GAME {
        return Err(message!("games beyond number {MAX_GAME} are not looked for"));
    }
    let folder = std::env::temp_dir();
    let source = path.shown().to_string();
    let opened = GameFile::open::<G>(path, &folder).map_err(|error| message_of(&error))?;
    let (mut count, mut found) = (0, None);
    let never = StopFlag::default();
    let options = ReadOptions::keeping(Keep::Opened);
    read_game_file::<G>(&source, &opened, &folder, &never, options, &mut |_, game| {
        count += 1;
        if count < number {
            return ControlFlow::Continue(());
        }
        let whole = |game: ParsedGame<G>| {
            let remark = remark(&source, &game);
            (game.record, remark)
        };
        found = Some(game.map(whole).map_err(|bad| bad.message()));
        ControlFlow::Break(())
    })
    .map_err(|error| message_of(&error))?;
    found.ok_or_else(|| match count {
        0 => Message::from("no game in it"),
        1 => text!("one game in it").into(),
        _ => text!("{} in it", counts::games(count)).into(),
    })?
}

/// Describes the source of a move and its score.
pub(crate) fn describe<G: Terminal>(choice: &Choice<G::Move>) -> String {
    let source = word(choice.source.name());
    match (&choice.table, choice.score) {
        (Some(table), _) => {
            format!("{source}{}{}", language::colon(), table_text(table))
        }
        (None, Some(score)) => text!("{source}: depth {}, {}", choice.depth, worth::<G>(score)),
        (None, None) if choice.source == MoveSource::Search => text!("no search"),
        (None, None) => source.to_owned(),
    }
}

/// The result of a move by the tablebases: its [`Display`], in the language of the program.
fn table_text<M>(found: &RootMove<M>) -> String {
    let Entry { wdl, order, distance } = found.entry;
    let (result, plies) = (word(wdl.name()), counts::plies(distance));
    match (wdl, order) {
        (Wdl::Draw, _) => result.to_owned(),
        (_, 0) => match found.target {
            DistanceTarget::Mate => text!("{result}, mate in {plies}"),
            DistanceTarget::CaptureOrMate => text!("{result}, capture or mate in {plies}"),
            DistanceTarget::End => text!("{result} in {plies}"),
            DistanceTarget::EndAtMost => text!("{result} in at most {plies}"),
        },
        (_, order) => text!("{result} by repetition, order {order}, {plies}"),
    }
}

/// A score in words where it is more than an evaluation.
fn worth<G: Terminal>(score: Score) -> String {
    match score.kind() {
        ScoreKind::MateIn(plies) => G::sure_win(&counts::plies(plies)),
        ScoreKind::MatedIn(plies) => G::sure_loss(&counts::plies(plies)),
        ScoreKind::TableWin(plies) => text!("wins by the tables in {}", counts::plies(plies)),
        ScoreKind::TableLoss(plies) => text!("loses by the tables in {}", counts::plies(plies)),
        ScoreKind::Centipawns(value) => format!("{:+.2}", f64::from(value) / 100.0),
    }
}

/// The result of the game, if it has ended.
pub(crate) fn result_text<G: Terminal>(line: &Line<G>, rules: G::Rules) -> Option<String> {
    let wins = |outcome| match outcome {
        Outcome::Win(side) => text!("{} wins", word(G::side_name(side))),
        Outcome::Draw => word("draw").to_owned(),
    };
    if let Some(outcome) = line.position().outcome() {
        let status = word(line.position().status());
        return Some(format!("{status}{}{}", language::colon(), wins(outcome)));
    }
    let judgement = G::judge(line, rules, Horizon::Game);
    let outcome = judgement.verdict.outcome()?;
    let reason = judgement.reason.unwrap_or("by the rules on repetition");
    Some(format!("{}{}{}", word(reason), language::colon(), wins(outcome)))
}
