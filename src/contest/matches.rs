//! Matches: two engines, many games.

use crate::bytes::StopFlag;
use crate::contest::games::Contested;
use crate::contest::match_elo::MatchResults;
use crate::contest::one_game::{Effort, TimeControl};
use crate::contest::openings::MatchOpenings;
use crate::contest::participant::Participant;
use crate::contest::referee::Referee;
use crate::contest::schedule::{Schedule, TournamentForm};
use crate::contest::scheduler::{ContestError, ContestGame, Next, Scheduler};
use crate::contest::sprt::{Decision, Sprt};
use crate::protocol::client::Timeouts;
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

/// The results of a match so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchTotals {
    /// Results.
    pub results: MatchResults,
    /// The work of the first and the second engine.
    pub effort: [Effort; 2],
    /// The numbers of their faults, in the order of [`EngineFault::ALL`](crate::contest::EngineFault::ALL).
    pub faults: [[u64; 4]; 2],
}

impl MatchTotals {
    /// Counts the next game.
    pub fn add<G: Contested>(&mut self, game: &ContestGame<G>) {
        self.results.add(game.outcome);
        for (sum, effort) in self.effort.iter_mut().zip(game.effort) {
            *sum += effort;
        }
        if let Some((side, fault)) = game.fault {
            self.faults[game.place_of(side)][fault as usize] += 1;
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

/// Gets the games of a match in order, each with the totals after it.
pub type Sink<'a, G = Position> =
    dyn FnMut(&ContestGame<G>, &MatchTotals) -> Result<(), ContestError> + 'a;

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
    ) -> Result<(), ContestError> {
        let games = Scheduler {
            participants: &self.participants,
            names: None,
            schedule: &Schedule::new(TournamentForm::RoundRobin, self.participants.len()),
            time_control: self.time_control,
            referee: &self.referee,
            openings: &self.openings,
            games: if self.is_decided(totals) { 0 } else { self.games },
            concurrency: self.concurrency,
            timeouts: self.timeouts,
        };
        games.play(totals.games(), stop, &mut |game| {
            totals.add(game);
            sink(game, totals)?;
            Ok(if self.is_decided(totals) { Next::End } else { Next::Game })
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
}
