//! Games between engines, several at a time, by a schedule: those of matches and of tournaments.
//!
//! Each worker thread has its own engines and plays the next game that nobody has begun. Games are handed over in the
//! order of their numbers, in whatever order they end, and tests look at whole pairs in that order; so the results do not
//! depend on the number of games played at a time, as long as engines do not look at the time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::bytes::{SetAtEnd, StopFlag};
use crate::contest::games::Contested;
use crate::contest::one_game::{Effort, EngineFault, GameRunner, TimeControl};
use crate::contest::openings::MatchOpenings;
use crate::contest::participant::{EngineSlot, EngineSlots, Participant};
use crate::contest::referee::Referee;
use crate::contest::schedule::{Schedule, engine_letter};
use crate::game::{Outcome, Side, side_name};
use crate::message::Message;
use crate::protocol::client::{ClientError, Timeouts};
use crate::record::Record;
use crate::xiangqi::Position;

/// The reason why a match or a tournament cannot go on.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum ContestError {
    /// There is no opening.
    #[error("there are no openings to play from")]
    NoOpenings,
    /// An engine cannot be started.
    #[error(transparent)]
    Engine(#[from] ClientError),
    /// An engine of a tournament cannot be started.
    #[error("engine {letter}")]
    Participant {
        /// Its letter.
        letter: char,
        /// The cause.
        source: ClientError,
    },
    /// Too few engines, or too many.
    #[error("a tournament needs {least} to {most} engines, not {engines}")]
    Engines {
        /// The number of them.
        engines: usize,
        /// At least.
        least: usize,
        /// At most.
        most: usize,
    },
    /// The receiver of the games fails.
    #[error("{what}")]
    Sink {
        /// The work of the receiver.
        what: Message,
        /// The cause.
        source: std::io::Error,
    },
}

/// A game of a match or a tournament.
#[derive(Debug, Clone)]
pub struct ContestGame<G: Contested = Position> {
    /// From 0 on. The first engine plays the first side in even ones.
    pub number: usize,
    /// The numbers of the first and the second engine among those that take part: 0 and 1 in a match.
    pub engines: [usize; 2],
    /// Moves, result and names, and the engines' reports on their moves.
    pub record: Record<G>,
    /// The result.
    pub outcome: Outcome,
    /// The side whose engine committed a fault, and the fault.
    pub fault: Option<(Side, EngineFault)>,
    /// The work of the first and the second engine.
    pub effort: [Effort; 2],
    /// The messages of the first and the second engine before and between their searches, for people.
    pub warnings: [Vec<String>; 2],
}

impl<G: Contested> ContestGame<G> {
    /// The engine that plays a side: 0 or 1, the first or the second of the two.
    #[must_use]
    pub const fn place_of(&self, side: Side) -> usize {
        engine_of(self.number, side)
    }

    /// The number of that engine among those that take part.
    #[must_use]
    pub const fn engine_of(&self, side: Side) -> usize {
        self.engines[self.place_of(side)]
    }
}

/// The engine that plays a side in the game of that number: 0 or 1, the first or the second of the two.
pub(crate) const fn engine_of(number: usize, side: Side) -> usize {
    (number + side.index()) % 2
}

/// The wish of the receiver of a game after it.
pub(crate) enum Next {
    /// The next game.
    Game,
    /// No more games.
    End,
}

/// Gets the games in order.
pub(crate) type Receive<'a, G> = dyn FnMut(&ContestGame<G>) -> Result<Next, ContestError> + 'a;

/// The result that a worker hands over.
type Outgoing<G> = Result<Box<ContestGame<G>>, ContestError>;

/// Hands the games of a schedule to threads.
#[derive(Debug)]
pub(crate) struct Scheduler<'a, G: Contested> {
    pub(crate) participants: &'a [Participant],
    /// Their names in the games; `None` for those that they give themselves, told apart where the two of a game have
    /// the same.
    pub(crate) names: Option<&'a [String]>,
    pub(crate) schedule: &'a Schedule,
    pub(crate) time_control: TimeControl,
    pub(crate) referee: &'a Referee<G>,
    pub(crate) openings: &'a MatchOpenings<G>,
    /// Games in all.
    pub(crate) games: usize,
    /// Games at a time.
    pub(crate) concurrency: usize,
    pub(crate) timeouts: Timeouts,
}

impl<G: Contested> Scheduler<'_, G> {
    /// Plays from game number `first` on until all are played, the receiver has enough or `stop` is set.
    pub(crate) fn play(
        &self,
        first: usize,
        stop: &StopFlag,
        receive: &mut Receive<'_, G>,
    ) -> Result<(), ContestError> {
        if self.openings.is_empty() {
            return Err(ContestError::NoOpenings);
        }
        let left = self.games.saturating_sub(first);
        let next = AtomicUsize::new(first);
        let halt = StopFlag::default();
        let (sender, games) = channel();
        std::thread::scope(|scope| {
            // However this ends, the scope waits for its workers, which play on until they are halted.
            let _halt = SetAtEnd(&halt);
            for _ in 0..self.concurrency.max(1).min(left) {
                let sender = sender.clone();
                let next = &next;
                let halt = &halt;
                scope.spawn(move || self.work(next, halt, &sender));
            }
            // The workers have all senders now, so that the channel closes with the last of them.
            drop(sender);
            self.collect(&games, first, &Stops { stop, halt: &halt }, receive)
        })
    }

    fn collect(
        &self,
        games: &Receiver<(usize, Outgoing<G>)>,
        first: usize,
        stops: &Stops<'_>,
        receive: &mut Receive<'_, G>,
    ) -> Result<(), ContestError> {
        let mut early = BTreeMap::new();
        let mut next = first;
        while next < self.games && !stops.stop() {
            let (number, game) = match games.recv_timeout(POLL_INTERVAL) {
                Ok(game) => game,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            early.insert(number, game);
            while let Some(game) = early.remove(&next) {
                next += 1;
                if matches!(receive(&*game?)?, Next::End) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Plays games as long as there are any.
    fn work(&self, next: &AtomicUsize, halt: &StopFlag, games: &Sender<(usize, Outgoing<G>)>) {
        let mut slots = EngineSlots::new(self.participants, self.referee.rules, self.timeouts);
        while !halt.is_set() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.games {
                break;
            }
            let game = match self.game(number, &mut slots, halt) {
                Ok(None) => break,
                Ok(Some(game)) => Ok(Box::new(game)),
                Err((engine, error)) => Err(self.not_started(engine, error)),
            };
            let failed = game.is_err();
            if games.send((number, game)).is_err() || failed {
                break;
            }
        }
        slots.release();
    }

    fn game(
        &self,
        number: usize,
        slots: &mut EngineSlots<'_, G>,
        halt: &StopFlag,
    ) -> Result<Option<ContestGame<G>>, (usize, ClientError)> {
        let opening = self.openings.of_pair(self.schedule.round_of(number), self.referee);
        let Some((opening, engines)) = opening.zip(self.schedule.engines_of(number)) else {
            return Ok(None);
        };
        let Some([first, second]) = slots.start(engines)? else { return Ok(None) };
        let names = self.names_of(engines, [first, second]);
        let at_board = if number.is_multiple_of(2) {
            [&mut *first, &mut *second]
        } else {
            [&mut *second, &mut *first]
        };
        let mut runner = GameRunner::new(self.time_control, self.referee, at_board, halt);
        let Some(played) = runner.play(&opening) else { return Ok(None) };
        let fault = runner.fault;
        let by_side = runner.effort;
        let effort = Side::ALL.map(|side| by_side[engine_of(number, side)]);
        let outcome = played.end.outcome;
        let record = played.record(&opening, self.tags(number, &names));
        let warnings = [first.take_warnings(), second.take_warnings()];
        Ok(Some(ContestGame { number, engines, record, outcome, fault, effort, warnings }))
    }

    /// The names of the engines of a game.
    fn names_of(&self, engines: [usize; 2], slots: [&EngineSlot<'_, G>; 2]) -> [String; 2] {
        match self.names {
            Some(names) => engines.map(|engine| names[engine].clone()),
            None => {
                let [first, second] = slots.map(EngineSlot::name);
                if first == second {
                    return [format!("{first} a"), format!("{second} b")];
                }
                [first, second]
            }
        }
    }

    fn tags(&self, number: usize, names: &[String; 2]) -> Vec<(String, String)> {
        let event = if self.is_match() { "juzhong match" } else { "juzhong tournament" };
        let [first, second] = Side::ALL.map(|side| names[engine_of(number, side)].clone());
        vec![
            tag("Event", event.to_owned()),
            tag("Round", (number + 1).to_string()),
            tag(side_name::<G>(Side::First), first),
            tag(side_name::<G>(Side::Second), second),
            tag("TimeControl", self.time_control.to_string()),
        ]
    }

    /// Returns true if there are two engines.
    const fn is_match(&self) -> bool {
        self.participants.len() == 2
    }

    /// The error of an engine that cannot be started.
    fn not_started(&self, engine: usize, error: ClientError) -> ContestError {
        if self.is_match() {
            return ContestError::Engine(error);
        }
        ContestError::of_participant(engine, error)
    }
}

impl ContestError {
    /// The error of the engine with this number in a tournament, if it cannot be started.
    pub(crate) fn of_participant(engine: usize, source: ClientError) -> Self {
        Self::Participant { letter: engine_letter(engine), source }
    }
}

/// A tag of a record.
fn tag(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

/// The interval between two looks at whether the games are to stop.
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
