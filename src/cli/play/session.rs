//! The loop of a game: whose turn it is, the line that is typed, the questions asked, and the game kept after
//! each move.

use super::arguments::yes_or_no;
use super::autosave::Autosave;
use super::commands::{self, Typed};
use super::game::Played;
use super::setup::PlayGame;
use super::{Decision, Next, TerminalGame, Turn};
use crate::cli::interrupt::Interruptible;
use crate::cli::print::describe::result_text;
use crate::cli::prompt::{Entered, move_words};
use crate::cli::{CliError, exit, notice};
use crate::language::{self, counts, text, word};
use juzhong::bytes::visible::VisibleLines;
use juzhong::game::{Horizon, Outcome};
use juzhong::message::{Message, message};

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Plays, and remembers what was typed.
    pub(crate) fn run(&mut self) -> Result<u8, CliError> {
        if self.prompt.is_terminal() {
            match Autosave::claim::<G>() {
                Ok(autosave) => self.autosave = Some(autosave),
                Err(why) => notice(message!("the game will not be kept: {why}")),
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
    pub(crate) fn remember(&mut self) {
        if let Err(error) = self.prompt.remember() {
            notice(message!("what was typed is not remembered: {error}"));
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
    fn offer(&mut self) -> Turn {
        let (game, human) = match self.autosave.as_ref().map(Autosave::left::<G>) {
            None | Some(Ok(None)) => return Ok(Next::Same),
            Some(Ok(Some(left))) => left,
            Some(Err(why)) => {
                notice(message!("the game will not be kept: {why}"));
                self.autosave = None;
                return Ok(Next::Same);
            }
        };
        self.say(text!("A game of {} was left unfinished.", counts::moves(game.len())))?;
        match self.ask(&text!("Go on with it? [y/n] "))? {
            Decision::Yes => {
                self.games.replace(game);
                self.human = human;
                Ok(Next::Moved)
            }
            Decision::No => Ok(Next::Same),
            Decision::Leave(code) => Ok(Next::Leave(code)),
        }
    }

    /// Asks until there is an answer.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Decision, CliError> {
        loop {
            self.rest();
            match self.prompt.ask(question, self.out)? {
                Entered::Interrupt => return Ok(Decision::Leave(exit::INTERRUPTED_BY_USER)),
                Entered::End => return Ok(Decision::Leave(exit::OK)),
                Entered::Unreadable(_) => {}
                Entered::Line(answer) => match yes_or_no(&answer) {
                    Some(true) => return Ok(Decision::Yes),
                    Some(false) => return Ok(Decision::No),
                    None => {}
                },
            }
        }
    }

    /// Keeps the game for the case that the program ends before it does.
    pub(crate) fn keep(&mut self) {
        let Some(autosave) = &mut self.autosave else { return };
        if let Err(error) = autosave.keep(self.games.itself(), self.human) {
            notice(message!("the game will not be kept: {error}"));
            self.autosave = None;
        }
    }

    pub(crate) fn game(&self) -> &Played<G> {
        &self.games.current
    }

    pub(crate) fn position(&self) -> &G {
        self.games.current.position()
    }

    /// Writes a line.
    pub(crate) fn say(&mut self, text: impl Into<Message>) -> Result<(), CliError> {
        writeln!(self.out, "{}", VisibleLines(language::translated(text)))?;
        Ok(())
    }

    /// Writes a line; nothing has changed.
    pub(crate) fn answer(&mut self, text: impl Into<Message>) -> Turn {
        self.say(text).map(|()| Next::Same)
    }

    /// The result of the game, if it has ended.
    pub(crate) fn result(&self) -> Option<String> {
        if let Some(side) = self.game().resigned() {
            let [loser, winner] = [side, !side].map(|side| word(G::side_name(side)));
            return Some(text!("{loser} has resigned: {winner} wins"));
        }
        result_text(self.game().line(), self.rules)
    }

    pub(crate) fn outcome(&self, game: &Played<G>) -> Option<Outcome> {
        let line = game.line();
        let resigned = game.resigned().map(|side| Outcome::Win(!side));
        resigned
            .or_else(|| line.position().outcome())
            .or_else(|| G::judge(line, self.rules, Horizon::Game).verdict.outcome())
    }

    pub(crate) fn written(&self, mv: G::Move) -> String {
        self.position().write_move(mv, self.notation.shown())
    }

    /// Nothing is at work that Ctrl-C could end.
    fn rest(&self) {
        if let Some(interruptible) = &self.interruptible {
            interruptible.end();
        }
    }

    fn human_turn(&mut self) -> Turn {
        self.rest();
        let prompt = if self.games.is_studying() { "study> " } else { "> " };
        let position = self.games.current.position();
        match self.prompt.read(prompt, || move_words(position, self.notation.shown()), self.out)? {
            Entered::Line(line) => self.obey(&line),
            Entered::Unreadable(why) => {
                self.answer(text!("not understood: {}", language::translated(why)))
            }
            Entered::End => {
                self.say("\nend of input")?;
                Ok(Next::Leave(exit::OK))
            }
            Entered::Interrupt => Ok(Next::Leave(exit::INTERRUPTED_BY_USER)),
        }
    }

    /// Does what was typed.
    pub(crate) fn obey(&mut self, line: &str) -> Turn {
        match commands::parse(line) {
            Typed::Nothing => Ok(Next::Same),
            Typed::Command(command, rest) => command.carry_out(rest, self),
            Typed::Move(typed) => self.human_move(typed),
        }
    }

    /// Says what a command wants; nothing has changed.
    pub(crate) fn ask_for(&mut self, wanted: &str) -> Turn {
        self.answer(text!("write {}", word(wanted)))
    }
}
