//! From a request to its answer: the engine's options, its search, and what is said of it.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::{Purpose, Request, Search, Session};
use crate::engine::{Choice, Engine, EngineOptions};
use crate::game::{Line, ScoreKind};
use crate::gomoku::{Board, FreeRules, Point};
use crate::protocol::conversation::position::{any_move, score_without_search};
use crate::protocol::gomocup::game::{Table, cell};
use crate::protocol::gomocup::steps::Question;
use crate::protocol::session::engine_handle::NotPrepared;
use crate::protocol::session::thinking::{
    self, Done, Goal, Job, Outcome, Prepared, SearchTask, Signal, Thought,
};
use crate::search::{Iteration, Score};

const NO_MOVE: &str = "there is no move: the game is over, or every point is blocked";

impl Purpose {
    /// The line of play to be searched, and the moves that are left out; `None` once the answer is known.
    fn next(&self, table: &Table, blocked: &[Point]) -> Option<(Line<Board>, Vec<Point>)> {
        match self {
            Self::Move | Self::Side => Some((table.line.clone(), blocked.to_vec())),
            Self::Propose(proposal) => {
                Some((Line::new(proposal.position()?.clone(), 0), blocked.to_vec()))
            }
            Self::Ask(question) => {
                let inquiry = question.next()?;
                Some((Line::new(inquiry.position, 0), inquiry.banned))
            }
        }
    }

    /// The number of parts that the time for a move is divided into.
    fn shares(&self) -> u32 {
        match self {
            Self::Move | Self::Side => 1,
            Self::Propose(proposal) => proposal.shares(),
            Self::Ask(question) => question.shares(),
        }
    }
}

impl Session<'_> {
    /// The options that the engine should have.
    fn wanted(&self) -> EngineOptions<FreeRules> {
        let hash_mib = self.memory.hash.min(self.limiting.most_hash());
        EngineOptions { hash_mib, threads: self.memory.threads, ..self.options.clone() }
    }

    pub(crate) fn is_prepared(&self) -> bool {
        !self.is_stale && self.engine.has(&self.wanted())
    }

    /// Begins to set the engine's options in a thread; `false` if it has them, or none can be started.
    pub(crate) fn prepare(&mut self) -> bool {
        if self.engine.is_preparing() || self.is_prepared() {
            return self.engine.is_preparing();
        }
        let is_stale = std::mem::take(&mut self.is_stale);
        let set_up = if is_stale { set_up_anew } else { thinking::set_up::<Board> };
        self.engine.prepare(set_up, self.wanted(), self.gui.sender.clone()).is_ok()
    }

    /// Starts a search, at once or when the engine has its options.
    pub(crate) fn request(&mut self, request: Request) -> io::Result<()> {
        self.options.multipv = request.lines;
        if self.prepare() {
            self.pending_request = Some(request);
            return Ok(());
        }
        self.start_search(request)
    }

    fn start_search(&mut self, request: Request) -> io::Result<()> {
        let Request { purpose, began, is_stopped, .. } = request;
        let Some(table) = &self.table else { return Ok(()) };
        let Some((line, banned)) = purpose.next(table, &self.blocked) else {
            return self.conclude(&purpose, began);
        };
        let limits = self.limiting.limits_after(purpose.shares(), began.elapsed());
        let goal = Goal { limits, mate: None };
        let job = match &purpose {
            Purpose::Move => Job::Choose(goal),
            // A book's move has no score.
            Purpose::Side | Purpose::Propose(_) | Purpose::Ask(_) => Job::Analyse(goal),
        };
        let signal = Arc::new(Signal::new(false));
        if is_stopped {
            signal.stop();
        }
        self.search = Some(Search {
            signal: Arc::clone(&signal),
            purpose,
            began,
            position: line.position().clone(),
            order: table.order,
            lines: Vec::new(),
            is_dropped: false,
        });
        let Some(engine) = self.engine.take() else { return self.search_lost() };
        self.has_searched = true;
        let task = SearchTask { line, job, banned };
        if thinking::start(engine, task, signal, self.gui.sender.clone()).is_err() {
            return self.search_lost();
        }
        Ok(())
    }

    /// Something from the search.
    pub(crate) fn hear_thought(&mut self, thought: Thought<Board>) -> io::Result<()> {
        match thought {
            Thought::Iteration(iteration) => self.tell(&iteration),
            Thought::Count(..) | Thought::Known(_) | Thought::Current(_) => Ok(()),
            Thought::Prepared(prepared) => self.prepared(prepared),
            Thought::Done(None) => self.search_lost(),
            Thought::Done(Some(done)) => {
                let Done { engine, outcome } = *done;
                self.engine.put_back(engine);
                let warnings = self.engine.take_warnings();
                warnings.iter().try_for_each(|warning| self.gui.message(&warning.to_string()))?;
                match outcome {
                    Outcome::Move(choice) => self.answer(choice),
                    Outcome::Leaves(_) => Ok(()),
                }
            }
        }
    }

    fn prepared(&mut self, prepared: Option<Box<Prepared<Board>>>) -> io::Result<()> {
        if let Err(NotPrepared { message, kept }) = self.engine.prepared(prepared) {
            if let Some(kept) = kept {
                self.memory.keep(kept);
            }
            self.gui.message(&message)?;
        }
        match self.pending_request.take() {
            // The manager may have changed its mind meanwhile.
            Some(request) if self.engine.get().is_some() => self.request(request),
            Some(request) => self.start_search(request),
            None => Ok(()),
        }
    }

    /// Reports an iteration.
    fn tell(&mut self, iteration: &Iteration<Point>) -> io::Result<()> {
        let Iteration { depth, seldepth, multipv, nodes, time, pv, .. } = iteration;
        let Some(search) = self.search.as_mut().filter(|search| !search.is_dropped) else {
            return Ok(());
        };
        if *multipv == 1 {
            search.lines.clear();
        }
        search.lines.extend(pv.first().map(|&mv| (mv, iteration.score)));
        if *multipv > 1 && matches!(search.purpose, Purpose::Ask(_)) {
            return Ok(()); // there may be one for each point
        }
        let line = if *multipv > 1 { format!(" ({multipv})") } else { String::new() };
        self.gui.message(&format!(
            "depth {depth}-{seldepth}{line} ev {} n {nodes} tm {} pv {}",
            evaluation(iteration.score),
            time.as_millis(),
            moves(pv)
        ))
    }

    /// The search is lost, and its engine: any move is better than none.
    fn search_lost(&mut self) -> io::Result<()> {
        self.gui.message("the search broke down; please report the position")?;
        let Some(search) = &self.search else { return Ok(()) };
        self.answer(any_move(&search.position, &[]).map(Choice::unsearched))
    }

    fn answer(&mut self, choice: Option<Choice<Point>>) -> io::Result<()> {
        let Some(search) = self.search.take() else { return Ok(()) };
        if search.is_dropped {
            return Ok(());
        }
        let is_stopped = search.signal.stopped();
        match search.purpose {
            Purpose::Propose(mut proposal) => {
                proposal.judge(choice.and_then(|choice| choice.score));
                let purpose = Purpose::Propose(proposal);
                self.start_search(Request { purpose, lines: 1, began: search.began, is_stopped })
            }
            Purpose::Ask(mut question) => {
                let only =
                    || Some((choice.as_ref()?.mv, score(choice.as_ref()?, &search.position)));
                match search.lines.is_empty() {
                    true => question.hear(&Vec::from_iter(only())),
                    false => question.hear(&search.lines),
                }
                let lines = question.lines();
                let purpose = Purpose::Ask(question);
                self.request(Request { purpose, lines, began: search.began, is_stopped })
            }
            Purpose::Move | Purpose::Side => self.move_or_swap(&search, choice),
        }
    }

    fn move_or_swap(&mut self, search: &Search, choice: Option<Choice<Point>>) -> io::Result<()> {
        self.limiting.spend(search.began.elapsed());
        let Some(choice) = choice else { return self.gui.error(NO_MOVE) };
        if search.lines.is_empty() {
            self.tell_unsearched(&search.position, &choice)?;
        }
        let is_worse = choice.score.is_some_and(|score| score.value() < 0);
        if matches!(search.purpose, Purpose::Side) && is_worse {
            return self.gui.say("SWAP");
        }
        if let Some(table) = &mut self.table {
            table.line.push(choice.mv);
        }
        self.gui.say(cell(&search.position, choice.mv, search.order))
    }

    /// Reports a move that no iteration was reported for.
    fn tell_unsearched(&mut self, position: &Board, choice: &Choice<Point>) -> io::Result<()> {
        let Choice { depth, nodes, pv, .. } = choice;
        let ev = evaluation(score(choice, position));
        let pv = moves(pv);
        self.gui.message(&format!("depth {depth}-{depth} ev {ev} n {nodes} tm 0 pv {pv}"))
    }

    /// Says the answer that several searches have led to.
    fn conclude(&mut self, purpose: &Purpose, began: Instant) -> io::Result<()> {
        self.limiting.spend(began.elapsed());
        match purpose {
            Purpose::Move | Purpose::Side => Ok(()),
            Purpose::Propose(proposal) => self.propose(proposal.best()),
            Purpose::Ask(question) => self.answer_question(question),
        }
    }

    fn answer_question(&mut self, question: &Question) -> io::Result<()> {
        let Some(table) = &mut self.table else { return Ok(()) };
        let lines = question.answer(|point| table.cell(point));
        question.stones().into_iter().for_each(|point| table.line.push(point));
        if lines.is_empty() {
            return self.gui.error(NO_MOVE);
        }
        lines.iter().try_for_each(|line| self.gui.say(line))
    }

    /// Says the opening that the opponent may choose a side of.
    fn propose(&mut self, stones: Option<[Point; 3]>) -> io::Result<()> {
        let Some(stones) = stones else { return Ok(()) };
        let Some(table) = &mut self.table else { return Ok(()) };
        let cells = stones.map(|point| table.cell(point).to_string());
        stones.into_iter().for_each(|point| table.line.push(point));
        self.gui.say(cells.join(" "))
    }
}

/// The score of a choice, the evaluation where there is no other.
fn score(choice: &Choice<Point>, position: &Board) -> Score {
    choice.score.unwrap_or_else(|| score_without_search(position))
}

/// A score as messages have it.
fn evaluation(score: Score) -> String {
    match score.kind() {
        ScoreKind::Centipawns(score) => score.to_string(),
        ScoreKind::MateIn(plies) | ScoreKind::TableWin(plies) => format!("+M{plies}"),
        ScoreKind::MatedIn(plies) | ScoreKind::TableLoss(plies) => format!("-M{plies}"),
    }
}

/// A line of play as messages have it.
fn moves(pv: &[Point]) -> String {
    let moves: Vec<String> = pv.iter().map(ToString::to_string).collect();
    moves.join(" ")
}

/// Sets options in an engine that has to forget the last game.
fn set_up_anew(
    mut engine: Option<Engine<Board>>,
    options: EngineOptions<FreeRules>,
) -> Prepared<Board> {
    if let Some(engine) = &mut engine {
        engine.new_game();
    }
    thinking::set_up(engine, options)
}
