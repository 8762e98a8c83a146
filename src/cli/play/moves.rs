//! The commands that change the game: moves made, taken back and made again, variations, another game in its place.

use super::autosave::Autosave;
use super::game::Played;
use super::setup::PlayGame;
use super::{Decision, Next, TerminalGame, Turn, suggestions};
use crate::cli::prompt::remedy;
use crate::cli::{exit, notice};
use crate::language::{self, counts, text, word};
use juzhong::message::message;

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Makes the move that was typed.
    pub(crate) fn human_move(&mut self, typed: &str) -> Turn {
        if let Some(result) = self.result().filter(|_| !self.games.is_studying()) {
            return self.answer(text!("the game is over ({result}); undo or new goes on"));
        }
        match self.position().read_move(typed) {
            Ok(mv) => {
                if self.position().turn() == self.human {
                    self.games.current.waits = false;
                }
                self.draft = None;
                let loss = self.loss_of(mv);
                self.games.current.push(mv);
                if let Some(loss) = loss {
                    self.games.current.mark_mistake();
                    self.say(text!("{loss}; retry goes back before it"))?;
                }
                Ok(Next::Moved)
            }
            Err(reason) => {
                let reason = language::translated(reason);
                let remedy = remedy(suggestions::meant::<G>(typed));
                self.answer(text!("{reason}; {remedy}"))
            }
        }
    }

    /// Returns true if single moves are taken back and made again: the engine makes none.
    fn goes_by_single_moves(&self) -> bool {
        self.game().waits || self.games.is_studying()
    }

    /// Takes back the human's last move and what came after.
    pub(crate) fn undo(&mut self) -> Turn {
        if self.goes_by_single_moves() {
            return match self.games.current.back() {
                true => Ok(Next::Moved),
                false => self.answer("there is no move to take back"),
            };
        }
        if self.game().resigned().is_some() {
            self.games.current.take_resignation_back();
            return Ok(Next::Moved);
        }
        let line = self.game().line();
        // The first move of the game may be the engine's, and at its end the engine may still be to move.
        let first = if line.start().turn() == self.human { 0 } else { 1 };
        let plies = if line.position().turn() == self.human { 2 } else { 1 };
        if line.len() < first + plies {
            return self.answer("there is no move of yours to take back");
        }
        for _ in 0..plies {
            self.games.current.back();
        }
        Ok(Next::Moved)
    }

    /// Makes moves again that were taken back, until the human is to move.
    pub(crate) fn redo(&mut self) -> Turn {
        if !self.games.current.forward() {
            return self.answer("there is no move to make again");
        }
        while !self.goes_by_single_moves()
            && self.position().turn() != self.human
            && self.games.current.forward()
        {}
        Ok(Next::Moved)
    }

    /// Goes to the position after that many plies, to go through the game.
    pub(crate) fn go_to(&mut self, ply: usize) -> Turn {
        let len = self.game().len();
        if !self.games.current.go_to(ply) {
            return self.answer(text!("the game has {}", counts::moves(len)));
        }
        self.games.current.waits = true;
        let ply = self.game().line().len();
        self.say(text!("after {ply} of {}", counts::moves(len)))?;
        Ok(Next::Moved)
    }

    /// Goes one move forward.
    pub(crate) fn next_move(&mut self) -> Turn {
        self.go_to(self.game().line().len() + 1)
    }

    /// Goes one move back.
    pub(crate) fn previous_move(&mut self) -> Turn {
        match self.game().line().len().checked_sub(1) {
            Some(ply) => self.go_to(ply),
            None => self.answer("this is the start of the game"),
        }
    }

    /// Goes to the last move.
    pub(crate) fn last_move(&mut self) -> Turn {
        self.go_to(self.game().len())
    }

    /// Begins to try variations, from that ply on.
    pub(crate) fn study(&mut self, from: Option<usize>) -> Turn {
        let len = self.game().len();
        // Before the game is put aside: a study that cannot begin leaves it as it is.
        if from.is_some_and(|ply| ply > len) {
            return self.answer(text!("the game has {}", counts::moves(len)));
        }
        self.games.study();
        if let Some(ply) = from {
            self.games.current.go_to(ply);
        }
        self.say("moves of both sides are yours now; back returns to the game")?;
        Ok(Next::Moved)
    }

    /// Returns from variations to the game as it was.
    pub(crate) fn end_study(&mut self) -> Turn {
        match self.games.end_study() {
            true => Ok(Next::Moved),
            false => self.answer("this is the game; study tries variations, undo takes back"),
        }
    }

    /// Begins a new game, on a board like this one.
    pub(crate) fn new_game(&mut self) -> Turn {
        let game = match self.position().other_start() {
            Some(start) => Played::from_start(start),
            None => Played::new(),
        };
        self.begin(game, false)
    }

    /// Begins another game, unless this one stays. The engine waits for the human's first move if `waits`.
    pub(crate) fn begin(&mut self, game: Played<G>, waits: bool) -> Turn {
        match self.confirm_drop()? {
            Next::Moved => self.replace(game, waits),
            stays => Ok(stays),
        }
    }

    /// Asks at a terminal, if no file has this game, whether another may take its place ([`Next::Moved`]).
    pub(crate) fn confirm_drop(&mut self) -> Turn {
        if self.games.is_studying() {
            return self.answer("this is a study; back returns to the game first");
        }
        if !self.prompt.is_terminal() || !self.game().is_unsaved() {
            return Ok(Next::Moved);
        }
        match self.ask(&text!("The game is not saved. Drop it? [y/n] "))? {
            Decision::Yes => Ok(Next::Moved),
            Decision::No => self.answer("the game stays as it is"),
            Decision::Leave(code) => Ok(Next::Leave(code)),
        }
    }

    /// Puts another game in the place of this one; what was saved is that one's file.
    pub(crate) fn replace(&mut self, game: Played<G>, waits: bool) -> Turn {
        self.saved = None;
        self.opponent.new_game()?;
        self.games.replace(game);
        self.games.current.waits = waits;
        self.draft = None;
        Ok(Next::Moved)
    }

    /// Changes sides: the engine plays what the human played.
    pub(crate) fn switch(&mut self) -> Turn {
        if self.games.is_studying() {
            return self.answer("moves of both sides are yours here; back returns to the game");
        }
        self.human = !self.human;
        self.games.current.waits = false;
        self.say(text!("you play {} now", word(G::side_name(self.human))))?;
        Ok(Next::Moved)
    }

    /// Gives the game up for the human.
    pub(crate) fn resign(&mut self) -> Turn {
        if self.games.is_studying() {
            return self.answer("not while variations are tried; back returns to the game");
        }
        if let Some(result) = self.result() {
            return self.answer(result);
        }
        let winner = word(G::side_name(!self.human));
        self.games.current.resign(self.human);
        // The loop keeps the game after moves only.
        self.keep();
        self.answer(text!("you resign: {winner} wins"))
    }

    /// Leaves the program, and the game on purpose: it is not kept.
    pub(crate) fn quit(&mut self) -> Turn {
        if let Some(Err(error)) = self.autosave.as_ref().map(Autosave::remove) {
            notice(message!("the game that was kept stays: {error}"));
        }
        Ok(Next::Leave(exit::OK))
    }
}
