//! Evaluations of the positions of games, by several engines at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::analyst::{Analyst, Finding, Question};
use super::compare::{MAX_LINE, SecondLook, Suspect, compare};
use super::game_review::suspects;
use super::marks::Valuation;
use super::values::{GameMoves, GameValues, PositionValue, TableFacts, line_to, positions};
use crate::bytes::clock::Instant;
use crate::bytes::machine::available_memory;
use crate::bytes::{SetAtEnd, StopFlag};
use crate::engine::{
    Choice, Endgames, Engine, EngineError, EngineOptions, LookUp, Playable, TableOptions, as_drawn,
};
use crate::game::{EvaluationKind, Line, MoveList};
use crate::message::Message;
use crate::search::{Limits, Score};
use crate::tablebase::{Entry, Wdl};

/// The settings of evaluations.
#[derive(Debug, Clone)]
pub struct ReviewOptions<R> {
    /// The limits of the search of each position; with limits of depth and nodes only, the results are repeatable.
    pub limits: Limits,
    /// The effort of a second look at a move that seems to be a fault, in searches of a position
    /// ([`rounds`](super::rounds)); 0 for none.
    pub effort: u32,
    /// Size of each thread's transposition table in MiB.
    pub hash_mib: usize,
    /// The evaluation of the own engine, in games that have more than one.
    pub evaluation: EvaluationKind,
    /// Positions evaluated at a time, at least 1. The results do not depend on it.
    pub threads: usize,
    /// Endgame tables.
    pub tables: TableOptions,
    /// The rules that judge repetitions.
    pub rules: R,
    /// The engine with its settings, in words that are the same for the same engine; `None` for the own one. A review by
    /// one goes on by the same one only.
    pub engine: Option<String>,
}

/// The usual effort of a second look: four rounds.
pub const USUAL_EFFORT: u32 = 90;

/// A step of an evaluation that is done.
#[derive(Debug)]
pub enum EvaluationStep<'a, M> {
    /// The value of a position of a game.
    Position {
        /// The number of the game, from 0.
        game: usize,
        /// Plies before the position.
        ply: usize,
        /// The value.
        value: &'a PositionValue<M>,
    },
    /// A second look at a move that seemed to be a fault.
    SecondLook {
        /// The number of the game, from 0.
        game: usize,
        /// Plies before the move.
        ply: usize,
    },
}

/// The reason why nothing can be evaluated.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum ReviewError {
    /// An engine cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The transposition tables of all threads together do not fit into the memory.
    #[error(
        "{threads} threads need {mib} MiB each for their transposition tables, which is more than there is; use fewer \
         --threads or a smaller --hash"
    )]
    Memory {
        /// Threads asked for.
        threads: usize,
        /// The size for each.
        mib: usize,
    },
    /// The tables cannot be opened: why, and the remedy.
    #[error("{0}")]
    Tables(Message),
    /// An engine is of no use any more: its name, and the fault.
    #[error("{0}")]
    Analyst(Message),
    /// The system starts no thread.
    #[error("cannot start a thread; use fewer --threads")]
    Thread(#[source] std::io::Error),
}

/// Engines that evaluate positions, one for each thread.
#[derive(Debug)]
pub struct Evaluators<G: Playable> {
    stations: Vec<Station<G>>,
    limits: Limits,
    effort: u32,
    rules: G::Rules,
    warnings: Vec<Message>,
}

/// An engine, and the endgame tables in front of it.
#[derive(Debug)]
struct Station<G: Playable> {
    analyst: Box<dyn Analyst<G>>,
    /// Looks tables up, and never searches; `None` without tables.
    tables: Option<Engine<G>>,
    /// Problems with the tables that nobody was told of yet.
    warnings: Vec<Message>,
}

/// The part of the nodes of a search that looks for the second best move.
const SECOND_SHARE: u64 = 4;

/// Engines of one box each, as [`Evaluators::with_analysts`] takes them.
pub type Analysts<G> = Vec<Box<dyn Analyst<G>>>;

/// The settings of an engine that looks up tables.
fn engine_options<G: Playable>(options: &ReviewOptions<G::Rules>) -> EngineOptions<G::Rules> {
    EngineOptions {
        tables: options.tables.clone(),
        hash_mib: options.hash_mib,
        evaluation: options.evaluation,
        rules: options.rules,
        seed: Some(0),
        ..EngineOptions::default()
    }
}

impl<G: Playable> Evaluators<G> {
    /// Sets up the own engine, once for each thread.
    ///
    /// # Errors
    ///
    /// If the memory does not suffice, or there are no endgame tables where some are asked for.
    pub fn new(options: &ReviewOptions<G::Rules>) -> Result<Self, ReviewError> {
        check_tables::<G>(options)?;
        let threads = options.threads;
        let mib = options.hash_mib;
        let needed = (threads as u64).saturating_mul(mib as u64).saturating_mul(1 << 20);
        if available_memory().is_some_and(|free| needed > free) {
            return Err(ReviewError::Memory { threads, mib });
        }
        let of_engine = engine_options::<G>(options);
        let mut analysts: Analysts<G> = Vec::new();
        for _ in 0..threads.max(1) {
            analysts.push(Box::new(Engine::<G>::new(of_engine.clone())?));
        }
        Self::with_analysts(options, analysts)
    }

    /// Puts endgame tables in front of engines, each of which works in a thread of its own; at least one.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn with_analysts(
        options: &ReviewOptions<G::Rules>,
        analysts: Analysts<G>,
    ) -> Result<Self, ReviewError> {
        check_tables::<G>(options)?;
        let of_tables = EngineOptions { hash_mib: 1, ..engine_options::<G>(options) };
        let mut stations = Vec::with_capacity(analysts.len());
        let mut warnings = Vec::new();
        for mut analyst in analysts {
            let has_tables = !options.tables.folders.is_empty();
            let mut tables = has_tables.then(|| Engine::<G>::new(of_tables.clone())).transpose()?;
            add_new(&mut warnings, analyst.take_warnings());
            add_new(&mut warnings, tables.as_mut().map_or_else(Vec::new, Engine::take_warnings));
            stations.push(Station { analyst, tables, warnings: Vec::new() });
        }
        let ReviewOptions { limits, effort, rules, .. } = *options;
        Ok(Self { stations, limits, effort, rules, warnings })
    }

    /// The problems with engines and tables since the last call, each once, for people.
    pub fn take_warnings(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.warnings)
    }

    /// Evaluates every position of the games, several at a time, then looks again at the moves that seem to be faults,
    /// and calls `done` in this thread after each. The answers have the order of the games: a value for each position
    /// from which a move was made, and one for the last position unless the game is over there. `None` for games that
    /// were not finished when `stop` was set.
    ///
    /// # Errors
    ///
    /// If no thread can be started, or an engine is of no use any more.
    pub fn evaluate(
        &mut self,
        games: &[GameMoves<'_, G>],
        stop: &StopFlag,
        done: &mut dyn FnMut(),
    ) -> Result<Vec<Option<GameValues<G>>>, ReviewError> {
        self.evaluate_in_steps(games, stop, &mut |_| done())
    }

    /// As [`evaluate`](Self::evaluate), and calls `done` with each step. Several engines finish them in no fixed order.
    ///
    /// # Errors
    ///
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_in_steps(
        &mut self,
        games: &[GameMoves<'_, G>],
        stop: &StopFlag,
        done: &mut dyn FnMut(EvaluationStep<'_, G::Move>),
    ) -> Result<Vec<Option<GameValues<G>>>, ReviewError> {
        let mut all = self.first_pass(games, stop, done)?;
        let (limits, effort, rules) = (self.limits, self.effort, self.rules);
        let mut doubtful: Vec<Job> = Vec::new();
        for (number, (game, values)) in games.iter().zip(&all).enumerate().filter(|_| effort > 0) {
            let found = values.as_ref().map_or_else(Vec::new, |of| suspects(*game, of, rules));
            doubtful.extend(found.into_iter().map(|ply| (number, ply)));
        }
        let looked = &mut |number: usize, _: &Option<SecondLook<G::Move>>| {
            let (game, ply) = doubtful[number];
            done(EvaluationStep::SecondLook { game, ply });
        };
        let looks =
            self.run(doubtful.len(), stop, looked, &|station: &mut Station<G>, number| {
                let (game, ply) = doubtful[number];
                let GameMoves { moves, .. } = games[game];
                let (line, played) = (&line_to(games[game], ply), moves[ply]);
                compare(station.analyst.as_mut(), &Suspect { line, played, limits, effort }, stop)
            })?;
        for (&(game, ply), look) in doubtful.iter().zip(looks) {
            match (look, &mut all[game]) {
                (Some(look), Some(values)) => values[ply].look = look,
                // Without its second looks a game is not finished.
                (None, _) => all[game] = None,
                (Some(_), None) => {}
            }
        }
        Ok(all)
    }

    /// The values of the positions, each searched once.
    fn first_pass(
        &mut self,
        games: &[GameMoves<'_, G>],
        stop: &StopFlag,
        done: &mut dyn FnMut(EvaluationStep<'_, G::Move>),
    ) -> Result<Vec<Option<GameValues<G>>>, ReviewError> {
        let jobs = jobs_of(games, self.rules);
        let limits = self.limits;
        let found = &mut |number: usize, value: &PositionValue<G::Move>| {
            let (game, ply) = jobs[number];
            done(EvaluationStep::Position { game, ply, value });
        };
        let values = self.run(jobs.len(), stop, found, &|station: &mut Station<G>, number| {
            let (game, ply) = jobs[number];
            station.value_at(games[game], ply, &limits, stop)
        })?;
        let mut values = values.into_iter();
        Ok(games
            .iter()
            .map(|game: &GameMoves<'_, G>| {
                let of_positions = values.by_ref().take(positions(*game, self.rules));
                // Not at once into an option: that would leave the values after the first `None` to the next game.
                of_positions.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>()
            })
            .collect())
    }

    /// Does a number of jobs, several at a time, and calls `done` with the number and the answer of each. `None` for those
    /// that were not done when `stop` was set.
    fn run<T: Send>(
        &mut self,
        jobs: usize,
        stop: &StopFlag,
        done: &mut dyn FnMut(usize, &T),
        work: &Work<'_, G, T>,
    ) -> Result<Vec<Option<T>>, ReviewError> {
        let mut found: Vec<Option<T>> = std::iter::repeat_with(|| None).take(jobs).collect();
        let ended = StopFlag::default();
        let busy = jobs.min(self.stations.len());
        let queue = Queue { jobs, next: AtomicUsize::new(0), stop, ended: &ended };
        let warnings = &mut self.warnings;
        let mut fault: Option<(usize, Message)> = None;
        std::thread::scope(|scope| {
            let (sender, answers) = mpsc::channel();
            let end = SetAtEnd(&ended);
            for station in self.stations.iter_mut().take(busy) {
                let sender = sender.clone();
                let queue = &queue;
                std::thread::Builder::new()
                    .spawn_scoped(scope, move || queue.work(station, work, &sender))
                    .map_err(ReviewError::Thread)?;
            }
            // The engines have clones: the list of answers ends when the last of them is gone.
            drop(sender);
            for Answer { number, found: answer, warnings: remarks } in answers {
                add_new(warnings, remarks);
                match answer {
                    // A search that was broken off is weaker than it would have been.
                    Ok(answer) if !stop.is_set() => {
                        done(number, &answer);
                        found[number] = Some(answer);
                    }
                    Ok(_) => {}
                    Err(text) => {
                        ended.set();
                        // Of several the fault of the first job, whichever thread met one first.
                        if fault.as_ref().is_none_or(|(first, _)| number < *first) {
                            fault = Some((number, text));
                        }
                    }
                }
            }
            drop(end);
            Ok::<(), ReviewError>(())
        })?;
        match fault {
            Some((_, text)) => Err(ReviewError::Analyst(text)),
            None => Ok(found),
        }
    }
}

/// Opens the tables, if some are asked for, to find out that they are there.
fn check_tables<G: Playable>(options: &ReviewOptions<G::Rules>) -> Result<(), ReviewError> {
    if !options.tables.folders.is_empty() {
        G::Tables::open(&options.tables, options.rules).map_err(ReviewError::Tables)?;
    }
    Ok(())
}

/// One position to be evaluated: the number of its game and its ply.
type Job = (usize, usize);

/// A job by its number, done by an engine.
type Work<'a, G, T> = dyn Fn(&mut Station<G>, usize) -> Result<T, Message> + Sync + 'a;

/// The positions of games, in order.
fn jobs_of<G: Playable>(games: &[GameMoves<'_, G>], rules: G::Rules) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (number, game) in games.iter().enumerate() {
        jobs.extend((0..positions(*game, rules)).map(|ply| (number, ply)));
    }
    jobs
}

/// Adds those of the messages that are not there yet.
fn add_new(messages: &mut Vec<Message>, more: Vec<Message>) {
    for message in more {
        if !messages.contains(&message) {
            messages.push(message);
        }
    }
}

/// The jobs that several engines share. One list for all of them: the next job goes to whoever is free, and positions
/// differ widely in their time.
struct Queue<'a> {
    jobs: usize,
    /// The number of the next job.
    next: AtomicUsize,
    stop: &'a StopFlag,
    /// Set when nobody waits for answers.
    ended: &'a StopFlag,
}

/// The outcome of a job.
struct Answer<T> {
    number: usize,
    found: Result<T, Message>,
    warnings: Vec<Message>,
}

impl Queue<'_> {
    /// Does one job after the other until there is none left.
    fn work<G: Playable, T>(
        &self,
        station: &mut Station<G>,
        work: &Work<'_, G, T>,
        answers: &mpsc::Sender<Answer<T>>,
    ) {
        while !self.stop.is_set() && !self.ended.is_set() {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.jobs {
                return;
            }
            let found = work(station, number);
            let warnings = station.take_warnings();
            let has_failed = found.is_err();
            if answers.send(Answer { number, found, warnings }).is_err() || has_failed {
                return;
            }
        }
    }
}

/// The value of a position before the rules of play are asked whether it is certain.
struct Found<M> {
    finding: Finding<M>,
    /// True if tables gave the move, false if it was searched.
    is_by_tables: bool,
}

impl<G: Playable> Station<G> {
    /// The messages of engine and tables for people, except about play.
    fn take_warnings(&mut self) -> Vec<Message> {
        let mut warnings = std::mem::take(&mut self.warnings);
        add_new(&mut warnings, self.analyst.take_warnings());
        warnings
    }

    /// The evaluation of a position of a game, as if it were the first one.
    fn value_at(
        &mut self,
        game: GameMoves<'_, G>,
        ply: usize,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<PositionValue<G::Move>, Message> {
        let line = line_to(game, ply);
        let played = game.moves.get(ply).copied();
        if line.position().outcome().is_some() {
            return Ok(PositionValue::unknown());
        }
        self.forget()?; // earlier positions must not matter
        let ranked =
            self.tables.as_ref().and_then(|tables| tables.ranked_moves(&line)).unwrap_or_default();
        let problems = self.tables.as_mut().map_or_else(Vec::new, Engine::take_warnings);
        self.warnings.extend(problems);
        let Some(found) = self.find(&line, limits, stop)? else {
            return Ok(PositionValue::unknown());
        };
        let best = ranked.first().map(|best| best.entry).filter(|&best| is_certain(best, &found));
        // Where the past of the game or the limit of moves matters, tables alone do not tell.
        let is_unsure = found.is_by_tables && best.is_none();
        let searched = match is_unsure {
            true => self.analyst.search(&line, &Question::of_all(*limits), stop)?,
            false => None,
        };
        let is_searched = !found.is_by_tables || searched.is_some();
        let finding = searched.unwrap_or(found.finding);
        let table = best.map(|best| {
            let keeping = ranked.iter().filter(|m| m.entry.wdl == best.wdl).count();
            // Where a smaller table is missing, moves into it are not ranked, and might keep the value too.
            let is_complete = ranked.len() as u64 == line.position().count_legal_moves();
            TableFacts {
                best,
                played: ranked.iter().find(|m| Some(m.mv) == played).map(|m| m.entry),
                is_only: is_complete && keeping == 1 && ranked.len() > 1 && best.wdl != Wdl::Loss,
            }
        });
        let best_move = finding.line.first().copied();
        let second = match best_move.filter(|_| is_searched && table.is_none()) {
            Some(mv) if Some(mv) == played => self.second_best(&line, mv, limits, stop)?,
            _ => None,
        };
        let Finding { valuation, mut line, depth, nodes } = finding;
        line.truncate(MAX_LINE);
        let Valuation { score, chances } = valuation;
        Ok(PositionValue { score, chances, line, depth, nodes, second, table, look: None })
    }

    /// Forgets everything.
    fn forget(&mut self) -> Result<(), Message> {
        if let Some(tables) = &mut self.tables {
            tables.new_game();
        }
        self.analyst.forget()
    }

    /// The best move by the tables, else by the engine.
    fn find(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<Option<Found<G::Move>>, Message> {
        let start = Instant::now();
        let looked_up = match &mut self.tables {
            Some(tables) => tables.look_up_within(line, limits, stop),
            None => LookUp::Nothing,
        };
        if let Some(tables) = &mut self.tables {
            let remarks = tables.take_warnings(); // on wins that come too late: of play, not of a review
            tracing::trace!(?remarks, "endgame tables");
        }
        let limits = limits.after(start.elapsed());
        let finding = match looked_up {
            LookUp::Move(choice) => {
                return Ok(Some(Found { finding: by_tables(choice), is_by_tables: true }));
            }
            LookUp::Draws(moves) => {
                let question = Question { limits, among: Some(&moves), are_draws: true };
                self.analyst.search(line, &question, stop)?.map(as_drawn_finding)
            }
            LookUp::Nothing => self.analyst.search(line, &Question::of_all(limits), stop)?,
        };
        Ok(finding.map(|finding| Found { finding, is_by_tables: false }))
    }

    /// The valuation of the best move but `best`: searched with a part of the nodes and what the search of all moves has
    /// left in the transposition table. `None` where there is no other, or the engine cannot leave a move out.
    fn second_best(
        &mut self,
        line: &Line<G>,
        best: G::Move,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<Option<Valuation>, Message> {
        let mut others = MoveList::new();
        line.position().legal_moves(&mut others);
        others.retain(|mv| *mv != best);
        if others.is_empty() {
            return Ok(None);
        }
        let limits = Limits {
            depth: limits.depth,
            nodes: limits.nodes.map(|nodes| (nodes / SECOND_SHARE).max(1)),
            soft_time: limits.soft_time.map(shorter),
            hard_time: limits.hard_time.map(shorter),
        };
        let second = self.analyst.search(line, &Question::of_some(&others, limits), stop)?;
        let second = second.filter(|found| found.depth > 0 && found.line.first() != Some(&best));
        Ok(second.map(|found| found.valuation))
    }
}

/// The move of tables as a finding.
fn by_tables<M>(choice: Choice<M>) -> Finding<M> {
    let Choice { score, depth, nodes, pv: line, .. } = choice;
    Finding { valuation: score.unwrap_or_default().into(), line, depth, nodes }
}

/// The finding about a position that is drawn with best play.
fn as_drawn_finding<M>(found: Finding<M>) -> Finding<M> {
    Finding { valuation: as_drawn(found.valuation.score).into(), ..found }
}

/// Returns true if the tables' value holds in the game at hand: a win may come too late for the limit of moves.
fn is_certain<M>(best: Entry, found: &Found<M>) -> bool {
    let score = found.finding.valuation.score;
    match best.wdl {
        Wdl::Draw => !found.is_by_tables && score == Score::DRAW,
        Wdl::Win | Wdl::Loss => found.is_by_tables && score.is_proved(),
    }
}

/// The time for the search of the second best move.
fn shorter(time: std::time::Duration) -> std::time::Duration {
    time / SECOND_SHARE as u32
}
