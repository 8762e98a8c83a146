//! Evaluations of the positions of games, by several engines at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use crate::bytes::machine::available_memory;
use crate::bytes::{SetAtEnd, StopFlag};
use crate::engine::{
    Choice, Endgames, Engine, EngineError, EngineOptions, MoveSource, Playable, TableOptions,
};
use crate::game::{Game, Horizon, Line, Verdict};
use crate::message::Message;
use crate::search::{Control, Iteration, Limits, Score};
use crate::tablebase::{Entry, Wdl};

/// The settings of evaluations.
#[derive(Debug, Clone)]
pub struct ReviewOptions<R> {
    /// The limits of the search of each position; with limits of depth and nodes only, the results are repeatable.
    pub limits: Limits,
    /// Size of each thread's transposition table in MiB.
    pub hash_mib: usize,
    /// Positions evaluated at a time, at least 1. The results do not depend on it.
    pub threads: usize,
    /// Endgame tables.
    pub tables: TableOptions,
    /// The rules that judge repetitions.
    pub rules: R,
}

/// The moves of a game to be evaluated.
#[derive(Debug)]
pub struct GameMoves<'a, G: Game> {
    /// The start position.
    pub start: &'a G,
    /// Plies since the last irreversible move at the start.
    pub start_clock: u32,
    /// The moves, legal where they stand.
    pub moves: &'a [G::Move],
}

impl<G: Game> Clone for GameMoves<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Of every game, whether its positions are `Copy` or not.
impl<G: Game> Copy for GameMoves<'_, G> {}

/// The evaluation of a position of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionValue<M> {
    /// For the side to move.
    pub score: Score,
    /// The best moves found, alternately of both sides.
    pub line: Vec<M>,
    /// Plies searched; 0 where tables gave the move.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// The score of the best other move, where the best one was played and searched.
    pub second: Option<Score>,
    /// The knowledge of the endgame tables.
    pub table: Option<TableFacts>,
}

impl<M> PositionValue<M> {
    /// Of a position without a legal move.
    const fn unknown() -> Self {
        let score = Score::DRAW;
        Self { score, line: Vec::new(), depth: 0, nodes: 0, second: None, table: None }
    }
}

/// The knowledge of the endgame tables about a position and the move played there. Distances count from before the
/// move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableFacts {
    /// The value of the position, for the side to move.
    pub best: Entry,
    /// The value of the move played; `None` at the end of a game, and where it is not known.
    pub played: Option<Entry>,
    /// True if one move alone keeps the value.
    pub is_only: bool,
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
    /// The system starts no thread.
    #[error("cannot start a thread; use fewer --threads")]
    Thread(#[source] std::io::Error),
}

/// The values of the positions of a game.
pub type GameValues<G> = Vec<PositionValue<<G as Game>::Move>>;

/// Engines that evaluate positions, one for each thread.
#[derive(Debug)]
pub struct Evaluators<G: Playable> {
    engines: Vec<Engine<G>>,
    limits: Limits,
    rules: G::Rules,
    warnings: Vec<Message>,
}

/// The most moves of a line that are kept.
pub(crate) const MAX_LINE: usize = 12;

/// The part of the nodes of a search that looks for the second best move.
const SECOND_SHARE: u64 = 4;

/// One position to be evaluated: the number of its game and its ply.
type Job = (usize, usize);

impl<G: Playable> Evaluators<G> {
    /// Sets up the engines.
    ///
    /// # Errors
    ///
    /// If the memory does not suffice, or there are no endgame tables where some are asked for.
    pub fn new(options: &ReviewOptions<G::Rules>) -> Result<Self, ReviewError> {
        if !options.tables.folders.is_empty() {
            G::Tables::open(&options.tables, options.rules).map_err(ReviewError::Tables)?;
        }
        let threads = options.threads;
        let mib = options.hash_mib;
        let needed = (threads as u64).saturating_mul(mib as u64).saturating_mul(1 << 20);
        if available_memory().is_some_and(|free| needed > free) {
            return Err(ReviewError::Memory { threads, mib });
        }
        let of_engine = EngineOptions {
            tables: options.tables.clone(),
            hash_mib: options.hash_mib,
            rules: options.rules,
            seed: Some(0),
            ..EngineOptions::default()
        };
        let mut engines = Vec::with_capacity(options.threads);
        let mut warnings = Vec::new();
        for _ in 0..options.threads.max(1) {
            let mut engine = Engine::<G>::new(of_engine.clone())?;
            for warning in engine.take_warnings() {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            engines.push(engine);
        }
        Ok(Self { engines, limits: options.limits, rules: options.rules, warnings })
    }

    /// The problems with the tables since the last call, each once, for people.
    pub fn take_warnings(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.warnings)
    }

    /// Evaluates every position of the games, several at a time, and calls `done` in this thread after each. The
    /// answers have the order of the games: a value for each position from which a move was made, and one for the
    /// last position unless the game is over there. `None` for games that were not finished when `stop` was set.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn evaluate(
        &mut self,
        games: &[GameMoves<'_, G>],
        stop: &StopFlag,
        done: &mut dyn FnMut(),
    ) -> Result<Vec<Option<GameValues<G>>>, ReviewError> {
        let jobs: Vec<Job> = games
            .iter()
            .enumerate()
            .flat_map(|(number, game)| {
                (0..positions(*game, self.rules)).map(move |ply| (number, ply))
            })
            .collect();
        let mut values: Vec<Option<PositionValue<G::Move>>> = vec![None; jobs.len()];
        let next = AtomicUsize::new(0);
        let ended = StopFlag::default();
        let limits = self.limits;
        let warnings = &mut self.warnings;
        std::thread::scope(|scope| {
            let (sender, answers) = mpsc::channel();
            let end = SetAtEnd(&ended);
            let busy = jobs.len().min(self.engines.len());
            for engine in self.engines.iter_mut().take(busy) {
                let sender = sender.clone();
                let next = &next;
                let ended = &ended;
                let jobs = &jobs;
                std::thread::Builder::new()
                    .spawn_scoped(scope, move || {
                        while !stop.is_set() && !ended.is_set() {
                            // One list for all engines: the next position goes to whoever is free, and
                            // positions differ widely in their time.
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            let Some(&(game, ply)) = jobs.get(number) else { return };
                            let (value, position_warnings) =
                                value_at(engine, games[game], ply, &limits, stop);
                            if sender.send((number, value, position_warnings)).is_err() {
                                return;
                            }
                        }
                    })
                    .map_err(ReviewError::Thread)?;
            }
            // The engines have clones: the list of answers ends when the last of them is gone.
            drop(sender);
            for (number, value, position_warnings) in answers {
                for warning in position_warnings {
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
                // A search that was broken off is weaker than it would have been.
                if !stop.is_set() {
                    values[number] = value;
                    done();
                }
            }
            drop(end);
            Ok::<(), ReviewError>(())
        })?;
        let mut values = values.into_iter();
        Ok(games
            .iter()
            .map(|game: &GameMoves<'_, G>| {
                let of_positions = values.by_ref().take(positions(*game, self.rules));
                of_positions.collect::<Vec<_>>().into_iter().collect::<Option<Vec<_>>>()
            })
            .collect())
    }
}

/// The number of positions of a game that are evaluated.
pub(crate) fn positions<G: Playable>(game: GameMoves<'_, G>, rules: G::Rules) -> usize {
    let plies = game.moves.len();
    plies + usize::from(plies > 0 && !is_over(&line_to(game, plies), rules))
}

/// Returns true if the board or the rules on repetition have ended the game.
fn is_over<G: Playable>(line: &Line<G>, rules: G::Rules) -> bool {
    line.position().outcome().is_some()
        || G::judge(line, rules, Horizon::Game).verdict != Verdict::None
}

/// The line of a game up to a ply.
pub(crate) fn line_to<G: Playable>(game: GameMoves<'_, G>, ply: usize) -> Line<G> {
    let mut line = Line::new(game.start.clone(), game.start_clock);
    game.moves[..ply].iter().for_each(|&mv| line.push(mv));
    line
}

/// Passes on the wish to stop.
struct Stop<'a>(&'a StopFlag);

impl<M> Control<M> for Stop<'_> {
    fn should_stop(&self) -> bool {
        self.0.is_set()
    }
    fn report(&self, _iteration: &Iteration<M>) {}
}

/// The evaluation of a position of a game, as if it were the first one, and what is to be told about the tables.
fn value_at<G: Playable>(
    engine: &mut Engine<G>,
    game: GameMoves<'_, G>,
    ply: usize,
    limits: &Limits,
    stop: &StopFlag,
) -> (Option<PositionValue<G::Move>>, Vec<Message>) {
    let line = line_to(game, ply);
    let played = game.moves.get(ply).copied();
    engine.new_game(); // earlier positions must not matter
    let ranked = engine.ranked_moves(&line).unwrap_or_default();
    let warnings = engine.take_warnings();
    let Some(choice) = engine.choose(&line, limits, &Stop(stop)) else {
        return (Some(PositionValue::unknown()), warnings);
    };
    let best = ranked.first().map(|best| best.entry).filter(|best| is_certain(*best, &choice));
    // Where the past of the game or the limit of moves matters, tables alone do not tell.
    let is_unsure = choice.source == MoveSource::Table && best.is_none();
    let searched = is_unsure.then(|| engine.search(&line, limits, &Stop(stop))).flatten();
    let choice = searched.unwrap_or(choice);
    let remarks = engine.take_warnings(); // on wins that come too late: of play, not of a review
    tracing::trace!(?remarks, "endgame tables");
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
    let is_searched = choice.source == MoveSource::Search && table.is_none();
    let second = if is_searched && Some(choice.mv) == played {
        second_best(engine, &line, choice.mv, limits, stop)
    } else {
        None
    };
    let Choice { score, depth, nodes, mut pv, .. } = choice;
    pv.truncate(MAX_LINE);
    let score = score.unwrap_or_default();
    (Some(PositionValue { score, line: pv, depth, nodes, second, table }), warnings)
}

/// Returns true if the tables' value holds in the game at hand: a win may come too late for the limit of moves.
fn is_certain<M>(best: Entry, choice: &Choice<M>) -> bool {
    match best.wdl {
        Wdl::Draw => choice.source == MoveSource::Search && choice.score == Some(Score::DRAW),
        Wdl::Win | Wdl::Loss => {
            choice.source == MoveSource::Table && choice.score.is_some_and(Score::is_proved)
        }
    }
}

/// The score of the best move but `best`: searched with a part of the nodes and what the search of all moves has
/// left in the transposition table. `None` where there is no other, or no limit of nodes or depth.
fn second_best<G: Playable>(
    engine: &mut Engine<G>,
    line: &Line<G>,
    best: G::Move,
    limits: &Limits,
    stop: &StopFlag,
) -> Option<Score> {
    if line.position().count_legal_moves() < 2 {
        return None;
    }
    let limits = Limits {
        depth: limits.depth,
        nodes: limits.nodes.map(|nodes| (nodes / SECOND_SHARE).max(1)),
        soft_time: limits.soft_time.map(shorter),
        hard_time: limits.hard_time.map(shorter),
    };
    engine.ban(vec![best]);
    let second = engine.search(line, &limits, &Stop(stop));
    engine.ban(Vec::new());
    second.filter(|choice| choice.depth > 0 && choice.mv != best)?.score
}

/// The time for the search of the second best move.
fn shorter(time: std::time::Duration) -> std::time::Duration {
    time / SECOND_SHARE as u32
}
