//! The way from a `go` to its answer.

use std::time::Duration;
use std::{io, thread};

use super::phase::Phase;
use super::{PREPARE_TIMEOUT, Session};
use crate::engine::{Choice, MoveSource};
use crate::game::Notation;
use crate::protocol::{Answer, Dialect, Go, Wire, score_without_search, shortened};
use crate::proxy::backend::Stage;
use crate::proxy::info;
use crate::proxy::search::Search;
use crate::search::{Limits, Score};
use crate::xiangqi::{Move, Position};

/// The part of the time for a move that is available for opening books and tablebases.
const PREPARE_SHARE: u32 = 10;

/// The dialect and conventions of our own lines.
const OURS: Wire = Wire::of(Dialect::Uci);

impl Session<'_> {
    /// Answers from the book and the tablebases at once; the rest is for the engine.
    pub(crate) fn go(&mut self, go: Go) -> io::Result<()> {
        let time = go.time(self.board.mover()).map(Duration::from_millis);
        let share = time.map_or(PREPARE_TIMEOUT, |time| time / PREPARE_SHARE);
        self.prepare(share.min(PREPARE_TIMEOUT))?;
        if go.perft.is_some() {
            return self.count(&go);
        }
        let mut search = Search::new(go, self.board.mover());
        search.analysing |= self.options.wants_analysis();
        // UCCI has no word on it: there the engine decides when an endless search ends.
        search.owed.until_stop &= !self.gui.is_ucci();
        let is_over = self.board.legal_moves().is_some_and(|moves| moves.is_empty());
        let analysing = search.analysing;
        self.phase = Phase::Searching(Box::new(search));
        if is_over {
            // UCCI's `nobestmove` says as much.
            if !self.gui.is_ucci() {
                self.tell_score(0, None, &[])?;
            }
            return self.settle(Answer::default());
        }
        if !analysing && let Some(choice) = self.known_move() {
            self.tell_source(&choice)?;
            return self.settle(answer_of(&choice));
        }
        self.send_search()
    }

    /// A count of leaves is the engine's, and has no answer.
    fn count(&mut self, go: &Go) -> io::Result<()> {
        if self.backend.wire.dialect.is_ucci() || !self.send_position()? {
            return self.info("go perft: the engine cannot be asked");
        }
        self.tell(&go.text(self.backend.wire, self.board.mover())).map(drop)
    }

    /// The move of a book, or of the tablebases in a decided position, unless it is banned or loses by
    /// repetition.
    fn known_move(&mut self) -> Option<Choice<Move>> {
        let line = self.board.line()?;
        let choice = self.front.engine()?.consult(line)?;
        let is_known = match choice.source {
            MoveSource::Book => true,
            MoveSource::Table => choice.table.is_some_and(|best| best.score() != Score::DRAW),
            MoveSource::Search => false,
        };
        let rules = self.rules();
        let may_play =
            is_known && self.is_allowed(choice.mv) && !self.board.loses_by_rule(choice.mv, rules);
        may_play.then_some(choice)
    }

    /// Returns true if the GUI has neither banned the move nor left it out.
    fn is_allowed(&self, mv: Move) -> bool {
        let text = Position::move_text(mv);
        let only = self.phase.search().map_or(&[][..], |search| &search.go.search_moves);
        !self.banned.contains(&text) && (only.is_empty() || only.contains(&text))
    }

    fn tell_source(&mut self, choice: &Choice<Move>) -> io::Result<()> {
        let depth = if choice.source == MoveSource::Table { 1 } else { choice.depth };
        self.tell_score(depth, choice.score, &choice.pv)?;
        match (choice.source, &choice.table) {
            (MoveSource::Book, _) => self.info("the move is from the book"),
            (_, Some(table)) => self.info(&format!("the move is from the endgame tables: {table}")),
            _ => Ok(()),
        }
    }

    /// Writes what is known of a move of ours; where it has no score, that of the position as it stands.
    fn tell_score(&mut self, depth: u32, score: Option<Score>, pv: &[Move]) -> io::Result<()> {
        let Some(score) = score.or_else(|| self.score_now()) else { return Ok(()) };
        let mut line = format!("info depth {depth} score {score}");
        if !pv.is_empty() {
            line += " pv ";
            line += &texts_of(pv).join(" ");
        }
        let lines = info::translate(&line, OURS, self.gui.wire());
        lines.iter().try_for_each(|line| self.gui.say(line))
    }

    /// The score of the position as it stands; `None` if the position is unknown.
    fn score_now(&self) -> Option<Score> {
        self.board.line().map(|line| score_without_search(line.position()))
    }

    fn settle(&mut self, answer: Answer) -> io::Result<()> {
        if let Some(search) = self.phase.search_mut() {
            search.owed.answer.get_or_insert(answer);
        }
        Ok(())
    }

    /// Sends the engine the position unless it knows it; `false` if there is no engine.
    pub(crate) fn send_position(&mut self) -> io::Result<bool> {
        if self.backend.knows_position() {
            return Ok(true);
        }
        let is_sent = self.tell(&self.board.text(self.backend.wire))?;
        if is_sent {
            self.backend.set_knows_position(true);
        }
        Ok(is_sent)
    }

    /// Hands the search to the engine if there is one that has not got it.
    pub(crate) fn send_search(&mut self) -> io::Result<()> {
        if self.phase.unanswered().is_none_or(Search::is_sent) {
            return Ok(());
        }
        if self.backend.stage == Stage::Gone {
            return self.answer_ourselves("");
        }
        if self.backend.owes().is_some() || !self.send_position()? {
            return Ok(());
        }
        let wire = self.backend.wire;
        let (only, banned) = self.chosen_moves();
        let theirs: Vec<String> = banned.iter().map(|mv| wire.ranks.theirs(mv)).collect();
        if wire.dialect.is_ucci()
            && !theirs.is_empty()
            && !self.tell(&format!("banmoves {}", theirs.join(" ")))?
        {
            return Ok(());
        }
        // A ban stays in UCCI until the next position.
        if !banned.is_empty() {
            self.backend.set_knows_position(false);
        }
        let Some(search) = self.phase.search_mut() else { return Ok(()) };
        search.send();
        let go = Go { search_moves: only, ..search.go_from_now() };
        self.tell(&go.text(wire, self.board.mover())).map(drop)
    }

    /// The moves that the engine may look at (empty: all) and those it may not, with ranks from 0; where the
    /// position is known, one list is the complement of the other.
    fn chosen_moves(&self) -> (Vec<String>, Vec<String>) {
        let named = self.phase.search().map(|search| search.go.search_moves.clone());
        let only = named.unwrap_or_default();
        if only.is_empty() && self.banned.is_empty() {
            return (only, Vec::new());
        }
        let Some(legal) = self.board.legal_moves() else { return (only, self.banned.clone()) };
        let (allowed, banned): (Vec<Move>, Vec<Move>) =
            legal.into_iter().partition(|&mv| self.is_allowed(mv));
        (texts_of(&allowed), texts_of(&banned))
    }

    /// The GUI wants the answer now.
    pub(crate) fn stop_search(&mut self) -> io::Result<()> {
        if let Some(search) = self.phase.search_mut() {
            search.owed.stop();
            search.stopped = true;
        }
        self.hurry()
    }

    /// The answer must come soon: the engine gets `stop`, or, if it does not search, we answer ourselves.
    pub(crate) fn hurry(&mut self) -> io::Result<()> {
        match self.phase.search_mut() {
            Some(search) if search.owed.answer.is_some() || search.stop_said().is_some() => Ok(()),
            Some(search) if search.is_sent() => {
                search.say_stop();
                self.tell("stop").map(drop)
            }
            Some(_) => self.answer_ourselves("the engine is not there yet"),
            None => Ok(()),
        }
    }

    /// The engine's answer, if one is due: checked, or replaced where it is no legal move.
    pub(crate) fn hear_answer(&mut self, mut answer: Answer) -> io::Result<()> {
        let Some(search) = self.phase.search().filter(|search| search.is_with_engine()) else {
            tracing::debug!(?answer, "an answer to nothing");
            return Ok(());
        };
        let stopped = search.stopped;
        let analysing = search.analysing;
        let stop_said = search.stop_said().is_some() && answer.best.is_some();
        self.backend.crossing.ended(self.backend.wire.dialect, stop_said);
        if self.board.line().is_none() {
            return self.settle(answer);
        }
        let Some(text) = &answer.best else {
            // In UCCI an engine may end a search in this way when it gets `stop`.
            if stopped && self.gui.is_ucci() {
                return self.settle(answer);
            }
            let resigns = format!("{} gives no move", self.backend.name());
            return self.answer_ourselves(&resigns);
        };
        let Some(mv) = self.board.legal(text).filter(|&mv| self.is_allowed(mv)) else {
            let name = self.backend.name();
            let shown = shortened(text);
            return self.answer_ourselves(&format!("{name} plays {shown}, which is not legal"));
        };
        // In the usual letters, however the engine writes them.
        let ponder = answer.ponder.and_then(|text| self.board.answer(mv, &text));
        answer.best = Some(Position::move_text(mv));
        answer.ponder = ponder.map(Position::move_text);
        if !analysing && let Some(better) = self.draw_instead(mv) {
            let [lost, drawn] = [mv, better].map(Position::move_text);
            self.info(&format!("{lost} loses by the endgame tables, {drawn} draws"))?;
            answer = Answer { best: Some(drawn), ..Answer::default() };
        }
        self.settle(answer)
    }

    /// A drawing move by the tablebases where `mv` loses.
    fn draw_instead(&self, mv: Move) -> Option<Move> {
        let ranked = self.front.get()?.ranked_moves(self.board.line()?)?;
        let lost = ranked.iter().find(|ranked| ranked.mv == mv)?.score() < Score::DRAW;
        let first = ranked.first().filter(|first| lost && first.score() >= Score::DRAW)?;
        self.is_allowed(first.mv).then_some(first.mv)
    }

    /// Answers without the engine: with the first move of its last reported line, else by a short search of
    /// our own, else with any legal move.
    pub(crate) fn answer_ourselves(&mut self, why: &str) -> io::Result<()> {
        let Some(search) = self.phase.search() else { return Ok(()) };
        let best = search.info.pv.first().cloned();
        let rules = self.rules();
        let heard = best
            .and_then(|text| self.board.legal(&text))
            .filter(|&mv| self.is_allowed(mv) && !self.board.loses_by_rule(mv, rules));
        let (mv, whose) = match heard {
            Some(mv) => (Some(mv), "its best line so far"),
            None => {
                let choice = self.quick_move();
                if let Some(Choice { depth, score, pv, .. }) = &choice {
                    self.tell_score(*depth, *score, pv)?;
                }
                (choice.map(|choice| choice.mv), "juzhong")
            }
        };
        if let Some(mv) = mv {
            let why = if why.is_empty() { String::new() } else { format!("{why}: ") };
            self.info(&format!("{why}{} is the move of {whose}", Position::move_text(mv)))?;
        }
        let best = mv.map(Position::move_text);
        self.settle(Answer { best, ..Answer::default() })
    }

    /// Answers what runs at once, without waiting for the engine.
    pub(crate) fn answer_now(&mut self) -> io::Result<()> {
        let Some(search) = self.phase.search_mut() else { return Ok(()) };
        search.owed.stop();
        if search.owed.answer.is_none() {
            self.answer_ourselves("")?;
        }
        self.give_answer()
    }

    /// A move of ours, found quickly; `None` where there is no legal one, or the position unknown.
    fn quick_move(&mut self) -> Option<Choice<Move>> {
        let legal = self.board.legal_moves()?;
        let any = legal.iter().copied().find(|&mv| self.is_allowed(mv));
        let line = self.board.line()?;
        let quick = self.phase.search()?.quick();
        let front = self.front.engine();
        let limits = Limits::move_time(quick);
        // In a thread of its own, so that even a search that breaks down costs no answer.
        let choice = thread::scope(|scope| {
            let search = thread::Builder::new().name("proxy search".to_owned());
            let search = search.spawn_scoped(scope, || front?.search(line, &limits, &()));
            search.ok().and_then(|search| search.join().ok().flatten())
        });
        let found = choice.filter(|choice| self.is_allowed(choice.mv));
        let any = any.or_else(|| legal.first().copied());
        let choice = found.or_else(|| any.map(Choice::unsearched))?;
        Some(match self.draw_instead(choice.mv) {
            Some(mv) => Choice { score: Some(Score::DRAW), ..Choice::unsearched(mv) },
            None => choice,
        })
    }
}

fn texts_of(moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| Position::move_text(mv)).collect()
}

/// Our choice as an answer to `go`.
fn answer_of(choice: &Choice<Move>) -> Answer {
    let text = Position::move_text;
    Answer { best: Some(text(choice.mv)), ponder: choice.ponder().map(text), offer: None }
}
