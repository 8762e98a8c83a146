//! Games of a search with a network against the same search with the classical evaluation.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use juzhong::contest::{MatchResults, built_in_openings};
use juzhong::game::{Game, Line, Outcome, Side};
use juzhong::record::Record;
use juzhong::search::eval::xiangqi::Evaluation;
use juzhong::search::{Limits, SearchError, SearchOptions, Searcher};
use juzhong::xiangqi::{Position, RuleSet};
use rayon::prelude::*;

use crate::games::outcome_of;

/// The options of games.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File of the network.
    network: PathBuf,
    /// File of the network of the other side; without it that has the classical evaluation.
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Pairs of games, each of an opening of the project with colours exchanged.
    #[arg(long, value_name = "N", default_value_t = 50)]
    pairs: usize,
    /// Nodes per move.
    #[arg(long, conflicts_with = "move_time", default_value_t = 5_000)]
    nodes: u64,
    /// Milliseconds per move instead.
    #[arg(long, value_name = "MS")]
    move_time: Option<u64>,
    /// Size of the transposition table of each side in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 8)]
    hash: usize,
    /// Pairs played in parallel.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// A game in which both sides agree on an advantage of this many centipawns ...
const WON: i32 = 1_500;
/// ... for this many plies is won.
const WON_PLIES: u32 = 6;
/// A game of this many plies is drawn.
const MOST_PLIES: usize = 300;

pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let openings = built_in_openings(&Position::start());
    ensure!(!openings.is_empty(), "no openings");
    let sides =
        [super::evaluation(Some(&args.network))?, super::evaluation(args.against.as_ref())?];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build()?;
    let outcomes: Vec<[Outcome; 2]> = pool.install(|| {
        (0..args.pairs)
            .into_par_iter()
            .with_max_len(1)
            .map(|pair| args.pair(&openings[pair % openings.len()], &sides))
            .collect::<Result<_, SearchError>>()
    })?;
    let mut results = MatchResults::default();
    outcomes.iter().flatten().for_each(|&outcome| results.add(outcome));
    let total = results.total();
    println!("network    +{} ={} -{}", total.wins, total.draws, total.losses);
    println!("pairs      {:?}", results.pairs);
    if let Some(estimate) = results.by_pairs() {
        println!("Elo        {:+.0} ({:+.0} to {:+.0})", estimate.elo, estimate.low, estimate.high);
    }
    Ok(())
}

impl Args {
    fn limits(&self) -> Limits {
        let time = self.move_time.map(|time| Limits::move_time(Duration::from_millis(time)));
        time.unwrap_or_else(|| Limits::nodes(self.nodes))
    }

    /// Two games from an opening; the network plays first in the first of them.
    fn pair(
        &self,
        opening: &Record<Position>,
        sides: &[Evaluation; 2],
    ) -> Result<[Outcome; 2], SearchError> {
        let options = SearchOptions { hash_mib: self.hash, ..SearchOptions::default() };
        let player = |side: usize| -> Result<Searcher<Position>, SearchError> {
            Ok(Searcher::new(options)?.with_evaluator(&sides[side]))
        };
        let mut first = [player(0)?, player(1)?];
        let mut second = [player(1)?, player(0)?];
        Ok([self.game(opening, &mut first), self.game(opening, &mut second)])
    }

    fn game(&self, opening: &Record<Position>, players: &mut [Searcher<Position>; 2]) -> Outcome {
        let start = opening.start.clone().unwrap_or_else(Position::start);
        let mut line = Line::new(start, opening.start_clock);
        opening.tree.moves.iter().for_each(|&mv| line.push(mv));
        let mut agreement = Agreement::default();
        loop {
            if let Some(outcome) = outcome_of(&line) {
                return outcome;
            }
            let turn = line.position().turn();
            let player = &mut players[turn.index()];
            let found = player.run(&line, RuleSet::default(), &self.limits(), &(), &());
            let Some(mv) = found.best.filter(|_| line.len() < MOST_PLIES) else {
                return Outcome::Draw;
            };
            if let Some(winner) = agreement.note(turn, found.score.value()) {
                return Outcome::Win(winner);
            }
            line.push(mv);
        }
    }
}

/// The run of plies in which both sides have called the same one won.
#[derive(Debug, Default)]
struct Agreement {
    winner: Option<Side>,
    plies: u32,
}

impl Agreement {
    /// Notes the score of the side to move; returns the winner once it is agreed on.
    fn note(&mut self, turn: Side, score: i32) -> Option<Side> {
        let ahead = if score > 0 { turn } else { !turn };
        let winner = (score.abs() >= WON).then_some(ahead);
        self.plies = if winner == self.winner { self.plies + 1 } else { 1 };
        self.winner = winner;
        winner.filter(|_| self.plies >= WON_PLIES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_agree_on_a_winner() {
        let mut agreement = Agreement::default();
        let scores = [2_000, -1_600, 2_000, -3_000, 1_500, -9_000];
        let sides = [Side::First, Side::Second].into_iter().cycle();
        let told: Vec<_> =
            sides.clone().zip(scores).map(|(side, score)| agreement.note(side, score)).collect();
        assert_eq!(told[4..], [None, Some(Side::First)]);
        let mut agreement = Agreement::default();
        assert!(sides.zip([2_000; 9]).all(|(side, score)| agreement.note(side, score).is_none()));
    }
}
