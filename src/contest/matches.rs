//! Matches: two engines, many games, several at a time.
//!
//! Each worker thread has one engine for either side and plays the next game that nobody has begun. Games are
//! handed over in the order of their numbers, in whatever order they end, and tests look at whole pairs in
//! that order; so the result of a match does not depend on the number of games played at a time, as long as
//! engines do not look at the time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::bytes::{SetAtEnd, StopFlag};
use crate::contest::game_runner::{Effort, EngineFault, GameRunner, TimeControl};
use crate::contest::games::{Contested, side_name};
use crate::contest::openings::MatchOpenings;
use crate::contest::participant::{EngineSlot, Participant};
use crate::contest::referee::Referee;
use crate::contest::sprt::{Decision, Sprt};
use crate::contest::stats::MatchResults;
use crate::game::{Outcome, Side};
use crate::message::Message;
use crate::protocol::client::{ClientError, Timeouts};
use crate::record::Record;
use crate::xiangqi::Position;

/// A match between two engines.
#[derive(Debug)]
pub struct Match<G: Contested = Position> {
    /// The engines; results are the first one's.
    pub participants: [Participant; 2],
    /// The limits of their searches.
    pub time_control: TimeControl,
    /// The rules for when games end.
    pub referee: Referee<G>,
    /// The positions where games begin; each opening is played twice, with colours exchanged.
    pub openings: MatchOpenings<G>,
    /// Games at most.
    pub games: usize,
    /// Games at a time.
    pub concurrency: usize,
    /// Ends the match early.
    pub sprt: Option<Sprt>,
    /// The times that engines may be silent.
    pub timeouts: Timeouts,
}

/// The reason why a match cannot go on.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum MatchError {
    /// There is no opening.
    #[error("there are no openings to play from")]
    NoOpenings,
    /// An engine cannot be started.
    #[error(transparent)]
    Engine(#[from] ClientError),
    /// The receiver of the games fails.
    #[error("{what}")]
    Sink {
        /// The work of the receiver.
        what: Message,
        /// The cause.
        source: std::io::Error,
    },
}

/// A game of a match.
#[derive(Debug, Clone)]
pub struct MatchGame<G: Contested = Position> {
    /// From 0 on. The first engine plays the first side in even ones.
    pub number: usize,
    /// Moves, result and names, and the engines' reports on their moves.
    pub record: Record<G>,
    /// The result.
    pub outcome: Outcome,
    /// The engine (0 or 1) that committed a fault, and the fault.
    pub fault: Option<(usize, EngineFault)>,
    /// The work of the first and the second engine.
    pub effort: [Effort; 2],
    /// The messages of the first and the second engine before and between their searches, for people.
    pub warnings: [Vec<String>; 2],
}

/// The results of a match so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchTotals {
    /// Results.
    pub results: MatchResults,
    /// The work of the first and the second engine.
    pub effort: [Effort; 2],
    /// The numbers of their faults, in the order of [`EngineFault::ALL`].
    pub faults: [[u64; 4]; 2],
}

impl MatchTotals {
    /// Counts the next game.
    pub fn add<G: Contested>(&mut self, game: &MatchGame<G>) {
        self.results.add(game.outcome);
        for (sum, effort) in self.effort.iter_mut().zip(game.effort) {
            *sum += effort;
        }
        if let Some((engine, fault)) = game.fault {
            self.faults[engine][fault as usize] += 1;
        }
    }

    /// Games so far.
    #[must_use]
    pub fn games(&self) -> usize {
        self.results.total().games() as usize
    }

    /// Returns true if an engine committed any fault.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.faults.iter().flatten().any(|&n| n > 0)
    }
}

/// The engine that plays a side in a game.
pub(crate) const fn engine_of(number: usize, side: Side) -> usize {
    (number + side.index()) % 2
}

/// Gets the games of a match in order, each with the totals after it.
pub type Sink<'a, G = Position> =
    dyn FnMut(&MatchGame<G>, &MatchTotals) -> Result<(), MatchError> + 'a;

/// The result that a worker hands over.
type Outgoing<G> = Result<Box<MatchGame<G>>, ClientError>;

impl<G: Contested> Match<G> {
    /// Plays from game number `totals.games()` on until all are played, the test is decided or
    /// `stop` is set, adding to `totals`. `sink` gets the games in order, from this thread.
    ///
    /// # Errors
    ///
    /// If an engine cannot be started, if there is no opening, or `sink` fails; games in progress are lost.
    pub fn play(
        &self,
        totals: &mut MatchTotals,
        stop: &StopFlag,
        sink: &mut Sink<'_, G>,
    ) -> Result<(), MatchError> {
        if self.openings.is_empty() {
            return Err(MatchError::NoOpenings);
        }
        let next = AtomicUsize::new(totals.games());
        let halt = StopFlag::default();
        if self.is_decided(totals) {
            halt.set();
        }
        let (sender, games) = channel();
        std::thread::scope(|scope| {
            let _halt = SetAtEnd(&halt);
            for _ in 0..self.concurrency.clamp(1, self.games.saturating_sub(totals.games()).max(1))
            {
                let sender = sender.clone();
                let next = &next;
                let halt = &halt;
                scope.spawn(move || self.work(next, halt, &sender));
            }
            drop(sender);
            self.collect(&games, totals, &Stops { stop, halt: &halt }, sink)
        })
    }

    /// The state of the test, if there is one.
    #[must_use]
    pub fn decision(&self, totals: &MatchTotals) -> Option<Decision> {
        self.sprt.map(|sprt| sprt.decide(&totals.results.pairs))
    }

    /// Returns true if no more games are needed.
    #[must_use]
    pub fn is_decided(&self, totals: &MatchTotals) -> bool {
        let decided = self.decision(totals).is_some_and(|decision| decision != Decision::Open);
        decided && totals.results.is_even() || totals.games() >= self.games
    }

    fn collect(
        &self,
        games: &Receiver<(usize, Outgoing<G>)>,
        totals: &mut MatchTotals,
        stops: &Stops<'_>,
        sink: &mut Sink<'_, G>,
    ) -> Result<(), MatchError> {
        let mut early = BTreeMap::new();
        while !self.is_decided(totals) && !stops.stop() {
            let (number, game) = match games.recv_timeout(POLL_INTERVAL) {
                Ok(game) => game,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            early.insert(number, game);
            while let Some(game) = early.remove(&totals.games()) {
                let game = game?;
                totals.add(&game);
                sink(&game, totals)?;
                if self.is_decided(totals) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Plays games as long as there are any.
    fn work(&self, next: &AtomicUsize, halt: &StopFlag, games: &Sender<(usize, Outgoing<G>)>) {
        let slot =
            |participant| EngineSlot::<G>::new(participant, self.referee.rules, self.timeouts);
        let mut slots = [slot(&self.participants[0]), slot(&self.participants[1])];
        while !halt.is_set() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.games {
                break;
            }
            let game = match self.game(number, &mut slots, halt) {
                Ok(None) => break,
                Ok(Some(game)) => Ok(Box::new(game)),
                Err(error) => Err(error),
            };
            let failed = game.is_err();
            if games.send((number, game)).is_err() || failed {
                break;
            }
        }
        slots.iter_mut().for_each(EngineSlot::release);
    }

    fn game(
        &self,
        number: usize,
        slots: &mut [EngineSlot<'_, G>; 2],
        halt: &StopFlag,
    ) -> Result<Option<MatchGame<G>>, ClientError> {
        let Some(opening) = self.openings.of_pair(number / 2, &self.referee) else {
            return Ok(None);
        };
        for slot in slots.iter_mut() {
            slot.start()?;
        }
        let mut names = [slots[0].name(), slots[1].name()];
        if names[0] == names[1] {
            names = [format!("{} a", names[0]), format!("{} b", names[1])];
        }
        let [first, second] = &mut *slots;
        let at_board = if number.is_multiple_of(2) { [first, second] } else { [second, first] };
        let mut runner = GameRunner::new(self.time_control, &self.referee, at_board, halt);
        let Some(played) = runner.play(&opening) else { return Ok(None) };
        let fault = runner.fault;
        let by_side = runner.effort;
        let effort = Side::ALL.map(|side| by_side[engine_of(number, side)]);
        let fault = fault.map(|(side, fault)| (engine_of(number, side), fault));
        let outcome = played.end.outcome;
        let [first, second] = Side::ALL.map(|side| names[engine_of(number, side)].clone());
        let tags = vec![
            tag("Event", "juzhong match".to_owned()),
            tag("Round", (number + 1).to_string()),
            tag(side_name::<G>(Side::First), first),
            tag(side_name::<G>(Side::Second), second),
            tag("TimeControl", self.time_control.to_string()),
        ];
        let record = played.record(&opening, tags);
        let warnings = [slots[0].take_warnings(), slots[1].take_warnings()];
        Ok(Some(MatchGame { number, record, outcome, fault, effort, warnings }))
    }
}

/// A tag of a record.
fn tag(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

/// The interval between two looks at whether a match is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The wish from outside, and the word to the workers.
struct Stops<'a> {
    stop: &'a StopFlag,
    halt: &'a StopFlag,
}

impl Stops<'_> {
    /// Passes the wish on.
    fn stop(&self) -> bool {
        let stop = self.stop.is_set();
        if stop {
            self.halt.set();
        }
        stop
    }
}
