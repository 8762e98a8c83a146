//! The engine's side of the game: its moves, its hints, its strength.

use super::opponent::{Purpose, Reply};
use super::setup::PlayGame;
use super::{Next, TerminalGame, Turn};
use crate::cli::CliError;
use crate::cli::interrupt::Interruptible;
use crate::language::text;
use juzhong::engine::Level;

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Returns true if the engine makes the next move.
    pub(crate) fn is_engine_to_move(&self) -> bool {
        !self.game().waits
            && !self.games.is_studying()
            && self.position().turn() != self.human
            && self.result().is_none()
    }

    /// Makes the engine's move.
    pub(crate) fn engine_turn(&mut self) -> Turn {
        let Some(reply) = self.choose(Purpose::Play)? else {
            // Otherwise the loop would ask the engine for a move again and again.
            self.games.current.waits = true;
            return Ok(Next::Same);
        };
        let text = self.write_reply(&reply);
        self.say(text!("engine: {text}"))?;
        self.games.current.push(reply.mv);
        Ok(Next::Moved)
    }

    /// Shows the move that the engine would make at full strength.
    pub(crate) fn hint(&mut self) -> Turn {
        if let Some(result) = self.result() {
            return self.answer(result);
        }
        match self.choose(Purpose::Advise)? {
            Some(reply) => self.answer(text!("hint: {}", self.write_reply(&reply))),
            None => Ok(Next::Same),
        }
    }

    /// Lets the engine think. Ctrl-C at a terminal ends that; a second one ends the program, so what must not be
    /// lost is written before.
    fn choose(&mut self, purpose: Purpose) -> Result<Option<Reply<G::Move>>, CliError> {
        self.remember();
        self.out.flush()?;
        let stop = self.interruptible.as_ref().map(Interruptible::begin).unwrap_or_default();
        let game = &self.games.current;
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

    fn write_reply(&self, reply: &Reply<G::Move>) -> String {
        format!("{}  ({})", self.written(reply.mv), reply.about)
    }

    /// Sets the level, or shows it.
    pub(crate) fn level(&mut self, number: Option<usize>) -> Turn {
        let Some(present) = self.opponent.level() else {
            return self.answer("levels are of this program's engine; see --option");
        };
        let wanted = match number {
            None => Some(present),
            Some(number) => u8::try_from(number).ok().and_then(Level::of_game::<G>),
        };
        let Some(level) = wanted else {
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
}
