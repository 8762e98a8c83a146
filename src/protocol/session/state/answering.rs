//! From a search to its answer, and the answers about the transposition table.

use std::io;

use rand_chacha::rand_core::Rng;

use super::{Search, Session};
use crate::engine::{Choice, MoveSource, Playable, varied};
use crate::game::Game;
use crate::protocol::conversation::position::{any_move, read_position, score_without_search};
use crate::protocol::session::answers::{Detail, Extras};
use crate::protocol::session::thinking::{Done, Outcome, Thought};
use crate::protocol::wire::command::Setup;
use crate::search::{HashEntry, Iteration, Score, tt_key};

/// The most positions of which transposition table entries may be requested from a search at a time.
const MAX_PROBED: usize = 10_000;

impl<G: Playable> Session<'_, G> {
    /// Something from the search.
    pub(crate) fn hear_thought(&mut self, thought: Thought<G>) -> io::Result<()> {
        match thought {
            Thought::Iteration(iteration) => self.tell_iteration(iteration),
            Thought::Current(current) => self.gui.current_move::<G>(&current),
            Thought::Count(mv, leaves) => self.gui.count::<G>(mv, leaves),
            Thought::Known(entry) => self.tell_known(entry),
            Thought::Done(done) => self.search_ended(done),
            Thought::Prepared(prepared) => self.prepared(prepared),
        }
    }

    fn tell_iteration(&mut self, iteration: Iteration<G::Move>) -> io::Result<()> {
        if iteration.multipv as usize <= self.settings.multipv() {
            let detail = Detail { wdl: self.settings.show_wdl, debug: self.settings.debug };
            let score = self.scaled(iteration.score);
            self.gui.iteration::<G>(&Iteration { score, ..iteration.clone() }, detail)?;
        }
        if let Some(search) = &mut self.search {
            if iteration.multipv == 1 {
                search.lines.clear();
            }
            search.lines.push(iteration);
        }
        Ok(())
    }

    /// A score of the line's last position on the scale that the GUI wants.
    fn scaled(&self, score: Score) -> Score {
        self.settings.scale.of(score, self.line.position())
    }

    fn search_ended(&mut self, done: Option<Box<Done<G>>>) -> io::Result<()> {
        match done {
            Some(done) => {
                let Done { engine, outcome } = *done;
                self.engine.put_back(engine);
                self.take_outcome(outcome)
            }
            None => self.search_lost("the search broke down; please report the position"),
        }
    }

    /// Neither engine nor answer will come back: any move is better than none.
    pub(crate) fn search_lost(&mut self, why: &str) -> io::Result<()> {
        self.gui.message(why)?;
        let banned = self.search.as_ref().map_or(&self.banned, |search| &search.banned);
        let any = any_move(self.line.position(), banned);
        self.take_outcome(Outcome::Move(any.map(Choice::unsearched)))
    }

    fn take_outcome(&mut self, outcome: Outcome<G::Move>) -> io::Result<()> {
        while !self.probed.is_empty() {
            let known = self.engine.get().zip(self.probed.front());
            let entry = known.and_then(|(engine, (_, key))| engine.probe(*key));
            self.tell_known(entry)?;
        }
        if let Some(search) = &mut self.search {
            search.owed.answer = Some(outcome);
        }
        Ok(())
    }

    /// UCCI: reports the transposition table's entry. While a search runs, the search's thread answers.
    pub(crate) fn probe(&mut self, setup: &Setup) -> io::Result<()> {
        let line = match read_position::<G>(setup, self.gui.wire().ranks) {
            Ok(line) => line,
            Err(message) => {
                self.complain(&format!("probe: {message}"))?;
                return self.gui.hash_entry::<G>(None);
            }
        };
        let position = line.position().clone();
        let rules = self.settings.engine_options().rules;
        let key = if self.settings.sixty_moves { tt_key(&line, rules) } else { position.key() };
        let entry = self.engine.get().map(|engine| engine.probe(key));
        match (&self.search, entry) {
            (Some(search), None) if self.probed.len() < MAX_PROBED => {
                self.probed.push_back((position, key));
                search.signal.ask(key);
                Ok(())
            }
            (_, entry) => {
                let entry = entry.flatten();
                self.gui.hash_entry::<G>(entry.map(|entry| legal(entry, &position)))
            }
        }
    }

    /// Answers for the position whose entry was requested first.
    fn tell_known(&mut self, entry: Option<HashEntry<G::Move>>) -> io::Result<()> {
        match self.probed.pop_front() {
            Some((position, _)) => {
                self.gui.hash_entry::<G>(entry.map(|entry| legal(entry, &position)))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn answer(
        &mut self,
        outcome: Outcome<G::Move>,
        search: &Search<G>,
    ) -> io::Result<()> {
        self.tell_warnings()?;
        let choice = match outcome {
            Outcome::Leaves(Some(leaves)) => return self.gui.total(leaves),
            Outcome::Leaves(None) => return self.gui.message("go perft: stopped"),
            Outcome::Move(None) => return self.tell_no_move(),
            Outcome::Move(Some(choice)) => self.varied(choice, &search.lines),
        };
        match choice.source {
            MoveSource::Table => self.tell_table(&choice)?,
            _ if search.lines.is_empty() => self.tell_unsearched(&choice)?,
            _ => {}
        }
        if choice.source == MoveSource::Book {
            self.gui.message("the move is from the book")?;
        }
        let draw = search.draw && self.accepts_draw(&choice);
        self.gui.best::<G>(choice.mv, choice.ponder(), Extras { draw })
    }

    /// There is no move: the game is over, or all moves are left out.
    fn tell_no_move(&mut self) -> io::Result<()> {
        // UCCI's `nobestmove` says as much.
        if self.line.position().outcome().is_some() && !self.gui.is_ucci() {
            self.gui.score::<G>(0, score_without_search(self.line.position()), &[])?;
        }
        self.gui.no_move()
    }

    /// Reports a move that no iteration has been reported for, so that every move comes with a score and a line of
    /// play: that of a search which was over before its first iteration, or of a book. The score is the evaluation
    /// where there is no other.
    fn tell_unsearched(&mut self, choice: &Choice<G::Move>) -> io::Result<()> {
        let score = choice.score.unwrap_or_else(|| score_without_search(self.line.position()));
        self.gui.score::<G>(choice.depth, self.scaled(score), &choice.pv)
    }

    fn tell_table(&mut self, choice: &Choice<G::Move>) -> io::Result<()> {
        if let Some(score) = choice.score {
            self.gui.score::<G>(1, self.scaled(score), &choice.pv)?;
        }
        if let Some(table) = &choice.table {
            self.gui.message(&format!("the move is from the endgame tables: {table}"))?;
        }
        Ok(())
    }

    /// Returns true if the score of the choice is at most the one up to which the style accepts a draw. A
    /// book's move has no score, so it never accepts one.
    fn accepts_draw(&self, choice: &Choice<G::Move>) -> bool {
        choice.score.is_some_and(|score| score.value() <= self.settings.style.draw_up_to())
    }

    /// The choice, or for a change another of the search's lines that is hardly worse.
    fn varied(&mut self, choice: Choice<G::Move>, lines: &[Iteration<G::Move>]) -> Choice<G::Move> {
        let Some(margin) = self.settings.margin() else { return choice };
        varied(choice, lines, margin, self.random.next_u64())
    }
}

/// The entry without a move that is not legal.
fn legal<G: Game>(entry: HashEntry<G::Move>, position: &G) -> HashEntry<G::Move> {
    HashEntry { best: entry.best.filter(|&mv| position.is_legal(mv)), ..entry }
}
