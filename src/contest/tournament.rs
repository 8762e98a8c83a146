//! Tournaments: several engines, everybody against everybody or one against all.
//!
//! A tournament of two engines is a match: the same games, byte for byte.

use crate::bytes::StopFlag;
use crate::contest::games::Contested;
use crate::contest::match_elo::Count;
use crate::contest::matches::{Match, MatchTotals};
use crate::contest::one_game::{Effort, TimeControl};
use crate::contest::openings::MatchOpenings;
use crate::contest::participant::Participant;
use crate::contest::ratings::Ratings;
use crate::contest::referee::Referee;
use crate::contest::schedule::{MAX_ENGINES, Schedule, TournamentForm, engine_letter};
use crate::contest::scheduler::{ContestError, ContestGame, Next, Scheduler, engine_of};
use crate::contest::sprt::Sprt;
use crate::game::{Side, side_name};
use crate::protocol::client::{ClientError, Timeouts};
use crate::xiangqi::Position;

/// A tournament of two or more engines.
#[derive(Debug)]
pub struct Tournament<G: Contested = Position> {
    /// The engines, at most [`MAX_ENGINES`].
    pub participants: Vec<Participant>,
    /// The pairings.
    pub form: TournamentForm,
    /// The limits of their searches.
    pub time_control: TimeControl,
    /// The rules for when games end.
    pub referee: Referee<G>,
    /// The positions where games begin, the same for all pairings; each opening is played twice by each, with colours
    /// exchanged.
    pub openings: MatchOpenings<G>,
    /// Games of each pairing, rounded up to an even number.
    pub games: usize,
    /// Games at a time.
    pub concurrency: usize,
    /// The times that engines may be silent.
    pub timeouts: Timeouts,
}

/// The results of a tournament so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TournamentTotals {
    schedule: Schedule,
    /// The name of each engine in its games, if it has played.
    names: Vec<Option<String>>,
    /// In the order of the schedule's pairings.
    pairings: Vec<MatchTotals>,
}

/// Gets the games of a tournament in order, each with the totals after it.
pub type TournamentSink<'a, G = Position> =
    dyn FnMut(&ContestGame<G>, &TournamentTotals) -> Result<(), ContestError> + 'a;

impl<G: Contested> Tournament<G> {
    /// The pairings and the order of the games.
    #[must_use]
    pub fn schedule(&self) -> Schedule {
        Schedule::new(self.form, self.participants.len())
    }

    /// Totals without any game.
    #[must_use]
    pub fn no_totals(&self) -> TournamentTotals {
        TournamentTotals::new(self.schedule())
    }

    /// The number of games that are to be played.
    #[must_use]
    pub fn all_games(&self) -> usize {
        self.schedule().games(self.games)
    }

    /// Returns true if all games are played.
    #[must_use]
    pub fn is_finished(&self, totals: &TournamentTotals) -> bool {
        totals.games() >= self.all_games()
    }

    /// Plays from game number `totals.games()` on until all are played or `stop` is set, adding to `totals`. `sink` gets
    /// the games in order, from this thread. More than two engines are each started once before the first game.
    ///
    /// # Errors
    ///
    /// If an engine cannot be started, if there is no opening, if there are too few or too many engines, or `sink` fails;
    /// games in progress are lost.
    pub fn play(
        &self,
        totals: &mut TournamentTotals,
        stop: &StopFlag,
        sink: &mut TournamentSink<'_, G>,
    ) -> Result<(), ContestError> {
        let engines = self.participants.len();
        if !(2..=MAX_ENGINES).contains(&engines) {
            return Err(ContestError::Engines { engines, least: 2, most: MAX_ENGINES });
        }
        let games = self.all_games();
        let is_over = totals.games() >= games || self.openings.is_empty();
        let names = if engines == 2 || is_over { None } else { self.names(stop)? };
        let games = Scheduler {
            participants: &self.participants,
            names: names.as_deref(),
            schedule: &self.schedule(),
            time_control: self.time_control,
            referee: &self.referee,
            openings: &self.openings,
            games,
            concurrency: self.concurrency,
            timeouts: self.timeouts,
        };
        games.play(totals.games(), stop, &mut |game| {
            totals.add(game);
            sink(game, totals)?;
            Ok(Next::Game)
        })
    }

    /// The match that a tournament of two engines is, with a test that may end it early; the tournament itself if there
    /// are others.
    ///
    /// # Errors
    ///
    /// If there are not two engines.
    pub fn into_match(self, sprt: Option<Sprt>) -> Result<Match<G>, Box<Self>> {
        let participants = match <[Participant; 2]>::try_from(self.participants) {
            Ok(participants) => participants,
            Err(participants) => return Err(Box::new(Self { participants, ..self })),
        };
        let Self { time_control, referee, openings, games, concurrency, timeouts, .. } = self;
        let games = games.saturating_add(games % 2);
        Ok(Match {
            participants,
            time_control,
            referee,
            openings,
            games,
            concurrency,
            sprt,
            timeouts,
        })
    }

    /// Starts and ends each engine, and returns their names in the games; `None` if `stop` was set.
    fn names(&self, stop: &StopFlag) -> Result<Option<Vec<String>>, ContestError> {
        let mut names = Vec::with_capacity(self.participants.len());
        for (engine, participant) in self.participants.iter().enumerate() {
            if stop.is_set() {
                return Ok(None);
            }
            let name = self.name(participant);
            names.push(name.map_err(|error| ContestError::of_participant(engine, error))?);
        }
        Ok(Some(told_apart(&names)))
    }

    /// The name of an engine: its own, unless it is given one. It is started as for a game.
    fn name(&self, participant: &Participant) -> Result<String, ClientError> {
        let mut client = participant.start::<G>(self.referee.rules, self.timeouts)?;
        client.new_game()?;
        let name = participant.name.clone().unwrap_or_else(|| client.name().to_owned());
        client.quit();
        Ok(one_line(&name))
    }
}

/// A name as it comes back from a file of games.
fn one_line(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    name.trim().to_owned()
}

/// Names of which those that several engines have end with the engine's letter.
fn told_apart(names: &[String]) -> Vec<String> {
    let apart = names.iter().enumerate().map(|(engine, name)| {
        match names.iter().filter(|&other| other == name).count() {
            1 => name.clone(),
            _ => format!("{name} {}", engine_letter(engine)).trim().to_owned(),
        }
    });
    apart.collect()
}

impl TournamentTotals {
    /// Those of a schedule before its first game.
    #[must_use]
    pub fn new(schedule: Schedule) -> Self {
        let names = vec![None; schedule.engines()];
        let pairings = vec![MatchTotals::default(); schedule.pairings().len()];
        Self { schedule, names, pairings }
    }

    /// Counts the next game.
    pub fn add<G: Contested>(&mut self, game: &ContestGame<G>) {
        if let Some(pairing) = self.schedule.pairing_of(game.number) {
            self.pairings[pairing].add(game);
        }
        for side in Side::ALL {
            let engine = game.engines[engine_of(game.number, side)];
            if let Some(name) = self.names.get_mut(engine) {
                *name = game.record.tag(side_name::<G>(side)).map(str::to_owned).or(name.take());
            }
        }
    }

    /// Games so far.
    #[must_use]
    pub fn games(&self) -> usize {
        self.pairings.iter().map(MatchTotals::games).sum()
    }

    /// Returns true if an engine committed any fault.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        self.pairings.iter().any(MatchTotals::has_faults)
    }

    /// The pairings, and the totals of each: those of a match of these two.
    pub fn pairings(&self) -> impl Iterator<Item = ([usize; 2], &MatchTotals)> {
        self.schedule.pairings().iter().copied().zip(&self.pairings)
    }

    /// The number of engines.
    #[must_use]
    pub const fn engines(&self) -> usize {
        self.schedule.engines()
    }

    /// The name of an engine in its games; `None` before it has played.
    #[must_use]
    pub fn name(&self, engine: usize) -> Option<&str> {
        self.names.get(engine)?.as_deref()
    }

    /// The results of an engine as the first and as the second side.
    #[must_use]
    pub fn colours(&self, engine: usize) -> [Count; 2] {
        let mut sum = [Count::default(); 2];
        for (totals, place) in self.of_engine(engine) {
            let [first, second] = totals.results.colours;
            let own =
                if place == 0 { [first, second] } else { [second.reversed(), first.reversed()] };
            sum = [sum[0] + own[0], sum[1] + own[1]];
        }
        sum
    }

    /// The work of an engine.
    #[must_use]
    pub fn effort(&self, engine: usize) -> Effort {
        let mut sum = Effort::default();
        self.of_engine(engine).for_each(|(totals, place)| sum += totals.effort[place]);
        sum
    }

    /// The numbers of an engine's faults, in the order of [`EngineFault::ALL`](crate::contest::EngineFault::ALL).
    #[must_use]
    pub fn faults(&self, engine: usize) -> [u64; 4] {
        let mut sum = [0; 4];
        for (totals, place) in self.of_engine(engine) {
            sum.iter_mut().zip(totals.faults[place]).for_each(|(sum, n)| *sum += n);
        }
        sum
    }

    /// The ratings of all engines by the games so far.
    #[must_use]
    pub fn ratings(&self) -> Ratings {
        let results: Vec<_> =
            self.pairings().map(|(pair, totals)| (pair, totals.results.total())).collect();
        Ratings::of(self.engines(), &results)
    }

    /// The totals of an engine's pairings, each with its place in the pairing, 0 or 1.
    fn of_engine(&self, engine: usize) -> impl Iterator<Item = (&MatchTotals, usize)> {
        self.pairings().filter_map(move |(pair, totals)| {
            pair.iter().position(|&one| one == engine).map(|place| (totals, place))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_names_are_told_apart() {
        let names = ["Fish", "Cat", "Fish", ""].map(str::to_owned);
        assert_eq!(told_apart(&names), ["Fish a", "Cat", "Fish c", ""]);
        assert_eq!(told_apart(&[String::new(), String::new()]), ["a", "b"]);
        assert_eq!(one_line(" a\nb\u{1b} "), "a b");
    }
}
